import { type Command, EXIT, noArguments } from './command.ts'
import { checkStorage, removeOrphans } from './storage-check.ts'

const SHOWN = 1000
const lines = (title: string, all: string[]) =>
  all.length
    ? [`${title}:`, ...all.slice(0, SHOWN).map((line) => `  ${line}`), ...(all.length > SHOWN ? [`  and ${all.length - SHOWN} more`] : [])]
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
        ...(removed ? [`${removed.removed} objects removed, ${removed.tomorrow} pictures go in a day if nothing shows them`] : []),
        `${missing.length} missing, ${orphans.length} orphans (${bytes(orphans)} bytes), ${unknown.length} unknown`,
      ].join('\n')
      const found = missing.length || unknown.length || (orphans.length && !removed)
      return { text, code: found ? EXIT.found : EXIT.done }
    },
  },
]
