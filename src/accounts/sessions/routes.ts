import { Type } from 'typebox'
import { route } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { isUuid } from '../../core/security/crypto.ts'
import { signOutCookies } from './cookies.ts'
import { clearIdentityCache } from './identity.ts'
import { isIdle } from './idle.ts'
import { endOtherSessions, endOwnSession, listSessions } from './queries.ts'
import { website } from './schemes.ts'
import { SessionData, sessionData } from './session-data.ts'

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
