import { Type } from 'typebox'
import { OptionalBody, route, Timestamp, Uid } from '../../core/http/route.ts'
import { perIp } from '../../core/security/limits.ts'
import { gamePlayer } from '../reports/schemes.ts'
import { acknowledgeNotices, readNotices } from './queries.ts'

const url = '/api/v1/games/:game_uid/bugs/notices'
const params = Type.Object({ game_uid: Type.String() })
const MAX_NOTICES = 100
const limits = [perIp(120, { bucket: 'bug notices' })]

const readNoticesRoute = route({
  method: 'GET',
  url,
  summary: 'List the fixes of bugs that this player reported and has not been told about',
  auth: gamePlayer,
  cors: true,
  limits,
  cache: 'private, no-store',
  params,
  data: Type.Object({
    notices: Type.Array(
      Type.Object({
        uid: Uid,
        bug_uid: Uid,
        message: Type.String({ description: 'The report, as it was written' }),
        fixed_at: Timestamp,
        build_id: Type.Optional(Uid),
        version: Type.Optional(Type.String()),
      }),
    ),
  }),
  async handle({ sql, who }) {
    const rows = await readNotices(sql, who.game_uid, who, MAX_NOTICES)
    const notices = rows.map(({ build_id, version, fixed_at, ...notice }) => ({
      ...notice,
      fixed_at: fixed_at.toISOString(),
      ...(build_id && { build_id }),
      ...(version && { version }),
    }))
    return { notices }
  },
})

const acknowledgeNoticesRoute = route({
  method: 'POST',
  url: `${url}/ack`,
  summary: 'Mark notices as shown to the player; without uids, all of them',
  auth: gamePlayer,
  cors: true,
  limits,
  params,
  body: OptionalBody({
    uids: Type.Optional(
      Type.Array(Uid, { maxItems: 1000, description: 'The notices; all of them if left out' }),
    ),
  }),
  data: Type.Object({ acknowledged: Type.Integer() }),
  handle: async ({ sql, who, body }) => ({
    acknowledged: await acknowledgeNotices(sql, who.game_uid, who, body?.uids),
  }),
})

export const noticeRoutes = [readNoticesRoute, acknowledgeNoticesRoute]
