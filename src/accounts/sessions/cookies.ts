import { cookieReader, HOST_PREFIX, isHttps } from '../../core/http/cookies.ts'
import type { Core } from '../../core/runtime/core.ts'
import { deviceCookie } from '../devices/devices.ts'
import type { Session } from './sessions.ts'

const NAME = 'svc_session'
const ATTRIBUTES = 'Path=/; HttpOnly; SameSite=Lax'

/** The session token in the cookie of a browser, not yet checked. */
export const sessionToken = cookieReader(NAME, /svc_sess_\w+/)

/** The cookies of a browser that has signed in: the session, and the device that it is known by. */
export const signInCookies = (core: Core, { token, expires_at, device }: Session): string[] => [
  ...sessionCookies(core, `${token}; Expires=${expires_at.toUTCString()}`),
  deviceCookie(core, device),
]

/** The device stays known after signing out. */
export const signOutCookies = (core: Core): string[] => sessionCookies(core, '; Max-Age=0')

/** On https this also removes the cookie of a time when the site had none, or of a subdomain. */
const sessionCookies = ({ addresses }: Core, value: string): string[] =>
  isHttps(addresses)
    ? [
        `${HOST_PREFIX}${NAME}=${value}; ${ATTRIBUTES}; Secure`,
        `${NAME}=; Max-Age=0; ${ATTRIBUTES}; Secure`,
      ]
    : [`${NAME}=${value}; ${ATTRIBUTES}`]
