import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { temporaryFolder } from '../support/app.ts'
import { must } from '../support/builders.ts'
import { picture } from '../support/images.ts'
import { slipway, startUploaderApp, tree } from './slipway.ts'

const build = (asset: string) =>
  [
    'version: v1',
    'spec: build',
    'asset:',
    '  title: First',
    '  type: game',
    '  description: It begins.',
    '  version: 1.10',
    asset,
  ].join('\n')

test('genbuild, addchangelog, build, setfiles and addfiles publish a build', async (t) => {
  const { run, get, ci, game } = await startUploaderApp(t)
  const cwd = tree(t, {
    'out/play': '#!/bin/sh\n',
    'out/data/a.txt': 'a',
    'out/trace.log': 'x',
    'out/.slipwayignore': '*.log\n',
  })
  chmodSync(join(cwd, 'out/play'), 0o755)
  const runThere = (args: string[]) => run(args, { cwd })
  const steps = [
    await runThere(['genbuild', '--version', '1.10', '--engine-version', 'V4.2']),
    await runThere([
      'addchangelog',
      '--title',
      'New: a "level"',
      '--description',
      'The lighthouse.\nAnd its stairs.',
    ]),
    await runThere(['addchangelog', '--title', 'Faster', '--description', 'Much.']),
    await runThere(['build', '--asset', 'build.yml', '--os', 'linux', '--json']),
    await runThere(['setfiles', '--files', 'out', '--os', 'linux', '--version', '1.10']),
    await runThere(['addfiles', '--asset', 'addfiles.yml', '--wait', '--json']),
  ]
  for (const step of steps) assert.equal(step.code, 0, step.stderr)
  assert.deepEqual(parse(readFileSync(join(cwd, 'addfiles.yml'), 'utf8')).asset.files, [
    { file: 'out/data/a.txt' },
    { file: 'out/play' },
  ])
  const [registered, added] = [steps[3]!.json.builds[0], steps[5]!.json.builds[0]]
  assert.equal(added.build_id, registered.build_id, 'another build was registered')
  assert.deepEqual(
    [added.app_id, added.os, added.arch, added.channel, added.scan],
    [game.uid, 'linux', 'x86_64', 'stable', 'clean'],
  )
  const owned = must(
    await get(`/api/v1/private/games/${game.uid}/builds/${added.build_id}`, game.owner),
  )
  assert.deepEqual(
    [owned.version, owned.title, owned.engine_version, owned.changelog_items],
    [
      '1.10',
      'Untitled Build',
      '4.2',
      [
        { title: 'New: a "level"', description: 'The lighthouse.\nAnd its stairs.' },
        { title: 'Faster', description: 'Much.' },
      ],
    ],
  )
  assert.equal(must(await get('/api/v1/tool/builds', ci)).total, 1)
  assert.match(
    (await runThere(['build', '--asset', 'build.yml', '--os', 'linux'])).stdout,
    new RegExp(`^SVC_GAMES_APP_ID=${game.uid}\nSVC_GAMES_BUILD_ID=${added.build_id}\n$`),
  )
})

test('build registers each platform of the file, and flags replace them', async (t) => {
  const { run, get, ci } = await startUploaderApp(t)
  const cwd = tree(t, {
    'several.yml': build(
      [
        '  platforms:',
        '    - os: Win64',
        '    - {os: mac, arch: aarch64, channel: beta}',
        '  app: {id: Server, name: The server}',
        '  video: https://example.com/v\n',
      ].join('\n'),
    ),
    'one.yml': build('  os: linux\n  channel: beta\n'),
    'none.yml': build(''),
  })
  const register = async (...args: string[]) => {
    const { json } = await run(['build', '--json', ...args], { cwd })
    return json.ok
      ? json.builds.map(({ os, arch, channel, app }: any) =>
          [os, arch, channel, app].join(' ').trim(),
        )
      : json.error
  }
  assert.deepEqual(await register('--asset', 'several.yml'), [
    'windows x86_64 stable server',
    'macos arm64 beta server',
  ])
  assert.deepEqual(await register('--asset', 'several.yml', '--os', 'linux'), [
    'linux x86_64 stable server',
  ])
  assert.match(
    await register('--asset', 'several.yml', '--channel', 'dev'),
    /need an os, and several\.yml names several/,
  )
  assert.deepEqual(await register('--asset', 'one.yml'), ['linux x86_64 beta'])
  assert.deepEqual(await register('--asset', 'one.yml', '--arch', 'x86'), ['linux x86 beta'])
  assert.deepEqual(
    await register('--asset', 'none.yml'),
    ['stable'],
    'a platform was sent that the file does not name',
  )
  assert.match(
    await register('--asset', 'none.yml', '--arch', 'x86'),
    /need an os, and none\.yml names none/,
  )
  assert.match(
    await register('--asset', 'several.yml', '--symbols', 'x.sym'),
    /symbols belong to one platform/,
  )
  const { builds } = must(await get('/api/v1/tool/builds?os=windows', ci))
  assert.deepEqual(
    builds.map(({ version }: any) => version),
    ['1.10'],
    'the version was read as a number',
  )
})

