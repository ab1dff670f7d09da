import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultWebLimits, type WebLimits } from '../../../src/listings/fields/web-build.ts'
import { checkWebBuild } from '../../../src/uploads/web-check/check.ts'

/** Checks a build with these files; a number is the size of a file whose text nobody reads. */
async function check(files: Record<string, string | number>, limits: Partial<WebLimits> = {}) {
  const read: string[] = []
  const report = await checkWebBuild(
    Object.entries(files).map(([path, body]) => ({
      path,
      size: typeof body === 'number' ? body : Buffer.byteLength(body),
    })),
    { ...defaultWebLimits, ...limits },
    async (path) => {
      read.push(path)
      return String(files[path])
    },
  )
  return { ...report, read }
}

/** Each warning as `kind file: reference → entry`. */
async function warningsOf(files: Record<string, string | number>): Promise<string[]> {
  const { warnings } = await check(files)
  return warnings.map(({ kind, file, reference, entry }) =>
    [`${kind} ${file}: ${reference}`, ...(entry ? [entry] : [])].join(' → '),
  )
}

test('a build has its index.html at the top or in its only folder', async () => {
  for (const paths of [
    ['index.html'],
    ['game/index.html', 'game/a.js'],
    ['index.html', 'a/b.js'],
    // As macOS packs a folder.
    ['game/index.html', '__MACOSX/game/._index.html', '.DS_Store', 'game/.DS_Store'],
  ])
    assert.equal((await check(Object.fromEntries(paths.map((p) => [p, 'x'])))).problem, null)
  for (const [paths, detail] of [
    [['game.js'], ''],
    [['Index.html'], 'Index.html'],
    [['index.htm'], 'index.htm'],
    [['a/b/index.html'], 'a/b/index.html'],
    [['a/index.html', 'b/x.js'], 'a/index.html'],
    [['a/index.html', 'readme.txt'], 'a/index.html'],
    [[], ''],
  ] as const) {
    const { problem, detail: named } = await check(Object.fromEntries(paths.map((p) => [p, 'x'])))
    assert.deepEqual([problem, named], ['no_index', detail], paths.join())
  }
})

test('a build that exceeds a limit cannot be played, one at the limit can', async () => {
  const problem = async (files: Record<string, number>, limits: Partial<WebLimits>) => {
    const report = await check({ 'index.html': 10, ...files }, limits)
    return [report.problem, report.detail]
  }
  assert.deepEqual(await problem({ a: 1 }, { max_files: 2 }), [null, ''])
  assert.deepEqual(await problem({ a: 1, b: 1 }, { max_files: 2 }), ['too_many_files', '3'])
  assert.deepEqual(await problem({ a: 90 }, { max_bytes: 100 }), [null, ''])
  assert.deepEqual(await problem({ a: 91 }, { max_bytes: 100 }), ['too_large', '101'])
  assert.deepEqual(await problem({ a: 50 }, { max_file_bytes: 50 }), [null, ''])
  assert.deepEqual(await problem({ a: 51 }, { max_file_bytes: 50 }), ['file_too_large', 'a'])
})

test('warns about absolute paths in pages, with the file that was meant', async () => {
  const files = { 'game.js': 'x', 'style.css': 'x', 'img/a.png': 1, 'b.png': 1 }
  assert.deepEqual(
    await warningsOf({
      ...files,
      'index.html': `<!doctype html>
        <link rel="stylesheet" href="/style.css?v=1">
        <SCRIPT SRC='/game.js'></SCRIPT>
        <img src=/missing.png srcset="/img/a.png 1x, b.png 2x">
        <img src="/img&#47;a.png">
        <div style="background: url(/b.png)"></div>
        <style>@import '/style.css'; body { background: url("/img/a.png") }</style>
        <script src="../outside.js"></script>
        <video poster="\\b.png"></video>`,
    }),
    [
      'absolute index.html: /style.css?v=1 → style.css',
      'absolute index.html: /game.js → game.js',
      'absolute index.html: /missing.png',
      'absolute index.html: /img/a.png → img/a.png',
      'absolute index.html: ../outside.js',
      'absolute index.html: \\b.png → b.png',
      'absolute index.html: /b.png → b.png',
      'absolute index.html: /style.css → style.css',
    ],
  )
})

test('says nothing about what works, or is no file of the build', async () => {
  assert.deepEqual(
    await warningsOf({
      'index.html': `
        <!-- <script src="/old.js"></script> -->
        <a href="/">Home</a><form action="/send"></form>
        <script src="game.js?x=1#y"></script><script src="./lib/a%20b.js"></script>
        <script src="https://cdn.example/a.js"></script><script src="//cdn.example/b.js"></script>
        <img src="data:image/png;base64,AA"><img src="blob:x"><img src=""><img src="#a">
        <link rel="icon" href="favicon.ico"><iframe src="lib/"></iframe><img src="größe.png">
        <textarea><script src="/x.js"></script></textarea>
        <script>const home = "/"; const text = "<img src='/x.png'>"; fetch("data.json")</script>
        <style>/* url(/old.png) */ b { background: url(#f) } /* open`,
      'game.js': 'fetch("/api/score"); import("./lib/a b.js"); load("other/Game.js")',
      'lib/a b.js': 'x',
      'lib/index.html': '<script src="../game.js"></script>',
      'größe.png': 1,
      'data.json': 1,
    }),
    [],
  )
})

