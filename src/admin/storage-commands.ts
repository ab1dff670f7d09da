import { type Core, openStorage } from '../core/runtime/core.ts'
import type { ListedObject } from '../core/storage/storage.ts'
import { counted } from '../core/text/counted.ts'
import { scrub } from '../operator/storage/scrub.ts'
import { listDamaged, readScrubState } from '../operator/storage/scrub-queries.ts'
import { AdminError, type Command, EXIT, noArguments, oneArgument, UsageError } from './command.ts'
import { checkStorage, type Removed, removeOrphans } from './storage-check.ts'
import { copyObjects } from './storage-move.ts'

const MAX_LINES = 1000
const noBucket = { s3_url: undefined, s3_public_url: undefined }
const section = (title: string, lines: string[]) =>
  lines.length
    ? [
        `${title}:`,
        ...lines.slice(0, MAX_LINES).map((line) => `  ${line}`),
        ...(lines.length > MAX_LINES ? [`  and ${lines.length - MAX_LINES} more`] : []),
      ]
    : []
const objectLines = (objects: ListedObject[]) => objects.map(({ key, size }) => `${key}  ${size}`)
const totalBytes = (objects: ListedObject[]) => objects.reduce((sum, { size }) => sum + size, 0)

async function scrubReport({ sql }: Core, is_json: boolean) {
  const { started_at, finished_at, objects, bytes } = await readScrubState(sql)
  const rows = await listDamaged(sql, MAX_LINES)
  const damaged = rows.filter(({ repaired_at }) => !repaired_at)
  const repaired = rows.filter(({ repaired_at }) => repaired_at)
  const state = finished_at ? 'complete' : started_at ? 'running' : 'never ran'
  const lines = [
    `pass: ${state}${started_at ? `, since ${started_at.toISOString()}` : ''}; ` +
      `${counted(objects, 'object')}, ${counted(bytes, 'byte')} read`,
    ...section(
      'damaged',
      damaged.map(({ record, key, problem }) => `${record}: ${key}: ${problem}`),
    ),
    ...section(
      'repaired',
      repaired.map(({ record, key, repaired_from }) => `${record}: ${key} from ${repaired_from}`),
    ),
    `${damaged.length} damaged, ${repaired.length} repaired`,
  ]
  const data = { state, started_at, finished_at, objects, bytes, damaged, repaired }
  return {
    text: is_json ? JSON.stringify(data) : lines.join('\n'),
    code: damaged.length ? EXIT.problems : EXIT.done,
  }
}

function removalText({ removed, scheduled }: Removed, trash_days: number): string {
  const place = trash_days
    ? `moved to the trash for ${counted(trash_days, 'day')}`
    : 'removed for good, because TRASH_DAYS is 0'
  const images = counted(scheduled, 'image follows', 'images follow')
  return `${counted(removed, 'object')} ${place}; ${images} in a day if still unused`
}

