import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { findBundledPacks } from '../src/builds/bundle-check/queries.ts'
import { startEmbeddedPostgres } from '../src/core/database/embedded/postgres.ts'
import { migrate } from '../src/core/database/migrate.ts'
import { openPool, type Sql } from '../src/core/database/sql.ts'
import { createLog } from '../src/core/runtime/log.ts'
import { median, report, scratch } from './support/harness.ts'

/** How many file contents are recorded, 500 per zip. BENCH_HASHES sets a smaller number. */
const HASHES = Number(process.env.BENCH_HASHES ?? 2_000_000)
const FILES_PER_ZIP = 500
/**
 * A quarter of the zips are packs, the others games. Each game contains the files of the engine,
 * like the game that is checked.
 */
const PACKS = Math.ceil(HASHES / FILES_PER_ZIP / 4)
const GAMES = 3 * PACKS
const ENGINE_FILES = 50
const BUNDLED_PACKS = 100
const ROUNDS = 7

/**
 * Compares finding the packs in a build by the table of pack contents with a query over all
 * recorded files.
 */
export async function bundleCheck() {
  const { folder, remove } = scratch()
  const database = await startEmbeddedPostgres(join(folder, 'db'))
  const sql = openPool(database.url, 2, 'bench')
  try {
    await migrate(database.url, createLog({ log_level: 'fatal' }))
    const { owner, game, build } = await fill(sql)
    const figures = { naive: [] as number[], ours: [] as number[] }
    const timed = async (query: () => Promise<readonly { uid: string }[]>) => {
      const start = performance.now()
      const packs = await query()
      if (packs.length !== Math.min(BUNDLED_PACKS, PACKS))
        throw new Error(`found ${packs.length} packs`)
      return 1000 / (performance.now() - start)
    }
    for (let round = 0; round < ROUNDS; round++) {
      figures.naive.push(await timed(() => byAllEntries(sql, game, build)))
      figures.ours.push(await timed(() => findBundledPacks(sql, game, build, owner)))
    }
    return report(
      `Bundle check of a build of ${FILES_PER_ZIP} files, ${HASHES} contents recorded`,
      [
        { name: 'query over all recorded files, by index', median: median(figures.naive) },
        { name: 'Slipway', median: median(figures.ours) },
      ],
      'checks/s',
    )
  } finally {
    await sql.end({ timeout: 5 })
    await database.stop()
    remove()
  }
}

/** The straightforward query, with the existing index. */
const byAllEntries = (sql: Sql, game: string, build: string) => sql<{ uid: string }[]>`
  select l.uid, count(distinct m.path), (array_agg(distinct m.path order by m.path))[1:5]
  from files mf
  join file_entries m on m.file_uid = mf.uid and m.size >= 1024
  join file_entries e on e.sha256 = m.sha256 and e.size >= 1024
  join files f on f.uid = e.file_uid and f.scan = 'clean'
  join listings l on l.uid = f.game_uid and l.asset_type in ('game_asset', 'dev_asset')
  where mf.build_uid = ${build} and mf.scan = 'clean'
    and l.uid <> ${game} and l.visibility = 'public'
  group by l.uid`

async function fill(sql: Sql) {
  const owner = randomUUID()
  const game = randomUUID()
  const build = randomUUID()
  const uids = (count: number) => Array.from({ length: count }, () => randomUUID())
  await sql`
    insert into users (uid, username, email, password_hash)
    values (${owner}, 'maker', 'maker@example.test', 'x')`
  const zips = async (listings: string[], asset_type: string, builds = uids(listings.length)) => {
    await sql`
      insert into listings (uid, owner_uid, asset_type, name, vanity_name, visibility)
      select uid, ${owner}, ${asset_type}, 'Listing ' || uid, uid::text, 'public'
      from unnest(${listings}::uuid[]) uid`
    await sql`
      insert into builds (uid, game_uid, version)
      select b, l, '1'
      from unnest(${builds}::uuid[], ${listings}::uuid[]) as n (b, l)`
    const files = uids(listings.length)
    await sql.begin(async (tx) => {
      // Filled without triggers, like a restored dump. The rows that triggers would add are
      // inserted below.
      await tx`set local session_replication_role = replica`
      await tx`
        insert into files (
          uid, game_uid, build_uid, os, arch, channel, filename, size, checksum, scan, method
        )
        select f, l, b, 'any', 'any', 'stable', 'a.zip', 1, '', 'clean', 'website'
        from unnest(${files}::uuid[], ${listings}::uuid[], ${builds}::uuid[]) as n (f, l, b)`
      await tx`
        insert into file_entries (file_uid, position, path, size, sha256)
        select f.uid, i, 'assets/' || i, 4096, sha256(convert_to(case
          when ${asset_type} = 'game' and i <= ${ENGINE_FILES} then 'engine ' || i
          when ${asset_type} = 'game' and f.uid = ${files[0]!}::uuid
            and i <= ${ENGINE_FILES + BUNDLED_PACKS}
            then 'pack ' || (i - ${ENGINE_FILES}) || ' 1'
          when ${asset_type} = 'game' then 'game ' || f.n || ' ' || i
          else 'pack ' || f.n || ' ' || i end, 'utf8'))
        from unnest(${files}::uuid[]) with ordinality as f (uid, n),
          generate_series(1, ${FILES_PER_ZIP}::int) i`
    })
  }
  await sql`drop index file_entries_content`
  await zips(uids(PACKS), 'game_asset')
  await zips([game, ...uids(GAMES - 1)], 'game', [build, ...uids(GAMES - 1)])
  await sql`create index file_entries_content on file_entries (sha256) where size >= 1024`
  await sql`
    insert into pack_contents (sha256, file_uid)
    select e.sha256, e.file_uid
    from file_entries e
    join files f on f.uid = e.file_uid
    join listings l on l.uid = f.game_uid
    where l.asset_type = 'game_asset'`
  await sql`vacuum analyze file_entries, files, listings, pack_contents`
  return { owner, game, build }
}

if (import.meta.main) await bundleCheck()
