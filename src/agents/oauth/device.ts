import type { FastifyRequest } from 'fastify'
import { ownGuess, withGuessingLimits } from '../../accounts/credentials/guessing-limits.ts'
import { recordSecurityEvent } from '../../accounts/security-events/record.ts'
import type { Identity } from '../../accounts/sessions/identity.ts'
import { whileSignedIn } from '../../accounts/sessions/sessions.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { networkOf } from '../../core/security/client-address.ts'
import { sha256 } from '../../core/security/crypto.ts'
import { playerServer, resourceOf } from '../mcp/tool-servers.ts'
import {
  DEVICE_SCOPE,
  deviceClient,
  deviceName,
  normalizeUserCode,
  userCodeHash,
} from './device-client.ts'
import { authorizationServerOf } from './provider.ts'
import { decideDeviceCode, describeGrant, endGrant, findDeviceCode } from './queries.ts'

/** A device that waits for the answer of a person. */
export type DeviceRequest = {
  user_code: string
  /** What the device calls itself; empty if it says nothing. */
  device_name: string
  /** Whether the device is where the browser of the person is. */
  is_same_network: boolean
}

type DeviceInput = { core: Core; who: Identity; request: FastifyRequest }

const UNKNOWN_CODE = explain(
  'device_code_unknown',
  'user_code: no device waits with this code. Check it, or start again on the device',
)

/** The device that shows a code. Codes that nobody shows count as guesses. */
export async function readDeviceRequest(
  { core, who, request }: DeviceInput,
  typed: string,
): Promise<DeviceRequest & { id_hash: Buffer }> {
  const guess = ownGuess('device code', who, request.ip_address)
  return withGuessingLimits(core, guess, async () => {
    const row = await findDeviceCode(core.sql, userCodeHash(core, typed))
    if (!row) refuse('NOT_FOUND', { field: 'user_code' }, UNKNOWN_CODE)
    const { device_name, device_network } = row.payload.params ?? {}
    return {
      id_hash: row.id_hash,
      user_code: normalizeUserCode(typed),
      device_name: deviceName(device_name),
      is_same_network: device_network === networkOf(request.ip_address),
    }
  })
}

/** Stores the answer of a person. A code is answered once. */
export async function answerDevice(
  input: DeviceInput,
  user_code: string,
  allow: boolean,
): Promise<void> {
  const { id_hash, device_name } = await readDeviceRequest(input, user_code)
  if (allow) await allowDevice(input, id_hash, device_name)
  else await decideDeviceCode(input.core.sql, id_hash, { payload: DENIED })
}

/** As the library stores what it answers to the device. */
const DENIED = { error: 'access_denied', errorDescription: 'The person denied access' }

async function allowDevice({ core, who, request }: DeviceInput, id_hash: Buffer, name: string) {
  const { provider } = await authorizationServerOf(core)
  const resource = resourceOf(core.addresses, playerServer)
  const accountId = who.user_uid
  const grant = new provider.Grant({ accountId, clientId: deviceClient.client_id })
  grant.addResourceScope(resource, DEVICE_SCOPE)
  const grantId = await grant.save()
  const grant_hash = sha256(grantId)
  const client_name = name ? `${deviceClient.client_name} (${name})` : deviceClient.client_name
  const payload = { accountId, grantId, resource, scope: DEVICE_SCOPE }
  await whileSignedIn(core.sql, who, async (tx) => {
    await describeGrant(tx, grant_hash, { client_name, game_uid: null })
    const answer = { payload, user_uid: who.user_uid, grant_hash }
    if (!(await decideDeviceCode(tx, id_hash, answer)))
      refuse('NOT_FOUND', { field: 'user_code' }, UNKNOWN_CODE)
    await recordSecurityEvent(tx, { core, request }, { kind: 'grant_created' })
  }).catch(async (error) => {
    // A grant that could not be deleted is harmless, because the device does not know of it.
    await endGrant(core.sql, grant_hash).catch(() => {})
    throw error
  })
}
