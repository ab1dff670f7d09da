import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { duel, scratch } from './support/harness.ts'

const opponent = (file: string) => [
  process.execPath,
  '--disable-warning=ExperimentalWarning',
  join(import.meta.dirname, 'opponents', file),
]
const MOST_HTML = 30_000
const MOST_SCRIPT = 20_000

/** Promise: the page of a listing reaches at least 0.2 of bare node:http with the same bytes; compressed it is under 30 kB, its script under 20 kB. */
export async function webPages() {
  const { folder, remove } = scratch()
  try {
    const page = await readOnce(join(folder, 'first'))
    return await duel('The page of a listing, signed out, one core', [
      {
        name: 'bare node:http, same bytes',
        command: opponent('bare-http.ts'),
        env: { BENCH_BYTES: page },
      },
      {
        name: 'Slipway',
        command: opponent('page-server.ts'),
        env: { DATA_DIR: join(folder, 'data') },
        log_file: join(folder, 'log'),
      },
    ])
  } finally {
    remove()
  }
}

/** Its bytes as they are, for the opponent, and what a browser has to fetch of them. */
async function readOnce(data_dir: string): Promise<string> {
  const [command, ...args] = opponent('page-server.ts')
  const child = spawn(command!, args, {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, DATA_DIR: data_dir },
  })
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const url = line.match(/^ready (\S+)/)?.[1]
      if (!url) continue
      const page = await (await fetch(url, { headers: { 'accept-encoding': 'identity' } })).text()
      await tellSizes(url, page)
      return page
    }
    throw new Error('the service ended before it was ready')
  } finally {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
}

async function tellSizes(url: string, page: string) {
  const scripts = [...page.matchAll(/<script type="module" src="([^"]+)"/g)].map(
    (match) => new URL(match[1]!, url),
  )
  const sheets = [...page.matchAll(/<link rel="stylesheet" href="([^"]+)"/g)].map(
    (match) => new URL(match[1]!, url),
  )
  const bytes = async (urls: URL[]) =>
    (await Promise.all(urls.map(async (one) => (await fetch(one)).text()))).join('')
  const script = await bytes(scripts)
  const sizes = {
    html: page.length,
    html_br: brotliCompressSync(page).length,
    html_gzip: gzipSync(page).length,
    script: script.length,
  }
  process.stdout.write(
    `The page of a listing, in bytes: ${JSON.stringify({ ...sizes, css_br: brotliCompressSync(await bytes(sheets)).length })}\n`,
  )
  if (sizes.html_gzip > MOST_HTML) throw new Error(`the page is over ${MOST_HTML} bytes compressed`)
  if (sizes.script > MOST_SCRIPT) throw new Error(`its script is over ${MOST_SCRIPT} bytes`)
}
