import { type Static, Type } from 'typebox'
import { Nullable, nameSchemas, Timestamp, Uid } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'

const Replacement = Type.Object({ build_id: Uid, version: Type.String() })

/** Why a build was withdrawn, and what to get instead. */
export const WithdrawalData = Type.Object({
  at: Timestamp,
  reason: Type.String({ description: 'Why the publisher withdrew it, as plain text' }),
  replacement: Nullable(Replacement),
})
nameSchemas({ Replacement, Withdrawal: WithdrawalData })
export type Withdrawal = Static<typeof WithdrawalData>

/** Tells who may not have a build why, and what to get instead. */
export function refuseWithdrawn({ reason, replacement }: Withdrawal): never {
  refuse('BUILD_WITHDRAWN', { reason, replacement })
}
