import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { chromium } from 'playwright-core'
import { eventually, temporaryFolder } from '../support/app.ts'
import { must, newAddress } from '../support/builders.ts'
import { cleanup } from '../support/cleanup.ts'
import { needs } from '../support/system-packages.ts'
import { CRASHES, idsOf, startTelemetryApp } from './fixtures.ts'

/** Crashes a browser page and returns the dump that its crash handler wrote. */
async function crashBrowser(t: TestContext): Promise<Buffer> {
  const folder = temporaryFolder(t)
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--enable-crash-reporter', `--crash-dumps-dir=${folder}`],
    ignoreDefaultArgs: ['--disable-breakpad'],
    env: { ...process.env, CHROME_HEADLESS: '1', BREAKPAD_DUMP_LOCATION: folder } as Record<
      string,
      string
    >,
  })
  cleanup(t, () => browser.close())
  const page = await browser.newPage()
  const gone = new Promise((crashed) => page.on('crash', crashed))
  page.goto('chrome://crash').catch(() => {})
  await gone
  const find = () =>
    (readdirSync(folder, { recursive: true }) as string[]).find((name) => name.endsWith('.dmp'))
  const path = await eventually('the dump', () => {
    const name = find()
    return name && readFileSync(join(folder, name)).subarray(0, 4).toString() === 'MDMP' && name
  })
  return readFileSync(join(folder, path))
}

/** The debug id in symbol files: the first sixteen bytes of the build id, formatted as a GUID. */
function debugId(path: string): string {
  const [, hex] = /Build ID: ([0-9a-f]{32})/.exec(
    execFileSync('readelf', ['-n', path], { encoding: 'utf8' }),
  )!
  const bytes = Buffer.from(hex!, 'hex')
  bytes.subarray(0, 4).reverse()
  bytes.subarray(4, 6).reverse()
  bytes.subarray(6, 8).reverse()
  return `${bytes.toString('hex').toUpperCase()}0`
}

test('analyzes the dump of a real crash: reason, modules, stack and group', async (t) => {
  // readelf is installed with the compiler.
  if (!needs(t, 'chromium') || !needs(t, 'g++')) return
  const { a, build, post, get, call } = await startTelemetryApp(t)
  const listing = await a.listing()
  const to = await build(listing)
  const dump = await crashBrowser(t)
  const { id, uploads } = must(
    await post(
      CRASHES,
      { user_message: 'it went away', has_dump: true },
      { headers: { ...idsOf(to), ...newAddress() } },
    ),
  )
  const headers = { 'content-type': 'application/octet-stream', ...newAddress() }
  must(await call('PUT', uploads.dump.url, { raw: new Uint8Array(dump), headers }))
  const crash = await eventually('the analysis', async () => {
    const crash = must(
      await get(`/api/v1/private/games/${listing.uid}/crashes/${id}`, listing.owner),
    )
    return crash.analysis !== null && crash
  })
  const { crash_reason, crash_address, os, arch, modules, frames } = crash.analysis
  assert.deepEqual([crash_reason, crash_address, os], ['SIGSEGV / SEGV_MAPERR', '0x0', 'linux'])
  assert.equal(arch, process.arch === 'arm64' ? 'arm64' : 'x86_64')
  const program = modules.find(({ name }: { name: string }) => name === 'chromium')
  assert.equal(program.debug_id, debugId('/usr/lib/chromium/chromium'))
  assert.deepEqual([frames[0].module, frames[0].trust], ['chromium', 'context'])
  assert.ok(frames.length >= 5, JSON.stringify(frames))
  assert.notEqual(frames[1].trust, 'scan', 'the caller was only found by a stack scan')
})
