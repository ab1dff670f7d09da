import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { Sql } from '../../../src/core/database/sql.ts'
import { countStorage } from '../../../src/listings/storage/jobs.ts'
import { foldStorageChanges, readServiceUse } from '../../../src/listings/storage/queries.ts'
import { runJob, startApp } from '../../support/app.ts'
import { loopCount } from '../../support/loop-count.ts'
import { fc } from '../../support/property.ts'

type Counts = Record<string, number>

/** What is stored, by listing and kind, counted from the rows of files. */
async function countFromScratch(sql: Sql): Promise<Counts> {
  const rows = await sql`
    select game_uid || ' ' || kind as name, sum(size)::float8 as bytes
    from (
      select game_uid, 'builds' as kind, max(size) as size
      from files
      where bytes_removed_at is null
      group by game_uid, coalesce(object_uid, uid)
      union all
      select game_uid, 'uploads', total_size from upload_sessions where completed_at is null
      union all
      select game_uid, 'symbols', size from symbols
      union all
      select game_uid, 'images', size from listing_images
      union all
      select game_uid, 'images', poster_size from listing_trailers where poster_size > 0
      union all
      select game_uid, 'videos', size
      from listing_trailers
      where scan in ('scanning', 'clean') and size > 0
      union all
      select game_uid, 'crashes', coalesce(dump_size, 0) + coalesce(log_size, 0) from crashes
      union all
      select game_uid, 'bug_reports', coalesce(screenshot_size, 0) + coalesce(log_size, 0)
      from bugs
      union all
      select game_uid, 'saves', size from saves
      union all
      select game_uid, 'patches', size from file_patches where size > 0
    ) stored
    group by 1
    having sum(size) > 0
    order by 1`
  return Object.fromEntries(rows.map(({ name, bytes }) => [name, bytes]))
}

async function readCounts(sql: Sql): Promise<Counts> {
  const rows = await sql`
    select game_uid || ' ' || kind as name, sum(bytes)::float8 as bytes
    from stored_use
    group by 1
    having sum(bytes) <> 0
    order by 1`
  return Object.fromEntries(rows.map(({ name, bytes }) => [name, bytes]))
}

type Place = { game_uid: string; build_uid: string }
type Step = { action: number; place: number; choice: number; size: number }

const pick = (sql: Sql, table: string, { game_uid }: Place, choice: number) => sql`
  select uid
  from ${sql(table)}
  where game_uid = ${game_uid}
  order by md5(uid::text || ${choice}::text)
  limit 1`

