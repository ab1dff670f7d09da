import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runningEmbeddedUrl } from '../src/core/database/embedded/postgres.ts'
import { openPool } from '../src/core/database/sql.ts'
import { type Call, client } from '../test/support/app.ts'
import { builders } from '../test/support/builders.ts'
import { createBench, makeZip } from './support/fixtures.ts'
import { inOneRequest } from './upload.ts'

const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 2000)
const LISTINGS = 40
const AT_ONCE = 16
const UPLOAD_MIB = 64

/** Processor seconds of a process; for the database including its finished child processes. */
export function secondsOf(pid: number, with_ended = false): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ').map(Number)
    return (fields[11]! + fields[12]! + (with_ended ? fields[13]! + fields[14]! : 0)) / 100
  } catch {
    return 0
  }
}

function databaseSeconds(data_dir: string): number {
  const pid = Number(
    readFileSync(join(data_dir, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0],
  )
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .map(Number)
  return secondsOf(pid, true) + children.reduce((sum, child) => sum + secondsOf(child), 0)
}

/** A random address per request, to stay below the limits. */
export const randomAddress = () => ({
  'x-forwarded-for': `10.${[0, 0, 0].map(() => Math.floor(Math.random() * 256)).join('.')}`,
})

/**
 * The figures of docs/capacity.md: processor time of the service and its database per operation.
 * Other load on the machine affects it little.
 */
export async function costs() {
  const bench = createBench()
  try {
    const file = join(bench.folder, 'game.zip')
    const game = { ...(await bench.makeGame()), checksum: await makeZip(file, UPLOAD_MIB) }
    const { child, url } = await bench.service({ PROXY_HOPS: '1', SLIPWAY_ROLES: 'api,upload,web' })
    const http = client(url)
    const a = builders(http, bench.data_dir)
    const { owner, game_uid: uid, build_id } = game
    const listings: { uid: string; owner: { token: string } }[] = []
    for (let i = 0; i < LISTINGS; i++) listings.push(await a.listing({ name: `Common Word ${i}` }))
    let edits = 0
    const sql = openPool(runningEmbeddedUrl(bench.data_dir)!, 1, 'bench')
    await sql`update listings set visibility = 'public', public_since = now(), published_at = now()`
    await sql.end()
    const call = async (method: string, path: string, options: Call = {}) => {
      const answer = await http.call(method, path, {
        ...options,
        headers: { ...randomAddress(), ...options.headers },
      })
      if (answer.status >= 300)
        throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    }
    const ids = { 'x-app-id': uid, 'x-build-id': build_id }
    const events = () => ({
      events: Array.from({ length: 10 }, () => ({
        event: 'level_done',
        device_uid: randomUUID(),
        event_id: randomUUID(),
      })),
    })
    const operations: Record<string, () => Promise<unknown>> = {
      'a public listing': () => call('GET', `/api/v1/public/games/${uid}`),
      'a search': () => call('GET', '/api/v1/public/search?q=common'),
      'an HTML search page': () => call('GET', '/search?q=common'),
      'a signed-in read': () => call('GET', '/api/v1/private/account', owner),
      // Nobody edits one listing sixteen times at once, and edits of an account are limited.
      'an edit': () => {
        const { uid, owner } = listings[edits++ % LISTINGS]!
        const body = { tagline: randomUUID() }
        return call('PATCH', `/api/v1/private/games/${uid}`, { token: owner.token, body })
      },
      'ten events in one request': () =>
        call('POST', '/api/v1/public/events', { headers: ids, body: events() }),
    }
    process.stdout.write(`\nProcessor time, µs (service + database), ${AT_ONCE} callers at once\n`)
    const measure = async (name: string, count: number, work: () => Promise<unknown>) => {
      const before = [secondsOf(child.pid!), databaseSeconds(bench.data_dir)]
      await work()
      const spent = [
        secondsOf(child.pid!) - before[0]!,
        databaseSeconds(bench.data_dir) - before[1]!,
      ].map((seconds) => Math.round((seconds / count) * 1e6))
      process.stdout.write(
        `  ${name.padEnd(30)} ${String(spent[0]).padStart(7)} + ${String(spent[1]).padStart(6)}\n`,
      )
    }
    const repeat = async (send: () => Promise<unknown>, count: number) => {
      let remaining = count
      const worker = async () => {
        while (remaining-- > 0) await send()
      }
      await Promise.all(Array.from({ length: AT_ONCE }, worker))
    }
    for (const [name, send] of Object.entries(operations)) {
      await repeat(send, REQUESTS / 2)
      await measure(name, REQUESTS, () => repeat(send, REQUESTS))
    }
    await inOneRequest(url, game, file)
    await measure('a MiB uploaded', UPLOAD_MIB, () => inOneRequest(url, game, file))
  } finally {
    await bench.close()
  }
}
