import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { must } from '../support/builders.ts'
import { zip } from '../uploads/zips.ts'
import { slipway, startUploaderApp, tree } from './slipway.ts'

const broken = {
  'index.html': '<script src="/game.js"></script><img src="Logo.PNG">',
  'game.js': 'x',
  'logo.png': 'x',
}
const web = ['--version', '1.0.0', '--os', 'web', '--arch', 'wasm32']
const paths = /warning: these paths lead out of the build.*index\.html: \/game\.js → game\.js/
const spelling = /warning: these references are spelled.*index\.html: Logo\.PNG → logo\.png/

test('push warns about what does not work in the browser, as the listing check does', async (t) => {
  const app = await startUploaderApp(t)
  const { code, stderr } = await app.run(['push', tree(t, broken), ...web, '--wait'])
  assert.equal(code, 0, stderr)
  assert.match(stderr, paths)
  assert.match(stderr, spelling)
  const { lint } = must(await app.get('/api/v1/tool/info', app.ci))
  const details = lint.warnings.flatMap((item: { details?: string[] }) => item.details ?? [])
  assert.deepEqual(details, ['index.html: /game.js → game.js', 'index.html: Logo.PNG → logo.png'])
  const info = await app.run(['info'])
  assert.match(info.stdout, /Use relative paths[^\n]*\n {6}index\.html: \/game\.js → game\.js/)
})

test('push checks a zip and a folder alike, and a dry run without a server', async (t) => {
  const archive = join(tree(t, {}), 'game.zip')
  writeFileSync(archive, zip(Object.entries(broken).map(([name, body]) => ({ name, body }))))
  for (const source of [archive, tree(t, broken)]) {
    const { code, stderr } = await slipway(['push', source, ...web, '--dry-run'])
    assert.equal(code, 0, stderr)
    assert.match(stderr, paths)
    assert.match(stderr, spelling)
  }
  const other = await slipway(['push', tree(t, broken), ...web, '--os', 'linux', '--dry-run'])
  assert.doesNotMatch(other.stderr, /these paths/)
})

test('push says why a build cannot be played', async (t) => {
  const dryRun = async (files: Record<string, string>) =>
    (await slipway(['push', tree(t, files), ...web, '--dry-run'])).stderr
  assert.match(
    await dryRun({ 'game.js': 'x' }),
    /cannot play this .* put an index\.html at its top/,
  )
  assert.match(await dryRun({ 'a/Index.html': 'x', b: 'x' }), /there is a\/Index\.html/)
  assert.doesNotMatch(await dryRun({ 'a/index.html': 'x' }), /warning/)
})

test('push compares with the limits of the store', async (t) => {
  const app = await startUploaderApp(t, { PLAY_MAX_FILES: '2', PLAY_MAX_FILE_MIB: '1' })
  const push = async (files: Record<string, string | Uint8Array>) =>
    (await app.run(['push', tree(t, { 'index.html': 'x', ...files }), ...web])).stderr
  assert.doesNotMatch(await push({ a: 'x' }), /warning/)
  assert.match(await push({ a: 'x', b: 'x' }), /it has 3 files, and the store plays up to 2/)
  assert.match(await push({ a: Buffer.alloc(1024 ** 2 + 1) }), /a is larger than 1\.0 MiB/)
})

test('push, build and addfiles register whether a build is isolated', async (t) => {
  const app = await startUploaderApp(t)
  const folder = tree(t, { 'web/index.html': 'x' })
  const coep = async (version: string) => {
    const { builds } = must(await app.get(`/api/v1/tool/builds?version=${version}`, app.ci))
    return builds.map((build: { coep?: string }) => build.coep)
  }
  const push = (version: string, ...args: string[]) =>
    app.run(['push', join(folder, 'web'), '--version', version, '--os', 'web', ...args])
  assert.equal((await push('1', '--coep', 'off')).code, 0)
  assert.deepEqual(await coep('1'), ['off'])
  assert.equal((await push('1')).code, 0)
  assert.deepEqual(await coep('1'), ['off'], 'without the flag it stays')
  assert.equal((await push('1', '--coep', 'on')).code, 0)
  assert.deepEqual(await coep('1'), ['on'])
  const refused = await push('2', '--coep', 'maybe')
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /coep/)

  const yaml = (name: string, lines: string[]) => {
    const path = join(folder, name)
    writeFileSync(path, ['version: v1', ...lines].join('\n'))
    return path
  }
  const common = ['  type: game', '  os: web', '  arch: wasm32', '  channel: stable', '  coep: off']
  const build = yaml('build.yml', [
    'spec: build',
    'asset:',
    '  title: Game',
    '  description: A game',
    '  version: "3"',
    ...common,
  ])
  assert.equal((await app.run(['build', '--asset', build])).code, 0)
  assert.deepEqual(await coep('3'), ['off'])
  const list = ['  version: "4"', ...common, '  files:', '    - file: web/index.html']
  const addfiles = yaml('addfiles.yml', ['spec: addfiles', 'asset:', ...list])
  const added = await app.run(['addfiles', '--asset', addfiles])
  assert.equal(added.code, 0, added.stderr)
  assert.deepEqual(await coep('4'), ['off'])
  assert.equal((await app.run(['addfiles', '--asset', addfiles, '--coep', 'on'])).code, 0)
  assert.deepEqual(await coep('4'), ['on'])
  const wrong = yaml(
    'wrong.yml',
    ['spec: addfiles', 'asset:', ...list].map((line) => line.replace('coep: off', 'coep: maybe')),
  )
  const answer = await app.run(['addfiles', '--asset', wrong])
  assert.equal(answer.code, 1)
  assert.match(answer.stderr, /wrong\.yml:\d+.*coep|coep.*wrong\.yml/)
})
