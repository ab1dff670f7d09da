import { Type } from 'typebox'
import {
  anyone,
  Body,
  FreeForm,
  Nullable,
  nameSchemas,
  route,
  Timestamp,
  Uid,
} from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { HOUR, MINUTE } from '../../core/runtime/units.ts'
import { isUuid, uuidv7 } from '../../core/security/crypto.ts'
import { perAccount, perIp } from '../../core/security/limits.ts'
import { ownGuess, withGuessingLimits } from '../credentials/guessing-limits.ts'
import { SignedIn, signedIn } from '../people/account-data.ts'
import { readUser } from '../people/queries.ts'
import { checkNotSuspended } from '../people/suspension.ts'
import { issueRecoveryCodes, notifyChange } from '../second-factor/changes.ts'
import { deleteRecoveryCodes, readSecondFactors, secondStepsOf } from '../second-factor/queries.ts'
import { findWaitingReset } from '../second-factor/reset-queries.ts'
import { applyDueReset } from '../second-factor/resets.ts'
import { recordSecurityEvent } from '../security-events/record.ts'
import { signInCookies } from '../sessions/cookies.ts'
import { recordProof } from '../sessions/recent-sign-in.ts'
import { website } from '../sessions/schemes.ts'
import { openSession, whileSignedIn } from '../sessions/sessions.ts'
import {
  checkAnswer,
  checkCreated,
  creationOptions,
  refusePasskey,
  requestOptions,
} from './passkeys.ts'
import {
  deletePasskey,
  insertPasskey,
  listPasskeys,
  type Passkey,
  renamePasskey,
} from './queries.ts'

const MAX_PASSKEYS = 20
export const MAX_PASSKEY_NAME = 80

const Name = Type.String({ minLength: 1, maxLength: MAX_PASSKEY_NAME, pattern: '\\S' })
const Answer = FreeForm('What the browser answered, as JSON of WebAuthn')
const Options = FreeForm('The options of WebAuthn, as JSON')
const PasskeyData = Type.Object({
  uid: Uid,
  name: Type.String(),
  created_at: Timestamp,
  last_used_at: Nullable(Timestamp),
})
nameSchemas({ Passkey: PasskeyData })

const passkeyData = ({ created_at, last_used_at, ...passkey }: Passkey) => ({
  ...passkey,
  created_at: created_at.toISOString(),
  last_used_at: last_used_at?.toISOString() ?? null,
})

export const listPasskeysRoute = route({
  method: 'GET',
  url: '/api/v1/private/account/passkeys',
  summary: 'List your passkeys',
  auth: website,
  data: Type.Object({ passkeys: Type.Array(PasskeyData) }),
  handle: async ({ sql, who }) => ({
    passkeys: (await listPasskeys(sql, who.user_uid)).map(passkeyData),
  }),
})

export const passkeyOptionsRoute = route({
  method: 'POST',
  url: '/api/v1/private/account/passkeys/options',
  summary: 'Start to make a passkey',
  auth: website,
  step_up: true,
  limits: [perAccount(60, { seconds: HOUR })],
  data: Type.Object({ options: Options }),
  handle: async ({ core, who }) => ({ options: { ...(await creationOptions(core, who)) } }),
})

export const addPasskeyRoute = route({
  method: 'POST',
  url: '/api/v1/private/account/passkeys',
  summary: 'Add a passkey',
  description: 'The first second factor of an account comes with ten recovery codes.',
  auth: website,
  step_up: true,
  limits: [perAccount(60, { seconds: HOUR })],
  body: Body({ name: Name, response: Answer }),
  status: 201,
  data: Type.Object({
    uid: Uid,
    recovery_codes: Type.Array(Type.String(), {
      description: 'Returned only once; empty if the account has some',
    }),
  }),
  errors: ['SECOND_STEP_FAILED', 'CONFLICT'],
  async handle({ core, sql, request, who, body }) {
    const { user_uid } = who
    const created = await checkCreated(core, user_uid, body.response)
    const passkey = { uid: uuidv7(), user_uid, name: body.name.trim(), ...created }
    const recovery_codes = await whileSignedIn(sql, who, async (tx) => {
      const is_first = !(await secondStepsOf(tx, user_uid)).length
      if (!(await insertPasskey(tx, passkey, MAX_PASSKEYS)))
        refuse(
          'CONFLICT',
          undefined,
          explain('passkeys', `An account can have at most ${MAX_PASSKEYS} passkeys`, {
            count: MAX_PASSKEYS,
          }),
        )
      await notifyChange(core, tx, user_uid, 'passkey_added')
      await recordSecurityEvent(tx, { core, request }, { kind: 'passkey_added' })
      return is_first ? issueRecoveryCodes(tx, user_uid) : []
    })
    return { uid: passkey.uid, recovery_codes }
  },
})

