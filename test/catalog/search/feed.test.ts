import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { followChanges } from '../../../src/catalog/search/feed/feed.ts'
import {
  readChanges,
  readIdentity,
  readPosition,
} from '../../../src/catalog/search/feed/queries.ts'
import { loadSnapshot, saveSnapshot } from '../../../src/catalog/search/feed/snapshot.ts'
import { searchIndex, sizeOf } from '../../../src/catalog/search/index/index.ts'
import { planQuery, type SearchQuery } from '../../../src/catalog/search/query/parameters.ts'
import { openPool } from '../../../src/core/database/sql.ts'
import { readConfig } from '../../../src/core/runtime/config.ts'
import { startService } from '../../../src/service.ts'
import { client, eventually, temporaryFolder } from '../../support/app.ts'
import { must, newAddress } from '../../support/builders.ts'
import { cleanup } from '../../support/cleanup.ts'
import { emptySearch, SEARCH, startSearch } from './fixtures.ts'

test('indexes a transaction that commits after later ones', async (t) => {
  const app = await emptySearch(t)
  const late = await app.createListing({ name: 'Late', tags: ['late'] })
  const early = await app.createListing({ name: 'Early', tags: ['early'] })
  await app.waitForIndex()
  const other = openPool(app.settings.DATABASE_URL, 1, 'test')
  cleanup(t, () => other.end())
  const written = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  const transaction = other.begin(async (tx) => {
    await tx`update listings set tags = '{arrived}' where uid = ${late}`
    written.resolve()
    await go.promise
  })
  await written.promise
  await app.sql`update listings set tags = '{passed}' where uid = ${early}`
  await eventually('the early listing', async () => (await app.search('tags=passed')).total === 1)
  await app.waitForIndex()
  assert.equal((await app.search('tags=arrived')).total, 0)
  go.resolve()
  await transaction
  await eventually('the late listing', async () => (await app.search('tags=arrived')).total === 1)
})

test('a listing that cannot be indexed is skipped and counted, and others are indexed', async (t) => {
  const app = await startSearch(t)
  const warnings: string[] = []
  const skipped: number[] = []
  const sql = openPool(app.settings.DATABASE_URL, 1, 'test')
  cleanup(t, () => sql.end({ timeout: 1 }))
  const feed = followChanges(
    sql,
    { folder: temporaryFolder(t) },
    {
      ready: () => {},
      warn: (text) => warnings.push(text),
      caughtUp: (count) => skipped.push(count),
    },
  )
  cleanup(t, () => feed.stop())
  const broken = await app.createListing({ name: 'Broken' })
  const setTranslations = (value: string) =>
    app.sql`update all_listings set translations = ${value}::text::jsonb where uid = ${broken}`
  await setTranslations('{"de":null}')
  await app.createListing({ name: 'Whole' })
  await eventually('the whole listing', () => sizeOf(feed.index()) === 1 && skipped.at(-1) === 1)
  assert.match(warnings.join(), new RegExp(`${broken} cannot be indexed`))
  await setTranslations('{}')
  await eventually('both listings', () => sizeOf(feed.index()) === 2 && skipped.at(-1) === 0)
})

test('two processes follow the same database', async (t) => {
  const SECRETS_KEY = randomBytes(32).toString('base64')
  const app = await startSearch(t, { SECRETS_KEY, PROXY_HOPS: '1' })
  const second = await startService(readConfig({ ...app.settings, DATA_DIR: temporaryFolder(t) }), {
    strict: true,
  })
  cleanup(t, () => second.stop())
  const { get } = client(second.url)
  const uid = await app.createListing({ name: 'Shared', tags: ['shared'] })
  for (const total of [1, 0]) {
    for (const getFrom of [app.get, get])
      await eventually(`${total} in both`, async () => {
        const answer = await getFrom(`${SEARCH}?tags=shared&page=2`, { headers: newAddress() })
        return must(answer).total === total
      })
    await app.sql`update listings set visibility = 'invisible' where uid = ${uid}`
  }
})

