import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { clearIdentityCache } from '../sessions/identity.ts'
import { acceptTerms } from './acceptance-queries.ts'
import { checkEffectiveFrom, checkPolicyText, type PolicyKind } from './policies.ts'
import { insertPolicy } from './queries.ts'

export type NewPolicy = {
  kind: PolicyKind
  /** Markdown. */
  text: string
  /** What changed. */
  summary?: string | undefined
  effective_from?: string | undefined
  /** The newest version that the operator knows, 0 for none. */
  previous_version?: number | undefined
}

/** Publishes the next version of a policy. Versions are never changed or removed. */
export async function publishPolicy(
  core: Core,
  user_uid: string,
  request: NewPolicy,
): Promise<{ kind: PolicyKind; version: number; effective_from: string }> {
  const { kind, summary = '', previous_version = null } = request
  const text = checkPolicyText(request.text)
  const effective_from = checkEffectiveFrom(request.effective_from, new Date())
  const policy = { kind, text, summary: summary.trim(), effective_from, user_uid }
  const version = await core.sql.begin(async (tx) => {
    const number = await insertPolicy(tx, { ...policy, previous_version })
    // Whoever publishes terms agrees with them.
    if (number && kind === 'terms') await acceptTerms(tx, user_uid, number)
    return number
  })
  if (version === undefined)
    refuse(
      'CONFLICT',
      undefined,
      explain('policy_changed', 'Another version was published meanwhile; read it first'),
    )
  clearIdentityCache()
  await core.settings.reload()
  return { kind, version, effective_from }
}
