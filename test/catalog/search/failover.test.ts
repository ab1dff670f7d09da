import { test } from 'node:test'
import { lossyDatabase } from '../../../sim/lossy-database.ts'
import { followChanges } from '../../../src/catalog/search/feed/feed.ts'
import { sizeOf } from '../../../src/catalog/search/index/index.ts'
import { openPool } from '../../../src/core/database/sql.ts'
import { eventually, startApp, temporaryFolder } from '../../support/app.ts'
import { makePublic } from '../../support/builders.ts'
import { cleanup } from '../../support/cleanup.ts'
import { debianServer } from '../../support/programs/debian-postgres.ts'
import { needs } from '../../support/system-packages.ts'

test('after a failover the index has no listing that the new server lacks', async (t) => {
  if (!needs(t, 'pg_dump')) return
  const primary = await debianServer(t)
  primary.bin('createdb', '--maintenance-db', primary.url('postgres'), 'slipway')
  const app = await startApp(t, { DATABASE_URL: primary.url('slipway'), SLIPWAY_ROLES: 'api' })
  const publish = async (name: string) => makePublic(app.sql, (await app.a.listing({ name })).uid)
  await publish('On both servers')
  const standby = await debianServer(t, { replica_of: primary.url('postgres') })
  await standby.stop()

  const database = await lossyDatabase(primary.url('slipway'))
  cleanup(t, () => database.close())
  const sql = openPool(database.url, 2, 'test')
  cleanup(t, () => sql.end({ timeout: 1 }))
  const feed = followChanges(
    sql,
    { folder: temporaryFolder(t) },
    { ready: () => {}, warn: () => {} },
  )
  cleanup(t, () => feed.stop())
  const indexed = (count: number) =>
    eventually(`${count} listings in the index`, () => sizeOf(feed.index()) === count)
  await indexed(1)
  await publish('Only on the old server')
  await indexed(2)

  await primary.end('SIGKILL')
  await standby.start()
  const promoted = openPool(standby.url('slipway'), 1, 'test')
  cleanup(t, () => promoted.end())
  await promoted`select pg_promote()`
  database.retarget(standby.url('slipway'))
  await indexed(1)
})
