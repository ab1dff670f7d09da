import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'

/** What a suspended person may not do: publish, or anything at all. */
export const suspensionScopes = ['publishing', 'everything'] as const
export type SuspensionScope = (typeof suspensionScopes)[number]

export type Suspension = {
  scope: SuspensionScope
  /** An ISO time; null for good. */
  until: string | null
  /** The sentence that moderators wrote for the person. */
  statement: string
}

type Suspended = { suspension: Suspension | null }

function refuseSuspended({ scope, until, statement }: Suspension): never {
  const what =
    scope === 'everything'
      ? 'This account is suspended'
      : 'This account is suspended from publishing'
  const end = until ? ` until ${until.slice(0, 10)}` : ''
  const message = `${what}${end}: ${statement}`
  const data = { suspension: { scope, until, statement } }
  if (scope === 'everything')
    refuse(
      'SUSPENDED',
      data,
      until
        ? explain('suspended_until', message, { date: until.slice(0, 10), statement })
        : explain('suspended', message, { statement }),
    )
  refuse(
    'SUSPENDED',
    data,
    until
      ? explain('publishing_suspended_until', message, { date: until.slice(0, 10), statement })
      : explain('publishing_suspended', message, { statement }),
  )
}

/** Refuses a person who may do nothing. */
export function checkNotSuspended({ suspension }: Suspended): void {
  if (suspension?.scope === 'everything') refuseSuspended(suspension)
}

/** Refuses a person who may not publish. */
export function checkMayPublish({ suspension }: Suspended): void {
  if (suspension) refuseSuspended(suspension)
}
