import { Type } from 'typebox'
import { nameSchemas, route, Timestamp, Uid } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { isUuid } from '../../core/security/crypto.ts'
import { signOutCookies } from './cookies.ts'
import { clearIdentityCache } from './identity.ts'
import { isIdle } from './idle.ts'
import { endOtherSessions, endOwnSession, listSessions, type OpenSession } from './queries.ts'
import { website } from './schemes.ts'

const OptionalText = (description: string) =>
  Type.Union([Type.String(), Type.Null()], { description })

const SessionData = Type.Object({
  uid: Uid,
  current: Type.Boolean({ description: 'Whether this request was sent with it' }),
  browser: OptionalText('The browser or program that signed in; null if it is not known'),
  system: OptionalText('The operating system that it names; null if it names none'),
  country: OptionalText('The two-letter country of its address; null if it is not known'),
  network: OptionalText('The /24 or /48 of its address; null for sessions from before'),
  created_at: Timestamp,
  last_used_at: Timestamp,
  expires_at: Timestamp,
})
nameSchemas({ Session: SessionData })

const sessionData = (session: OpenSession, current_uid: string) => ({
  ...session,
  current: session.uid === current_uid,
  created_at: session.created_at.toISOString(),
  last_used_at: session.last_used_at.toISOString(),
  expires_at: session.expires_at.toISOString(),
})

export const listSessionsRoute = route({
  method: 'GET',
  url: '/api/v1/private/account/sessions',
  summary: 'List your sessions, this one first and then the last used',
  auth: website,
  data: Type.Object({ sessions: Type.Array(SessionData) }),
  async handle({ core, sql, who }) {
    const now = new Date()
    const open = (await listSessions(sql, who.user_uid, who.credential_uid)).filter(
      (session) => !isIdle({ ...who, ...session }, core.settings.current, now),
    )
    return { sessions: open.map((session) => sessionData(session, who.credential_uid)) }
  },
})

export const endSessionRoute = route({
  method: 'DELETE',
  url: '/api/v1/private/account/sessions/:uid',
  summary: 'End a session; its device counts as new when it signs in again',
  auth: website,
  params: Type.Object({ uid: Type.String() }),
  data: Type.Object({}),
  errors: ['NOT_FOUND'],
  async handle({ core, sql, who, params: { uid }, reply }) {
    if (!isUuid(uid) || !(await endOwnSession(sql, who, uid))) refuse('NOT_FOUND')
    clearIdentityCache()
    if (uid.toLowerCase() === who.credential_uid) reply.header('set-cookie', signOutCookies(core))
    return {}
  },
})

export const endOtherSessionsRoute = route({
  method: 'DELETE',
  url: '/api/v1/private/account/sessions',
  summary: 'End all other sessions; their devices count as new when they sign in again',
  auth: website,
  data: Type.Object({ ended: Type.Integer({ description: 'How many sessions ended' }) }),
  async handle({ sql, who }) {
    const ended = await endOtherSessions(sql, who)
    clearIdentityCache()
    return { ended }
  },
})

export const sessionRoutes = [listSessionsRoute, endSessionRoute, endOtherSessionsRoute]
