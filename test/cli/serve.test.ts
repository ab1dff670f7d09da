import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { rawRequest, startPlayApp } from '../play/fixtures.ts'
import { eventually } from '../support/app.ts'
import { cleanup } from '../support/cleanup.ts'
import { needs } from '../support/system-packages.ts'
import { openTab, startChromium } from '../web/chromium.ts'
import { binary, slipway, systemNode, tree } from './slipway.ts'

const wasm = Buffer.from('0061736d01000000', 'hex')
const script = 'export const level = 1\n'.repeat(100)
const files = {
  'index.html': '<!doctype html><title>Game</title><p id="out"></p><script src="game.js"></script>',
  'game.js': script,
  'game.wasm': wasm,
  'build.wasm.br': brotliCompressSync(wasm),
  'build.data.gz': gzipSync(script),
  'levels/index.html': '<p>Levels</p>',
  'levels/größe 1.json': '{}',
  'logo.png': 'x',
}

/** Runs `slipway serve` until the test ends, or `stop` interrupts it. */
async function serve(t: TestContext, args: string[], env: Record<string, string> = {}) {
  const child = spawn(systemNode, [await binary(), 'serve', ...args], {
    cwd: tmpdir(),
    env: { PATH: process.env.PATH, HOME: '/nonexistent', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exit = once(child, 'exit')
  cleanup(t, () => child.kill('SIGKILL'))
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk) => (stdout += chunk))
  child.stderr.on('data', (chunk) => (stderr += chunk))
  // The hint is written to the other stream, which may arrive later.
  await eventually(
    'the address',
    () =>
      (/127\.0\.0\.1:\d+/.test(stdout) && /Ctrl\+C|Strg/.test(stderr)) || child.exitCode !== null,
  )
  const [url = ''] = /http:\/\/127\.0\.0\.1:\d+\/game\//.exec(stdout) ?? []
  /** The address as it is, without the corrections of a browser. */
  const file = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    rawRequest(url, `/game/${path}`, { host: new URL(url).host, ...headers }, method)
  const stop = async (signal: NodeJS.Signals = 'SIGINT') => {
    child.kill(signal)
    return (await exit)[0]
  }
  return { url, file, stop, output: () => ({ stdout, stderr }) }
}

const free = ['--port', '0']

test('serves a folder until it is interrupted, which is success', async (t) => {
  const { url, file, stop, output } = await serve(t, [tree(t, files), ...free])
  assert.equal(output().stdout, `${url}\n`)
  assert.match(output().stderr, /end with Ctrl\+C/)
  assert.doesNotMatch(output().stderr, /warning/)
  for (const [name, body] of Object.entries(files)) {
    if (/\.(br|gz)$/.test(name)) continue
    const answer = await file(encodeURI(name))
    assert.deepEqual([answer.status, answer.body], [200, Buffer.from(body)], name)
  }
  assert.match((await file('')).body.toString(), /Game/)
  assert.match((await file('levels/')).body.toString(), /Levels/)
  const top = await rawRequest(url, '/', { host: new URL(url).host })
  assert.deepEqual([top.status, top.headers.location], [302, '/game/'])
  assert.equal(await stop(), 0)
  for (const signal of ['SIGTERM', 'SIGHUP'] as const)
    assert.equal(await (await serve(t, [tree(t, files), ...free])).stop(signal), 0, signal)
})

/** The headers of files that have the same meaning here and in the store. */
const compared = [
  'content-type',
  'content-encoding',
  'cross-origin-opener-policy',
  'cross-origin-embedder-policy',
  'cross-origin-resource-policy',
  'origin-agent-cluster',
  'x-content-type-options',
  'referrer-policy',
  'content-length',
  'content-range',
  'accept-ranges',
  'vary',
]

test('files have the headers, ranges and encodings that they have in the store', async (t) => {
  const app = await startPlayApp(t, {
    files: Object.entries(files).map(([name, body]) => ({ name, body, method: 0 })),
  })
  const local = await serve(t, [tree(t, files), ...free], {
    SVC_API_URL: `${app.url}/api/v1`,
  })
  const sameIn = async (path: string, headers: Record<string, string>, method = 'GET') => {
    const [theirs, ours] = [
      await app.file(path, headers, method),
      await local.file(path, headers, method),
    ]
    const name = `${method} ${path} ${JSON.stringify(headers)}`
    assert.deepEqual([ours.status, ours.body], [theirs.status, theirs.body], name)
    for (const header of compared)
      assert.equal(ours.headers[header], theirs.headers[header], `${name}: ${header}`)
    return { theirs, ours }
  }
  const gzip = { 'accept-encoding': 'gzip, br' }
  for (const path of ['', 'levels/', ...Object.keys(files).map(encodeURI)])
    for (const headers of [{}, gzip] as Record<string, string>[])
      await sameIn(path, /\.(br|gz)$/.test(path) ? headers : {})
  for (const range of ['bytes=0-9', 'bytes=-5', 'bytes=9-', 'bytes=999999-', 'bytes=5-2', 'x'])
    await sameIn('game.js', { range })
  await sameIn('game.js', {}, 'HEAD')
  await sameIn('game.js', {}, 'POST')
  for (const path of ['missing.js', 'GAME.js', '%2e%2e/x', 'levels%2findex.html', '%00', '%'])
    await sameIn(path, {})
  const { theirs, ours } = await sameIn('', {})
  const policy = (text: string, own: string) =>
    text.replaceAll(own, 'STORE').replaceAll(app.url, 'STORE')
  assert.equal(
    policy(ours.headers['content-security-policy']!, new URL(local.url).origin),
    policy(theirs.headers['content-security-policy']!, app.url),
  )
  assert.equal(ours.headers['cache-control'], 'no-cache')
  const { etag } = ours.headers
  assert.equal((await local.file('', { 'if-none-match': etag! })).status, 304)
})

test('--coep off serves without isolation, and --connect declares servers', async (t) => {
  const { file } = await serve(t, [
    tree(t, files),
    ...free,
    ...['--coep', 'off', '--connect', 'wss://rooms.example', '--connect', 'https://a.example'],
  ])
  const { headers } = await file('')
  assert.equal(headers['cross-origin-opener-policy'], undefined)
  assert.equal(headers['cross-origin-embedder-policy'], undefined)
  assert.match(
    headers['content-security-policy']!,
    /connect-src 'self' data: blob: wss:\/\/rooms\.example https:\/\/a\.example/,
  )
})

test('paths that begin with a slash fail as in the store, and are named', async (t) => {
  const { url, file, output } = await serve(t, [
    tree(t, { ...files, 'index.html': '<script src="/game.js"></script><img src="Logo.PNG">' }),
    ...free,
  ])
  assert.match(
    output().stderr,
    /warning: these paths lead out .*index\.html: \/game\.js → game\.js/,
  )
  assert.match(output().stderr, /warning: these references .*Logo\.PNG → logo\.png/)
  const { host } = new URL(url)
  assert.equal((await rawRequest(url, '/game.js', { host })).status, 404)
  assert.equal((await file('Logo.PNG')).status, 404)
  assert.equal((await file('Logo.PNG')).status, 404)
  const missing = await eventually('the notes', () => {
    const lines = output().stderr.match(/^404 .*$/gm) ?? []
    return lines.length === 2 && lines
  })
  assert.deepEqual(missing, ['404 /game.js', '404 /game/Logo.PNG'])
})

test('serves what push would send, from its only folder, also while it changes', async (t) => {
  const folder = tree(t, {
    'My Game/index.html': 'inside',
    'My Game/secret.txt': 'x',
    'My Game/.slipwayignore': 'secret.txt',
  })
  symlinkSync('/etc/hostname', join(tree(t, {}), 'unused'))
  symlinkSync('index.html', join(folder, 'My Game/link.html'))
  const { file } = await serve(t, [folder, ...free])
  assert.equal((await file('')).body.toString(), 'inside')
  for (const path of ['secret.txt', 'link.html', 'My%20Game/index.html', '.slipwayignore'])
    assert.equal((await file(path)).status, 404, path)
  mkdirSync(join(folder, 'My Game/new'))
  writeFileSync(join(folder, 'My Game/new/level.json'), '{}')
  await eventually('the new file', async () => (await file('new/level.json')).status === 200)
  writeFileSync(join(folder, 'My Game/index.html'), 'changed')
  assert.equal((await file('')).body.toString(), 'changed')
  renameSync(join(folder, 'My Game/new'), join(folder, 'My Game/old'))
  assert.equal((await file('new/level.json')).status, 404)
})

test('answers only to names of this machine', async (t) => {
  const { url, file } = await serve(t, [tree(t, files), ...free])
  const { port } = new URL(url)
  for (const host of ['localhost', `localhost:${port}`, `127.0.0.1:${port}`])
    assert.equal((await file('', { host })).status, 200, host)
  for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1.evil.example'])
    assert.notEqual((await file('', { host })).status, 200, host)
})

test('with --json it prints one object with the address at once', async (t) => {
  const folder = tree(t, files)
  const { url, stop, output } = await serve(t, [folder, ...free, '--json'])
  const expected = { ok: true, url, folder, coep: 'on' }
  assert.equal(await stop(), 0)
  assert.equal(output().stdout, `${JSON.stringify(expected, null, 2)}\n`)
})

test('refuses what it cannot serve, with exit code 1', async (t) => {
  const folder = tree(t, files)
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  cleanup(t, () => taken.close())
  const { port } = taken.address() as { port: number }
  for (const [args, message] of [
    [[], /<dir>/],
    [[join(folder, 'nothing')], /nothing does not exist|no such file|nothing/],
    [[join(folder, 'game.js')], /is not a folder/],
    [[folder, '--port', String(port)], /port \d+ is in use/],
    [[folder, '--port', '65536'], /is not a port/],
    [[folder, '--port', 'x'], /is not a port/],
    [[folder, '--coep', 'maybe'], /is not one of on, off/],
    [[folder, '--connect', 'http://plain.example'], /is not an origin/],
    [[folder, '--unknown'], /unknown/],
  ] as const) {
    const { code, stderr } = await slipway(['serve', ...args])
    assert.equal(code, 1, stderr)
    assert.match(stderr, message)
  }
})

test('a folder without index.html is served with a warning', async (t) => {
  const { file, output } = await serve(t, [tree(t, { 'web/a/game.html': 'x' }), ...free])
  assert.match(output().stderr, /warning: players cannot play this in the browser/)
  assert.equal((await file('')).status, 404)
  assert.equal((await file('web/a/game.html')).status, 200)
})

test('a browser gets threads from it, and none with --coep off', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const folder = tree(t, {
    'index.html': '<!doctype html><title>Game</title><script src="game.js"></script>',
    'game.js': 'document.title = crossOriginIsolated + " " + typeof SharedArrayBuffer',
  })
  const browser = await startChromium(t)
  for (const [coep, title] of [
    ['on', 'true function'],
    ['off', 'false undefined'],
  ] as const) {
    const { url } = await serve(t, [folder, ...free, '--coep', coep])
    const { page } = await openTab(browser, new URL(url).origin)
    await page.goto(url)
    await page.waitForFunction('document.title !== "Game"')
    assert.equal(await page.title(), title)
  }
})
