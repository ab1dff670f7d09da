import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { axeRules, axeViolations } from './chromium.ts'

type Layouts = {
  widths?: readonly number[]
  /** Rules of axe of which also minor violations count. */
  rules?: readonly string[]
  opens_details?: boolean
  /** Whether dates stay on one line. */
  keeps_dates?: boolean
}

const WIDTHS = [1280, 390]

/** A folder to write screenshots to, for a person who looks at them. */
const { SCREENSHOTS } = process.env

/**
 * Opens a page once, and returns what axe and the layout say against it in both themes at these
 * widths. Opening it again for each of them took twice the CPU time.
 */
export async function layoutProblems(
  page: Page,
  path: string,
  layouts: Layouts = {},
): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: (layouts.widths ?? WIDTHS)[0]!, height: 900 })
  await page.goto(path)
  return openPageProblems(page, path, layouts)
}

/** What axe and the layout say against a page that is open already. */
export async function openPageProblems(
  page: Page,
  path: string,
  { widths = WIDTHS, rules = [], opens_details, keeps_dates }: Layouts = {},
): Promise<string[]> {
  const problems: string[] = []
  // Colors that change gradually would be measured in between.
  await page.evaluate(`{
    const sheet = new CSSStyleSheet()
    sheet.replaceSync('*, ::before, ::after { transition: none !important }')
    document.adoptedStyleSheets.push(sheet)
  }`)
  if (opens_details)
    for (const summary of await page.locator('main details > summary').all()) await summary.click()
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const at = `${path} ${width} ${colorScheme}`
      const violations = await axeViolations(page, axeRules(colorScheme))
      problems.push(...violations.map((violation) => `${at}: ${violation}`))
      const file = `${at.replaceAll(/\W/g, '_')}.png`
      if (SCREENSHOTS) await page.screenshot({ path: join(SCREENSHOTS, file) })
    }
    await page.emulateMedia({ colorScheme: 'light' })
    if (rules.length)
      problems.push(
        ...(await axeViolations(page, rules)).map((text) => `${path} ${width}: ${text}`),
      )
    const overflow = Number(
      await page.evaluate('document.documentElement.scrollWidth - innerWidth'),
    )
    if (overflow > 0) problems.push(`${path} ${width}: scrolls sideways by ${overflow}`)
    const broken = await page.evaluate(
      `[...document.querySelectorAll('main time')]
        .filter((time) => time.getClientRects().length > 1).length`,
    )
    if (keeps_dates && broken) problems.push(`${path} ${width}: ${broken} dates are broken`)
  }
  return problems
}
