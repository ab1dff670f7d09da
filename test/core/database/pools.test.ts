import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectionsInUse, poolSizes } from '../../../src/core/database/pools.ts'
import { openPool, POOL_NAMES } from '../../../src/core/database/sql.ts'
import { eventually, startApp } from '../../support/app.ts'
import { cleanup } from '../../support/cleanup.ts'

test('a busy process has as many connections as the sizes of its pools say', async (t) => {
  const { core, a, get } = await startApp(t)
  const admin = openPool(core.config.database_url!, 1, 'test')
  cleanup(t, () => admin.end())
  const opened = async () => {
    const rows = await admin<{ name: string; opened: number }[]>`
      select application_name as name, count(*)::int as opened
      from pg_stat_activity
      where datname = current_database() and application_name like 'slipway%'
      group by application_name`
    return new Map(rows.map((row) => [row.name, row.opened]))
  }
  // Starts the search index, and a job that scans.
  await get('/api/v1/public/search?q=any')
  await a.cleanBuild(await a.listing({ owner: await a.verifiedDeveloper() }))
  await eventually('those of the search', async () => (await opened()).get(POOL_NAMES.search) === 2)
  await admin`select pg_advisory_lock(1)`
  const sizes = poolSizes(core.config)
  const waiting: Promise<unknown>[] = []
  await eventually('all connections to be in use', () => {
    const free = Object.entries(core.pools).filter(
      ([name, pool]) => connectionsInUse(pool) < sizes.get(name)!,
    )
    for (const [, pool] of free) waiting.push(pool`select pg_advisory_xact_lock(1)`.execute())
    return free.length === 0
  })
  const total = (counts: Map<string, number>) =>
    [...counts.values()].reduce((sum, count) => sum + count)
  const connections = await eventually('all connections to be open', async () => {
    const counts = await opened()
    return total(counts) >= total(sizes) && counts
  })
  assert.equal(total(connections), total(sizes), JSON.stringify([...connections]))
  await admin`select pg_advisory_unlock(1)`
  await Promise.all(waiting)
  await eventually('the pools to be free', () =>
    Object.values(core.pools).every((pool) => connectionsInUse(pool) === 0),
  )
})