test('addfiles keeps folders, starts names at root and registers the build', async (t) => {
  const { run, get, sql, game } = await startUploaderApp(t)
  const cwd = tree(t, {
    'ci/files.yml': '',
    'out/bin/game.exe': 'MZ',
    'out/data/x.pak': 'x',
    'elsewhere/readme.txt': 'hi',
  })
  symlinkSync('game.exe', join(cwd, 'out/bin/link.exe'))
  const files = (asset: string) =>
    writeFileSync(
      join(cwd, 'ci/files.yml'),
      'version: v1\nspec: addfiles\n' +
        `asset: {version: "2", channel: beta, os: windows, arch: x86_64, ${asset}}\n`,
    )
  const names = async (file_uid: string) =>
    (await sql`select path from file_entries where file_uid = ${file_uid} order by path`).map(
      ({ path }) => path,
    )
  const add = async () => {
    const { json } = await run(['addfiles', '--asset', 'ci/files.yml', '--wait', '--json'], { cwd })
    if (!json.ok) return json.error
    const [build] = json.builds
    return { ...build, names: await names(build.file_uid) }
  }
  files(
    'type: game, root: out, files: ' +
      '[{file: out/bin/game.exe}, {file: out/bin/link.exe}, {file: out/data}]',
  )
  const added = await add()
  assert.deepEqual(
    added.names.filter((path: string) => !path.endsWith('/')),
    ['bin/game.exe', 'bin/link.exe', 'data/x.pak'],
  )
  const owned = must(
    await get(`/api/v1/private/games/${game.uid}/builds/${added.build_id}`, game.owner),
  )
  assert.deepEqual(
    [owned.title, owned.description, owned.channel],
    ['2 windows/x86_64', '2 windows/x86_64', 'beta'],
  )
  files('type: game, files: [{file: ../out/bin/game.exe}, {file: ../elsewhere/readme.txt}]')
  assert.deepEqual(
    (await add()).names.filter((path: string) => !path.endsWith('/')),
    ['elsewhere/readme.txt', 'out/bin/game.exe'],
  )
  files('type: demo, files: [{file: ../out/bin/game.exe}]')
  assert.notEqual((await add()).build_id, added.build_id, 'the build of another type was used')
  files('type: game, files: [{file: missing.exe}]')
  assert.match(await add(), /missing\.exe does not exist/)
  files('type: game, files: []')
  assert.match(await add(), /files\.yml:3:\d+: files lists nothing/)
})

