import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { chromium } from 'playwright-core'
import { cleanup } from '../support/cleanup.ts'
import { IS_FULL_RUN } from '../support/loop-count.ts'
import { needs } from '../support/system-packages.ts'
import type { ZipEntry } from '../uploads/zips.ts'
import { openTab, startChromium } from '../web/chromium.ts'
import { sharePlayApp } from './fixtures.ts'
import { startGame, whenTrue } from './frames.ts'
import { type PinnedPackage, packageFolder } from './npm-package.ts'

const TIMEOUT_MS = 400_000

/** A browser whose WebGL is drawn by the processor, because machines of tests have no other. */
async function startGraphics(t: TestContext) {
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium-headless-shell',
    args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
    timeout: TIMEOUT_MS,
  })
  cleanup(t, () => browser.close())
  return browser
}

/** Plays a build as a visitor does, and returns what the page of the game reports in `#out`. */
async function playBuild(
  t: TestContext,
  files: ZipEntry[],
  startBrowser = startGraphics,
): Promise<any> {
  const app = await sharePlayApp(t, files)
  const { page } = await openTab(await startBrowser(t), app.url)
  page.setDefaultTimeout(TIMEOUT_MS)
  await page.goto(`/${app.game.owner.username}/${app.game.vanity_name}/play`)
  assert.equal(await page.locator('.player-problem').isVisible(), false)
  const frame = await startGame(page)
  await whenTrue(frame, "document.getElementById('out')?.textContent.startsWith('{')", TIMEOUT_MS)
  return JSON.parse((await frame.textContent('#out'))!)
}

const pageOf = (body: string) => `<!doctype html><html lang="en"><title>Game</title>
<body><p id="out">starting</p><canvas id="canvas" width="64" height="64"></canvas>
<script>
const finish = (report) => {
  document.getElementById('out').textContent =
    JSON.stringify({ isolated: crossOriginIsolated, ...report })
}
addEventListener('error', ({ message }) => finish({ error: message }))
addEventListener('unhandledrejection', ({ reason }) => finish({ error: String(reason) }))
</script>
${body}`

const stored = (name: string, body: string | Buffer): ZipEntry => ({ name, body, method: 0 })
const fileOf = (folder: string, path: string, name = path, method = 8): ZipEntry => ({
  name,
  body: readFileSync(join(folder, path)),
  method,
})

test('a game with WebGL 2, sound, a worker and a gamepad plays', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const report = await playBuild(t, [
    stored('worker.js', 'onmessage = ({ data }) => { Atomics.add(data, 0, 41); postMessage(1) }'),
    stored(
      'index.html',
      pageOf(`<script type="module">
const gl = document.getElementById('canvas').getContext('webgl2')
const program = gl.createProgram()
const compile = (type, text) => {
  const shader = gl.createShader(type)
  gl.shaderSource(shader, '#version 300 es\\n' + text)
  gl.compileShader(shader)
  gl.attachShader(program, shader)
}
compile(gl.VERTEX_SHADER, 'void main() { gl_Position = vec4(0, 0, 0, 1); gl_PointSize = 64.0; }')
compile(gl.FRAGMENT_SHADER,
  'precision mediump float; out vec4 color; void main() { color = vec4(1, 0.5, 0, 1); }')
gl.linkProgram(program)
gl.useProgram(program)
gl.drawArrays(gl.POINTS, 0, 1)
const pixel = new Uint8Array(4)
gl.readPixels(32, 32, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel)
const sound = new OfflineAudioContext(1, 4410, 44100)
const tone = sound.createOscillator()
tone.connect(sound.destination)
tone.start()
const samples = (await sound.startRendering()).getChannelData(0)
const shared = new Int32Array(new SharedArrayBuffer(4))
Atomics.store(shared, 0, 1)
const worker = new Worker('worker.js')
worker.postMessage(shared)
await new Promise((done) => { worker.onmessage = done })
finish({
  pixel: [...pixel],
  loud: samples.some((sample) => Math.abs(sample) > 0.5),
  shared: shared[0],
  gamepads: navigator.getGamepads().length > 0,
  pointer_lock: typeof document.body.requestPointerLock,
  full_screen: document.fullscreenEnabled,
})
</script>`),
    ),
  ])
  assert.deepEqual(report, {
    isolated: true,
    pixel: [255, 128, 0, 255],
    loud: true,
    shared: 42,
    gamepads: true,
    pointer_lock: 'function',
    full_screen: true,
  })
})

