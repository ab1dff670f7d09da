import { moderationRole } from '../accounts/people/moderator-queries.ts'
import type { SuspensionScope } from '../accounts/people/suspension.ts'
import { endSuspension, suspend } from '../accounts/people/suspension-queries.ts'
import { revokeAccess } from '../accounts/revocation/revocation.ts'
import { clearIdentityCache } from '../accounts/sessions/identity.ts'
import {
  quarantineBuild,
  quarantineFile,
  releaseBuild,
  releaseFile,
} from '../builds/files/quarantine-queries.ts'
import type { Tx } from '../core/database/sql.ts'
import { transact } from '../core/database/transaction.ts'
import type { Core } from '../core/runtime/core.ts'
import { refuse } from '../core/runtime/errors.ts'
import { explain } from '../core/runtime/reasons.ts'
import { uuidv7 } from '../core/security/crypto.ts'
import {
  removeCommunityTag,
  removeReview,
  restoreCommunityTag,
  restoreReview,
} from '../library/moderation-queries.ts'
import { type Labels, restoreLabels, setLabels } from '../listings/moderated/labels.ts'
import {
  hideFromDiscovery,
  lockModeratedListing,
  removeImage,
  restoreImage,
  restoreModerated,
  takeDown,
} from '../listings/moderated/queries.ts'
import {
  type Action,
  actionsOf,
  checkLabels,
  checkReasons,
  labelDetails,
  suspensionEnd,
  type TargetType,
} from './decisions.ts'
import {
  filesWithOwnQuarantine,
  hasOwnQuarantine,
  insertAction,
  insertStatement,
} from './queries.ts'
import { closeReports, findReported } from './reports/queries.ts'
import { findTarget, type Target } from './targets/queries.ts'

/** Who decides: a member of the moderation team. */
export type Decider = { user_uid: string }

export type DecisionRequest = {
  target_type: TargetType
  target_id: string
  action: Action
  ground?: string | undefined
  facts?: string | undefined
  /** The sentence that the person concerned gets; the facts without one. */
  statement?: string | undefined
  /** What is set or corrected on a listing. */
  labels?: Labels | undefined
  suspension?: { scope: SuspensionScope; days: number | null } | undefined
  /**
   * To restore on an appeal: the decision that it was about, and only that, is undone. Its effect
   * may have ended by itself, and the outcome of the appeal is mailed instead of a statement.
   */
  reverses?: { uid: string; action: Action } | undefined
  /** The sweep that found the target. */
  sweep_uid?: string | undefined
}

/** What an action needs to change the state of its target. */
type Change = {
  core: Core
  tx: Tx
  target: Target
  request: DecisionRequest
  statement: string
  action_uid: string
}

const tagOf = ({ id }: Target) => id.slice(id.indexOf(':') + 1)

async function scanAgain({ core, tx }: Change, file_uids: readonly string[]): Promise<void> {
  for (const file_uid of file_uids) await core.jobs.send(tx, 'scan.file', { file_uid })
}

/**
 * A file of a quarantined build can be decided on by itself too. It is served again when neither
 * decision is in force.
 */
async function quarantineFiles({ tx, target: { type, id } }: Change): Promise<boolean> {
  if (type === 'build') return quarantineBuild(tx, id)
  return (await quarantineFile(tx, id)) || !(await hasOwnQuarantine(tx, id))
}

async function releaseFiles(change: Change): Promise<boolean> {
  const { tx, target } = change
  if (target.type === 'build') {
    const staying = await filesWithOwnQuarantine(tx, target.id)
    const released = await releaseBuild(tx, target.id, staying)
    if (released) await scanAgain(change, released.unscanned)
    return released !== undefined
  }
  const had_own = await hasOwnQuarantine(tx, target.id)
  const released = await releaseFile(tx, target.id)
  await scanAgain(change, released.unscanned)
  return had_own || released.files > 0
}

/** Who is suspended from everything also loses what they issued, so that nobody else uses it. */
async function suspendPerson({ core, tx, target, request, statement }: Change): Promise<boolean> {
  const { scope, days } = request.suspension ?? refuse('MALFORMED', { field: 'suspension' })
  const until = suspensionEnd(days, new Date())
  const is_changed = await suspend(tx, target.id, { scope, until, statement })
  if (is_changed && scope === 'everything')
    await revokeAccess({ core, actor: 'service' }, tx, { user_uid: target.id, game_uid: null })
  return is_changed
}

async function restoreListing({ tx, target, request: { reverses } }: Change): Promise<boolean> {
  const undoes = (action: Action) => !reverses || reverses.action === action
  const state = await restoreModerated(tx, target.id, {
    take_down: undoes('take_down'),
    hide: undoes('hide'),
  })
  const labels = undoes('label') && (await restoreLabels(tx, target.id, reverses?.uid))
  return state || labels
}

async function labelListing({ core, tx, target, request, action_uid }: Change): Promise<boolean> {
  const labels = checkLabels(request.labels)
  if (labels.adult && !core.settings.current.adult_content)
    refuse('ADULT_CONTENT_OFF', { field: 'adult' })
  return setLabels(tx, target.id, { labels, action_uid })
}

