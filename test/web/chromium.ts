import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, type TestContext } from 'node:test'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'
import { cleanup } from '../support/cleanup.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/**
 * Turns off the rules whose violations are minor or moderate, which would not be looked at. They
 * take two fifths of the CPU time of axe.
 */
const seriousRules = `{
  rules: Object.fromEntries(axe._audit.rules
    .filter(({ impact }) => impact === 'minor' || impact === 'moderate')
    .map(({ id }) => [id, { enabled: false }])),
}`
const TIMEOUT_MS = 120_000

/** A script for a page that sums its layout shifts in the global variable `shifts`. */
export const countShifts = `shifts = 0; new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) shifts += entry.value
}).observe({ type: 'layout-shift', buffered: true })`

let running: Promise<Browser> | undefined
after(async () => (await running)?.close())

/**
 * Starts Chromium, or returns the one that an earlier test of this process started. Tests share
 * nothing else: each has contexts of its own, which are closed when it ends. Without its user
 * interface, Chromium takes half of the CPU time: 15 instead of 31 seconds for twelve pages.
 */
export async function startChromium(t: TestContext): Promise<Browser> {
  running ??= chromium.launch({
    executablePath: '/usr/bin/chromium-headless-shell',
    args: ['--no-sandbox'],
    timeout: TIMEOUT_MS,
  })
  const browser = await running
  cleanup(t, () => Promise.all(browser.contexts().map((context) => context.close())))
  return browser
}

/** Opens a page with a context of its own. */
export async function openPage(t: TestContext): Promise<Page> {
  const browser = await startChromium(t)
  const page = await browser.newPage({ serviceWorkers: 'block' })
  page.setDefaultTimeout(TIMEOUT_MS)
  return page
}

type Tab = { page: Page; context: BrowserContext; problems: string[] }
type TabOptions = { token?: string; width?: number; context?: BrowserContextOptions }

/** Opens a tab. `problems` collects script errors, dialogs and requests to other hosts. */
export async function openTab(
  browser: Browser,
  url: string,
  { token, width = 1280, context: options = {} }: TabOptions = {},
): Promise<Tab> {
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width, height: 900 },
    // A test sees only the requests of a page, not those of its worker.
    serviceWorkers: 'block',
    ...options,
  })
  context.setDefaultTimeout(TIMEOUT_MS)
  if (token) await context.addCookies([{ name: 'svc_session', value: token, url }])
  const page = await context.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('Failed to load resource'))
      problems.push(message.text())
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !/^(data|blob):/.test(request.url()))
      problems.push(`requested ${request.url()}`)
  })
  return { page, context, problems }
}

/** Themes differ only in their colors, so that the dark one needs no other rule. */
export const axeRules = (scheme: 'light' | 'dark'): readonly string[] =>
  scheme === 'dark' ? ['color-contrast'] : []

/** Serious and critical accessibility violations that axe finds on the page; all of named rules. */
export async function axeViolations(page: Page, rules: readonly string[] = []): Promise<string[]> {
  // Evaluating in the debugger bypasses the content security policy of the page.
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe)
  const chosen = rules.length ? JSON.stringify({ runOnly: rules }) : seriousRules
  const { violations } = (await page.evaluate(
    `axe.run({ resultTypes: ['violations'], ...${chosen} })`,
  )) as {
    violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[]
  }
  return violations
    .filter(({ impact }) => rules.length || impact === 'serious' || impact === 'critical')
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .slice(0, 3)
          .map((node) => `${node.html.slice(0, 160)} — ${node.failureSummary.slice(0, 160)}`)
          .join(' | ')}`,
    )
}