/** One change, as the service makes it. */
const actions: ((sql: Sql, place: Place, step: Step) => Promise<unknown>)[] = [
  (sql, { game_uid, build_uid }, { size }) => sql`
    insert into files (uid, game_uid, build_uid, os, arch, channel, filename, size, checksum, method)
    values (${randomUUID()}, ${game_uid}, ${build_uid}, 'linux', 'x86_64', 'stable', 'a.zip',
      ${size}, 'x', 'website')`,
  // Another file with the content of one of the build.
  (sql, place, { choice }) => sql`
    insert into files (uid, game_uid, build_uid, os, arch, channel, filename, size, checksum,
      method, object_uid)
    select gen_random_uuid(), game_uid, build_uid, 'windows', 'x86_64', 'stable', 'a.zip', size,
      checksum, method, coalesce(object_uid, uid)
    from files
    where uid in (${pick(sql, 'files', place, choice)})`,
  // The scan rejects an object: the bytes of all its files are removed.
  (sql, place, { choice }) => sql`
    update files set bytes_removed_at = now(), scan = 'infected'
    where coalesce(object_uid, uid) in (
      select coalesce(object_uid, uid)
      from files
      where uid in (${pick(sql, 'files', place, choice)}))`,
  (sql, place, { choice }) => sql`
    update files set scan = 'clean' where uid in (${pick(sql, 'files', place, choice)})`,
  // A damaged object is replaced by that of another file of the build.
  (sql, place, { choice }) => sql`
    update files set object_uid = (
      select coalesce(object_uid, uid)
      from files
      where uid in (${pick(sql, 'files', place, choice + 1)}))
    where uid in (${pick(sql, 'files', place, choice)}) and bytes_removed_at is null`,
  (sql, place, { choice }) =>
    sql`delete from files where uid in (${pick(sql, 'files', place, choice)})`,
  (sql, { game_uid, build_uid }, { size }) => sql`
    insert into upload_sessions (uid, game_uid, build_uid, file_uid, os, arch, channel, filename,
      total_size, checksum, method, expires_at)
    values (${randomUUID()}, ${game_uid}, ${build_uid}, ${randomUUID()}, 'linux', 'x86_64',
      'stable', 'a.zip', ${size}, 'x', 'website', now())`,
  (sql, place, { choice }) => sql`
    update upload_sessions set completed_at = now()
    where uid in (${pick(sql, 'upload_sessions', place, choice)})`,
  (sql, place, { choice }) => sql`
    delete from upload_sessions where uid in (${pick(sql, 'upload_sessions', place, choice)})`,
  (sql, { game_uid, build_uid }, { size }) => sql`
    insert into symbols (uid, game_uid, build_uid, module_name, debug_id, os, arch, size, checksum)
    values (${randomUUID()}, ${game_uid}, ${build_uid}, ${randomUUID()}, 'id', 'linux', 'x86_64',
      ${size}, 'x')`,
  (sql, { game_uid }) => sql`delete from symbols where game_uid = ${game_uid}`,
  (sql, { game_uid }, { size }) => sql`
    insert into listing_images (uid, game_uid, slot, sha256, type, width, height, size)
    values (${randomUUID()}, ${game_uid}, 'gallery', 'x', 'image/png', 1, 1, ${size})`,
  (sql, place, { choice }) => sql`
    delete from listing_images where uid in (${pick(sql, 'listing_images', place, choice)})`,
  (sql, { game_uid }, { size }) => sql`
    insert into listing_trailers (uid, game_uid, object_uid, type, size, scan, poster_size,
      poster_sha256)
    values (${randomUUID()}, ${game_uid}, ${randomUUID()}, 'video/mp4', ${size}, 'scanning',
      ${size % 3 ? size : null}, ${size % 3 ? 'x' : null})`,
  (sql, place, { choice, size }) => sql`
    update listing_trailers
    set scan = ${size % 2 ? 'clean' : 'infected'}, poster_size = ${size}, poster_sha256 = 'x'
    where uid in (${pick(sql, 'listing_trailers', place, choice)})`,
  (sql, place, { choice }) => sql`
    delete from listing_trailers where uid in (${pick(sql, 'listing_trailers', place, choice)})`,
  (sql, { game_uid, build_uid }) => sql`
    insert into crashes (uid, game_uid, build_uid, app_name, app_version, engine_version, os, arch,
      user_message, anonymous, metadata)
    values (${randomUUID()}, ${game_uid}, ${build_uid}, '', '', '', '', '', '', true, '{}')`,
  (sql, place, { choice, size }) => sql`
    update crashes set dump_size = ${size}, dump_key = 'x', log_size = ${size % 2 ? size : null}
    where uid in (${pick(sql, 'crashes', place, choice)})`,
  (sql, { game_uid }) => sql`delete from crashes where game_uid = ${game_uid}`,
  (sql, { game_uid }, { size }) => sql`
    insert into bugs (uid, game_uid, source, message, has_log, log_size, screenshot_size,
      created_at, updated_at)
    values (${randomUUID()}, ${game_uid}, 'game', 'x', true, ${size}, ${size % 2 ? size : null},
      now(), now())`,
  (sql, place, { choice }) =>
    sql`delete from bugs where uid in (${pick(sql, 'bugs', place, choice)})`,
  (sql, { game_uid }, { size }) => sql`
    insert into saves (uid, user_uid, game_uid, slot, version, size, sha256)
    select ${randomUUID()}, owner_uid, uid, ${randomUUID()}, 1, ${size}, 'x'
    from all_listings
    where uid = ${game_uid}`,
  (sql, place, { choice }) =>
    sql`delete from saves where uid in (${pick(sql, 'saves', place, choice)})`,
  (sql, place, { choice, size }) => sql`
    insert into file_patches (uid, game_uid, from_file, to_file, format, size, sha256)
    select gen_random_uuid(), o.game_uid, o.uid, n.uid, 'x', ${size % 3 ? size : null},
      ${size % 3 ? 'x' : null}
    from files o
    join files n on n.game_uid = o.game_uid
    where o.uid in (${pick(sql, 'files', place, choice)})
      and n.uid in (${pick(sql, 'files', place, choice + 1)})
    on conflict do nothing`,
  (sql, place, { choice, size }) => sql`
    update file_patches set size = ${size}, sha256 = 'y'
    where uid in (${pick(sql, 'file_patches', place, choice)})`,
  (sql, place, { choice }) =>
    sql`delete from file_patches where uid in (${pick(sql, 'file_patches', place, choice)})`,
  (sql) => foldStorageChanges(sql),
  (sql, { game_uid }) => sql`select recount_storage(${game_uid})`,
  (sql, { game_uid }, { choice }) =>
    choice % 8 === 0 ? sql`delete from all_listings where uid = ${game_uid}` : Promise.resolve(),
]