test('platforms follow scans, channel heads and channel expiry', async (t) => {
  const app = await emptySearch(t)
  const uid = await app.createListing({ name: 'Played', tags: ['played'] })
  const build_uid = await app.build(uid, 'linux', 'x86_64', { scan: 'scanning', head: false })
  await app.waitForIndex()
  const platforms = async () => (await app.search('tags=played')).items[0].platforms
  assert.deepEqual([(await app.search('os=linux')).total, await platforms()], [0, []])
  await app.sql`update files set scan = 'clean' where build_uid = ${build_uid}`
  const head = {
    game_uid: uid,
    app: '',
    channel: 'stable',
    os: 'linux',
    arch: 'x86_64',
    build_uid,
  }
  await app.sql`insert into channel_heads ${app.sql(head)}`
  await eventually('a clean build', async () => (await app.search('os=linux')).total === 1)
  assert.deepEqual(await platforms(), ['linux'])
  await app.sql`
    insert into channels (game_uid, app, channel, expires_at)
    values (${uid}, '', 'stable', now() + interval '1 second')`
  await eventually(
    'the expiry of the channel, which has no change record',
    async () => (await app.search('os=linux&page=2')).total === 0,
  )
  assert.deepEqual(await platforms(), [])
})

test('shows a renamed developer by the new name', async (t) => {
  const app = await startSearch(t)
  await app.createListing({ name: 'Mine', tags: ['mine'] })
  await app.waitForIndex()
  const shownUsername = async () => (await app.search('tags=mine')).items[0].developer.username
  assert.notEqual(await shownUsername(), 'renamed')
  await app.sql`update users set username = 'renamed'`
  assert.equal(await shownUsername(), 'renamed')
})

test('does not show a stale row after its change was deleted', async (t) => {
  const app = await startSearch(t)
  await app.createListing({ name: 'Mine', tags: ['mine'] })
  await app.waitForIndex()
  const sweep = () => app.sql`delete from listing_changes`
  const shownUsername = async () => (await app.search('tags=mine')).items[0].developer.username
  await sweep()
  assert.notEqual(await shownUsername(), 'renamed')
  await app.sql`update users set username = 'renamed'`
  await sweep()
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 24 * 3_600_000 })
  assert.equal(await shownUsername(), 'renamed')
})

/** Starts the feed of a database without the thread around it. */
async function started(
  t: Parameters<typeof startSearch>[0],
  sql: ReturnType<typeof openPool>,
  folder: string,
) {
  const ready = Promise.withResolvers<void>()
  const warnings: string[] = []
  const feed = followChanges(
    sql,
    { folder, min_snapshot_size: 1 },
    { ready: ready.resolve, warn: (text) => warnings.push(text) },
  )
  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= feed.stop())
  cleanup(t, stop)
  await ready.promise
  const total = (query: SearchQuery) => searchIndex(feed.index(), planQuery(query, false)).total
  return { total, stop, size: () => sizeOf(feed.index()), warnings }
}

test('a restart loads the snapshot and newer changes, but no damaged or foreign one', async (t) => {
  const app = await startSearch(t)
  const sql = openPool(app.settings.DATABASE_URL, 3, 'test')
  cleanup(t, () => sql.end())
  const folder = temporaryFolder(t)
  const unchanged = await app.createListing({ tags: ['kept'] })
  const changed = await app.createListing({ tags: ['old'] })
  const hidden = await app.createListing({ tags: ['gone'] })
  const first = await started(t, sql, folder)
  assert.equal(first.size(), 3)
  await first.stop()
  assert.deepEqual(readdirSync(folder), ['index.snapshot'])
  await app.sql`update listings set tags = '{new}' where uid = ${changed}`
  await app.sql`update listings set visibility = 'draft' where uid = ${hidden}`
  await app.createListing({ tags: ['added'] })
  // This edit leaves no change record, so only the snapshot has the old tag.
  await app.sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    await tx`update listings set tags = '{unheard}' where uid = ${unchanged}`
  })
  const counts = ({ total }: { total: (query: SearchQuery) => number }) =>
    ['kept', 'unheard', 'old', 'new', 'gone', 'added'].map((tag) => total({ tags: [tag] }))
  const second = await started(t, sql, folder)
  assert.deepEqual(counts(second), [1, 0, 0, 1, 0, 1])
  await second.stop()
  const file = join(folder, 'index.snapshot')
  const larger = () => {
    const bytes = readFileSync(file)
    const at = bytes.indexOf('"lengths":[') + 11
    bytes.write('99999999', at)
    writeFileSync(file, bytes)
  }
  for (const damage of [
    larger,
    () => truncateSync(file, 200),
    () => writeFileSync(file, 'nonsense'),
    () => writeFileSync(file, ''),
  ]) {
    damage()
    const again = await started(t, sql, folder)
    assert.deepEqual(counts(again), [0, 1, 0, 1, 0, 1], 'a damaged snapshot was used')
    await again.stop()
  }
  await app.sql`update catalog_identity set id = gen_random_uuid()`
  await app.sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    await tx`update listings set tags = '{kept}' where uid = ${unchanged}`
  })
  assert.deepEqual(
    counts(await started(t, sql, folder)),
    [1, 0, 0, 1, 0, 1],
    'the snapshot of another database was used',
  )
})

