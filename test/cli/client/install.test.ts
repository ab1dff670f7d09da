import assert from 'node:assert/strict'
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../support/app.ts'
import { must } from '../../support/builders.ts'
import { zip } from '../../uploads/zips.ts'
import { gameFiles, startStore, treeOf } from './fixtures.ts'

const program = '#!/bin/sh\necho "playing $1 in $PWD"\nexit 7\n'
const large = Buffer.alloc(9 * 1024 * 1024, 'noise that compresses a little ')

/** Two versions: files that stay, change, go and come, a link, and a large one. */
const first = [
  { name: 'game.sh', body: program, method: 8, mode: 0o100755 },
  { name: 'data/same.pak', body: 'same'.repeat(500), method: 0, mode: 0o100644 },
  { name: 'data/old.pak', body: 'old', method: 0, mode: 0o100644 },
  { name: 'data/config.ini', body: 'sound=1', method: 0, mode: 0o100644 },
  { name: 'current', body: 'data/same.pak', method: 0, mode: 0o120777 },
  { name: 'saves/', method: 0, mode: 0o40755 },
  { name: 'large.pck', body: large, method: 0, mode: 0o100644 },
]
const second = [
  { name: 'game.sh', body: `${program}# 2\n`, method: 8, mode: 0o100755 },
  { name: 'data/renamed.pak', body: 'same'.repeat(500), method: 8, mode: 0o100644 },
  { name: 'data/new.pak', body: 'new', method: 0, mode: 0o100600 },
  { name: 'data/config.ini', body: 'sound=2', method: 0, mode: 0o100644 },
  { name: 'current', body: 'data/new.pak', method: 0, mode: 0o120777 },
  { name: 'large.pck', body: large, method: 8, mode: 0o100644 },
]
const treeOfZip = (files: typeof first) =>
  Object.fromEntries(
    files.map(({ name, body = '', mode }) => [
      name,
      name.endsWith('/')
        ? ''
        : mode === 0o120777
          ? `-> ${body}`
          : `${(mode & 0o777).toString(8)} ${Buffer.from(body as string).toString('latin1')}`,
    ]),
  )
const withFolders = (tree: Record<string, string>, ...folders: string[]) => ({
  ...tree,
  ...Object.fromEntries(folders.map((folder) => [`${folder}/`, ''])),
})

test('a game is installed, started, updated, rolled back and removed', async (t) => {
  const app = await startStore(t, first as never)
  const installed = await app.install()
  assert.equal(installed.code, 0, installed.stdout)
  const { path, folder } = installed.json
  assert.deepEqual(treeOf(path), withFolders(treeOfZip(first), 'data', 'saves'))

  const played = await app.run(['launch', app.name, '--', 'fast'])
  assert.deepEqual([played.code, played.stdout], [7, `playing fast in ${path}\n`], played.stderr)

  const again = await app.run(['update', app.name])
  assert.match(again.stdout, /is up to date/)

  writeFileSync(join(path, 'saves/slot1'), 'level 3')
  mkdirSync(join(path, 'mods'))
  writeFileSync(join(path, 'mods/hat.pak'), 'a hat')
  writeFileSync(join(path, 'data/config.ini'), 'sound=0')
  await app.a.cleanBuild(app.game, { bytes: zip(second), version: '2.0' })
  const updated = await app.run(['update', '--all', '--json'])
  assert.equal(updated.code, 0, updated.stdout)
  const [result] = updated.json.games
  assert.ok(result.downloaded < 20_000, `downloaded ${result.downloaded} for small changes`)
  const kept_name = result.kept_aside[0]
  assert.match(kept_name, /^data\/config\.ini\.kept-1\.0\.\d+$/)
  assert.deepEqual(treeOf(result.path), {
    ...withFolders(treeOfZip(second as never), 'data', 'saves', 'mods'),
    'saves/slot1': '644 level 3',
    'mods/hat.pak': '644 a hat',
    [kept_name]: '644 sound=0',
  })
  const inode = (tree: string) => statSync(join(tree, 'large.pck')).ino
  assert.equal(inode(path), inode(result.path), 'a file that did not change is stored once')

  const back = await app.run(['rollback', app.name, '--json'])
  assert.equal(back.code, 0, back.stdout)
  const listed = await app.run(['list', '--json'])
  const restored = treeOf(listed.json.games[0].path)
  assert.equal(restored['data/config.ini'], '644 sound=0')
  assert.equal(restored['saves/slot1'], '644 level 3')
  assert.equal(listed.json.games[0].version, back.json.version)

  const removed = await app.run(['uninstall', app.name, '--json'])
  assert.equal(removed.code, 0, removed.stdout)
  assert.deepEqual(treeOf(folder), {
    ...withFolders({ [`kept/${kept_name}`]: '644 sound=0' }, 'kept', 'kept/data'),
    'kept/data/config.ini': '644 sound=0',
    'kept/mods/': '',
    'kept/mods/hat.pak': '644 a hat',
    'kept/saves/': '',
    'kept/saves/slot1': '644 level 3',
  })
  assert.match((await app.run(['list'])).stdout, /No games are installed/)
})

