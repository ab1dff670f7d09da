import { databaseTime } from '../core/database/sql.ts'
import { expectedObjects } from '../core/storage/recorded-objects.ts'
import { isKey } from '../core/storage/storage.ts'
import {
  emptyTrash,
  listTrash,
  type TrashedObject,
  type UndeleteResult,
  undelete,
} from '../core/storage/trash.ts'
import { counted } from '../core/text/counted.ts'
import { type Confirmation, confirmStorage } from '../operator/storage/confirm.ts'
import { AdminError, type Command, EXIT, noArguments, type Run, UsageError } from './command.ts'
import { inGroups } from './storage-check.ts'

const MAX_LINES = 1000
const DAY = /^\d{4}-\d\d-\d\d$/
const SELECTION = ['--prefix <start of the key>', '--since <day>'] as const

function selectionOf({ args, options }: Pick<Run, 'args' | 'options'>) {
  const since = options['--since']
  if (since !== undefined && !DAY.test(since))
    throw new AdminError('--since takes a day such as 2026-11-01')
  return { prefix: options['--prefix'], since, keys: args }
}

const totalBytes = (objects: { size: number }[]) => objects.reduce((sum, { size }) => sum + size, 0)

const firstLines = (lines: string[]) => [
  ...lines.slice(0, MAX_LINES),
  ...(lines.length > MAX_LINES ? [`and ${lines.length - MAX_LINES} more`] : []),
]

function trashText(objects: TrashedObject[]): string {
  const lines = objects.map(({ day, former_key, size }) => `${day}  ${former_key}  ${size}`)
  const total = `${counted(objects.length, 'object')} in the trash, ${counted(totalBytes(objects), 'byte')}`
  return [...firstLines(lines), total].join('\n')
}

const trashJson = (objects: TrashedObject[]) =>
  JSON.stringify(objects.map(({ day, former_key, size }) => ({ key: former_key, day, size })))

/** The keys that records name and the store does not have. */
async function missingKeys({ core, progress, signal }: Run): Promise<string[]> {
  const missing: string[] = []
  let checked = 0
  for await (const rows of expectedObjects(core.sql)) {
    signal.throwIfAborted()
    const objects = await inGroups(rows, ({ key }) => core.storage.stat(key))
    missing.push(...rows.filter((_, i) => !objects[i]).map(({ key }) => key))
    checked += rows.length
    progress(`${checked} records checked, ${missing.length} without their object`)
  }
  return missing
}

const reasons: Record<NonNullable<Confirmation['refusal']>, string> = {
  other_catalog: 'it was marked as that of another store',
  older_database: 'another copy of this store had used it since this database was backed up',
  restored_database: 'the database was restored, moved or replaced by its standby',
  unknown_objects: 'most objects had no record',
}

function confirmationText({ refusal, sweeps }: Confirmation): string {
  if (refusal)
    return (
      `the object store belongs to this database now (${reasons[refusal]}); any other database ` +
      'that uses it removes nothing from now on'
    )
  return sweeps.length
    ? `the next run of ${sweeps.join(', ')} may remove any number of objects`
    : 'there was nothing to confirm'
}

const nothing = (): UndeleteResult => ({ restored: [], existing: [] })