test('an invalid file is reported with its position, unknown keys with a suggestion', async (t) => {
  const cwd = temporaryFolder(t)
  const env = { SVC_ACCESS_TOKEN: 'svc_dat_x', SVC_SECRET_KEY: 'svc_dsk_x' }
  const cases: [string, RegExp][] = [
    ['a: [', /build\.yml:\d+:\d+: .*hint: this is not valid YAML/s],
    ['version: v1\nspec: build\nasset:\n  title: x\n\ttype: game\n', /build\.yml:5:1: /],
    ['version: v2\n', /build\.yml:1:1: version must be v1/],
    ['version: v1\nspec: addfiles\nasset: {}\n', /build\.yml:2:1: spec must be build/],
    ['version: v1\nspec: build\n', /asset must be a mapping/],
    [build('  title: again\n'), /build\.yml:8:3: Map keys must be unique/],
    [build('  os: amiga\n'), /build\.yml:8:3: os: "amiga" is not one of/],
    [build('  platforms:\n    - arch: x86\n'), /build\.yml:9:7: a platform needs an os/],
    [build('  platforms: linux\n'), /build\.yml:8:3: asset\.platforms must be a list/],
    [build('  engine_version: four\n'), /build\.yml:8:3: engine_version: write numbers/],
    [
      build('  changelog:\n    - title: ""\n'),
      /build\.yml:9:7: asset\.changelog\.0\.title: write something/,
    ],
    [build('  media: {cover: missing.png}\n'), /missing\.png does not exist/],
    [build('  app: {name: Server}\n'), /app_name: send app together with app_name/],
    [
      build(`  images: [${Array(21).fill('a.png').join(', ')}]\n`),
      /at most 20 images; this has 21/,
    ],
    [
      build('').replace('1.10', 'x'.repeat(33)),
      /build\.yml:7:3: asset\.version: use at most 32 characters/,
    ],
    [build('').replace('It begins.', '""'), /build\.yml:6:3: asset\.description: write something/],
    [
      build(`  changelog:\n${'    - {title: x, description: y}\n'.repeat(101)}`),
      /at most 100 entries; this has 101/,
    ],
  ]
  for (const [text, message] of cases) {
    writeFileSync(join(cwd, 'build.yml'), text)
    const { code, stderr } = await slipway(['build', '--asset', 'build.yml'], { cwd, env })
    assert.equal(code, 1, stderr)
    assert.match(stderr, message)
  }
  writeFileSync(join(cwd, 'build.yml'), build('  chanel: beta\n  asset_type: game\n  quux: 1\n'))
  const warned = await slipway(['build', '--asset', 'build.yml'], { cwd, env })
  assert.match(
    warned.stderr,
    /warning: build\.yml:8:3: unknown key "chanel"; did you mean "channel"\?/,
  )
  assert.match(warned.stderr, /warning: build\.yml:9:3: asset_type is now called type/)
  assert.match(warned.stderr, /warning: build\.yml:10:3: unknown key "quux"\n/)
  assert.equal(warned.code, 3, 'the warnings ended the program')
  assert.match(
    (await slipway(['build', '--asset', 'nowhere.yml'], { cwd, env })).stderr,
    /nowhere\.yml does not exist/,
  )
})