const ffmpeg: PinnedPackage = {
  name: '@ffmpeg/core-mt',
  version: '0.12.10',
  integrity:
    'sha512-atyRTOpa58bLCIgd6GXBZAXWyWD3AUoQyzxqjvGhp9MuSzdILtOTI62ffLswBsCnLq15lQ8IETHUpm1oe4V9FQ==',
}

test('a WebAssembly program with threads encodes a video', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const folder = packageFolder(t, ffmpeg)
  if (!folder) return
  const worker = `
importScripts('ffmpeg-core.js')
const at = (name) => new URL(name, location.href).href
const places = btoa(JSON.stringify({
  wasmURL: at('ffmpeg-core.wasm'), workerURL: at('ffmpeg-core.worker.js') }))
createFFmpegCore({ mainScriptUrlOrBlob: at('ffmpeg-core.js') + '#' + places }).then((core) => {
  const lines = []
  core.setLogger(({ message }) => lines.push(message))
  core.exec('-f', 'lavfi', '-i', 'testsrc=duration=1:size=64x64:rate=5', '-threads', '2',
    '-c:v', 'libx264', 'out.mp4')
  const video = core.FS.readFile('out.mp4')
  postMessage({ exit: core.ret, type: String.fromCharCode(...video.slice(4, 8)),
    threads: lines.some((line) => /libx264/.test(line)) })
}).catch((error) => postMessage({ error: String(error) }))`
  const report = await playBuild(
    t,
    [
      fileOf(folder, 'dist/umd/ffmpeg-core.js', 'ffmpeg-core.js'),
      // Compressing 32 MB takes longer than the whole rest of the test.
      fileOf(folder, 'dist/umd/ffmpeg-core.wasm', 'ffmpeg-core.wasm', 0),
      fileOf(folder, 'dist/umd/ffmpeg-core.worker.js', 'ffmpeg-core.worker.js'),
      stored('main.js', worker),
      stored(
        'index.html',
        pageOf(`<script>
const worker = new Worker('main.js')
worker.onmessage = ({ data }) => finish(data)
worker.onerror = ({ message }) => finish({ error: message })
</script>`),
      ),
    ],
    startChromium,
  )
  assert.deepEqual(report, { isolated: true, exit: 0, type: 'ftyp', threads: true })
})

const unity: PinnedPackage = {
  name: '@dcl/unity-renderer',
  version: '1.0.10896',
  integrity:
    'sha512-H+cP3hr36TRz14UFEcV+AaaR6vms8tG1W+LEETs5izzdZViRBWKWoygYRx/lpA1fPP6AOFbHxOxkA7gDEd0+aA==',
}

// 90 MB of WebAssembly and data on a processor that draws: only in the long run.
/** Its package is large, so only `npm run faults` loads it. */
const testInFull = IS_FULL_RUN ? test : () => {}

testInFull('an export of Unity loads', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const folder = packageFolder(t, unity)
  if (!folder) return
  const names = ['unity.loader.js', 'unity.framework.js', 'unity.data', 'unity.wasm']
  const report = await playBuild(t, [
    ...names.map((name) => fileOf(folder, name)),
    stored(
      'index.html',
      pageOf(`<script src="unity.loader.js"></script>
<script>
const steps = []
// The page around this program, which tells the page that its engine has started.
const started = new Promise((resolve) => {
  window.DCL = { EngineStarted: () => resolve(true), MessageFromEngine() {} }
})
const loading = createUnityInstance(document.getElementById('canvas'), {
  dataUrl: 'unity.data',
  frameworkUrl: 'unity.framework.js',
  codeUrl: 'unity.wasm',
  streamingAssetsUrl: 'StreamingAssets',
  companyName: 'test', productName: 'test', productVersion: '1',
}, (progress) => steps.push(progress))
Promise.all([loading, started]).then(
  ([instance]) => finish({
    send_message: typeof instance.SendMessage,
    progress: Math.max(...steps) >= 0.9,
    started: true,
  }),
  (error) => finish({ error: String(error) }))
</script>`),
    ),
  ])
  assert.deepEqual(report, {
    isolated: true,
    send_message: 'function',
    progress: true,
    started: true,
  })
})
