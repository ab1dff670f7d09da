import type { FastifyReply, FastifyRequest } from 'fastify'
import { HOST_PREFIX, isHttps } from '../../core/http/cookies.ts'
import type { Core } from '../../core/runtime/core.ts'
import { deviceCookie } from '../devices/devices.ts'
import type { Identity } from './identity.ts'
import type { Session } from './sessions.ts'

const PLAIN_NAME = 'svc_session'
const HOST_NAME = `${HOST_PREFIX}${PLAIN_NAME}`

const isSecure = ({ addresses }: Core) => isHttps(addresses)

const pattern = (name: string) => new RegExp(`(?:^|;\\s*)${name}=(svc_sess_\\w+)\\s*(?:;|$)`)
const plainCookie = pattern(PLAIN_NAME)
const hostCookie = pattern(HOST_NAME)

/** The session token in the cookie of a browser, not yet checked. */
export const sessionToken = ({ headers: { cookie } }: FastifyRequest): string | undefined =>
  cookie && (cookie.match(hostCookie)?.[1] ?? cookie.match(plainCookie)?.[1])

/** The cookies of a browser that has signed in: the session, and the device that it is known by. */
export const signInCookies = (core: Core, session: Session): string[] => [
  ...sessionCookies(core, session),
  deviceCookie(core, session.device),
]

/** The device stays known after signing out. */
export const signOutCookies = (core: Core): string[] =>
  isSecure(core)
    ? [`${HOST_NAME}=; Max-Age=0; ${ATTRIBUTES}; Secure`, clearPlainCookie(core)]
    : [clearPlainCookie(core)]

/**
 * Gives a browser that signed in before the site used https, or before the name of the cookie
 * changed, the cookie with the stricter name.
 */
export function replacePlainCookie(core: Core, request: FastifyRequest, reply: FastifyReply): void {
  const { headers, who } = request as FastifyRequest & { who: Identity | null }
  const { cookie = '' } = headers
  const token = cookie.match(plainCookie)?.[1]
  if (!token || !who?.expires_at || !isSecure(core) || hostCookie.test(cookie)) return
  reply.header('set-cookie', sessionCookies(core, { token, expires_at: who.expires_at }))
}

const ATTRIBUTES = 'Path=/; HttpOnly; SameSite=Lax'

function sessionCookies(
  core: Core,
  { token, expires_at }: { token: string; expires_at: Date },
): string[] {
  const value = `${token}; Expires=${expires_at.toUTCString()}; ${ATTRIBUTES}`
  return isSecure(core)
    ? [`${HOST_NAME}=${value}; Secure`, clearPlainCookie(core)]
    : [`${PLAIN_NAME}=${value}`]
}

const clearPlainCookie = (core: Core) =>
  `${PLAIN_NAME}=; Max-Age=0; ${ATTRIBUTES}${isSecure(core) ? '; Secure' : ''}`
