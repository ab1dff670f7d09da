import { teamNeedsSecondFactor } from '../../accounts/second-factor/requirement.ts'
import { clearIdentityCache, type Identity } from '../../accounts/sessions/identity.ts'
import type { Tx } from '../../core/database/sql.ts'
import { transact } from '../../core/database/transaction.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { isUuid, sameBytes, uuidv7 } from '../../core/security/crypto.ts'
import { checkMayDecide, type Decider, decideWithin } from '../decide.ts'
import { findTarget } from '../targets/queries.ts'
import {
  closeAppeal,
  findRecipient,
  hasOtherModerator,
  insertAppeal,
  type LockedAppeal,
  lockAppeal,
  type Outcome,
} from './queries.ts'

/** Opens the appeal against a statement of reasons, also for people who cannot sign in. */
export const appealToken = ({ secrets }: Core, statement_uid: string): string =>
  secrets.mac('appeal token', statement_uid).toString('base64url')

/** The address of the form that is in the mail. */
export const appealUrl = (core: Core, statement_uid: string): string =>
  `${core.addresses.web_url}/appeal/${statement_uid}?token=${appealToken(core, statement_uid)}`

/** By whom and how an appeal is filed. */
export type Appellant = { who: Identity | null; token: string }

/**
 * Checks that the appellant is the person whom a statement is for: by the token of the mail, or by
 * their session. Refuses others as if there were no statement.
 */
export async function checkAppellant(
  core: Core,
  statement_uid: string,
  { who, token }: Appellant,
): Promise<void> {
  const uid = statement_uid.toLowerCase()
  const recipient = isUuid(uid) ? await findRecipient(core.sql, uid) : undefined
  const has_session = who?.kind === 'session' && who.user_uid === recipient
  if (!recipient || !(has_session || sameBytes(appealToken(core, uid), token))) refuse('NOT_FOUND')
}

export async function fileAppeal(core: Core, statement_uid: string, text: string): Promise<string> {
  const uid = uuidv7()
  const trimmed = text.trim()
  if (!trimmed)
    refuse('MALFORMED', { field: 'text' }, explain('appeal_text', 'text: say what is wrong'))
  if (!(await insertAppeal(core.sql, { uid, statement_uid, text: trimmed })))
    refuse('APPEAL_NOT_POSSIBLE')
  return uid
}

export type AppealDecision = { uid: string; outcome: Outcome; reasons: string }

/** Decides an appeal: by somebody else, where there is one. A reversal undoes the decision. */
export async function decideAppeal(
  core: Core,
  who: Decider,
  { uid, outcome, reasons }: AppealDecision,
): Promise<void> {
  const text = reasons.trim()
  if (!text)
    refuse(
      'GROUND_AND_FACTS_REQUIRED',
      { field: 'reasons' },
      explain('appeal_reasons', 'reasons: state the reasons for this decision'),
    )
  await transact(core.sql, async (tx) => {
    const appeal = (await lockAppeal(tx, uid)) ?? refuse('NOT_FOUND')
    if (appeal.is_decided) refuse('APPEAL_NOT_POSSIBLE')
    await checkMayDecide(tx, who, appeal)
    await checkSomebodyElse({ core, tx, who }, appeal)
    if (outcome === 'reversed' && appeal.in_force) await undo({ core, tx, who }, appeal, text)
    await closeAppeal(tx, uid, { outcome, reasons: text, decided_by: who.user_uid })
    await core.jobs.send(tx, 'moderation.mail-appeal', { appeal_uid: uid })
  })
  clearIdentityCache()
}

type Deciding = { core: Core; tx: Tx; who: Decider }

async function checkSomebodyElse({ core, tx, who }: Deciding, appeal: LockedAppeal): Promise<void> {
  if (appeal.moderator_uid !== who.user_uid) return
  if (await hasOtherModerator(tx, appeal, await teamNeedsSecondFactor(core)))
    refuse(
      'FORBIDDEN',
      undefined,
      explain('appeal_own_decision', 'Somebody else must decide on this appeal'),
    )
}

/** A target that was deleted has nothing to undo. */
async function undo(
  { core, tx, who }: Deciding,
  appeal: LockedAppeal,
  facts: string,
): Promise<void> {
  const { target_type, target_id, action, action_uid } = appeal
  if (!(await findTarget(tx, target_type, target_id))) return
  await decideWithin(core, tx, who, {
    target_type,
    target_id,
    action: 'restore',
    ground: 'no-violation',
    facts,
    reverses: { uid: action_uid, action },
  })
}
