import { Refusal } from '../core/runtime/errors.ts'
import { formatBytes } from '../core/runtime/format-bytes.ts'
import { GIB } from '../core/runtime/units.ts'
import { defaultQuotas } from '../listings/storage/quota-rules.ts'
import { findTarget, removeException, setException } from '../operator/quotas/exceptions.ts'
import { listExceptions, type QuotaTarget, quotaTargets } from '../operator/quotas/queries.ts'
import { AdminError, type Command, UsageError } from './command.ts'

type Input = Parameters<Command['run']>[0]

const NO_LIMIT = 'none'
const sizeOf = (bytes: number | null) => (bytes === null ? 'no limit' : formatBytes(bytes))

async function listQuotas({ core }: Input): Promise<string> {
  const { listing, account, service } = defaultQuotas(core.settings.current)
  const { rows, total } = await listExceptions(core.sql, { limit: 100, offset: 0 })
  const lines = rows.map(({ type, uid, name, bytes, used, note }) =>
    [type, uid, name, `${formatBytes(used)} of ${sizeOf(bytes)}`, note].join('  ').trim(),
  )
  return [
    `A listing: ${sizeOf(listing)}, an owner: ${sizeOf(account)}, the store: ${sizeOf(service)}`,
    ...lines,
    ...(total > lines.length ? [`… ${total} in all`] : []),
  ].join('\n')
}

/** A size in GiB, or none. */
function readSize(text: string): number | null {
  if (text === NO_LIMIT) return null
  const gib = Number(text)
  if (!(gib >= 0) || gib > 2 ** 20) throw new AdminError(`The size is in GiB, or ${NO_LIMIT}`)
  return Math.round(gib * GIB)
}

async function targetOf({ core, args: [type, name] }: Input) {
  if (!name || !quotaTargets.some((known) => known === type)) throw new UsageError()
  return findTarget(core.sql, type as QuotaTarget, name).catch((error) => {
    if (error instanceof Refusal) throw new AdminError(`There is no ${type} ${name}`)
    throw error
  })
}

export const quotaCommands: Command[] = [
  {
    name: 'quotas list',
    summary: 'show the quotas of storage and who has another one',
    help: `Prints the defaults, then type, uid, name, what is stored of what is allowed, and the note.

Next: "quotas set", "settings listing_quota_mib", or /operator/quotas in the console.`,
    run(input) {
      if (input.args.length) throw new UsageError()
      return listQuotas(input)
    },
  },
  {
    name: 'quotas set',
    takes: `<${quotaTargets.join('|')}> <name> <GiB|${NO_LIMIT}> [note…]`,
    summary: 'give a person or a listing a quota of its own',
    help: `The name is a username, an address or a uid of a person, or the uid or vanity name of a
listing. The quota of a person is for all their listings together. Running processes follow at once.

Next: "quotas list".`,
    async run(input) {
      const [, name, size, ...words] = input.args
      if (!size) throw new UsageError()
      const target = await targetOf(input)
      const bytes = readSize(size)
      await setException(input.core, null, target, { bytes, note: words.join(' ') })
      return `${name} may store ${sizeOf(bytes)} now`
    },
  },
  {
    name: 'quotas remove',
    takes: `<${quotaTargets.join('|')}> <name>`,
    summary: 'let the default quota apply to a person or a listing again',
    help: `Nothing is deleted, also if more is stored than the default allows.

Next: "quotas list".`,
    async run(input) {
      if (input.args.length !== 2) throw new UsageError()
      const [type, name] = input.args
      await removeException(input.core, null, await targetOf(input)).catch((error) => {
        if (error instanceof Refusal) throw new AdminError(`${type} ${name} has the default`)
        throw error
      })
      return `${name} has the default quota now`
    },
  },
]