test('damaged and missing files are named and repaired, and only those are downloaded', async (t) => {
  const app = await startStore(t, first as never)
  const { path } = (await app.install()).json
  assert.equal((await app.run(['verify', app.name])).code, 0)
  appendFileSync(join(path, 'game.sh'), '# changed')
  rmSync(join(path, 'data/old.pak'))
  rmSync(join(path, 'current'))
  const verified = await app.run(['verify', app.name, '--json'])
  assert.equal(verified.code, 5)
  assert.deepEqual(verified.json.problems, [
    { path: 'current', problem: 'missing' },
    { path: 'data/old.pak', problem: 'missing' },
    { path: 'game.sh', problem: 'changed' },
  ])
  const repaired = await app.run(['repair', app.name, '--json'])
  assert.equal(repaired.code, 0, repaired.stdout)
  assert.ok(repaired.json.downloaded < 10_000, String(repaired.json.downloaded))
  assert.equal((await app.run(['verify', app.name])).code, 0)
  const { games } = (await app.run(['list', '--json'])).json
  const kept = Object.keys(treeOf(games[0].path)).filter((name) => name.includes('.kept-'))
  assert.equal(kept.length, 1, 'the changed file is kept aside')
  assert.deepEqual(repaired.json.kept_aside, kept)
})

test('damage that leaves the size and time, and lost permissions, are repaired', async (t) => {
  const app = await startStore(t, first as never)
  const { path } = (await app.install()).json
  const file = join(path, 'data/old.pak')
  const { atime, mtime } = statSync(file)
  writeFileSync(file, 'OLD')
  utimesSync(file, atime, mtime)
  chmodSync(join(path, 'game.sh'), 0o644)
  rmSync(join(path, 'saves'), { recursive: true })
  const { problems } = (await app.run(['verify', app.name, '--json'])).json
  assert.deepEqual(problems, [
    { path: 'data/old.pak', problem: 'changed' },
    { path: 'game.sh', problem: 'changed' },
    { path: 'saves/', problem: 'missing' },
  ])
  const repaired = await app.run(['repair', app.name, '--json'])
  assert.equal(repaired.code, 0, repaired.stdout)
  assert.ok(repaired.json.downloaded < 10_000, String(repaired.json.downloaded))
  const [kept] = repaired.json.kept_aside
  assert.match(kept, /^data\/old\.pak\.kept-/)
  const current = async () => treeOf((await app.run(['list', '--json'])).json.games[0].path)
  const expected = { ...withFolders(treeOfZip(first), 'data', 'saves'), [kept]: '644 OLD' }
  assert.deepEqual(await current(), expected)
  assert.equal((await app.run(['verify', app.name])).code, 0)
  // Neither an update nor a rollback takes over that a program cannot be started.
  const { games } = (await app.run(['list', '--json'])).json
  chmodSync(join(games[0].path, 'game.sh'), 0o644)
  const bytes = zip([...first.slice(0, 2), { ...first[2]!, body: 'new' }])
  await app.a.cleanBuild(app.game, { bytes, version: '2.0' })
  for (const command of ['update', 'rollback']) {
    const moved = await app.run([command, app.name])
    assert.equal(moved.code, 0, moved.stderr)
    assert.match((await current())['game.sh']!, /^755 /, command)
  }
})

