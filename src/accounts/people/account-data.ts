import { Type } from 'typebox'
import { nameSchemas, Timestamp, Uid } from '../../core/http/route.ts'
import type { WaitingReset } from '../second-factor/reset-queries.ts'
import type { SignedInUser } from '../sessions/sessions.ts'
import type { User } from './queries.ts'

export const AccountData = Type.Object({
  uid: Uid,
  username: Type.String(),
  email: Type.String(),
  email_verified: Type.Boolean(),
  developer: Type.Boolean(),
  show_adult: Type.Boolean(),
  extstore_id: Type.Optional(Type.String()),
  store_terms_version: Type.Optional(
    Type.Integer({ description: 'The newest terms of the store that the person accepted' }),
  ),
})
nameSchemas({ Account: AccountData })
/** A reset of the second factor that waits for its time. */
export const ResetData = Type.Object(
  { requested_at: Timestamp, due_at: Timestamp },
  { description: 'When an operator removes the second factor, unless it is stopped before' },
)
nameSchemas({ SecondFactorReset: ResetData })

export const NullableReset = Type.Union([ResetData, Type.Null()], {
  description: 'The reset of the second factor that waits; null without one',
})

export const resetData = ({ requested_at, due_at }: WaitingReset) => ({
  requested_at: requested_at.toISOString(),
  due_at: due_at.toISOString(),
})

export const SignedIn = Type.Object({
  user: AccountData,
  session: Type.Object({ token: Type.String(), expires_at: Timestamp }),
  second_factor_reset: Type.Optional(ResetData),
})

export const accountData = (user: User) => ({
  uid: user.user_uid,
  username: user.username,
  email: user.email,
  email_verified: user.email_verified,
  developer: user.developer,
  show_adult: user.show_adult,
  ...(user.extstore_id ? { extstore_id: user.extstore_id } : {}),
  ...(user.store_terms_version ? { store_terms_version: user.store_terms_version } : {}),
})

export const signedIn = ({ user, session, reset }: SignedInUser) => ({
  user: accountData(user),
  session: { token: session.token, expires_at: session.expires_at.toISOString() },
  ...(reset && { second_factor_reset: resetData(reset) }),
})
