import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { isDataFolderLocked } from '../../core/database/embedded/data-lock.ts'
import type { Config } from '../../core/runtime/config.ts'
import { formatBytes } from '../../core/runtime/format-bytes.ts'
import { counted } from '../../core/text/counted.ts'
import {
  BackupError,
  chooseBackup,
  completeBackups,
  type Manifest,
  openTarget,
  readManifest,
  type Target,
  type TargetUse,
} from '../../operator/backup/target.ts'
import {
  AdminError,
  EXIT,
  type RunAlone,
  type StandaloneCommand,
  tooMany,
  UsageError,
} from '../command.ts'
import { openDatabase, requireDataFolder } from '../open-database.ts'
import { makeBackup } from './make.ts'
import { restoreBackup } from './restore.ts'
import { removeDamaged, verifyBackup, warnAbout } from './verify.ts'

const PASSPHRASE_HELP = `The passphrase comes from BACKUP_PASSPHRASE_FILE (a file) or BACKUP_PASSPHRASE, never from
the command line, which other users of the machine can read. Without it, nobody can open the keys.`

export const backupCommands: StandaloneCommand[] = [
  {
    name: 'backup verify',
    takes: '[target] [backup]',
    flags: ['--quick', '--remove-damaged', '--json'],
    summary: 'read a whole backup and compare it with its checksums',
    help: `Reads every table and every object of the newest backup, or of the one that is named, and compares
them with the SHA-256 that the backup recorded. Exit code 3 if something is missing or damaged.
Changes nothing, unless --remove-damaged is given: it removes damaged objects from the target, so
that the next backup copies them again. Without it they stay, because a backup copies only objects
that the target lacks.

--quick checks tables, and that every object is there with its size, without reading the objects.
With a passphrase set, it also checks that the passphrase opens the keys; without one it warns that
they were not opened. It warns of a backup that needs a newer version of Slipway, too.

Next: if objects are damaged, run it with --remove-damaged, then make a new backup. Objects that are
missing in the target are copied again. If a table is damaged, make a new backup.`,
    runAlone: runVerify,
  },
  {
    name: 'backup list',
    takes: '[target]',
    flags: ['--json'],
    summary: 'list the backups in a target',
    help: `Lists complete backups, oldest first: id, time, objects and bytes. The target is a folder or a bucket;
without one, that of BACKUP_TARGET.`,
    runAlone: runList,
  },
  {
    name: 'backup',
    takes: '[target]',
    flags: ['--without-keys', '--json'],
    options: ['--keep N'],
    summary: 'back up the database, the objects and the keys, while the service runs',
    help: `The target is a folder, best on another disk, or a bucket of its own, written like S3_URL. Without one,
it is that of BACKUP_TARGET; use that for a bucket, so that its key is not on the command line.

The first backup copies everything, later ones only objects that the target lacks. Each backup is
complete in itself: several share their objects. --keep N removes all but the newest N, and the
objects that only those had. Every object is compared with its SHA-256 while it is read. Objects that
are damaged, or that records name and the store lacks, are listed, and the exit code is then 3; where
an earlier backup has them, they are in this one too. An interrupted backup is never used; the next
one continues with the objects that were copied.

The keys of the service (secrets.key) are encrypted with a passphrase. --without-keys leaves them
out; keep them in another place then.
${PASSPHRASE_HELP}

Next: "backup verify" now and then, and a restore before you need it (docs/backup.md).`,
    runAlone: runBackup,
  },
  {
    name: 'restore',
    takes: '[target] [backup]',
    flags: ['--database-only', '--json'],
    summary: 'restore a backup into an empty database and an empty object store',
    help: `Restores the newest backup of the target, or the one that is named: objects, keys, database. DATABASE_URL,
S3_URL and DATA_DIR are those of the new service, which must not run yet. The database and the
object store must be empty; nothing is ever overwritten. If it is interrupted, run it again: it
continues. Backups of older versions are migrated to this one. Exit code 3 if objects are missing
in the backup. --database-only leaves objects and keys as they are, to move to another database.

${PASSPHRASE_HELP}

Next: start the service, then run "storage check". If this is the live store now, run
"storage confirm": until then it removes no object. Do not confirm a copy beside the live store.`,
    runAlone: runRestore,
  },
]

async function targetOf({ args, config }: RunAlone, use: TargetUse = 'read'): Promise<Target> {
  const text = args[0] ?? config.backup_target
  if (!text) throw new AdminError('Name the target: a folder or a bucket; or set BACKUP_TARGET')
  return openTarget(text, config, use)
}

/** `[target] [backup]`: with BACKUP_TARGET set, a single argument may be the id of a backup. */
function withDefaultTarget(run: RunAlone, max: number): RunAlone {
  const { args, config } = run
  if (args.length > max) throw new UsageError(tooMany(args, max))
  const is_id = args.length === 1 && max === 2 && /^\d{8}-\d{6}-[0-9a-f]{6}$/.test(args[0]!)
  return is_id && config.backup_target ? { ...run, args: [config.backup_target, args[0]!] } : run
}