const params = Type.Object({ uid: Type.String() })

export const renamePasskeyRoute = route({
  method: 'PATCH',
  url: '/api/v1/private/account/passkeys/:uid',
  summary: 'Rename a passkey',
  auth: website,
  params,
  body: Body({ name: Name }),
  data: Type.Object({}),
  errors: ['NOT_FOUND'],
  async handle({ sql, who: { user_uid }, params: { uid }, body }) {
    if (!isUuid(uid) || !(await renamePasskey(sql, { uid, user_uid }, body.name.trim())))
      refuse('NOT_FOUND')
    return {}
  },
})

export const deletePasskeyRoute = route({
  method: 'DELETE',
  url: '/api/v1/private/account/passkeys/:uid',
  summary: 'Remove a passkey; with the last second factor its recovery codes end',
  auth: website,
  step_up: true,
  params,
  data: Type.Object({}),
  errors: ['NOT_FOUND'],
  async handle({ core, sql, request, who, params: { uid } }) {
    const { user_uid } = who
    await whileSignedIn(sql, who, async (tx) => {
      if (!isUuid(uid) || !(await deletePasskey(tx, { uid, user_uid }))) refuse('NOT_FOUND')
      const { totp_since, passkeys } = await readSecondFactors(tx, user_uid)
      if (!totp_since && !passkeys) await deleteRecoveryCodes(tx, user_uid)
      await notifyChange(core, tx, user_uid, 'passkey_removed')
      await recordSecurityEvent(tx, { core, request }, { kind: 'passkey_removed' })
    })
    return {}
  },
})

export const passkeyLoginOptionsRoute = route({
  method: 'POST',
  url: '/api/v1/private/account/login/passkey-options',
  summary: 'Start to sign in or to confirm with a passkey',
  auth: anyone,
  limits: [perIp(120, { seconds: 15 * MINUTE })],
  data: Type.Object({ options: Options }),
  handle: ({ core }) => ({ options: { ...requestOptions(core) } }),
})

const passkeyProof = { method: 'passkey' } as const

export const passkeyLoginRoute = route({
  method: 'POST',
  url: '/api/v1/private/account/login/passkey',
  summary: 'Sign in with a passkey, alone or as the second step',
  auth: anyone,
  body: Body({ response: Answer }),
  data: SignedIn,
  errors: ['SECOND_STEP_FAILED', 'INVALID_CREDENTIALS', 'SUSPENDED'],
  async handle({ core, sql, request, body, ip, reply }) {
    const guess = { secret: 'second step', account: `passkey ${ip}`, ip } as const
    const { user_uid } = await withGuessingLimits(core, guess, () =>
      checkAnswer(core, body.response).catch(async (error) => {
        const failure = { kind: 'sign_in_failed', user_uid: null } as const
        await recordSecurityEvent(sql, { core, request }, { ...failure, detail: passkeyProof })
        throw error
      }),
    )
    const user = await readUser(sql, user_uid)
    checkNotSuspended(user)
    if (await applyDueReset(core, user_uid)) refusePasskey()
    const session = await openSession({ core, request }, user, passkeyProof)
    reply.header('set-cookie', signInCookies(core, session))
    return signedIn({ user, session, reset: await findWaitingReset(sql, user_uid) })
  },
})

export const confirmPasskeyRoute = route({
  method: 'POST',
  url: '/api/v1/private/account/confirm-passkey',
  summary: 'Prove with a passkey that the session is yours; the proof counts for ten minutes',
  auth: website,
  body: Body({ response: Answer }),
  data: Type.Object({ valid_until: Timestamp }),
  errors: ['SECOND_STEP_FAILED'],
  async handle({ core, sql, request, who, body, ip }) {
    const { password_hash } = await readUser(sql, who.user_uid)
    await withGuessingLimits(core, ownGuess('second step', who, ip), async () => {
      try {
        const { user_uid } = await checkAnswer(core, body.response)
        if (user_uid !== who.user_uid) refusePasskey()
      } catch (error) {
        const failure = { kind: 'step_up_failed', detail: passkeyProof } as const
        await recordSecurityEvent(sql, { core, request }, failure)
        throw error
      }
    })
    const valid_until = await recordProof({ core, request, who }, password_hash, 'passkey')
    return { valid_until: valid_until.toISOString() }
  },
})

export const passkeyRoutes = [
  listPasskeysRoute,
  passkeyOptionsRoute,
  addPasskeyRoute,
  renamePasskeyRoute,
  deletePasskeyRoute,
  passkeyLoginOptionsRoute,
  passkeyLoginRoute,
  confirmPasskeyRoute,
]
