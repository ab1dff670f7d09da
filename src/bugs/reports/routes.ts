import { Type } from 'typebox'
import { player } from '../../accounts/sessions/schemes.ts'
import { FileBytes, route, Timestamp, Uid } from '../../core/http/route.ts'
import type { ErrorName } from '../../core/runtime/errors.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { perIp } from '../../core/security/limits.ts'
import { findCopy } from '../../library/copy-queries.ts'
import { openPage } from '../../listings/page/page.ts'
import { reportSeconds } from './form.ts'
import { receiveReport } from './receive-report.ts'
import { MAX_MESSAGE } from './report-limits.ts'
import { gamePlayer } from './schemes.ts'

const url = '/api/v1/games/:game_uid/bugs'
const params = Type.Object({ game_uid: Type.String() })
const CreatedData = Type.Object({
  bug_uid: Uid,
  status: Type.Literal('open'),
  created_at: Timestamp,
})
const LinkData = Type.Object({
  url: Type.String(),
  method: Type.Literal('PUT'),
  expires_at: Timestamp,
  max_bytes: Type.Integer(),
  filename: Type.String(),
})
const StoreCreatedData = Type.Object({
  ...CreatedData.properties,
  crash_id: Type.Optional(Uid),
  uploads: Type.Optional(
    Type.Object(
      { dump: Type.Optional(LinkData), log: Type.Optional(LinkData) },
      { description: 'URLs that each accept one file, once, within 24 hours' },
    ),
  ),
})
const optionalText = (description: string) => Type.Optional(Type.String({ description }))
const reportFields = {
  message: Type.String({ maxLength: MAX_MESSAGE, description: 'What went wrong' }),
  client_version: optionalText('The version that the player runs'),
  os: optionalText('The operating system'),
  arch: optionalText('The processor architecture'),
  build_id: optionalText('The uid of a registered build'),
}
const ReportForm = Type.Object({
  ...reportFields,
  log: Type.Optional(FileBytes('The log, up to 512 KiB')),
  screenshot: Type.Optional(FileBytes('One PNG, JPEG or WebP image, up to 32 MiB')),
})
const ReportJson = Type.Object({
  ...reportFields,
  log: optionalText('The log'),
  include_dump: Type.Optional(Type.Boolean({ description: 'A dump is uploaded afterwards' })),
  include_log: Type.Optional(Type.Boolean({ description: 'A log is uploaded afterwards' })),
})
const reportErrors: ErrorName[] = [
  'NOT_FOUND',
  'UNAVAILABLE',
  'MALFORMED',
  'BODY_TOO_LARGE',
  'IMAGE_REJECTED',
  'BUG_REPORT_LIMIT_REACHED',
]
/** Refused reports do not count towards the daily cap, but cost as much to receive. */
const limits = [perIp(60, { bucket: 'bug reports' })]

export const reportBug = route({
  method: 'POST',
  url,
  summary: 'Report a bug from a running game: a multipart form with message, log and screenshot',
  auth: gamePlayer,
  // Games also run in browsers; they authenticate with a header, not with cookies.
  cors: true,
  limits,
  params,
  raw_body: true,
  stores_files: 'anyone',
  described: { body: { 'multipart/form-data': ReportForm } },
  receive_seconds: reportSeconds,
  idempotent: true,
  status: 201,
  data: CreatedData,
  errors: [...reportErrors, 'FORBIDDEN'],
  handle: ({ core, who: { game_uid, ...reporter }, request }) =>
    receiveReport(core, request.raw, { source: 'game', game_uid, reporter }),
})

/** For owners of a copy, on the store page. The `enabled` setting applies to running games only. */
export const reportBugFromStore = route({
  method: 'POST',
  url: '/api/v1/private/games/:uid/bug-reports',
  summary: 'Report a bug of a game you own: the same form, or JSON without files',
  description:
    'In JSON, `include_dump` and `include_log` announce files. ' +
    'The answer has a URL for each, to upload it by PUT within 24 hours.',
  auth: player('player:write'),
  limits,
  params: Type.Object({ uid: Type.String() }),
  raw_body: true,
  stores_files: 'account',
  described: { body: { 'multipart/form-data': ReportForm, 'application/json': ReportJson } },
  receive_seconds: reportSeconds,
  idempotent: true,
  status: 201,
  data: StoreCreatedData,
  errors: [...reportErrors, 'COPY_REQUIRED', 'GAME_NOT_AUTHENTICATED'],
  async handle({ core, sql, who, params, request }) {
    const copy = await findCopy(sql, who.user_uid, params.uid)
    // Without a copy, only those who may open the page learn that the game exists.
    if (!copy) await openPage(core, who, params.uid)
    const { uid: game_uid } = copy ?? refuse('COPY_REQUIRED')
    const reporter = { user_uid: who.user_uid, extstore_id: null }
    return receiveReport(core, request.raw, { source: 'store', game_uid, reporter })
  },
})

export const bugReportRoutes = [reportBug, reportBugFromStore]