function passphraseOf({ backup_passphrase_file: path, backup_passphrase }: Config) {
  if (!path) return backup_passphrase
  try {
    const text = readFileSync(path, 'utf8').replace(/\r?\n$/, '')
    if (text) return text
  } catch (error) {
    throw new AdminError(`BACKUP_PASSPHRASE_FILE cannot be read: ${(error as Error).message}`)
  }
  throw new AdminError('BACKUP_PASSPHRASE_FILE is empty')
}

function keepOf({ '--keep': keep }: RunAlone['options']): number | undefined {
  if (keep === undefined) return undefined
  if (!/^[1-9]\d{0,5}$/.test(keep)) throw new AdminError('--keep needs a number of backups, from 1')
  return Number(keep)
}

const describe = ({ id, database, objects, keys, started_at, finished_at }: Manifest) => ({
  backup: id,
  started_at,
  finished_at,
  tables: database.tables.length,
  rows: database.tables.reduce((sum, { rows }) => sum + rows, 0),
  table_bytes: database.tables.reduce((sum, { bytes }) => sum + bytes, 0),
  objects: objects.list.rows,
  object_bytes: objects.bytes,
  keys: keys ? 'encrypted' : 'left out',
})

const sizeOf = ({ tables, rows }: { tables: number; rows: number }) =>
  `${counted(tables, 'table')}, ${counted(rows, 'row')}`

const objectsOf = ({ objects, object_bytes }: { objects: number; object_bytes: number }) =>
  `${counted(objects, 'object')}, ${formatBytes(object_bytes)}`

/** Text, or one object of JSON with --json. */
const answer = (run: RunAlone, data: object, lines: string[], is_problem = false) => ({
  text: run.flags.has('--json') ? JSON.stringify(data) : lines.join('\n'),
  code: is_problem ? EXIT.problems : EXIT.done,
})