export const storageCommands: Command[] = [
  {
    name: 'storage check',
    flags: ['--remove'],
    summary: 'compare stored objects with the database',
    help: `Finds records whose object is missing or has another size, and objects without a record
(orphans). Reads no contents and changes nothing. Skips objects younger than a day, because their
record may not be written yet. Exit code 3 if anything was found.

--remove moves orphans to the trash ("help storage trash"). It is refused where the nightly clean-up
would be: when the objects may belong to another database, or when more than 1 % of all objects (and
more than 100) are orphans. "storage confirm" allows it. Images are only marked, and deleted a day later if they are still unused.
Records without an object are never changed. Objects with unknown names are listed and left alone.

Next: restore missing objects from a backup (docs/backup.md), or let the owner delete the build or
image and upload it again. The same clean-up runs every night, so check orphans that remain.`,
    async run({ flags, args, ...run }) {
      noArguments({ args })
      const findings = await checkStorage(run)
      const { missing, orphans, unknown, counted: figures } = findings
      const removal = flags.has('--remove') ? await removeOrphans(run, findings) : undefined
      const text = [
        `${counted(figures.records, 'record')}, ${counted(figures.objects, 'object')}, ` +
          counted(figures.bytes, 'byte') +
          (figures.trash
            ? `; ${figures.trash} in the trash, ${counted(figures.trash_bytes, 'byte')}`
            : ''),
        ...section('records without their object', missing),
        ...section('objects without a record', objectLines(orphans)),
        ...section('objects with unknown names', objectLines(unknown)),
        ...(removal ? [removalText(removal, run.core.config.trash_days)] : []),
        `${missing.length} missing, ${counted(orphans.length, 'orphan')} ` +
          `(${counted(totalBytes(orphans), 'byte')}), ${unknown.length} unknown`,
      ].join('\n')
      const has_findings = missing.length || unknown.length || (orphans.length && !removal)
      return { text, code: has_findings ? EXIT.problems : EXIT.done }
    },
  },
  {
    name: 'storage scrub',
    flags: ['--now', '--json'],
    summary: 'list stored objects that are damaged; with --now, read all of them first',
    help: `A job reads every object within SCRUB_DAYS, at most SCRUB_MB_PER_SECOND, and compares it with its
SHA-256. This lists what it found: objects that are missing, or whose size or content is wrong, and
those that were repaired. Exit code 3 if any could not be repaired.

--now reads all objects first, as fast as the store can. If it is stopped, the job continues.

Damaged objects are repaired from REPLICA_S3_URL, or else from the backup in BACKUP_TARGET, if they
have a whole copy.

Next: for objects without a copy, let the owner delete the build or image and upload it again.`,
    async run({ flags, args, core, progress, signal }) {
      noArguments({ args })
      if (flags.has('--now')) {
        const until = Number.POSITIVE_INFINITY
        const run = { core, bytes_per_second: undefined, now: true, until, progress, signal }
        const outcome = await scrub(run)
        if (outcome !== 'complete')
          throw new AdminError(
            'The worker is reading objects at the moment. Try again when its run has ended, ' +
              'within ten minutes.',
          )
      }
      return scrubReport(core, flags.has('--json'))
    },
  },
  {
    name: 'storage copy',
    takes: 'to-s3|to-disk',
    summary: 'copy every object to the other store and verify it',
    help: `Copies the objects of DATA_DIR/objects to the bucket of S3_URL, or back. Each object is
verified against the SHA-256 of its record (or the hash of the bucket) while it is read, and the
bucket verifies what it receives. Damaged objects are listed and not copied; the exit code is then
3. Nothing is removed. You can stop it at any time; the next run skips what is already there.

Next: run it while the service still uses the old store, restart the service with S3_URL set (or
unset), then run it again for what was stored in between. Chunked uploads in progress start over.
Remove the old objects when you are sure (docs/object-storage.md).`,
    async run({ args, core, progress, signal }) {
      const direction = oneArgument({ args })
      const { s3_url, s3_public_url, data_dir, drill } = core.config
      if (direction !== 'to-s3' && direction !== 'to-disk') throw new UsageError()
      if (drill) throw new AdminError('A drill copies no objects: unset SLIPWAY_DRILL')
      if (!s3_url) throw new AdminError('Set S3_URL to the bucket; see .env.example')
      const bucket = await openStorage({ s3_url, s3_public_url, data_dir, drill })
      const disk = await openStorage({ ...noBucket, data_dir, drill })
      const [from, to] = direction === 'to-s3' ? [disk, bucket] : [bucket, disk]
      const { copied, skipped, bytes, damaged } = await copyObjects(from, to, {
        sql: core.sql,
        progress,
        signal,
      })
      const text = [
        ...section(
          'damaged and not copied; restore them from a backup (docs/backup.md)',
          damaged.sort(),
        ),
        `${counted(copied, 'object')} copied and checked, ${counted(skipped, 'was', 'were')} there ` +
          `already; ${counted(bytes, 'byte')}` +
          (damaged.length ? `; ${damaged.length} damaged` : ''),
      ].join('\n')
      return { text, code: damaged.length ? EXIT.problems : EXIT.done }
    },
  },
]
