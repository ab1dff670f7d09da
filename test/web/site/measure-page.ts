import type { Browser, BrowserContextOptions } from 'playwright-core'

export type LoadMeasures = {
  /** Bytes over the network before anything is scrolled. */
  bytes: number
  script_bytes: number
  /** The sum of all layout shifts. */
  shift: number
  /** Requests that the first paint waits for, besides the page itself. */
  blocking: string[]
  /** The largest element of the first screen; its time depends on the machine. */
  largest: { tag: string; priority: string; is_preloaded: boolean; ms: number }
  /** The longest time that scripts and layout kept the page busy. */
  longest_task_ms: number
}

/** Slow 4G as developer tools define it, and a processor of a quarter of the speed. */
const network = {
  offline: false,
  latency: 150,
  downloadThroughput: (1.6 * 1_000_000) / 8,
  uploadThroughput: (0.75 * 1_000_000) / 8,
}
const CPU_SLOWDOWN = 4
const TIMEOUT_MS = 120_000
/** How long to wait for the paint of the largest image, which a busy machine reports late. */
const PAINT_TIMEOUT_MS = 60_000

const OBSERVE = `
loads = { shift: 0, longest: 0, largest: null }
const observe = (type, take) => new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) take(entry)
}).observe({ type, buffered: true })
observe('layout-shift', (entry) => { if (!entry.hadRecentInput) loads.shift += entry.value })
observe('longtask', (entry) => { loads.longest = Math.max(loads.longest, entry.duration) })
observe('largest-contentful-paint', (entry) => { loads.largest = entry })`

const READ = `(() => {
  const { shift, longest, largest } = loads
  const resources = performance.getEntriesByType('resource')
  const address = largest?.url ?? ''
  return {
    shift,
    longest_task_ms: longest,
    blocking: resources
      .filter((entry) => entry.renderBlockingStatus === 'blocking')
      .map((entry) => new URL(entry.name).pathname),
    largest: {
      tag: largest?.element?.tagName ?? '',
      priority: largest?.element?.fetchPriority ?? '',
      is_preloaded: resources.some((r) => r.name === address && r.initiatorType === 'link'),
      ms: largest?.startTime ?? 0,
    },
  }
})()`

/** Opens a page on a slow phone or computer and measures its load. */
export async function measurePage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions,
): Promise<LoadMeasures> {
  const context = await browser.newContext({ serviceWorkers: 'block', ...options })
  context.setDefaultTimeout(TIMEOUT_MS)
  try {
    const page = await context.newPage()
    const session = await context.newCDPSession(page)
    await session.send('Network.enable')
    await session.send('Network.emulateNetworkConditions', network)
    await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN })
    const types = new Map<string, string>()
    let bytes = 0
    let script_bytes = 0
    session.on('Network.responseReceived', ({ requestId, type }) => types.set(requestId, type))
    session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      bytes += encodedDataLength
      if (types.get(requestId) === 'Script') script_bytes += encodedDataLength
    })
    await page.addInitScript(OBSERVE)
    await page.goto(url, { waitUntil: 'networkidle', timeout: TIMEOUT_MS })
    // A page whose largest element is a text is measured as it is after this time.
    await page
      .waitForFunction(`loads.largest?.element?.tagName === 'IMG'`, undefined, {
        timeout: PAINT_TIMEOUT_MS,
      })
      .catch(() => {})
    const read = await page.evaluate<Omit<LoadMeasures, 'bytes' | 'script_bytes'>>(READ)
    return { ...read, bytes, script_bytes }
  } finally {
    await context.close()
  }
}

export const devices: Record<string, BrowserContextOptions> = {
  phone: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true },
  desktop: { viewport: { width: 1280, height: 800 } },
}
