import { findProjectBuild } from '../../builds/builds/project-build.ts'
import type { Tx } from '../../core/database/sql.ts'
import { transact } from '../../core/database/transaction.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import { invalidField, MAX_VERSION, plainText } from '../../listings/fields/text.ts'
import { reportField } from '../reports/report-fields.ts'
import {
  hasCrashGroup,
  lockTicket,
  readTicket,
  type TicketUpdate,
  updateTicket,
} from './queries.ts'
import type { TicketStatus } from './ticket-status.ts'

export type TicketChange = {
  status?: TicketStatus
  fixed_build_id?: string | null
  fixed_version?: string | null
  crash_group_uid?: string | null
}

/** Changes a ticket. Any status can follow any other; marking it fixed notifies the reporter. */
export async function changeTicket(
  core: Core,
  game_uid: string,
  uid: string,
  change: TicketChange,
) {
  return transact(core.sql, async (tx) => {
    const ticket = (await lockTicket(tx, game_uid, uid)) ?? refuse('NOT_FOUND')
    const update: TicketUpdate = {
      ...statusUpdate(ticket.status, change.status, new Date()),
      ...(await fixUpdate(tx, game_uid, ticket.status, change)),
    }
    if (change.crash_group_uid !== undefined)
      update.crash_group_uid = await checkCrashGroup(tx, game_uid, change.crash_group_uid)
    if (Object.keys(update).length) await updateTicket(tx, uid, update)
    return (await readTicket(tx, game_uid, uid))!
  })
}

/** Each fix makes a new notice; reopening or closing the ticket withdraws one not yet read. */
function statusUpdate(from: TicketStatus, to: TicketStatus | undefined, now: Date): TicketUpdate {
  if (to === undefined || to === from) return {}
  if (to === 'fixed')
    return { status: to, fixed_at: now, notice_uid: uuidv7(), acknowledged_at: null }
  return {
    status: to,
    notice_uid: null,
    acknowledged_at: null,
    fixed_at: null,
    fixed_build_uid: null,
    fixed_version: null,
  }
}

async function checkCrashGroup(
  tx: Tx,
  game_uid: string,
  uid: string | null,
): Promise<string | null> {
  if (uid === null || (await hasCrashGroup(tx, game_uid, uid))) return uid
  return refuse(
    'NOT_FOUND',
    { field: 'crash_group_uid' },
    explain('no_crash_group', 'crash_group_uid: the game has no such crash group'),
  )
}

/** The build or version with the fix. If a build is given, its version replaces the one sent. */
async function fixUpdate(
  tx: Tx,
  game_uid: string,
  current_status: TicketStatus,
  change: TicketChange,
): Promise<TicketUpdate> {
  const { status = current_status, fixed_build_id, fixed_version } = change
  if (fixed_build_id === undefined && fixed_version === undefined) return {}
  if (status !== 'fixed')
    invalidField(
      reportField(fixed_build_id === undefined ? 'fixed_version' : 'fixed_build_id'),
      'only a fixed ticket has one; send status: fixed with it',
    )
  const build = fixed_build_id ? await findProjectBuild(tx, game_uid, fixed_build_id) : undefined
  const version = plainText(reportField('fixed_version'), fixed_version, MAX_VERSION)
  return { fixed_build_uid: build?.uid ?? null, fixed_version: build?.version ?? (version || null) }
}