test('commands that write files keep what is already in them', async (t) => {
  const cwd = tree(t, { 'store/b.png': '', 'store/a.jpg': '', 'store/notes.txt': '' })
  const runThere = (args: string[]) => slipway(args, { cwd })
  const app = ['--app', 'server', '--app-name', 'The server']
  assert.equal((await runThere(['genbuild', '--images', 'store', ...app])).code, 0)
  const { asset } = parse(readFileSync(join(cwd, 'build.yml'), 'utf8'))
  assert.deepEqual(
    [asset.title, asset.type, asset.version, asset.media.gallery, asset.app],
    [
      'Untitled Build',
      'game',
      '0.0.1',
      ['store/a.jpg', 'store/b.png'],
      { id: 'server', name: 'The server' },
    ],
  )
  assert.equal((await runThere(['genbuild'])).code, 1, 'an existing file was replaced')
  assert.equal((await runThere(['genbuild', '--force'])).code, 0)
  for (let i = 0; i < 21; i++) writeFileSync(join(cwd, `store/${i}.png`), '')
  assert.match(
    (await runThere(['genbuild', '--force', '--images', 'store'])).stderr,
    /holds 23 images; a gallery has at most 20/,
  )
  for (let i = 18; i < 21; i++) rmSync(join(cwd, `store/${i}.png`))
  for (const name of ['cover.webp', 'thumbnail.gif']) writeFileSync(join(cwd, 'store', name), '')
  assert.equal((await runThere(['genbuild', '--force', '--images', 'store'])).code, 0)
  const { media } = parse(readFileSync(join(cwd, 'build.yml'), 'utf8')).asset
  assert.deepEqual(
    [media.cover, media.thumbnail, media.gallery.length],
    ['store/cover.webp', 'store/thumbnail.gif', 20],
  )
  writeFileSync(join(cwd, 'store/Cover.png'), '')
  assert.match(
    (await runThere(['genbuild', '--force', '--images', 'store'])).stderr,
    /holds more than one cover: Cover\.png, cover\.webp/,
  )
  writeFileSync(
    join(cwd, 'build.yml'),
    `# mine\n${build('  changelog: # so far\n    - title: Old # kept\n      description: x\n')}`,
  )
  assert.equal((await runThere(['addchangelog', '--title', 'New', '--description', 'y'])).code, 0)
  const text = readFileSync(join(cwd, 'build.yml'), 'utf8')
  assert.match(text, /^# mine\n/)
  assert.match(
    text,
    new RegExp(
      '# so far\\n {4}- title: Old # kept\\n {6}description: x\\n' +
        ' {4}- title: New\\n {6}description: y\\n$',
    ),
  )
  assert.equal((await runThere(['addchangelog', '--title', ' ', '--description', 'y'])).code, 1)
  writeFileSync(
    join(cwd, 'build.yml'),
    build(`  changelog:\n${'    - {title: x, description: y}\n'.repeat(99)}`),
  )
  assert.equal((await runThere(['addchangelog', '--title', 'a', '--description', 'b'])).code, 0)
  assert.match(
    (await runThere(['addchangelog', '--title', 'a', '--description', 'b'])).stderr,
    /has 100 changelog entries/,
  )
  assert.match(
    (await runThere(['setfiles', '--files', 'nowhere'])).stderr,
    /nowhere does not exist/,
  )
  mkdirSync(join(cwd, 'empty'))
  assert.match((await runThere(['setfiles', '--files', 'empty'])).stderr, /empty holds no files/)
  assert.ok(!existsSync(join(cwd, 'addfiles.yml')))
})

test('media commands set, add, move, order and delete images, and build sends them', async (t) => {
  const { run, home } = await startUploaderApp(t)
  const image = async (name: string, width: number, height: number) =>
    writeFileSync(join(home, name), await picture(width, height))
  await image('cover.png', 1024, 576)
  await image('thumb.png', 960, 540)
  for (const name of ['1.png', '2.png', '3.png']) await image(name, 1280, 720)
  writeFileSync(join(home, 'text.png'), 'no image')
  const media = async (...args: string[]) =>
    (await run(['media', ...args, '--json'], { cwd: home })).json
  assert.equal((await media('list')).media.gallery.length, 0)
  const { exit_code, error } = await media()
  assert.deepEqual([exit_code, error], [1, 'slipway media needs a subcommand'])
  const covered = await media('cover', 'cover.png')
  assert.deepEqual([covered.ok, covered.action, covered.media.cover !== ''], [true, 'cover', true])
  await media('add', '1.png', '2.png')
  const { gallery } = (await media('add', '3.png', '--position', '0')).media
  const uids = gallery.map(({ uid }: any) => uid)
  const order = (answer: any) => answer.media.gallery.map(({ uid }: any) => uids.indexOf(uid))
  assert.deepEqual(order(await media('move', uids[2], '--to', '0')), [2, 0, 1])
  assert.deepEqual(order(await media('order', ...uids)), [0, 1, 2])
  assert.equal((await media('order', uids[0])).code, 4154)
  assert.deepEqual(order(await media('delete', uids[1])), [0, 2])
  assert.equal((await media('delete', 'cover')).media.cover, '')
  for (const args of [
    ['add', 'text.png'],
    ['add', 'nowhere.png'],
    ['add', '1.png', '--position', '20'],
    ['move', 'x', '--to', '1'],
    ['delete', 'x'],
    ['add', ...Array(11).fill('1.png')],
    ['order', uids[0], uids[0]],
  ])
    assert.equal((await media(...args)).exit_code, 1, args.join(' '))
  assert.equal((await media('thumbnail', 'cover.png')).ok, true)
  assert.deepEqual([(await media('cover', 'thumb.png')).code], [4151])
  writeFileSync(
    join(home, 'build.yml'),
    build(
      '  os: linux\n' +
        '  media: {cover: cover.png, thumbnail: thumb.png, gallery: [1.png]}\n' +
        '  images: [2.png]\n',
    ),
  )
  const built = await run(['build', '--asset', join(home, 'build.yml'), '--json'])
  assert.equal(built.code, 0, built.stderr)
  assert.deepEqual(
    [
      built.json.media.cover !== '',
      built.json.media.thumbnail !== '',
      built.json.media.gallery.length,
    ],
    [true, true, 3],
    '2.png is in the gallery already',
  )
})

test('build sends each image once, however often it runs', async (t) => {
  const { run, get, ci, home } = await startUploaderApp(t)
  mkdirSync(join(home, 'store'))
  const image = async (name: string, width: number, height: number) =>
    writeFileSync(join(home, 'store', name), await picture(width, height))
  await image('cover.png', 1024, 576)
  await image('Thumbnail.png', 960, 540)
  for (const name of ['1.png', '2.png', '3.png']) await image(name, 1280, 720)
  writeFileSync(join(home, 'store/4.png'), readFileSync(join(home, 'store/1.png')))
  const write = ['genbuild', '--version', '1.0.0', '--images', 'store']
  assert.equal((await run(write, { cwd: home })).code, 0)
  const build = async () => {
    const { code, stderr, json } = await run(['build', '--asset', 'build.yml', '--json'], {
      cwd: home,
    })
    assert.equal(code, 0, stderr)
    return { media: json.media, stderr }
  }
  const first = await build()
  assert.match(first.stderr, /sent 5 images; the page already had 1\n/)
  assert.deepEqual(
    [first.media.cover !== '', first.media.thumbnail !== '', first.media.gallery.length],
    [true, true, 3],
  )
  const again = await build()
  assert.match(again.stderr, /sent 0 images; the page already had 6\n/)
  assert.deepEqual(again.media, first.media)
  await image('2.png', 1280, 720)
  await image('cover.png', 1024, 576)
  const changed = await build()
  assert.match(changed.stderr, /sent 2 images; the page already had 4\n/)
  assert.notEqual(changed.media.cover, first.media.cover)
  assert.equal(changed.media.thumbnail, first.media.thumbnail)
  assert.deepEqual(changed.media.gallery.slice(0, 3), first.media.gallery)
  assert.deepEqual(must(await get('/api/v1/tool/media', ci)), changed.media)
})

test('symbols are read from a file or a folder and split into several requests', async (t) => {
  const { run, home } = await startUploaderApp(t)
  const { json } = await run([
    'push',
    tree(t, { 'a.exe': 'x' }),
    '--version',
    '1',
    '--os',
    'windows',
    '--json',
  ])
  const { build_id } = json.builds[0]
  const sym = (n: number) =>
    `MODULE Linux x86_64 ${n.toString(16).toUpperCase().padStart(33, '0')} lib${n}\n`
  const many = tree(
    t,
    Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`${n % 3}/lib${n}.SYM`, sym(n)])),
  )
  symlinkSync('/etc/passwd', join(many, 'link'))
  writeFileSync(join(many, 'a\nb'), 'not a symbol file')
  const folder = await run(['symbols', many, '--build-id', build_id, '--json'])
  assert.deepEqual(
    [
      folder.code,
      folder.json.ok,
      folder.json.build_id,
      folder.json.count,
      folder.json.symbols?.length,
    ],
    [0, true, build_id, 201, 201],
    folder.stdout,
  )
  writeFileSync(join(home, 'one.sym'), sym(500))
  const file = await run(['symbols', join(home, 'one.sym'), '--build-id', build_id, '--json'])
  assert.deepEqual([file.json.count, file.json.symbols[0].module_name], [1, 'lib500'])
  writeFileSync(join(home, 'bad.sym'), 'no module line')
  writeFileSync(join(home, 'bad.txt'), 'x')
  for (const name of ['bad.sym', 'bad.txt', 'nowhere'])
    assert.equal((await run(['symbols', join(home, name), '--build-id', build_id])).code, 1, name)
  assert.equal((await run(['symbols', join(home, 'one.sym'), '--build-id', 'x'])).code, 1)
  assert.equal(
    (
      await run([
        'symbols',
        join(home, 'one.sym'),
        '--build-id',
        '0198c0de-0000-7000-8000-000000000000',
        '--json',
      ])
    ).json.code,
    4039,
  )
})
