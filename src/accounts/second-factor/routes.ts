import { Type } from 'typebox'
import { anyone, Body, Nullable, route, Timestamp } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { HOUR } from '../../core/runtime/units.ts'
import { perAccount } from '../../core/security/limits.ts'
import { ownGuess, withGuessingLimits } from '../credentials/guessing-limits.ts'
import { NullableReset, resetData, SignedIn, signedIn } from '../people/account-data.ts'
import { recordSecurityEvent } from '../security-events/record.ts'
import { signInCookies } from '../sessions/cookies.ts'
import { proveByCode } from '../sessions/recent-sign-in.ts'
import { website } from '../sessions/schemes.ts'
import { finishLogIn, whileSignedIn } from '../sessions/sessions.ts'
import { issueRecoveryCodes, notifyChange } from './changes.ts'
import {
  confirmTotp,
  deleteRecoveryCodes,
  deleteTotp,
  readSecondFactors,
  readStartedTotp,
  secondStepsOf,
  startTotp,
} from './queries.ts'
import { mustHaveSecondFactor } from './requirement.ts'
import { findWaitingReset } from './reset-queries.ts'
import { openTotpSecret, refuseSecondStep, stepOfCode, TOTP_FIELD } from './second-step.ts'
import { newTotpSecret, totpSetup } from './totp.ts'

export const MAX_CODE = 40
const Code = Type.String({
  minLength: 1,
  maxLength: MAX_CODE,
  description: 'Six digits of the authenticator app, or a recovery code',
})
/** A secret that was shown longer ago may have been read by somebody else meanwhile. */
const SETUP_SECONDS = HOUR
const RecoveryCodes = Type.Array(Type.String(), { description: 'Returned only once' })

export const secondStepRoute = route({
  method: 'POST',
  url: '/api/v1/private/account/login/second-step',
  summary: 'Finish a sign-in with a code of the second factor',
  auth: anyone,
  body: Body({
    ticket: Type.String({ maxLength: 300, description: 'From the answer 4293 of account/login' }),
    code: Code,
  }),
  data: SignedIn,
  errors: ['SECOND_STEP_FAILED', 'INVALID_CREDENTIALS', 'SUSPENDED'],
  async handle({ core, request, body, reply }) {
    const result = await finishLogIn({ core, request }, body)
    reply.header('set-cookie', signInCookies(core, result.session))
    return signedIn(result)
  },
})

export const confirmCodeRoute = route({
  method: 'POST',
  url: '/api/v1/private/account/confirm-code',
  summary: 'Prove with a code that the session is yours; the proof counts for ten minutes',
  auth: website,
  body: Body({ code: Code }),
  data: Type.Object({ valid_until: Timestamp }),
  errors: ['SECOND_STEP_FAILED'],
  async handle({ core, request, who, body }) {
    const valid_until = await proveByCode({ core, request, who }, body.code)
    return { valid_until: valid_until.toISOString() }
  },
})

export const readSecondFactorRoute = route({
  method: 'GET',
  url: '/api/v1/private/account/second-factor',
  summary: 'Which second factors the account has',
  auth: website,
  data: Type.Object({
    totp: Type.Object({ enabled: Type.Boolean(), since: Nullable(Timestamp) }),
    passkeys: Type.Integer({ description: 'How many passkeys the account has' }),
    recovery_codes_left: Type.Integer(),
    required: Type.Boolean({ description: 'Whether the store requires one of this account' }),
    reset: NullableReset,
  }),
  async handle({ core, sql, who }) {
    const { totp_since, passkeys, recovery_codes } = await readSecondFactors(sql, who.user_uid)
    const since = totp_since?.toISOString() ?? null
    const totp = { enabled: since !== null, since }
    const required = mustHaveSecondFactor(core.settings.current, who)
    const waiting = await findWaitingReset(sql, who.user_uid)
    const reset = waiting ? resetData(waiting) : null
    return { totp, passkeys, recovery_codes_left: recovery_codes, required, reset }
  },
})

const refuseTotpOn = (): never =>
  refuse(
    'CONFLICT',
    undefined,
    explain('totp_on', 'An authenticator app is set up; remove it first'),
  )

