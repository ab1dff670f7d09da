import type { FastifyRequest } from 'fastify'
import type { Core } from '../../core/runtime/core.ts'
import { deviceCookie } from '../devices/devices.ts'
import type { Session } from './sessions.ts'

const SESSION_COOKIE = 'svc_session'
const SESSION = /(?:^|;\s*)svc_session=(svc_sess_\w+)\s*(?:;|$)/

/** The session token in the cookie of a browser, not yet checked. */
export const sessionToken = ({ headers }: FastifyRequest): string | undefined =>
  headers.cookie?.match(SESSION)?.[1]

/** The cookies of a browser that has signed in: the session, and the device that it is known by. */
export const signInCookies = (core: Core, session: Session): string[] => [
  sessionCookie(core, `${session.token}; Expires=${session.expires_at.toUTCString()}`),
  deviceCookie(core, session.device),
]

/** The device stays known after signing out. */
export const signOutCookies = (core: Core): string[] => [sessionCookie(core, '; Max-Age=0')]

function sessionCookie({ addresses }: Core, value: string): string {
  const secure = addresses.web_url.startsWith('https:') ? '; Secure' : ''
  return `${SESSION_COOKIE}=${value}; Path=/; HttpOnly; SameSite=Lax${secure}`
}
