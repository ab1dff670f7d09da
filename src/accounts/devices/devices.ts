import type { FastifyRequest } from 'fastify'
import type { Sql } from '../../core/database/sql.ts'
import { cookieReader, cookieText, isHttps } from '../../core/http/cookies.ts'
import type { Core } from '../../core/runtime/core.ts'
import { DAY } from '../../core/runtime/units.ts'
import { networkOf } from '../../core/security/client-address.ts'
import { countryOf } from '../../core/security/country.ts'
import { isToken, newToken, sha256 } from '../../core/security/crypto.ts'
import { deviceExists } from './queries.ts'
import { browserName, systemName } from './user-agent.ts'

/** A random token that a browser keeps, by which an account recognizes it. */
const DEVICE_COOKIE = 'svc_device'
const readDevice = cookieReader(DEVICE_COOKIE, /svc_dev_\w+/)
export const DEVICE_SECONDS = 365 * DAY

/** Who sends a request to sign in, before it is known for which account. */
export type SignInClient = {
  ip: string
  user_agent: string
  /** The token of the device; undefined if the client sends none. */
  device: string | undefined
}

export function deviceToken(request: FastifyRequest): string | undefined {
  const token = readDevice(request)
  return token && isToken('svc_dev_', token) ? token : undefined
}

export const signInClient = (request: FastifyRequest): SignInClient => ({
  ip: request.ip_address,
  user_agent: request.headers['user-agent'] ?? '',
  device: deviceToken(request),
})

/** A page that signs somebody in by a route of the API passes on which device it is. */
export function deviceHeaders(request: FastifyRequest): Record<string, string> {
  const value = deviceToken(request)
  if (!value) return {}
  const cookie = { name: DEVICE_COOKIE, value, seconds: DEVICE_SECONDS }
  return { cookie: cookieText(cookie, request.server.is_https).split(';')[0]! }
}

export const newDevice = () => newToken('svc_dev_')

export const deviceHash = (user_uid: string, token: string): Buffer =>
  sha256(`${user_uid} ${token}`)

/** Whether the account has signed in on this device before. */
export async function isKnownDevice(
  sql: Sql,
  user_uid: string,
  { device }: SignInClient,
): Promise<boolean> {
  return device !== undefined && (await deviceExists(sql, user_uid, deviceHash(user_uid, device)))
}

export const deviceCookie = ({ addresses }: Core, token: string): string =>
  cookieText({ name: DEVICE_COOKIE, value: token, seconds: DEVICE_SECONDS }, isHttps(addresses))

/** What a person recognizes a session by. The address itself is not kept. */
export type SignInPlace = {
  browser: string | null
  system: string | null
  country: string | null
  network: string
}

export const signInPlace = async (
  core: Core,
  { ip, user_agent }: SignInClient,
): Promise<SignInPlace> => ({
  browser: browserName(user_agent),
  system: systemName(user_agent),
  country: await countryOf(core, ip),
  network: networkOf(ip),
})