export const trashCommands: Command[] = [
  {
    name: 'storage confirm',
    flags: ['--json'],
    summary: 'allow the clean-up of objects that was refused',
    help: `The clean-up of the object store is refused when the objects may belong to another database:
after a restore, a failover or a change of S3_URL. /ready then says that storage_cleanup is degraded.
This command says that they belong to this one. Never run it with a copy beside the live store: the
live store would stop cleaning up, and the copy would remove what it does not know.

If a clean-up would remove more than 1 % of all objects (and more than 100), the command allows its
next run to do so. Look at them first with "storage check". Removed objects are in the trash for
TRASH_DAYS.

Next: run "storage check"; see "When the clean-up of objects is refused" in docs/backup.md.`,
    async run({ core, flags, ...rest }) {
      noArguments(rest)
      const confirmation = await confirmStorage(core, null)
      return flags.has('--json') ? JSON.stringify(confirmation) : confirmationText(confirmation)
    },
  },
  {
    name: 'storage trash',
    takes: '[key…]',
    flags: ['--empty', '--yes', '--json'],
    options: SELECTION,
    summary: 'list removed objects that can still be brought back',
    help: `Lists the day of the removal, the key and the size of every object in the trash. Objects stay
there for TRASH_DAYS (30; 0 turns the trash off). --since takes the first day of the removal, as
2026-11-01, and --prefix the start of the key, as builds/.

--empty --yes removes those that are listed for good, for example illegal content, or everything
when the disk is full. It is refused while the nightly clean-up is.

Next: "storage undelete" brings objects back.`,
    async run({ core, flags, signal, ...rest }) {
      const selection = selectionOf(rest)
      if (!flags.has('--empty')) {
        const objects = await Array.fromAsync(listTrash(core.storage, selection))
        return flags.has('--json') ? trashJson(objects) : trashText(objects)
      }
      if (!flags.has('--yes'))
        throw new AdminError('This removes the objects for good: add --yes to confirm')
      const refusal = await core.owner.renew()
      if (refusal)
        throw new AdminError(
          `Nothing was removed: the objects may belong to another database (${refusal}). See ` +
            '"help storage confirm", and "When the clean-up of objects is refused" in ' +
            'docs/backup.md',
        )
      const now = await databaseTime(core.sql)
      // Tomorrow, so that what was removed today is old enough.
      const removed = await emptyTrash(core.storage, {
        ...selection,
        days: -1,
        now,
        signal,
      })
      return flags.has('--json')
        ? JSON.stringify(removed)
        : `${counted(removed.objects, 'object')} removed for good, ${counted(removed.bytes, 'byte')}`
    },
  },
  {
    name: 'storage undelete',
    takes: '[key…]',
    flags: ['--missing', '--json'],
    options: SELECTION,
    summary: 'bring removed objects back from the trash',
    help: `Brings objects back to the keys they had: those that are given, those that begin with
--prefix, those removed since the day --since (2026-11-01), or with --missing exactly those that a
record of this database names and that are not there, as after a restore. Where several conditions
are given, all must hold. Nothing that exists is replaced. Exit code 3 if an object that was named
neither exists nor is in the trash.

Next: run "storage check".`,
    async run(run) {
      const { core, flags, args, progress, signal } = run
      const selection = selectionOf(run)
      const is_selected = args.length || selection.prefix || selection.since
      if (!is_selected && !flags.has('--missing'))
        throw new UsageError('Name objects, or give --prefix, --since or --missing.')
      const missing = flags.has('--missing') ? await missingKeys(run) : undefined
      const keys = missing && args.length ? missing.filter((key) => args.includes(key)) : missing
      const wanted = keys ?? args
      const { restored, existing } =
        keys && !keys.length
          ? nothing()
          : await undelete(
              core.storage,
              { ...selection, keys: wanted },
              { signal, progress: (count) => progress(`${counted(count, 'object')} brought back`) },
            )
      const done = new Set([...restored, ...existing])
      const others = wanted.filter((key) => !done.has(key))
      const present = await inGroups(others, async (key) => isKey(key) && core.storage.stat(key))
      existing.push(...others.filter((_, i) => present[i]))
      const absent = others.filter((_, i) => !present[i])
      const code = absent.length ? EXIT.problems : EXIT.done
      if (flags.has('--json')) return { text: JSON.stringify({ restored, existing, absent }), code }
      const text = [
        ...firstLines([
          ...restored.map((key) => `back: ${key}`),
          ...existing.map((key) => `exists already: ${key}`),
          ...absent.map((key) => `not in the trash: ${key}`),
        ]),
        `${restored.length} brought back, ${counted(existing.length, 'exists', 'exist')} already, ` +
          `${absent.length} not in the trash`,
      ].join('\n')
      return { text, code }
    },
  },
]