async function withDatabase<T>(config: Config, work: (url: string) => Promise<T>): Promise<T> {
  const stops: (() => unknown)[] = []
  try {
    return await work((await openDatabase(config, stops)).url)
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}

/** How many objects that are missing are named: without its store, a database has none of them. */
const MAX_KEYS = 1_000

const SAME_DISK =
  'The target is on the same disk as DATA_DIR, and is lost with it. Keep backups on another disk ' +
  'or machine.'

/** Whether a folder without a backup is on the disk of the data folder. */
async function isNewOnDisk(target: Target, data_dir: string): Promise<boolean> {
  if (!existsSync(target.name) || !existsSync(data_dir)) return false
  if (statSync(target.name).dev !== statSync(data_dir).dev) return false
  return (await completeBackups(target)).length === 0
}

async function runBackup(given: RunAlone) {
  const run = withDefaultTarget(given, 1)
  const { config, flags, options, progress, signal } = run
  const keep = keepOf(options)
  const passphrase = flags.has('--without-keys') ? undefined : passphraseOf(config)
  if (passphrase === undefined && !flags.has('--without-keys'))
    throw new AdminError(
      'Set BACKUP_PASSPHRASE_FILE to a file with a passphrase, which encrypts the keys in the ' +
        'backup, or leave them out with --without-keys',
    )
  requireDataFolder(config)
  const target = await targetOf(run, 'create')
  const warnings = (await isNewOnDisk(target, config.data_dir)) ? [SAME_DISK] : []
  const { manifest, copied, missing, kept, ...removal } = await withDatabase(
    config,
    (database_url) =>
      makeBackup({ config, database_url, target, passphrase, keep, progress, signal }),
  )
  const { damaged } = copied
  const { removed_backups, kept_backups, unreadable_backups } = removal
  const named = missing.slice(0, MAX_KEYS)
  const data = {
    target: target.name,
    ...describe(manifest),
    ...copied,
    missing: named,
    missing_objects: missing.length,
    from_earlier_backup: kept.length,
    ...removal,
    warnings,
  }
  const lines = [
    ...warnings.map((sentence) => `warning: ${sentence}`),
    ...damaged.map((key) => `damaged in the store: ${key}`),
    ...named.map((key) => `missing in the store: ${key}`),
    `backup ${data.backup} is complete in ${target.name}`,
    `${sizeOf(data)}, ${formatBytes(data.table_bytes)} compressed`,
    `${objectsOf(data)}; copied ${copied.copied}, ${formatBytes(copied.copied_bytes)}`,
    `keys: ${data.keys}`,
    ...(removed_backups ? [`${counted(removed_backups, 'older backup')} removed`] : []),
    ...(damaged.length
      ? [
          `${counted(damaged.length, 'object is', 'objects are')} damaged: run "storage scrub", or ` +
            'restore what is damaged',
        ]
      : []),
    ...missingLines(missing.length, kept.length),
    ...kept_backups.map(
      (id) => `The earlier backup ${id} stays: it has objects that this one lacks.`,
    ),
    ...unreadable_backups.map(
      (id) =>
        `The earlier backup ${id} is damaged: remove backups/${id} from the target. Until then ` +
        'the objects of removed backups stay.',
    ),
  ]
  const is_problem = damaged.length + missing.length + unreadable_backups.length > 0
  return answer(run, data, lines, is_problem)
}

/** What to do about objects that the store lacks. */
function missingLines(missing: number, kept: number): string[] {
  if (!missing) return []
  const count = counted(missing, 'object is', 'objects are')
  return [
    `${count} missing in the store; ${kept} of them ${kept === 1 ? 'is' : 'are'} in this backup, ` +
      'from an earlier one',
    'Check that DATA_DIR or S3_URL is the store of this database. "storage check" names the ' +
      'records, "storage undelete --missing" brings back what is in the trash, and "storage scrub ' +
      '--now" copies the rest from BACKUP_TARGET.',
  ]
}

async function runVerify(given: RunAlone) {
  const run = withDefaultTarget(given, 2)
  const { config, flags, progress, signal } = run
  const removes = flags.has('--remove-damaged')
  const quick = flags.has('--quick')
  if (quick && removes)
    throw new AdminError('--quick does not read objects, so it finds none that are damaged')
  const target = await targetOf(run, removes ? 'change' : 'read')
  const manifest = await chooseBackup(target, run.args[1])
  const passphrase = passphraseOf(config)
  const verification = { target, manifest, quick, passphrase, progress, signal }
  const { problems, damaged } = await verifyBackup(verification)
  const warnings = await warnAbout(verification)
  const removed = removes ? await removeDamaged(target, damaged) : 0
  const data = { target: target.name, ...describe(manifest), quick, problems, warnings, removed }
  const lines = [
    ...problems,
    ...warnings.map((sentence) => `warning: ${sentence}`),
    `backup ${data.backup}: ${sizeOf(data)}, ${objectsOf(data)}`,
    problems.length
      ? counted(problems.length, 'problem')
      : `everything is there${quick ? '' : ' and matches its checksum'}`,
    ...(removed ? [`${counted(removed, 'damaged object')} removed: make a new backup now`] : []),
    ...(damaged.length && !removes
      ? [
          'A new backup does not replace damaged objects: run this again with --remove-damaged first',
        ]
      : []),
  ]
  return answer(run, data, lines, problems.length > 0)
}

async function runList(given: RunAlone) {
  const run = withDefaultTarget(given, 1)
  const target = await targetOf(run)
  const backups: ReturnType<typeof describe>[] = []
  const damaged: string[] = []
  const lines: string[] = []
  for (const id of await completeBackups(target))
    try {
      const description = describe(await readManifest(target, id))
      backups.push(description)
      lines.push(lineOf(description))
    } catch (error) {
      if (!(error instanceof BackupError)) throw error
      damaged.push(id)
      lines.push(`${id}  its manifest is damaged, or of a newer version`)
    }
  const data = { target: target.name, backups, damaged }
  return answer(run, data, lines.length ? lines : ['no backups'], damaged.length > 0)
}

const lineOf = ({ backup, finished_at, ...described }: ReturnType<typeof describe>) =>
  `${backup}  ${finished_at}  ${objectsOf(described)}  keys: ${described.keys}`

const NEXT_STEPS = `Next: start the service, then run "npm run admin -- storage check".
If this is the live store now, run "npm run admin -- storage confirm": until then it removes no
object. Do not confirm a copy beside the live store; start it as a drill ("help drill").`

async function runRestore(given: RunAlone) {
  const run = withDefaultTarget(given, 2)
  const { config, progress, signal } = run
  const target = await targetOf(run)
  const manifest = await chooseBackup(target, run.args[1])
  mkdirSync(config.data_dir, { recursive: true })
  if (!config.database_url && isDataFolderLocked(config.data_dir))
    throw new AdminError(`A service runs on ${config.data_dir}. Stop it first.`)
  const passphrase = config.secrets_key ? undefined : passphraseOf(config)
  const restored = await withDatabase(config, (database_url) =>
    restoreBackup({
      config,
      database_url,
      target,
      manifest,
      passphrase,
      database_only: run.flags.has('--database-only'),
      progress,
      signal,
    }),
  )
  const { tables, rows } = describe(manifest)
  const data = { target: target.name, backup: manifest.id, tables, rows, ...restored }
  const { damaged, keys } = restored
  const lines = [
    ...damaged.map((key) => `not in the backup, or damaged there: ${key}`),
    `backup ${manifest.id} of ${manifest.database.at} is restored`,
    `${sizeOf({ tables, rows })}, ` +
      objectsOf({ objects: restored.objects, object_bytes: restored.bytes }),
    ...(keys === 'missing'
      ? ['The backup has no keys: put secrets.key into DATA_DIR before you start the service.']
      : []),
    NEXT_STEPS,
  ]
  return answer(run, data, lines, damaged.length > 0)
}
