import { Type } from 'typebox'
import { player } from '../../accounts/sessions/schemes.ts'
import { Body, route, Timestamp, Uid } from '../../core/http/route.ts'
import type { ErrorName } from '../../core/runtime/errors.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { perIp } from '../../core/security/limits.ts'
import { findCopy } from '../../library/copy-queries.ts'
import { openPage } from '../../listings/page/page.ts'
import { reportSeconds } from './form.ts'
import { acknowledge, readNotices } from './queries.ts'
import { receiveReport } from './receive-report.ts'
import { statuses } from './report-fields.ts'
import { filer } from './schemes.ts'

const url = '/api/v1/games/:game_uid/bugs'
const params = Type.Object({ game_uid: Type.String() })
const CreatedData = Type.Object({
  bug_uid: Uid,
  status: Type.Literal(statuses[0]),
  created_at: Timestamp,
})
const LinkData = Type.Object({
  ...{
    url: Type.String(),
    method: Type.Literal('PUT'),
    expires_at: Timestamp,
    max_bytes: Type.Integer(),
    filename: Type.String(),
  },
})
const StoreCreatedData = Type.Object({
  ...CreatedData.properties,
  crash_id: Type.Optional(Uid),
  uploads: Type.Optional(
    Type.Object(
      { dump: Type.Optional(LinkData), log: Type.Optional(LinkData) },
      { description: 'Addresses that each take one file, once, for 24 hours' },
    ),
  ),
})
const refusals: ErrorName[] = [
  'NOT_FOUND',
  'UNAVAILABLE',
  'MALFORMED',
  'BODY_TOO_LARGE',
  'IMAGE_REJECTED',
  'BUG_REPORT_LIMIT_REACHED',
]
const MOST_NOTICES = 100
/** Reports that are refused do not count towards the day's cap, and cost as much to receive. */
const reporting = [perIp(60, { bucket: 'bug reports' })]
const listening = [perIp(120, { bucket: 'bug notices' })]

export const reportBug = route({
  method: 'POST',
  url,
  summary: 'Report a bug from a running game: multipart, with message, log and screenshot',
  auth: filer,
  // Games also run in browsers; a token in a header is all they bring.
  cors: true,
  limits: reporting,
  params,
  raw_body: true,
  receive_seconds: reportSeconds,
  status: 201,
  data: CreatedData,
  errors: [...refusals, 'FORBIDDEN'],
  handle: ({ core, who: { game_uid, ...reporter }, request }) =>
    receiveReport(core, 'game', game_uid, reporter, request.raw),
})

/** From the store, by whoever holds a copy; the switch of the settings is for the game's own button. */
export const reportBugFromStore = route({
  method: 'POST',
  url: '/api/v1/private/games/:uid/bug-reports',
  summary: 'Report a bug of a game you hold a copy of: the same form, or JSON without files',
  description:
    'In JSON, `include_dump` and `include_log` announce files: the answer has an address for each, which takes it by PUT within 24 hours.',
  auth: player('player:write'),
  limits: reporting,
  params: Type.Object({ uid: Type.String() }),
  raw_body: true,
  receive_seconds: reportSeconds,
  status: 201,
  data: StoreCreatedData,
  errors: [...refusals, 'COPY_REQUIRED', 'GAME_NOT_AUTHENTICATED'],
  async handle({ core, sql, who, params, request }) {
    const held = await findCopy(sql, who.user_uid, params.uid)
    // Without a copy, only those who may open the page are told that it exists.
    if (!held) await openPage(core, who, params.uid)
    const { uid } = held ?? refuse('COPY_REQUIRED')
    return receiveReport(
      core,
      'store',
      uid,
      { user_uid: who.user_uid, extstore_id: null },
      request.raw,
    )
  },
})

export const readNoticesRoute = route({
  method: 'GET',
  url: `${url}/notices`,
  summary: 'What became of the bugs this player reported: those that were fixed and not yet told',
  auth: filer,
  cors: true,
  limits: listening,
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
    const rows = await readNotices(sql, who.game_uid, who, MOST_NOTICES)
    const notices = rows.map(({ build_id, version, fixed_at, ...notice }) => ({
      ...notice,
      fixed_at: fixed_at.toISOString(),
      ...(build_id && { build_id }),
      ...(version && { version }),
    }))
    return { notices }
  },
})

export const acknowledgeNotices = route({
  method: 'POST',
  url: `${url}/notices/ack`,
  summary: 'Say that notices were shown to the player; without uids, all that are answered now',
  auth: filer,
  cors: true,
  limits: listening,
  params,
  body: Type.Union([
    Type.Null(),
    Body({ uids: Type.Optional(Type.Array(Uid, { maxItems: 1000 })) }),
  ]),
  data: Type.Object({ acknowledged: Type.Integer() }),
  handle: async ({ sql, who, body }) => ({
    acknowledged: await acknowledge(sql, who.game_uid, who, body?.uids ?? null, MOST_NOTICES),
  }),
})
