import { after, type TestContext } from 'node:test'
import { type Browser, chromium } from 'playwright-core'
import { cleanup } from '../support/cleanup.ts'

let running: Promise<Browser> | undefined
after(async () => (await running)?.close())

/**
 * Starts a Chromium that lays pages out but draws nothing, or returns the one that an earlier test
 * of this process started. Loading twelve pages takes 2.2 instead of 3.5 seconds of CPU time. It is
 * for tests that open pages and evaluate expressions: a click or an animation waits for a frame,
 * and there are none.
 */
export async function startStillChromium(t: TestContext): Promise<Browser> {
  running ??= chromium.launch({
    executablePath: '/usr/bin/chromium-headless-shell',
    args: ['--no-sandbox', '--enable-begin-frame-control'],
    timeout: 120_000,
  })
  const browser = await running
  cleanup(t, () => Promise.all(browser.contexts().map((context) => context.close())))
  return browser
}
