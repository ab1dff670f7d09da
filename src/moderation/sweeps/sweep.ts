import { recordAudit } from '../../accounts/people/audit-queries.ts'
import { blockHashes, lockBlockedHashes } from '../../builds/files/blocked-queries.ts'
import { transact } from '../../core/database/transaction.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import { findRuleError } from '../../scan/embedded.ts'
import { type Decider, decideWithin } from '../decide.ts'
import { checkReasons } from '../decisions.ts'
import {
  filesToQuarantine,
  insertHashSweep,
  insertRuleSweep,
  lockSweep,
  markQuarantined,
  storeHashMatches,
} from './queries.ts'
import {
  checkHashes,
  checkRuleText,
  MAX_MATCHES,
  refuseRule,
  refuseTooManyMatches,
} from './sweep-input.ts'

/** Finds every stored file and entry with these hashes. */
export async function sweepByHash(
  core: Core,
  who: Decider,
  values: readonly string[],
): Promise<string> {
  const hashes = checkHashes(values)
  const uid = uuidv7()
  await transact(core.sql, async (tx) => {
    await insertHashSweep(tx, { uid, hashes, created_by: who.user_uid })
    const matches = await storeHashMatches(tx, uid, MAX_MATCHES + 1)
    if (matches > MAX_MATCHES) refuseTooManyMatches()
  })
  return uid
}

/** Starts to scan every clean file by a rule, in the background. */
export async function sweepByRule(core: Core, who: Decider, rule: string): Promise<string> {
  checkRuleText(rule)
  const error = await findRuleError(rule)
  if (error !== undefined) refuseRule(error)
  const uid = uuidv7()
  await transact(core.sql, async (tx) => {
    await insertRuleSweep(tx, { uid, rule, created_by: who.user_uid })
    await core.jobs.send(tx, 'moderation.run-sweep', { sweep_uid: uid })
  })
  return uid
}

type Reasons = {
  ground?: string | undefined
  facts?: string | undefined
  statement?: string | undefined
}
export type SweepResult = { quarantined: number; blocked: number }

/**
 * Quarantines every match and blocks the hashes, in one transaction. Content that was uploaded
 * since the preview is found again while no upload can be recorded, so none escapes between the two.
 */
export async function quarantineSweep(
  core: Core,
  who: Decider,
  sweep_uid: string,
  reasons: Reasons,
): Promise<SweepResult> {
  checkReasons('quarantine', { ground: reasons.ground, facts: reasons.facts })
  return transact(core.sql, async (tx) => {
    await lockBlockedHashes(tx)
    const sweep = (await lockSweep(tx, sweep_uid)) ?? refuse('NOT_FOUND')
    if (!sweep.finished_at)
      refuse('CONFLICT', undefined, explain('sweep_running', 'The sweep is still running'))
    if (sweep.quarantined_at)
      refuse(
        'CONFLICT',
        undefined,
        explain('moderation_no_change', 'The target is in this state already'),
      )
    const blocked = await blockHashes(tx, sweep.hashes, { sweep_uid, blocked_by: who.user_uid })
    await storeHashMatches(tx, sweep_uid)
    const files = await filesToQuarantine(tx, sweep_uid)
    for (const target_id of files)
      await decideWithin(core, tx, who, {
        target_type: 'file',
        target_id,
        action: 'quarantine',
        ...reasons,
        sweep_uid,
      })
    await markQuarantined(tx, sweep_uid)
    await recordAudit(tx, {
      user_uid: who.user_uid,
      game_uid: null,
      action: 'moderation.quarantine-sweep',
      detail: { sweep: sweep_uid, files: files.length, hashes: blocked },
    })
    return { quarantined: files.length, blocked }
  })
}
