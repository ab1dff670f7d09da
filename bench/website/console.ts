import { join } from 'node:path'
import { readConfig } from '../../src/core/runtime/config.ts'
import type { Core } from '../../src/core/runtime/core.ts'
import { startService } from '../../src/service.ts'
import { client, eventually } from '../../test/support/app.ts'
import { builders } from '../../test/support/builders.ts'
import { fillCatalog } from '../support/catalog-rows.ts'
import { scratch } from '../support/harness.ts'
import { withoutIndexes } from '../support/without-indexes.ts'

const LISTINGS = Number(process.env.BENCH_LISTINGS ?? 1_000_000)
const REPORTS = Number(process.env.BENCH_REPORTS ?? LISTINGS)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 40)
const TARGET_MS = 100
/** One report of a hundred is open. */
const OPEN_SHARE = 100

/** Decided reports, and open ones about other targets; the same for the same count. */
async function fillReports({ sql }: Core, count: number): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    const insertActions = () => tx`
      insert into moderation_actions (
        uid, target_type, target_id, target_name, game_uid, action, ground, facts, statement,
        moderator_uid, created_at
      )
      select
        md5('action' || n)::uuid, 'listing', md5('game' || n)::uuid::text, 'game-' || n,
        md5('game' || n)::uuid, (array['dismiss', 'warn', 'hide'])[1 + n % 3], 'rule-spam',
        'Facts', 'Statement', md5('user' || 0)::uuid, now() - make_interval(mins => n)
      from generate_series(0, ${count}::int - 1) as n
      where n % ${OPEN_SHARE} > 0`
    const insertReports = () => tx`
      insert into reports (
        uid, target_type, target_id, target_name, game_uid, kind, text, reporter_hash, snapshot,
        created_at, decided_at, action_uid
      )
      select
        md5('report' || n)::uuid, 'listing', md5('game' || n)::uuid::text, 'game-' || n,
        md5('game' || n)::uuid, (array['spam', 'malware', 'copyright'])[1 + n % 3],
        'The page sells something else', decode(md5('reporter' || n % 5000), 'hex'), '{}',
        now() - make_interval(mins => n),
        case when n % ${OPEN_SHARE} > 0 then now() - make_interval(mins => n) end,
        case when n % ${OPEN_SHARE} > 0 then md5('action' || n)::uuid end
      from generate_series(0, ${count}::int - 1) as n`
    await withoutIndexes(tx, ['moderation_actions', 'reports'], async () => {
      await insertActions()
      await insertReports()
    })
  })
  await sql`vacuum analyze`
}

const percentile = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.ceil(times.length * share) - 1]!

/** Target: every page of the console within 100 ms for 95 of 100 requests. */
export async function consolePages() {
  const { folder, remove } = scratch()
  const data_dir = join(folder, 'data')
  const service = await startService(
    readConfig({
      DATA_DIR: data_dir,
      PORT: '0',
      METRICS_PORT: 'off',
      LOG_LEVEL: 'silent',
      SLIPWAY_ROLES: 'api,web,worker',
    }),
  )
  try {
    const { core, url } = service
    const http = client(url)
    const operator = await builders(http, data_dir).verified()
    await core.sql`insert into operators (user_uid) values (${operator.uid})`
    await fillCatalog(core.sql, LISTINGS)
    await fillReports(core, REPORTS)
    // The overview waits a moment for the check of an index that is still being loaded.
    const isLoaded = () =>
      core.checks.search!().then(
        () => true,
        () => false,
      )
    await eventually('the search index', isLoaded, 600)
    process.stdout.write(`\n${LISTINGS} listings, ${REPORTS} reports\n`)
    const number = (round: number) => (round * 7919) % LISTINGS
    const target = (round: number) => {
      const open = number(round) - (number(round) % OPEN_SHARE)
      return core.sql<{ id: string }[]>`select md5(${`game${open}`})::uuid::text as id`
    }
    const pages: Record<string, (round: number) => string | Promise<string>> = {
      overview: () => '/operator',
      people: () => '/operator/people',
      'people by name': (round) => `/operator/people?q=maker-${number(round)}`,
      listings: () => '/operator/listings',
      'listings by name': (round) => `/operator/listings?q=game-${number(round)}`,
      'open reports': (round) => `/operator/moderation?page=${1 + (round % 5)}`,
      'a reported listing': async (round) =>
        `/operator/moderation/listing/${(await target(round))[0]!.id}`,
      jobs: () => '/operator/jobs',
      sweeps: () => '/operator/moderation/sweeps',
    }
    const headers = { cookie: `svc_session=${operator.token}`, accept: 'text/html' }
    const slow: string[] = []
    for (const [name, pathOf] of Object.entries(pages)) {
      const times: number[] = []
      for (let round = 0; round < ROUNDS; round++) {
        const path = await pathOf(round)
        const started = performance.now()
        const { status } = await http.get(path, { headers })
        if (status !== 200) throw new Error(`${path} answered ${status}`)
        // The first request compiles the page.
        if (round > 0) times.push(performance.now() - started)
      }
      const p95 = percentile(times, 0.95)
      if (p95 > TARGET_MS) slow.push(name)
      process.stdout.write(
        `${name.padEnd(22)} p50 ${percentile(times, 0.5).toFixed(1)} ms, ` +
          `p95 ${p95.toFixed(1)} ms\n`,
      )
    }
    process.stdout.write(
      slow.length ? `Above ${TARGET_MS} ms: ${slow.join(', ')}\n` : `All below ${TARGET_MS} ms\n`,
    )
  } finally {
    await service.stop()
    remove()
  }
}
