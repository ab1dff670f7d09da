import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { compareServers, scratch } from '../support/harness.ts'
import { baselineCommand, startServer, stopProcess } from '../support/processes.ts'

const MAX_HTML = 30_000
const MAX_SCRIPT = 20_000

/**
 * Target: the page of a listing reaches at least 0.2 of bare node:http with the same bytes. It is
 * under 30 kB compressed, and its script is under 20 kB.
 */
export async function webPages() {
  const { folder, remove } = scratch()
  try {
    const page = await readOnce(join(folder, 'first'))
    return await compareServers('The page of a listing, signed out, one core', [
      {
        name: 'bare node:http, same bytes',
        command: baselineCommand('bare-http.ts'),
        env: { BENCH_BYTES: page },
      },
      {
        name: 'Slipway',
        command: baselineCommand('page-server.ts'),
        env: { DATA_DIR: join(folder, 'data') },
        log_file: join(folder, 'log'),
      },
    ])
  } finally {
    remove()
  }
}

/** Reads the page for the baseline, and checks the sizes that a browser fetches. */
async function readOnce(data_dir: string): Promise<string> {
  const command = baselineCommand('page-server.ts')
  const { child, url } = await startServer(command, { DATA_DIR: data_dir }, 'ignore')
  try {
    const page = await (await fetch(url, { headers: { 'accept-encoding': 'identity' } })).text()
    await checkSizes(url, page)
    return page
  } finally {
    await stopProcess(child)
  }
}

async function checkSizes(url: string, page: string) {
  const scripts = [...page.matchAll(/<script type="module" src="([^"]+)"/g)].map(
    (match) => new URL(match[1]!, url),
  )
  const sheets = [...page.matchAll(/<link rel="stylesheet" href="([^"]+)"/g)].map(
    (match) => new URL(match[1]!, url),
  )
  const bytes = async (urls: URL[]) =>
    (await Promise.all(urls.map(async (url) => (await fetch(url)).text()))).join('')
  const script = await bytes(scripts)
  const sizes = {
    html: page.length,
    html_br: brotliCompressSync(page).length,
    html_gzip: gzipSync(page).length,
    script: script.length,
  }
  const css_br = brotliCompressSync(await bytes(sheets)).length
  process.stdout.write(`Listing page, in bytes: ${JSON.stringify({ ...sizes, css_br })}\n`)
  if (sizes.html_gzip > MAX_HTML) throw new Error(`the page is over ${MAX_HTML} bytes compressed`)
  if (sizes.script > MAX_SCRIPT) throw new Error(`its script is over ${MAX_SCRIPT} bytes`)
}