test('an update after a rollback downloads nothing that the version before has', async (t) => {
  const app = await startStore(t, first as never)
  await app.install()
  const level = { name: 'level', body: 'new '.repeat(9000), method: 0, mode: 0o100644 }
  await app.a.cleanBuild(app.game, { bytes: zip([...first, level] as never), version: '2.0' })
  assert.ok((await app.run(['update', app.name, '--json'])).json.games[0].downloaded > 0)
  assert.equal((await app.run(['rollback', app.name])).code, 0)
  const [{ downloaded, path }] = (await app.run(['update', app.name, '--json'])).json.games
  assert.equal(downloaded, 0)
  assert.equal((await app.run(['verify', app.name])).code, 0)
  assert.equal(readFileSync(join(path, 'level'), 'utf8'), level.body)

  // Not what was written to since.
  assert.equal((await app.run(['rollback', app.name])).code, 0)
  writeFileSync(join(path, 'level'), 'changed')
  const again = (await app.run(['update', app.name, '--json'])).json.games[0]
  assert.ok(again.downloaded > 0)
  assert.equal(readFileSync(join(again.path, 'level'), 'utf8'), level.body)
})

test('an uninstall keeps what the player has, and nothing that an earlier one kept is lost', async (t) => {
  const app = await startStore(t, first as never)
  const keep = async (text: string) => {
    const { path } = (await app.install()).json
    writeFileSync(join(path, 'saves/slot1'), text)
    writeFileSync(join(path, 'data/config.ini'), text)
    symlinkSync('slot1', join(path, 'saves/last'))
    const removed = await app.run(['uninstall', app.name, '--json'])
    assert.equal(removed.code, 0, removed.stdout)
    const { folder, files } = removed.json.kept
    assert.deepEqual(files.toSorted(), ['data/config.ini', 'saves/last', 'saves/slot1'])
    return folder
  }
  const folders: string[] = []
  for (const text of ['one', 'two', 'three']) folders.push(await keep(text))
  for (const [n, text] of ['one', 'two', 'three'].entries())
    assert.deepEqual(treeOf(folders[n]!), {
      'data/': '',
      'data/config.ini': `644 ${text}`,
      'saves/': '',
      'saves/last': '-> slot1',
      'saves/slot1': `644 ${text}`,
    })
  const { path, folder } = (await app.install()).json
  rmSync(join(folder, 'versions', `${basename(path)}.json`))
  writeFileSync(join(path, 'saves/slot1'), 'four')
  const removed = await app.run(['uninstall', app.name, '--json'])
  const saved = join(removed.json.kept.folder, 'saves/slot1')
  assert.equal(readFileSync(saved, 'utf8'), 'four', 'without a record of what was installed')
})

test('a save that may not be read ends an update with a sentence, and stays', async (t) => {
  const app = await startStore(t, first as never)
  const { path } = (await app.install()).json
  const save = join(path, 'saves/slot1')
  writeFileSync(save, 'level 3')
  chmodSync(save, 0)
  // Root may read every file unless it drops the capability.
  const under =
    process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : []
  await app.a.cleanBuild(app.game, { bytes: zip(second as never), version: '2.0' })
  const refused = await app.run(['update', app.name], { under })
  assert.equal(refused.code, 1, refused.stdout)
  assert.match(refused.stderr, /no permission to read or change \S+slot1\n.*check who owns it/s)
  chmodSync(save, 0o600)
  assert.equal(readFileSync(save, 'utf8'), 'level 3')
  assert.equal((await app.run(['update', app.name])).code, 0)
})

test('an uninstall of a folder that is a link, and one that was interrupted, are finished', async (t) => {
  const app = await startStore(t, first as never)
  const place = temporaryFolder(t)
  const [real, linked] = [join(place, 'real'), join(place, 'linked')]
  mkdirSync(real)
  symlinkSync(real, linked)
  const there = ['--dir', linked, '--os', 'linux', '--arch', 'x86_64', '--json']
  const { json } = await app.run(['install', app.name, ...there])
  writeFileSync(join(json.path, 'saves/slot1'), 'level 3')
  const removed = await app.run(['uninstall', linked, '--json'])
  assert.equal(removed.code, 0, removed.stdout)
  assert.equal(readFileSync(join(real, 'kept/saves/slot1'), 'utf8'), 'level 3')

  const other = join(place, 'other')
  const installed = await app.run(['install', app.name, '--dir', other, ...there.slice(2)])
  assert.equal(installed.code, 0, installed.stdout)
  // As a kill leaves it after the first step; or somebody has removed it, and saves are there.
  rmSync(join(other, 'install.json'))
  writeFileSync(join(installed.json.path, 'saves/slot1'), 'level 4')
  const again = await app.run(['uninstall', other, '--json'])
  assert.equal(again.code, 0, again.stdout)
  assert.deepEqual(readdirSync(other), ['kept'])
  assert.equal(readFileSync(join(other, 'kept/saves/slot1'), 'utf8'), 'level 4')
  assert.deepEqual((await app.run(['list', '--json'])).json.games, [])
})

