import { openStorage } from '../core/runtime/core.ts'
import { AdminError, type Command, EXIT, noArguments, oneArgument, UsageError } from './command.ts'
import { checkStorage, removeOrphans } from './storage-check.ts'
import { copyObjects } from './storage-move.ts'

const SHOWN = 1000
const noBucket = { s3_url: undefined, s3_public_url: undefined }
const lines = (title: string, all: string[]) =>
  all.length
    ? [
        `${title}:`,
        ...all.slice(0, SHOWN).map((line) => `  ${line}`),
        ...(all.length > SHOWN ? [`  and ${all.length - SHOWN} more`] : []),
      ]
    : []
const bytes = (objects: { size: number }[]) => objects.reduce((sum, { size }) => sum + size, 0)

export const storageCommands: Command[] = [
  {
    name: 'storage check',
    flags: ['--remove'],
    summary: 'hold stored objects against the database, both ways',
    help: `Looks up the object of every record (missing, or of another size), and the record of every object (orphans). Reads no contents and changes nothing.
Objects younger than a day are passed over: their record may be on its way. Exit code 3 where anything was found.

--remove deletes objects that nobody names; pictures are only noted and go a day later if still unused. Records without their object are never
touched. Objects under names this version does not know are told and left alone.
Next: bring missing objects back from a backup (docs/backup.md); the owner can also delete the build or image and upload it again. The same
sweep runs every night by itself, so orphans that stay are worth a look.`,
    async run({ flags, args, ...run }) {
      noArguments({ args })
      const { missing, orphans, unknown, counted } = await checkStorage(run)
      const removed = flags.has('--remove') ? await removeOrphans(run, orphans) : undefined
      const text = [
        `${counted.records} records, ${counted.objects} objects, ${counted.bytes} bytes`,
        ...lines('records without their object', missing),
        ...lines(
          'objects that nobody names',
          orphans.map(({ key, size }) => `${key}  ${size}`),
        ),
        ...lines(
          'objects under unknown names',
          unknown.map(({ key, size }) => `${key}  ${size}`),
        ),
        ...(removed
          ? [
              `${removed.removed} objects removed, ${removed.tomorrow} pictures go in a day if nothing shows them`,
            ]
          : []),
        `${missing.length} missing, ${orphans.length} orphans (${bytes(orphans)} bytes), ${unknown.length} unknown`,
      ].join('\n')
      const found = missing.length || unknown.length || (orphans.length && !removed)
      return { text, code: found ? EXIT.found : EXIT.done }
    },
  },
  {
    name: 'storage copy',
    takes: 'to-s3|to-disk',
    summary: 'copy every object to the other store, and check each',
    help: `Copies what DATA_DIR/objects has to the bucket of S3_URL, or the other way. What is read is held to the SHA-256 of its record (or to the hash that the
bucket keeps of it), what arrives in a bucket to a hash of what was sent. Objects that are not what their record says are told, not copied, and exit code 3.
Nothing is removed. Stopped at any moment, it goes on with the next run: objects that are there already are passed over.
Next: run it while the service still uses the old store, then restart the service with S3_URL set (or unset), then run it once more for what was
stored in between. Uploads that were under way in chunks begin again. Remove the old objects when you are sure (docs/object-storage.md).`,
    async run({ args, core, progress, signal }) {
      const direction = oneArgument({ args })
      const { s3_url, s3_public_url, data_dir } = core.config
      if (direction !== 'to-s3' && direction !== 'to-disk') throw new UsageError()
      if (!s3_url) throw new AdminError('Set S3_URL to the bucket; see .env.example')
      const [bucket, disk] = [
        await openStorage({ s3_url, s3_public_url, data_dir }),
        await openStorage({ ...noBucket, data_dir }),
      ]
      const [from, to] = direction === 'to-s3' ? [disk, bucket] : [bucket, disk]
      const { copied, there, bytes, damaged } = await copyObjects(from, to, {
        sql: core.sql,
        progress,
        signal,
      })
      const text = [
        ...lines(
          'not what their record says, and not copied (bring them back from a backup, see docs/backup.md)',
          damaged.sort(),
        ),
        `${copied} objects copied and checked, ${there} were there already; ${bytes} bytes${damaged.length ? `; ${damaged.length} damaged` : ''}`,
      ].join('\n')
      return { text, code: damaged.length ? EXIT.found : EXIT.done }
    },
  },
]