const step = fc.record({
  action: fc.nat(actions.length - 1),
  place: fc.nat(2),
  choice: fc.nat(1000),
  size: fc.integer({ min: 1, max: 1_000_000 }),
})

test('the counted bytes are those of the stored files after any history', async (t) => {
  const app = await startApp(t)
  const { sql } = app
  const newPlace = async (): Promise<Place> => {
    const { uid: game_uid } = await app.a.listing()
    const build_uid = randomUUID()
    await sql`
      insert into builds (uid, game_uid, version) values (${build_uid}, ${game_uid}, '1')`
    return { game_uid, build_uid }
  }
  // An action on what a parallel one has just deleted is one that does nothing.
  const run = (places: Place[], { action, place, ...rest }: Step) =>
    actions[action]!(sql, places[place]!, { action, place, ...rest }).catch((error) => {
      if (!['23503', '40P01'].includes(error.code)) throw error
    })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
      const places = await Promise.all([newPlace(), newPlace(), newPlace()])
      // Three at a time, so that changes of the same listing meet.
      for (let start = 0; start < steps.length; start += 3)
        await Promise.all(steps.slice(start, start + 3).map((item) => run(places, item)))
      const expected = await countFromScratch(sql)
      assert.deepEqual(await readCounts(sql), expected)
      await runJob(app, countStorage)
      const total = Object.values(expected).reduce((sum, bytes) => sum + bytes, 0)
      const { developers, players } = await readServiceUse(sql)
      assert.equal(developers + players, total)
    }),
    { numRuns: loopCount({ short: 12, full: 200 }), endOnFailure: true },
  )
  assert.deepEqual([...(await sql`select from storage_changes`)], [])
  assert.deepEqual([...(await sql`select from player_storage_changes`)], [])
})

test('files from before the quotas are counted by the job', async (t) => {
  const app = await startApp(t)
  const { sql } = app
  const { uid } = await app.a.listing()
  await sql`
    insert into listing_images (uid, game_uid, slot, sha256, type, width, height, size)
    values (${randomUUID()}, ${uid}, 'cover', 'x', 'image/png', 1, 1, 500)`
  await sql`delete from storage_use`
  await sql`insert into storage_recounts (game_uid) values (${uid})`
  await runJob(app, countStorage)
  assert.deepEqual(await readCounts(sql), { [`${uid} images`]: 500 })
  assert.deepEqual(await readServiceUse(sql), { developers: 500, players: 0 })
})
