import { Type } from 'typebox'
import { recordAudit } from '../../accounts/people/audit-queries.ts'
import { operator } from '../../accounts/people/operator-access.ts'
import { readUser, userExists } from '../../accounts/people/queries.ts'
import { type RequestSource, recordSecurityEvent } from '../../accounts/security-events/record.ts'
import { clearIdentityCache, type Identity } from '../../accounts/sessions/identity.ts'
import { isIdle } from '../../accounts/sessions/idle.ts'
import { endOtherSessions, endOwnSession, listSessions } from '../../accounts/sessions/queries.ts'
import { SessionData, sessionData } from '../../accounts/sessions/session-data.ts'
import type { Tx } from '../../core/database/sql.ts'
import { transact } from '../../core/database/transaction.ts'
import { route, Uid } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { perAccount } from '../../core/security/limits.ts'

const url = '/api/v1/private/operations/people/:uid/sessions'
const shared = { auth: operator, limits: [perAccount(120, { bucket: 'operations people' })] }

export const listPersonSessionsRoute = route({
  ...shared,
  method: 'GET',
  url,
  summary: 'For operators: where a person is signed in, the last used session first',
  params: Type.Object({ uid: Uid }),
  data: Type.Object({ sessions: Type.Array(SessionData) }),
  errors: ['NOT_FOUND'],
  async handle({ core, sql, who, params: { uid } }) {
    const person = (await readUser(sql, uid)) ?? refuse('NOT_FOUND')
    const now = new Date()
    const sessions = (await listSessions(sql, uid, who.credential_uid)).filter(
      (session) => !isIdle({ ...person, ...session }, core.settings.current, now),
    )
    return { sessions: sessions.map((session) => sessionData(session, who.credential_uid)) }
  },
})

type OperatorSource = RequestSource & { who: Identity }

/** Ends sessions of a person and records it; nothing is recorded if none ended. */
async function endSessions(
  { core, request, who }: OperatorSource,
  uid: string,
  end: (tx: Tx) => Promise<number>,
): Promise<number> {
  const ended = await transact(core.sql, async (tx) => {
    const count = await end(tx)
    if (!count) return 0
    const detail = { person: uid, sessions: count }
    const action = 'operator.end-sessions'
    await recordAudit(tx, { user_uid: who.user_uid, game_uid: null, action, detail })
    await recordSecurityEvent(tx, { core, request }, { kind: 'sessions_ended', user_uid: uid })
    return count
  })
  clearIdentityCache()
  return ended
}

export const endPersonSessionRoute = route({
  ...shared,
  method: 'DELETE',
  url: `${url}/:session_uid`,
  summary: 'For operators: end a session of a person',
  params: Type.Object({ uid: Uid, session_uid: Uid }),
  data: Type.Object({}),
  errors: ['NOT_FOUND'],
  async handle({ core, request, who, params: { uid, session_uid } }) {
    const owner = { user_uid: uid, credential_uid: who.credential_uid }
    const ended = await endSessions({ core, request, who }, uid, async (tx) =>
      Number(await endOwnSession(tx, owner, session_uid)),
    )
    if (!ended) refuse('NOT_FOUND')
    return {}
  },
})

export const endPersonSessionsRoute = route({
  ...shared,
  method: 'DELETE',
  url,
  summary: 'For operators: end all sessions of a person, except the one of this request',
  params: Type.Object({ uid: Uid }),
  data: Type.Object({ ended: Type.Integer({ description: 'How many sessions ended' }) }),
  errors: ['NOT_FOUND'],
  async handle({ core, sql, request, who, params: { uid } }) {
    if (!(await userExists(sql, uid.toLowerCase()))) refuse('NOT_FOUND')
    const owner = { user_uid: uid, credential_uid: who.credential_uid }
    const ended = await endSessions({ core, request, who }, uid, (tx) =>
      endOtherSessions(tx, owner),
    )
    return { ended }
  },
})

export const personSessionRoutes = [
  listPersonSessionsRoute,
  endPersonSessionRoute,
  endPersonSessionsRoute,
]
