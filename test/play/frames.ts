import type { Frame, Page } from 'playwright-core'

/** Starts the game of a player page, and returns its frame. */
export async function startGame(page: Page): Promise<Frame> {
  await page.getByRole('button', { name: 'Play', exact: true }).click()
  const element = await page.locator('iframe').elementHandle()
  return (await element!.contentFrame())!
}

/**
 * Waits until an expression is true in a frame. By the clock: a frame that the browser does not
 * draw at the moment, such as behind a dialog, has no animation frames.
 */
export const whenTrue = (frame: Frame, expression: string, timeout = 120_000) =>
  frame.waitForFunction(expression, undefined, { timeout, polling: 50 })
