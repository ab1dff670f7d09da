import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, mkdirSync, rmSync, statSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { client } from '../test/support/app.ts'
import { must } from '../test/support/builders.ts'
import { cpuSeconds, createBench, MIB, makeZip, memoryGrowthMb } from './support/fixtures.ts'
import { median, report } from './support/harness.ts'
import { baselineCommand } from './support/processes.ts'

const SIZE = Number(process.env.BENCH_MIB ?? 1024)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const CHUNK = 16 * MIB
const FILES = '/api/v1/tool/upload/files'

type Headers = Record<string, string>
export type Game = { headers: Headers; build_id: string; checksum: string }
const agent = new Agent({ keepAlive: true })

type Upload = {
  method?: string
  headers?: Headers
  /** Sends a part of the file. */
  range?: { start: number; end: number }
  /** Sends the file as a form with these fields before it. */
  form?: Headers
}

/** The client of all servers: sends a file or a range of it, as a form or raw. */
async function send(url: string, file: string, upload: Upload = {}) {
  const { method = 'POST', headers, range, form } = upload
  const fields = Object.entries(form ?? {}).map(
    ([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  const before = form
    ? `${fields.join('')}--b\r\n` +
      'Content-Disposition: form-data; name="file"; filename="game.zip"\r\n\r\n'
    : ''
  const after = form ? '\r\n--b--\r\n' : ''
  const bytes = range ? range.end - range.start + 1 : statSync(file).size
  const outgoing = request(url, {
    method,
    agent,
    headers: {
      ...headers,
      ...(form ? { 'content-type': 'multipart/form-data; boundary=b' } : {}),
      'content-length': before.length + bytes + after.length,
    },
  })
  const answered = new Promise<IncomingMessage>((resolve, reject) =>
    outgoing.once('response', resolve).once('error', reject),
  )
  if (before) outgoing.write(before)
  for await (const block of createReadStream(file, { ...range, highWaterMark: MIB }))
    if (!outgoing.write(block)) await once(outgoing, 'drain')
  outgoing.end(after)
  const answer = await answered
  const body = await text(answer)
  if (answer.statusCode! >= 300) throw new Error(`${answer.statusCode} ${body}`)
  return body
}

async function toTus(url: string, file: string) {
  const created = await fetch(url, {
    method: 'POST',
    headers: { 'tus-resumable': '1.0.0', 'upload-length': String(statSync(file).size) },
  })
  const headers = {
    'tus-resumable': '1.0.0',
    'upload-offset': '0',
    'content-type': 'application/offset+octet-stream',
  }
  const location = new URL(created.headers.get('location')!, url).href
  await send(location, file, { method: 'PATCH', headers })
}

export const inOneRequest = (url: string, { headers, build_id, checksum }: Game, file: string) =>
  send(`${url}${FILES}`, file, { headers, form: { build_id, checksum } })

export async function inChunks(url: string, { headers, build_id, checksum }: Game, file: string) {
  const total = statSync(file).size
  const form = new URLSearchParams({
    build_id,
    checksum,
    filename: 'game.zip',
    total_size: String(total),
  })
  const opening = {
    raw: String(form),
    headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
  }
  const session: string = must(
    await client(url).call('POST', '/api/v1/tool/upload/sessions', opening),
  ).session_id
  for (let start = 0; start < total; start += CHUNK) {
    const end = Math.min(total, start + CHUNK) - 1
    const chunk_headers = {
      ...headers,
      'x-upload-session-id': session,
      'content-range': `bytes ${start}-${end}/${total}`,
    }
    await send(`${url}${FILES}`, file, { headers: chunk_headers, range: { start, end }, form: {} })
  }
}

/**
 * Targets: a file in one request at 0.9 of bare node:http that hashes and syncs the same bytes, and
 * at 1.0 of the tus server with its file store, which does neither; in 16 MiB chunks at 0.8 of the
 * single request. BENCH_MIB and BENCH_ROUNDS set smaller sizes.
 */
export async function uploads() {
  const bench = createBench()
  try {
    const file = join(bench.folder, 'game.zip')
    const checksum = await makeZip(file, SIZE)
    mkdirSync(join(bench.folder, 'tus'))
    const bare = await bench.start(baselineCommand('bare-upload.ts'), {
      BENCH_FOLDER: bench.folder,
    })
    const tus = await bench.start(baselineCommand('tus-upload.ts'), { BENCH_FOLDER: bench.folder })
    const game = { ...(await bench.makeGame()), checksum }
    // Without the worker, so that the scan of the previous upload is not measured.
    const ours = await bench.service({ SLIPWAY_ROLES: 'api,upload' })
    const runs = {
      'bare node:http': { child: bare.child, run: () => send(bare.url, file) },
      'tus server, file store': { child: tus.child, run: () => toTus(tus.url, file) },
      'one request': { child: ours.child, run: () => inOneRequest(ours.url, game, file) },
      'chunks of 16 MiB': { child: ours.child, run: () => inChunks(ours.url, game, file) },
    }
    const figures = new Map(
      Object.keys(runs).map((name) => [name, { speeds: [] as number[], cpu: [] as number[] }]),
    )
    for (let round = 0; round <= ROUNDS; round++)
      for (const [name, { child, run }] of Object.entries(runs)) {
        // Sync before each run, because the tus server leaves all its data unwritten.
        execFileSync('sync')
        const start = performance.now()
        const cpu_before = cpuSeconds(child)
        await run()
        // The first round is a warm-up.
        if (round > 0) figures.get(name)!.speeds.push(SIZE / ((performance.now() - start) / 1000))
        if (round > 0) figures.get(name)!.cpu.push(cpuSeconds(child) - cpu_before)
        bench.dropObjects()
        rmSync(join(bench.folder, 'tus'), { recursive: true })
        mkdirSync(join(bench.folder, 'tus'))
      }
    const rows = [...figures].map(([name, { speeds }]) => ({ name, median: median(speeds) }))
    const results = report(`Uploading ${SIZE} MiB`, rows, 'MiB/s')
    const speed = (name: keyof typeof runs) => results.find((row) => row.name === name)!.median
    const ratio = (name: keyof typeof runs, baseline: keyof typeof runs) =>
      (speed(name) / speed(baseline)).toFixed(2)
    process.stdout.write(
      `  one request / bare ${ratio('one request', 'bare node:http')} (target: 0.9)`,
    )
    process.stdout.write(`, / tus ${ratio('one request', 'tus server, file store')} (1.0)`)
    process.stdout.write(
      `, chunks / one request ${ratio('chunks of 16 MiB', 'one request')} (0.8)\n`,
    )
    const cpu = [...figures].map(([name, { cpu }]) => `${name} ${median(cpu).toFixed(2)} s`)
    process.stdout.write(`  processor time of the server: ${cpu.join(', ')}\n`)
    return results
  } finally {
    await bench.close()
  }
}

const LARGE = Number(process.env.BENCH_LARGE_MIB ?? 5 * 1024 - 1)
/** How many files are uploaded in each way, and how many of them at the same time. */
const UPLOADS = Number(process.env.BENCH_UPLOADS ?? 1)
const AT_ONCE = Math.min(UPLOADS, Number(process.env.BENCH_AT_ONCE ?? 4))

/**
 * Target: the service grows by less than 64 MB while it receives 5 GB, in one request and in
 * chunks. BENCH_UPLOADS=20 uploads 100 GB in each way; what is stored is removed after each round.
 */
export async function uploadMemory() {
  const bench = createBench()
  try {
    const file = join(bench.folder, 'game.zip')
    const checksum = await makeZip(file, LARGE)
    const games: Awaited<ReturnType<typeof bench.makeGame>>[] = []
    while (games.length < AT_ONCE) games.push(await bench.makeGame())
    for (const [name, run] of Object.entries({
      'one request': inOneRequest,
      'chunks of 16 MiB': inChunks,
    })) {
      const ours = await bench.service({ SLIPWAY_ROLES: 'api,upload' })
      const growthMb = memoryGrowthMb(ours.child)
      const started = performance.now()
      for (let done = 0; done < UPLOADS; done += AT_ONCE) {
        const batch = games.slice(0, UPLOADS - done)
        await Promise.all(batch.map((game) => run(ours.url, { ...game, checksum }, file)))
        bench.dropObjects()
      }
      const seconds = (performance.now() - started) / 1000
      process.stdout.write(
        `\n${UPLOADS} x ${LARGE} MiB, ${AT_ONCE} at once, ${name}: ` +
          `${((UPLOADS * LARGE) / seconds).toFixed(0)} MiB/s, ` +
          `memory growth ${growthMb().toFixed(1)} MB (target: under 64)\n`,
      )
      await bench.stop(ours.child)
    }
  } finally {
    await bench.close()
  }
}