test('names with characters that end a line in some programs are names like others', async (t) => {
  const names = ['data/line\u2028separator.txt', 'paragraph\u2029.txt', 'next\u0085line.txt']
  const odd = names.map((name) => ({ name, body: name, method: 0, mode: 0o100644 }))
  const app = await startStore(t, [...first, ...odd] as never)
  const installed = await app.install()
  assert.equal(installed.code, 0, installed.stderr)
  assert.deepEqual(
    treeOf(installed.json.path),
    withFolders(treeOfZip([...first, ...odd]), 'data', 'saves'),
  )
  assert.equal((await app.run(['verify', app.name])).code, 0)
})

test('a game is installed into a folder of choice, by the address of its page', async (t) => {
  const app = await startStore(t)
  const folder = join(temporaryFolder(t), 'here')
  const done = await app.run([
    'install',
    `${app.url}/${app.name}`,
    ...['--dir', folder, '--os', 'linux', '--arch', 'x86_64', '--json'],
  ])
  assert.equal(done.code, 0, done.stdout)
  assert.equal(done.json.folder, folder)
  const twice = await app.run(['install', app.name, '--dir', folder])
  assert.deepEqual([twice.code, /already installed/.test(twice.stderr)], [1, true])
  assert.equal((await app.run(['verify', folder])).code, 0, 'a folder names a game too')
  const gone = await app.run(['uninstall', folder, '--everything'])
  assert.equal(gone.code, 0, gone.stderr)
  assert.equal(existsSync(folder), false)
})

test('refusals of the store are explained, and leave nothing installed', async (t) => {
  const app = await startStore(t)
  const expectRefusal = async (code: number, text: RegExp, args: string[]) => {
    const result = await app.run(args)
    assert.deepEqual([result.code, text.test(result.stderr)], [code, true], result.stderr)
  }
  await expectRefusal(1, /is not a game/, ['install', 'harbor'])
  await expectRefusal(2, /4040/, ['install', 'nobody/nothing'])
  await expectRefusal(2, /4040/, ['install', app.name, '--os', 'windows'])
  await expectRefusal(1, /is not installed/, ['update', app.name])
  await expectRefusal(1, /name a game/, ['update'])
  await app.sql`update listings set anonymous_downloads = false`
  await expectRefusal(2, /4001/, ['install', app.name, '--os', 'linux', '--arch', 'x86_64'])
  const person = await app.a.verified()
  const { key } = await app.a.key('player', person, ['player:read'])
  const env = { SLIPWAY_PLAYER_KEY: key }
  const args = ['install', app.name, '--os', 'linux', '--arch', 'x86_64']
  const signed_in = await app.run(args, { env })
  assert.equal(signed_in.code, 0, signed_in.stderr)
  assert.ok(!`${signed_in.stdout}${signed_in.stderr}`.includes(key))
})

test('what an interrupted run left is finished or removed', async (t) => {
  const app = await startStore(t, first as never)
  const { path, folder } = (await app.install()).json
  const { file_uid } = await app.a.cleanBuild(app.game, { bytes: zip(second), version: '2.0' })
  const stage = join(folder, 'versions', `${file_uid}.new`)
  mkdirSync(join(stage, 'data'), { recursive: true })
  // Written, but without permissions; unpacked; of a file that is gone, and not of the build.
  writeFileSync(join(stage, 'data/new.pak'), 'new', { mode: 0o644 })
  writeFileSync(join(stage, 'large.pck'), large)
  writeFileSync(join(stage, 'large.pck.part'), 'packed bytes')
  writeFileSync(join(stage, 'data/gone.pak'), 'gone')
  const updated = await app.run(['update', app.name, '--json'])
  assert.equal(updated.code, 0, updated.stdout)
  const [result] = updated.json.games
  assert.notEqual(result.path, path)
  assert.deepEqual(treeOf(result.path), withFolders(treeOfZip(second as never), 'data'))
})

