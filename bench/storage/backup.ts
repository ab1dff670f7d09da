import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, rmSync, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { makeBackup } from '../../src/admin/backup/make.ts'
import { restoreBackup } from '../../src/admin/backup/restore.ts'
import { verifyBackup } from '../../src/admin/backup/verify.ts'
import { startEmbeddedPostgres } from '../../src/core/database/embedded/postgres.ts'
import { migrate } from '../../src/core/database/migrate.ts'
import { openPool } from '../../src/core/database/sql.ts'
import { installJobs } from '../../src/core/jobs/index.ts'
import { readConfig } from '../../src/core/runtime/config.ts'
import { createLog } from '../../src/core/runtime/log.ts'
import { createLocalStorage } from '../../src/core/storage/local.ts'
import { openTarget } from '../../src/operator/backup/target.ts'
import { MIB } from '../support/fixtures.ts'
import { report, scratch } from '../support/harness.ts'

/** `BENCH_MIB=10240` for 10 GiB. */
const SIZE = Number(process.env.BENCH_MIB ?? 1024)
const ROWS = Number(process.env.BENCH_ROWS ?? 1_000_000)
/** The store, the plain copy, the backup and the restored store. */
const COPIES = 4

/** Half of the bytes in files of 64 MiB and half in files of 1 MiB, named by their SHA-256. */
async function fillObjects(folder: string): Promise<number> {
  const store = await createLocalStorage(folder)
  const sizes = [
    ...Array(Math.round(SIZE / 2 / 64)).fill(64 * MIB),
    ...Array(Math.round(SIZE / 2)).fill(MIB),
  ]
  for (const size of sizes) {
    const bytes = randomBytes(size)
    const hash = createHash('sha256').update(bytes).digest('hex')
    await store.put(`images/${hash.slice(0, 2)}/${hash}`, bytes)
  }
  return sizes.reduce((sum, size) => sum + size, 0) / MIB
}

async function fillDatabase(url: string) {
  await migrate(url, createLog({ log_level: 'silent' }))
  const sql = openPool(url, 2, 'bench')
  await installJobs(sql, [])
  await sql`
    insert into event_days (build_uid, day, event, events)
    select gen_random_uuid(), '2026-01-01', 'event-' || n % 100, n
    from generate_series(1, ${ROWS}::int) n`
  const [row] = await sql<{ bytes: number }[]>`
    select pg_database_size(current_database()) as bytes`
  await sql.end()
  return row!.bytes / MIB
}

/**
 * Target: a first backup, a verification and a restore each reach 0.5 of a plain copy of the same
 * bytes to the same disk (`cp` and `sync`), although they hash every byte.
 */
export async function backups() {
  const { folder, remove } = scratch()
  const stops: (() => Promise<void>)[] = []
  const folderOf = (name: string) => {
    mkdirSync(join(folder, name))
    return join(folder, name)
  }
  try {
    const { bavail, bsize } = await statfs(folder)
    if (bavail * bsize < SIZE * MIB * COPIES) throw new Error(`not enough space in ${folder}`)
    const config = readConfig({ DATA_DIR: folderOf('data'), SECRETS_KEY: `${'A'.repeat(43)}=` })
    const database = await startEmbeddedPostgres(config.data_dir)
    stops.push(database.stop)
    const objects = join(config.data_dir, 'objects')
    const mib = await fillObjects(objects)
    const database_mib = await fillDatabase(database.url)
    const target = await openTarget(join(folder, 'target'), config, 'create')
    const common = { config, progress: () => {}, signal: new AbortController().signal }
    const backUp = () =>
      makeBackup({
        ...common,
        database_url: database.url,
        target,
        passphrase: undefined,
        keep: undefined,
      })
    const seconds = async (work: () => unknown) => {
      const start = performance.now()
      await work()
      return (performance.now() - start) / 1000
    }
    const copy = join(folder, 'copy')
    const plain = await seconds(() => {
      execFileSync('cp', ['--archive', '--reflink=never', objects, copy])
      execFileSync('sync', ['--file-system', copy])
    })
    rmSync(copy, { recursive: true })
    const first = await seconds(backUp)
    const next = await seconds(backUp)
    const { manifest } = await backUp()
    const verify = await seconds(() =>
      verifyBackup({ ...common, target, manifest, quick: false, passphrase: undefined }),
    )
    const restored = readConfig({ DATA_DIR: folderOf('restored'), SECRETS_KEY: config.secrets_key })
    const empty = await startEmbeddedPostgres(restored.data_dir)
    stops.push(empty.stop)
    const restore = await seconds(() =>
      restoreBackup({
        ...common,
        config: restored,
        database_url: empty.url,
        target,
        manifest,
        passphrase: undefined,
        database_only: false,
      }),
    )
    const table = manifest.database.tables.find(({ name }) => name === 'event_days')!
    if (table.rows !== ROWS || !statSync(join(restored.data_dir, 'objects')).isDirectory())
      throw new Error('not everything was restored')
    const times = { plain, first, next, verify, restore }
    const line = Object.entries(times).map(([name, time]) => `${name} ${time.toFixed(1)} s`)
    console.log(
      `${Math.round(mib)} MiB of objects, ${Math.round(database_mib)} MiB of database with ` +
        `${ROWS} rows: ${line.join(', ')}`,
    )
    const speed = (name: string, time: number) => ({ name, median: mib / time })
    return report(
      `Backing up ${Math.round(mib)} MiB of objects and ${ROWS} rows (target: 0.5)`,
      [
        speed('cp and sync of the objects', plain),
        speed('first backup', first),
        speed('verify', verify),
        speed('restore', restore),
      ],
      'MiB/s',
    )
  } finally {
    for (const stop of stops.reverse()) await stop()
    remove()
  }
}
