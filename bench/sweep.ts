import { join } from 'node:path'
import type { Sql } from '../src/core/database/sql.ts'
import { readConfig } from '../src/core/runtime/config.ts'
import { sha256 } from '../src/core/security/crypto.ts'
import { MAX_HASHES } from '../src/moderation/sweeps/sweep-input.ts'
import { startService } from '../src/service.ts'
import { client } from '../test/support/app.ts'
import { builders, must } from '../test/support/builders.ts'
import { fillCatalog } from './support/catalog-rows.ts'
import { median, scratch } from './support/harness.ts'
import { withoutIndexes } from './support/without-indexes.ts'

const ENTRIES = Number(process.env['BENCH_ENTRIES'] ?? 10_000_000)
const LISTINGS = 10_000
const ROUNDS = 5
const SWEEPS = '/api/v1/private/moderation/sweeps'
const TARGET_SECONDS = 5
/** One of so many searched hashes is stored. */
const STORED_SHARE = 10

/** Entries of the files of a catalog. One of four is small. */
async function fillEntries(sql: Sql, count: number): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    const [{ total }] = await tx<[{ total: number }]>`select count(*)::int as total from files`
    const insert = () => tx`
      insert into file_entries (file_uid, position, path, size, sha256)
      select f.uid, n / ${total}::int, 'data/' || n,
        case when n % 4 = 0 then 200 else 20000 end, sha256(n::text::bytea)
      from generate_series(0, ${count}::int - 1) as n
      join (
        select uid, (row_number() over (order by uid) - 1)::int as number
        from files
      ) f on f.number = n % ${total}::int`
    await withoutIndexes(tx, ['file_entries'], insert)
  })
  await sql`vacuum analyze file_entries`
}

const hashOf = (n: number) => sha256(String(n)).toString('hex')

/** As many hashes as a sweep takes; of those that are not stored, none is that of an entry. */
const hashesOf = (round: number) =>
  Array.from({ length: MAX_HASHES }, (_, i) => {
    const n = (round * 7919 + i * 104_729) % ENTRIES
    return hashOf(i % STORED_SHARE ? -1 - n : n)
  })

/** Target: a sweep finds its hashes among ten million stored entries within 5 seconds. */
export async function hashSweep() {
  const { folder, remove } = scratch()
  const data_dir = join(folder, 'data')
  const service = await startService(
    readConfig({ DATA_DIR: data_dir, PORT: '0', METRICS_PORT: 'off', LOG_LEVEL: 'silent' }),
  )
  try {
    const { core, url } = service
    const http = client(url)
    const operator = await builders(http, data_dir).verified()
    await core.sql`insert into operators (user_uid) values (${operator.uid})`
    await fillCatalog(core.sql, LISTINGS)
    await fillEntries(core.sql, ENTRIES)
    process.stdout.write(
      `\nSweep for ${MAX_HASHES} hashes among ${ENTRIES.toLocaleString('en')} entries\n`,
    )
    const sweeps: number[] = []
    const scans: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const hashes = hashesOf(round)
      const started = performance.now()
      const { sweep_id } = must(await http.post(SWEEPS, { sha256: hashes }, operator))
      sweeps.push(performance.now() - started)
      const { matching_files } = must(await http.get(`${SWEEPS}/${sweep_id}`, operator))
      if (!matching_files) throw new Error('the sweep matches nothing')
      scans.push(await scanAll(core.sql, hashes))
    }
    const seconds = (times: number[]) => (median(times) / 1000).toFixed(2)
    process.stdout.write(
      `  sweep ${seconds(sweeps)} s (under ${TARGET_SECONDS}), reading every entry ` +
        `${seconds(scans)} s: ${(median(scans) / median(sweeps)).toFixed(0)} times as fast\n`,
    )
  } finally {
    await service.stop()
    remove()
  }
}

/** The opponent: one pass over all entries with a hash table of the searched hashes. */
async function scanAll(sql: Sql, hashes: readonly string[]): Promise<number> {
  return sql.begin(async (tx) => {
    await tx`set local enable_nestloop = off`
    await tx`set local enable_indexscan = off`
    await tx`set local enable_bitmapscan = off`
    const started = performance.now()
    await tx`
      select count(*)
      from file_entries e
      join unnest(${hashes as string[]}::text[]) as hash on e.sha256 = decode(hash, 'hex')`
    return performance.now() - started
  })
}
