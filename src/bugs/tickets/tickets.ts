import type { Tx } from '../../core/database/sql.ts'
import { transact } from '../../core/database/transaction.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import { invalidField, plainText } from '../../listings/fields/text.ts'
import { MAX_VERSION } from '../../listings/fields/versions.ts'
import {
  changeTicket,
  findOwnBuild,
  hasCrashGroup,
  lockTicket,
  readTicket,
  type TicketChange,
} from '../reports/queries.ts'
import { at, type Status } from '../reports/report-fields.ts'

export type Asked = {
  status?: Status
  fixed_build_id?: string | null
  fixed_version?: string | null
  crash_group_uid?: string | null
}

/** A ticket's way: every status may be left for any other, and only the one that says fixed has something to tell its filer. */
export async function changeTicketStatus(core: Core, game_uid: string, uid: string, asked: Asked) {
  return transact(core.sql, async (tx) => {
    const ticket = (await lockTicket(tx, game_uid, uid)) ?? refuse('NOT_FOUND')
    const change = {
      ...moved(ticket.status, asked.status, new Date()),
      ...(await fixedIn(tx, game_uid, ticket.status, asked)),
    }
    if (asked.crash_group_uid !== undefined)
      change.crash_group_uid = await crashGroup(tx, game_uid, asked.crash_group_uid)
    if (Object.keys(change).length) await changeTicket(tx, uid, change)
    return (await readTicket(tx, game_uid, uid))!
  })
}

/** Fixed again is told again; what was not told yet of a fix that did not last is not told any more. */
function moved(from: Status, to: Status | undefined, now: Date): TicketChange {
  if (to === undefined || to === from) return {}
  const untold = { notice_uid: null, acknowledged_at: null }
  if (to === 'fixed')
    return { status: to, fixed_at: now, notice_uid: uuidv7(), acknowledged_at: null }
  return { status: to, ...untold, fixed_at: null, fixed_build_uid: null, fixed_version: null }
}

async function crashGroup(tx: Tx, game_uid: string, uid: string | null): Promise<string | null> {
  if (uid === null || (await hasCrashGroup(tx, game_uid, uid))) return uid
  return refuse(
    'NOT_FOUND',
    { field: 'crash_group_uid' },
    'crash_group_uid: this game has no such group of crashes',
  )
}

/** The build, or just the version, that a fix is in. A build's version is its own. */
async function fixedIn(
  tx: Tx,
  game_uid: string,
  from: Status,
  asked: Asked,
): Promise<TicketChange> {
  const { status = from, fixed_build_id, fixed_version } = asked
  if (fixed_build_id === undefined && fixed_version === undefined) return {}
  if (status !== 'fixed')
    invalidField(
      at(fixed_build_id === undefined ? 'fixed_version' : 'fixed_build_id'),
      'only a fixed ticket has one; send status: fixed with it',
    )
  const build = fixed_build_id
    ? ((await findOwnBuild(tx, game_uid, fixed_build_id)) ?? refuse('BUILD_NOT_REGISTERED'))
    : undefined
  const version = plainText(at('fixed_version'), fixed_version, MAX_VERSION)
  return { fixed_build_uid: build?.uid ?? null, fixed_version: build?.version ?? (version || null) }
}