export const startTotpRoute = route({
  method: 'POST',
  url: '/api/v1/private/account/totp',
  summary: 'Start to set up an authenticator app',
  description:
    'Repeated in the same session within an hour and before it is confirmed, it answers with the ' +
    'same secret.',
  auth: website,
  step_up: true,
  limits: [perAccount(60, { seconds: HOUR })],
  data: Type.Object({
    secret: Type.String({ description: 'Base32, for typing it into the app' }),
    uri: Type.String({ description: 'The otpauth address of the secret' }),
    qr_svg: Type.String({ description: 'The address as a QR code' }),
  }),
  errors: ['CONFLICT'],
  async handle({ core, sql, who }) {
    const { user_uid, username, credential_uid: session_uid } = who
    const secret = await whileSignedIn(sql, who, async (tx) => {
      const started = await readStartedTotp(tx, { user_uid, session_uid }, SETUP_SECONDS)
      if (started) return openTotpSecret(core, user_uid, started)
      const secret = newTotpSecret()
      const sealed = core.secrets.seal(user_uid, TOTP_FIELD, secret)
      return (await startTotp(tx, { user_uid, session_uid }, sealed)) ? secret : refuseTotpOn()
    })
    const store = core.settings.current.store_name
    return { secret, ...totpSetup(secret, { store, username }) }
  },
})

export const confirmTotpRoute = route({
  method: 'POST',
  url: '/api/v1/private/account/totp/confirm',
  summary: 'Turn the authenticator app on with its first code; returns ten recovery codes',
  auth: website,
  step_up: true,
  body: Body({ code: Code }),
  data: Type.Object({ recovery_codes: RecoveryCodes }),
  errors: ['SECOND_STEP_FAILED', 'CONFLICT'],
  async handle({ core, sql, request, who, body, ip }) {
    const { user_uid, credential_uid: session_uid } = who
    const step = await withGuessingLimits(core, ownGuess('second step', who, ip), async () => {
      const started = await readStartedTotp(sql, { user_uid, session_uid }, SETUP_SECONDS)
      const step = started && stepOfCode(core, user_uid, started, body.code)
      return step ?? refuseSecondStep()
    })
    const recovery_codes = await whileSignedIn(sql, who, async (tx) => {
      if (!(await confirmTotp(tx, { user_uid, session_uid }, step))) refuseTotpOn()
      await notifyChange(core, tx, user_uid, 'totp_on')
      await recordSecurityEvent(tx, { core, request }, { kind: 'totp_added' })
      // New codes end those that came with a passkey, which may be lost by now.
      return issueRecoveryCodes(tx, user_uid)
    })
    return { recovery_codes }
  },
})

export const deleteTotpRoute = route({
  method: 'DELETE',
  url: '/api/v1/private/account/totp',
  summary: 'Remove the authenticator app; with the last second factor its recovery codes end',
  auth: website,
  step_up: true,
  data: Type.Object({}),
  errors: ['NOT_FOUND'],
  async handle({ core, sql, request, who }) {
    const { user_uid } = who
    await whileSignedIn(sql, who, async (tx) => {
      if (!(await deleteTotp(tx, user_uid))) refuse('NOT_FOUND')
      const { passkeys } = await readSecondFactors(tx, user_uid)
      if (!passkeys) await deleteRecoveryCodes(tx, user_uid)
      await notifyChange(core, tx, user_uid, 'totp_off')
      await recordSecurityEvent(tx, { core, request }, { kind: 'totp_removed' })
    })
    return {}
  },
})

export const recoveryCodesRoute = route({
  method: 'POST',
  url: '/api/v1/private/account/recovery-codes',
  summary: 'Replace the recovery codes; the old ones stop working',
  auth: website,
  step_up: true,
  limits: [perAccount(20, { seconds: HOUR })],
  data: Type.Object({ recovery_codes: RecoveryCodes }),
  errors: ['CONFLICT'],
  async handle({ core, sql, request, who }) {
    const { user_uid } = who
    const recovery_codes = await whileSignedIn(sql, who, async (tx) => {
      if (!(await secondStepsOf(tx, user_uid)).length)
        refuse('CONFLICT', undefined, explain('totp_off', 'Set up a second factor first'))
      await notifyChange(core, tx, user_uid, 'recovery_codes')
      await recordSecurityEvent(tx, { core, request }, { kind: 'recovery_codes_replaced' })
      return issueRecoveryCodes(tx, user_uid)
    })
    return { recovery_codes }
  },
})

export const secondFactorRoutes = [
  secondStepRoute,
  confirmCodeRoute,
  readSecondFactorRoute,
  startTotpRoute,
  confirmTotpRoute,
  deleteTotpRoute,
  recoveryCodesRoute,
]
