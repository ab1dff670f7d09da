import type { FastifyRequest } from 'fastify'
import type { Sql } from '../../core/database/sql.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { MINUTE } from '../../core/runtime/units.ts'
import type { Identity } from './identity.ts'
import { readProofTime } from './queries.ts'

/** How long a proof that the person at the session is its owner counts. */
export const PROOF_SECONDS = 10 * MINUTE

/** The rule: signing in is a proof, and so is typing the password or a code again. */
export const isRecent = (proved_at: Date, now: Date): boolean =>
  now.getTime() - proved_at.getTime() < PROOF_SECONDS * 1000

/** Whether the person proved recently that the session is theirs. Keys and tokens never do. */
export async function hasRecentSignIn(sql: Sql, who: Identity, now: Date): Promise<boolean> {
  const proved_at =
    who.kind === 'session' ? await readProofTime(sql, who.credential_uid) : undefined
  return proved_at !== undefined && isRecent(proved_at, now)
}

/** For routes with `step_up`. Programs are not asked: their keys are not interactive. */
export async function requireProof({ sql }: Core, { who }: FastifyRequest): Promise<void> {
  const identity = who as Identity
  if (identity.kind === 'session' && !(await hasRecentSignIn(sql, identity, new Date())))
    refuse('STEP_UP_REQUIRED', { step_up: true })
}
