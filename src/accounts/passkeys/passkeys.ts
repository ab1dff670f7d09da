import { isIP } from 'node:net'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import {
  CHALLENGE_SECONDS,
  type ChallengePurpose,
  newChallenge,
  readChallenge,
} from './challenges.ts'
import {
  findPasskey,
  listCredentialIds,
  recordUse,
  type StoredPasskey,
  takeChallenge,
} from './queries.ts'

/** Loaded only where it is used, because it is large. */
const webauthn = () => import('@simplewebauthn/server')

/** The site that a passkey belongs to. */
const siteOf = ({ addresses }: Core) => {
  const { hostname, origin } = new URL(addresses.web_url)
  return { rp_id: hostname, origin }
}

/** Browsers have passkeys only for sites with a name. */
export const passkeysAvailable = (core: Core): boolean =>
  isIP(siteOf(core).rp_id.replace(/^\[|\]$/g, '')) === 0

export const refusePasskey = (): never =>
  refuse(
    'SECOND_STEP_FAILED',
    undefined,
    explain('passkey_wrong', 'This answer is not valid for this challenge; ask for another one'),
  )

/** What a browser needs to make a passkey for a person. */
export async function creationOptions(
  core: Core,
  { user_uid, username }: { user_uid: string; username: string },
): Promise<object> {
  const { generateRegistrationOptions } = await webauthn()
  const ids = await listCredentialIds(core.sql, user_uid)
  return generateRegistrationOptions({
    rpName: core.settings.current.store_name,
    rpID: siteOf(core).rp_id,
    userName: username,
    userID: Buffer.from(user_uid.replaceAll('-', ''), 'hex'),
    challenge: Buffer.from(newChallenge(core, `create for ${user_uid}`), 'base64url'),
    timeout: CHALLENGE_SECONDS * 1000,
    excludeCredentials: ids.map((id) => ({ id })),
    // Each signs a person in without a name or password, and proves that it was them.
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
}

/** What a browser needs to sign in with any passkey of this site. */
export const requestOptions = (core: Core): object => ({
  challenge: newChallenge(core, 'sign in'),
  rpId: siteOf(core).rp_id,
  timeout: CHALLENGE_SECONDS * 1000,
  userVerification: 'required',
})

type Expected = { nonce?: string }

/** Checks the challenge of an answer, and remembers its nonce. */
const challengeCheck =
  (core: Core, purpose: ChallengePurpose, expected: Expected) =>
  (challenge: string): boolean => {
    expected.nonce = readChallenge(core, purpose, challenge, new Date())
    return expected.nonce !== undefined
  }

const expectations = (core: Core) => {
  const { rp_id, origin } = siteOf(core)
  return { expectedRPID: rp_id, expectedOrigin: origin, requireUserVerification: true }
}

type Created = Pick<StoredPasskey, 'credential_id' | 'public_key' | 'counter'>

/** The passkey of an answer to `creationOptions`; each answer counts once. */
export async function checkCreated(
  core: Core,
  user_uid: string,
  response: unknown,
): Promise<Created> {
  const { verifyRegistrationResponse } = await webauthn()
  const expected: Expected = {}
  const result = await verifyRegistrationResponse({
    response: response as RegistrationResponseJSON,
    expectedChallenge: challengeCheck(core, `create for ${user_uid}`, expected),
    ...expectations(core),
  }).catch(() => undefined)
  if (!result?.verified || !(await isFirstAnswer(core, expected))) return refusePasskey()
  const { id, publicKey, counter } = result.registrationInfo.credential
  return { credential_id: id, public_key: Buffer.from(publicKey), counter }
}

/** The passkey that answered `requestOptions`; each answer counts once. */
export async function checkAnswer(core: Core, response: unknown): Promise<StoredPasskey> {
  const { id } = Object(response) as { id?: unknown }
  const passkey = typeof id === 'string' ? await findPasskey(core.sql, id) : undefined
  if (!passkey) return refusePasskey()
  const { verifyAuthenticationResponse } = await webauthn()
  const expected: Expected = {}
  const result = await verifyAuthenticationResponse({
    response: response as AuthenticationResponseJSON,
    expectedChallenge: challengeCheck(core, 'sign in', expected),
    ...expectations(core),
    credential: {
      id: passkey.credential_id,
      publicKey: new Uint8Array(passkey.public_key),
      counter: passkey.counter,
    },
  }).catch(() => undefined)
  if (!result?.verified || !(await isFirstAnswer(core, expected))) return refusePasskey()
  await recordUse(core.sql, passkey.uid, result.authenticationInfo.newCounter)
  return passkey
}

const isFirstAnswer = async ({ sql }: Core, { nonce }: Expected): Promise<boolean> =>
  nonce !== undefined && takeChallenge(sql, nonce, CHALLENGE_SECONDS)