test('a version is repaired after a newer one came, and if it cannot be, an update is advised', async (t) => {
  const app = await startStore(t, first as never)
  const { path } = (await app.install()).json
  await app.a.cleanBuild(app.game, { bytes: zip(second), version: '2.0' })
  rmSync(join(path, 'game.sh'))
  const repaired = await app.run(['repair', app.name, '--json'])
  assert.equal(repaired.code, 0, repaired.stdout)
  assert.equal((await app.run(['verify', app.name])).code, 0)
  const [{ path: now }] = (await app.run(['list', '--json'])).json.games
  assert.equal(readFileSync(join(now, 'game.sh'), 'utf8'), program)

  rmSync(join(now, 'game.sh'))
  const builds = `/api/v1/private/games/${app.game.uid}/builds/${app.build_id}`
  must(await app.put(`${builds}/withdrawal`, { reason: 'It loses saves' }, app.game.owner))
  const refused = await app.run(['repair', app.name])
  assert.equal(refused.code, 2, refused.stderr)
  assert.match(refused.stderr, /withdrawn this build: It loses saves\n.*run slipway update/)
  assert.equal((await app.run(['update', app.name])).code, 0)
})

test('files in the folder of a game that are not of the game are never removed', async (t) => {
  const app = await startStore(t)
  const parent = temporaryFolder(t)
  const install = (dir: string) =>
    app.run(['install', app.name, '--os', 'linux', '--arch', 'x86_64', '--dir', join(parent, dir)])
  const write = (path: string) => {
    mkdirSync(dirname(join(parent, path)), { recursive: true })
    writeFileSync(join(parent, path), 'mine')
  }
  for (const path of ['full/thesis.txt', 'like-ours/versions/mine', 'a-file']) {
    write(path)
    const refused = await install(path.split('/')[0]!)
    const is_clear = /has files that do not belong to a game/.test(refused.stderr)
    assert.deepEqual([refused.code, is_clear], [1, true], `${path}: ${refused.stderr}`)
    assert.equal(readFileSync(join(parent, path), 'utf8'), 'mine')
  }
  mkdirSync(join(parent, 'game'))
  assert.equal((await install('game')).code, 0, 'an empty folder')
  for (const path of ['game/notes.txt', 'game/versions/mine/a', 'game/versions/b.new']) write(path)
  const kept = {
    'notes.txt': '644 mine',
    'versions/': '',
    'versions/b.new': '644 mine',
    'versions/mine/': '',
    'versions/mine/a': '644 mine',
  }
  for (const version of ['2.0', '3.0']) {
    await app.a.cleanBuild(app.game, { bytes: zip(gameFiles), version })
    assert.equal((await app.run(['update', join(parent, 'game')])).code, 0)
  }
  const gone = await app.run(['uninstall', join(parent, 'game'), '--everything'])
  assert.equal(gone.code, 0, gone.stderr)
  assert.deepEqual(treeOf(join(parent, 'game')), kept)
})

test('a folder in a file is refused with a sentence', async (t) => {
  const app = await startStore(t)
  const file = join(temporaryFolder(t), 'file')
  writeFileSync(file, '')
  const refused = await app.run(['install', app.name, '--dir', join(file, 'game')])
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /file\/game cannot be a folder: a part of it is a file/)
})

test('a first install that was interrupted is continued or removed', async (t) => {
  const app = await startStore(t, first as never)
  const { path, folder } = (await app.install()).json
  const stage = `${path}.new`
  const interrupt = () => {
    cpSync(path, stage, { recursive: true, verbatimSymlinks: true })
    rmSync(join(stage, 'game.sh'))
    for (const name of [path, `${path}.json`, join(folder, 'install.json')])
      rmSync(name, { recursive: true })
    writeFileSync(join(app.games, 'library.json'), '{"folders":[]}')
  }
  interrupt()
  const again = await app.install()
  assert.equal(again.code, 0, again.stdout)
  assert.deepEqual(treeOf(again.json.path), withFolders(treeOfZip(first), 'data', 'saves'))
  interrupt()
  const removed = await app.run(['uninstall', app.name])
  assert.equal(removed.code, 0, removed.stderr)
  assert.equal(existsSync(folder), false)
  assert.equal((await app.run(['uninstall', app.name])).code, 1)
  // Interrupted before the last step, it is complete and not yet in the library.
  assert.equal((await app.install()).code, 0)
  writeFileSync(join(app.games, 'library.json'), '{"folders":[]}')
  const finished = await app.install()
  assert.equal(finished.code, 0, finished.stderr)
  assert.deepEqual([finished.json.folder, finished.json.downloaded], [folder, 0])
  assert.equal((await app.run(['verify', app.name])).code, 0)
  assert.match((await app.install()).json.error, /already installed/)
})