test('removes abandoned snapshot files but not those being written', async (t) => {
  const folder = temporaryFolder(t)
  const abandoned = 'index.snapshot.0123456789ab'
  const current = 'index.snapshot.ba9876543210'
  for (const name of [abandoned, current]) writeFileSync(join(folder, name), 'half')
  const then = Date.now() / 1000 - 2 * 3600
  utimesSync(join(folder, abandoned), then, then)
  await saveSnapshot(folder, {
    identity: 'x',
    position: { snapshot: '1:1:', at: new Date(0), running_since: '', timeline: '' },
    due: [],
    segments: [],
  })
  assert.deepEqual(readdirSync(folder).sort(), ['index.snapshot', current])
})

test('ignores a snapshot older than the recorded changes', async (t) => {
  const app = await startSearch(t)
  const sql = openPool(app.settings.DATABASE_URL, 3, 'test')
  cleanup(t, () => sql.end())
  const folder = temporaryFolder(t)
  const uid = await app.createListing({ tags: ['then'] })
  const first = await started(t, sql, folder)
  await first.stop()
  const snapshot = (await loadSnapshot(folder, await readIdentity(sql)))!
  await sql`update listings set tags = '{now}' where uid = ${uid}`
  await sql`delete from listing_changes`
  const tags = async () => {
    const feed = await started(t, sql, folder)
    const totals = ['then', 'now'].map((tag) => feed.total({ tags: [tag] }))
    await feed.stop()
    return totals
  }
  for (const [hours, totals] of [
    [19, [1, 0]],
    [21, [0, 1]],
  ] as const) {
    await saveSnapshot(folder, {
      ...snapshot,
      position: { ...snapshot.position, at: new Date(Date.now() - hours * 3_600_000) },
    })
    assert.deepEqual(await tags(), totals, `${hours} hours`)
  }
})

test('recovers when the database goes away and comes back', async (t) => {
  const app = await startSearch(t)
  await app.waitForIndex()
  const [{ name }] = (await app.sql`select current_database() as name`) as any
  const admin = openPool(process.env.TEST_DATABASE_URL!, 1, 'test')
  cleanup(t, () => admin.end())
  await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`
  const uid = randomUUID()
  await eventually('a connection', () =>
    app.createListing({ uid, name: 'Afterwards', tags: ['afterwards'] }).catch(() => undefined),
  )
  await eventually(
    'the new listing',
    async () => (await app.get(`${SEARCH}?tags=afterwards`)).body.data?.total === 1,
  )
})

test('ignores changes with future transaction numbers from a restored dump', async (t) => {
  const app = await startSearch(t)
  const uid = await app.createListing()
  const { snapshot } = await readPosition(app.sql)
  await app.sql`
    insert into listing_changes (game_uid, xid)
    values (${randomUUID()}, '1000000000000')`
  assert.deepEqual((await readChanges(app.sql, snapshot)).uids, [])
  await app.sql`update listings set name = 'Changed' where uid = ${uid}`
  assert.deepEqual((await readChanges(app.sql, snapshot)).uids, [uid])
})
