import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { random as seededRandom } from '../../../demo/random.ts'
import { openPool } from '../../../src/core/database/sql.ts'
import { startLoad } from '../../constellation/load.ts'
import { settings, startStore } from '../../extstore/fixtures.ts'
import { temporaryFolder } from '../../support/app.ts'
import { childService, freePort } from '../../support/child.ts'
import { cleanup } from '../../support/cleanup.ts'
import { IS_FULL_RUN, loopCount, SEED } from '../../support/loop-count.ts'
import { needs, type Program } from '../../support/system-packages.ts'
import { startPatroni } from './patroni.ts'

const KILLS = loopCount({ short: 1, full: 20 })
/** After the promotion. Beside other tests, only recovery is checked. */
const RECOVERY_SECONDS = Number(process.env.RECOVERY_SECONDS ?? (IS_FULL_RUN ? 5 : 120))
const programs: Program[] = ['pg_dump', 'patroni', 'etcd', 'haproxy']

/** The load fails on any answer that is neither a success nor a documented 503. */
test(`a failover loses nothing acknowledged (SEED=${SEED})`, async (t) => {
  if (!programs.every((program) => needs(t, program))) return
  const random = seededRandom(SEED)
  const cluster = await startPatroni(t)
  const store = await startStore(t)
  const data_dir = temporaryFolder(t)
  const port = await freePort()
  const service = childService(t, {
    ...settings(store),
    ISSUER: '',
    PROXY_HOPS: '0',
    DATABASE_URL: cluster.url,
    DATABASE_TIMEOUT: IS_FULL_RUN ? '3' : '10',
    DATA_DIR: data_dir,
    PORT: port,
    BASE_URL: `http://127.0.0.1:${port}`,
    REQUIRE_MFA: 'off',
  })
  const url = await service.start()
  const sql = openPool(cluster.url, 2, 'test')
  cleanup(t, () => sql.end({ timeout: 1 }))
  await cluster.synchronous()
  const load = await startLoad({ url, sql, store, data_dir }, random)
  await load.recovered(Date.now(), 120)
  const durations: { promoted_ms: number; recovered_ms: number }[] = []
  for (let kill = 1; kill <= KILLS; kill++) {
    await cluster.synchronous()
    await pause(random.integer(0, 1000))
    const killed_at = Date.now()
    const killed = await cluster.killPrimary()
    await cluster.promoted(killed)
    const promoted_at = Date.now()
    const recovered_ms = await load.recovered(promoted_at, RECOVERY_SECONDS)
    durations.push({ promoted_ms: promoted_at - killed_at, recovered_ms })
    t.diagnostic(
      `${kill} of ${KILLS}: ${killed.name} killed, promoted after ${promoted_at - killed_at} ms, ` +
        `recovered ${recovered_ms} ms later`,
    )
    await killed.patroni.start()
  }
  await load.end()
  await load.check()
  assert.ok(service.isUp(), 'the service ended')
  const { files, edits, events, sign_ins, retries } = load.ledger
  const longest = Math.max(...durations.map(({ recovered_ms }) => recovered_ms))
  t.diagnostic(
    `${KILLS} failovers: ${files.length} files, ${edits.acknowledged.length} edits, ` +
      `${events.acknowledged} events, ${sign_ins.length} sign-ins intact; ${retries} retries; ` +
      `at most ${longest} ms after the promotion`,
  )
})