type StateChange = (change: Change) => Promise<boolean>

const restores: Record<TargetType, StateChange> = {
  listing: restoreListing,
  file: releaseFiles,
  build: releaseFiles,
  review: ({ tx, target }) => restoreReview(tx, target.id),
  community_tag: ({ tx, target }) => restoreCommunityTag(tx, target.game_uid!, tagOf(target)),
  image: ({ tx, target }) => restoreImage(tx, target.id),
  bug_message: async () => false,
  person: ({ tx, target }) => endSuspension(tx, target.id),
}

const removals: Partial<Record<TargetType, StateChange>> = {
  review: ({ tx, target }) => removeReview(tx, target.id),
  community_tag: ({ tx, target }) => removeCommunityTag(tx, target.game_uid!, tagOf(target)),
  image: ({ tx, target }) => removeImage(tx, target.id),
}

/** Each returns false if the target is in that state already. */
const changes: Record<Action, StateChange> = {
  dismiss: async () => true,
  warn: async () => true,
  label: labelListing,
  hide: ({ tx, target }) => hideFromDiscovery(tx, target.id),
  take_down: ({ tx, target }) => takeDown(tx, target.id),
  quarantine: quarantineFiles,
  remove: (change) => removals[change.target.type]!(change),
  suspend: suspendPerson,
  restore: (change) => restores[change.target.type](change),
}

export type Decided = { action_uid: string; target: Target; statement_uid: string | null }

/** Stores a decision within a transaction: its effect, the log, the statement and the mail. */
export async function decideWithin(
  core: Core,
  tx: Tx,
  who: Decider,
  request: DecisionRequest,
): Promise<Decided> {
  const { target_type, action } = request
  const { ground, facts } = checkReasons(action, {
    ground: request.ground,
    facts: request.facts,
  })
  if (!actionsOf[target_type].includes(action)) refuse('MALFORMED', { field: 'action' })
  const target =
    (await findTarget(tx, target_type, request.target_id)) ??
    ((action === 'dismiss' && (await findReported(tx, target_type, request.target_id))) ||
      refuse('NOT_FOUND'))
  await checkMayDecide(tx, who, target)
  // The order in which edits, uploads and scans lock.
  if (target.game_uid && !(await lockModeratedListing(tx, target.game_uid))) refuse('NOT_FOUND')
  const statement = request.statement?.trim() || facts
  const action_uid = uuidv7()
  const has_changed = await changes[action]({ core, tx, target, request, statement, action_uid })
  if (!has_changed && !request.reverses)
    refuse(
      'CONFLICT',
      undefined,
      explain('moderation_no_change', 'The target is in this state already'),
    )
  await insertAction(tx, target, {
    uid: action_uid,
    action,
    ground,
    facts,
    statement,
    details: detailsOf(request),
    moderator_uid: who.user_uid,
  })
  for (const report_uid of await closeReports(tx, target, action_uid))
    await core.jobs.send(tx, 'moderation.mail-report-decided', { report_uid })
  const statement_uid = await storeStatement(tx, { action_uid, action, target })
  if (statement_uid && !request.reverses)
    await core.jobs.send(tx, 'moderation.mail-statement', { statement_uid })
  return { action_uid, target, statement_uid }
}

/** What the log keeps besides the reasons. */
function detailsOf(request: DecisionRequest): Record<string, string | null> {
  const { action, suspension, labels, reverses, sweep_uid } = request
  if (sweep_uid) return { sweep: sweep_uid }
  if (reverses) return { reverses: reverses.uid }
  if (action === 'label') return labelDetails(checkLabels(labels))
  if (action !== 'suspend') return {}
  const { scope = null, days = null } = suspension ?? {}
  return { scope, days: days === null ? null : String(days) }
}

/** Nobody decides on what concerns them, and only operators on members of the team. */
export async function checkMayDecide(
  tx: Tx,
  who: Decider,
  { subject_uid }: Pick<Target, 'subject_uid'>,
): Promise<void> {
  if (!subject_uid) return
  if (subject_uid === who.user_uid)
    refuse('FORBIDDEN', undefined, explain('moderation_own', 'Ask somebody else to decide on this'))
  const role = await moderationRole(tx, subject_uid)
  if (role && (await moderationRole(tx, who.user_uid)) !== 'operator')
    refuse(
      'FORBIDDEN',
      undefined,
      explain('moderation_team', 'Only operators decide on members of the moderation team'),
    )
}

/** A dismissed report changes nothing for the publisher, who is not told of it. */
async function storeStatement(
  tx: Tx,
  { action_uid, action, target }: { action_uid: string; action: Action; target: Target },
): Promise<string | null> {
  if (action === 'dismiss' || !target.subject_uid) return null
  const uid = uuidv7()
  await insertStatement(tx, { uid, action_uid, user_uid: target.subject_uid })
  return uid
}

export async function decide(core: Core, who: Decider, request: DecisionRequest): Promise<Decided> {
  const decided = await transact(core.sql, (tx) => decideWithin(core, tx, who, request))
  clearIdentityCache()
  return decided
}