test('warns about references whose letter case differs from the file', async () => {
  assert.deepEqual(
    await warningsOf({
      'index.html': '<script src="Game.js"></script><img src="IMG/logo.PNG"><img src="img/x.png">',
      'css/a.css': 'b { background: url(../img/Logo.png) }',
      'game.js': 'load("img/LOGO.png"); load("nothing.PNG")',
      'img/logo.png': 1,
    }),
    [
      'case index.html: Game.js → game.js',
      'case index.html: IMG/logo.PNG → img/logo.png',
      'case css/a.css: ../img/Logo.png → img/logo.png',
      'case game.js: img/LOGO.png → img/logo.png',
    ],
  )
})

test('warns about absolute paths in scripts only where the build has the file', async () => {
  assert.deepEqual(
    await warningsOf({
      'index.html': "<script>start('/Build/game.wasm')</script>",
      'Build/loader.js': 'const a = "/Build/game.wasm", b = `/build/game.data`, c = "/other.wasm"',
      'Build/game.wasm': 1,
      'Build/game.data': 1,
    }),
    [
      'absolute index.html: /Build/game.wasm → Build/game.wasm',
      'absolute Build/loader.js: /Build/game.wasm → Build/game.wasm',
      'absolute Build/loader.js: /build/game.data → Build/game.data',
    ],
  )
})

test('references are relative to their own file, to the base of their page and to the folder', async () => {
  assert.deepEqual(
    await warningsOf({
      'my game/index.html':
        '<base href="assets/"><img src="Logo.png"><script src="/a.js"></script>',
      'my game/other.html': '<base href="/"><img src="assets/Logo.png">',
      'my game/third.html': '<base href="https://cdn.example/"><img src="/x.png">',
      'my game/css/a.css': 'b { background: url(../assets/logo.png), url(../../x.png) }',
      'my game/assets/logo.png': 1,
      'my game/a.js': 'x',
    }),
    [
      'case my game/index.html: Logo.png → my game/assets/logo.png',
      'absolute my game/index.html: /a.js → my game/a.js',
      'absolute my game/other.html: /',
      'case my game/other.html: assets/Logo.png → my game/assets/logo.png',
      'absolute my game/css/a.css: ../../x.png',
    ],
  )
})

test('reads the first page before others, and only as much as it may', async () => {
  const MIB = 1024 ** 2
  const { read } = await check({
    'a.js': 'x',
    'a.css': 'x',
    'a.html': 'x',
    'index.html': 'x',
    'large.js': 2 * MIB + 1,
    'whole.js': 2 * MIB,
    'empty.js': '',
    'game.wasm': 'x',
  })
  assert.deepEqual(read, ['index.html', 'a.html', 'a.css', 'a.js', 'whole.js'])
  const many = Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`${n}.js`, 'x']))
  assert.equal((await check({ 'index.html': 'x', ...many })).read.length, 500)
  const large = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`${n}.js`, 2 * MIB]))
  assert.equal((await check({ 'index.html': 'x', ...large })).read.length, 16)
  const warnings = Array.from({ length: 80 }, (_, n) => `<img src="/${n}.png">`).join('')
  assert.equal((await check({ 'index.html': warnings })).warnings.length, 50)
  const long = await check({ 'index.html': `<img src="/${'x'.repeat(5000)}.png">` })
  assert.equal([...long.warnings[0]!.reference].length, 200)
})

test('hostile texts take time in proportion to their size', async () => {
  const size = 2 * 1024 ** 2
  const fill = (part: string) => part.repeat(Math.floor(size / part.length))
  const half = (part: string) => part.repeat(Math.floor(size / 2 / part.length))
  const numbers = (part: (n: number) => string) =>
    Array.from({ length: 100_000 }, (_, n) => part(n))
      .join('')
      .slice(0, size)
  for (const [name, text] of [
    ['index.html', fill('<b>')],
    ['index.html', half('<b>') + half('</i>')],
    ['index.html', fill('<img src="')],
    ['index.html', fill('<img src="/a">')],
    ['index.html', numbers((n) => `<img src="${n}.png">`)],
    ['index.html', `<img srcset="${half('a, ')}">`],
    ['index.html', `<img src="${half('&amp;')}">`],
    ['index.html', `<img srcset="${half(', ')}">`],
    ['index.html', `<style>${half('/*')}</style>`],
    ['a.css', fill('/*')],
    ['a.css', fill('url(')],
    ['a.css', `url(${half(' ')}${half('"')}`],
    ['a.css', fill('@import ')],
    ['a.css', numbers((n) => `url(${n}.png)`)],
    ['a.js', numbers((n) => `"${n}.png"`)],
    ['a.js', fill('"')],
    ['a.js', fill('"a.a')],
    ['a.js', fill('"a.b" ')],
    ['a.js', `"${half('.a')}"`],
  ] as const) {
    const started = performance.now()
    await check({ 'index.html': 'x', [name]: text })
    const took = performance.now() - started
    assert.ok(took < 5000, `${name} ${text.slice(0, 20)}: ${Math.round(took)} ms`)
  }
})
