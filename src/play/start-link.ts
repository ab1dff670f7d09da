import { HOST_PREFIX } from '../core/http/cookies.ts'
import type { Core } from '../core/runtime/core.ts'
import { HOUR, MINUTE, SECOND_MS } from '../core/runtime/units.ts'
import { isUuid, sameBytes } from '../core/security/crypto.ts'
import { playOrigins } from './origin.ts'

/**
 * Games that not everyone may play open by a signed link. It sets a cookie on the origin of the
 * game that names the file, the person and the session; each request checks that the person is
 * still signed in and may still play.
 */
const LINK_SECONDS = 5 * MINUTE
const COOKIE_SECONDS = 12 * HOUR
const COOKIE = 'svc_play'

type Ticket = {
  file_uid: string
  user_uid: string
  /** Null for programs, which have a key or a token instead. */
  session_uid: string | null
}

const sign = (
  { secrets }: Core,
  purpose: string,
  { file_uid, user_uid, session_uid }: Ticket,
  expires: number,
) =>
  secrets
    .mac(purpose, [file_uid, user_uid, session_uid ?? '', expires].join('\n'))
    .toString('base64url')

const secondsNow = (now: Date) => Math.floor(now.getTime() / SECOND_MS)

/** Checks what a client sent; undefined unless we signed it and it has not expired. */
function readTicket(
  core: Core,
  purpose: string,
  file_uid: string,
  [user_uid = '', session = '', expires = '', signature = '']: readonly string[],
  now: Date,
): Ticket | undefined {
  if (!isUuid(user_uid) || !/^\d{1,12}$/.test(expires)) return undefined
  if (session !== '' && !isUuid(session)) return undefined
  const ticket = { file_uid, user_uid, session_uid: session || null }
  const is_valid = sameBytes(sign(core, purpose, ticket, Number(expires)), signature)
  return is_valid && Number(expires) > secondsNow(now) ? ticket : undefined
}

/** The address that opens a build for a person during the next minutes. */
export function startLink(core: Core, play_url: string, game_uid: string, ticket: Ticket): string {
  const expires = secondsNow(new Date()) + LINK_SECONDS
  const query = new URLSearchParams({
    user: ticket.user_uid,
    ...(ticket.session_uid && { session: ticket.session_uid }),
    expires: String(expires),
    signature: sign(core, 'play-link', ticket, expires),
  })
  return `${playOrigins(play_url).of(game_uid)}/.start/${ticket.file_uid}?${query}`
}

export const readStartLink = (
  core: Core,
  file_uid: string,
  query: URLSearchParams,
  now: Date,
): Ticket | undefined =>
  readTicket(
    core,
    'play-link',
    file_uid,
    ['user', 'session', 'expires', 'signature'].map((name) => query.get(name) ?? ''),
    now,
  )

const cookieName = (is_https: boolean, file_uid: string) =>
  `${is_https ? HOST_PREFIX : ''}${COOKIE}_${file_uid}`

/**
 * The frame of the game is on another site than the page around it, so the cookie must be allowed
 * there (`SameSite=None`), and is kept apart for every site that shows the game (`Partitioned`).
 * Browsers accept a secure cookie on `localhost` without https.
 */
export function playCookie(core: Core, ticket: Ticket, is_https: boolean): string {
  const expires = secondsNow(new Date()) + COOKIE_SECONDS
  const signature = sign(core, 'play-cookie', ticket, expires)
  const value = [ticket.user_uid, ticket.session_uid ?? '', expires, signature].join('.')
  const name = cookieName(is_https, ticket.file_uid)
  return `${name}=${value}; Max-Age=${COOKIE_SECONDS}; Path=/; HttpOnly; Secure; SameSite=None; Partitioned`
}

export function readPlayCookie(
  core: Core,
  file_uid: string,
  cookies: string | undefined,
  is_https: boolean,
  now: Date,
): Ticket | undefined {
  const start = `${cookieName(is_https, file_uid)}=`
  for (const cookie of (cookies ?? '').split(';')) {
    const text = cookie.trim()
    if (text.startsWith(start))
      return readTicket(core, 'play-cookie', file_uid, text.slice(start.length).split('.'), now)
  }
  return undefined
}
