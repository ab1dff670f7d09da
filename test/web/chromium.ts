import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { TestContext } from 'node:test'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'
import { cleanup } from '../support/cleanup.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const SECONDS = 20

/** Debian's own browser; everything goes with the test. */
export async function startChromium(t: TestContext): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox'],
  })
  cleanup(t, () => browser.close())
  return browser
}

export type Walk = { page: Page; context: BrowserContext; problems: string[] }

/** Somebody at a screen; what the page complains of, or asks of other hosts, is noted. */
export async function sitDown(
  browser: Browser,
  url: string,
  token?: string,
  width = 1280,
  options: BrowserContextOptions = {},
): Promise<Walk> {
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width, height: 900 },
    ...options,
  })
  context.setDefaultTimeout(SECONDS * 1000)
  if (token) await context.addCookies([{ name: 'svc_session', value: token, url }])
  const page = await context.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('dialog', (dialog) => {
    problems.push(`a box of the browser's: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('Failed to load resource'))
      problems.push(message.text())
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !/^(data|blob):/.test(request.url()))
      problems.push(`asked ${request.url()}`)
  })
  return { page, context, problems }
}

/** Serious and critical things that axe finds wrong on the page as it is now. */
export async function seriousOf(page: Page, rules: readonly string[] = []): Promise<string[]> {
  // The policy of our pages lets no script in; a debugger's own way around it is not the page's.
  await page.evaluate(axe)
  const { violations } = (await page.evaluate(
    `axe.run({ resultTypes: ["violations"], ${rules.length ? `runOnly: ${JSON.stringify(rules)}` : ''} })`,
  )) as {
    violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[]
  }
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .slice(0, 3)
          .map((node) => `${node.html.slice(0, 160)} — ${node.failureSummary.slice(0, 160)}`)
          .join(' | ')}`,
    )
}
