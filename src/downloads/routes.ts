import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { developer, optionalToken, player } from '../accounts/sessions/schemes.ts'
import { fileKey } from '../builds/files/key.ts'
import { readFileWithdrawal } from '../builds/withdrawals/queries.ts'
import type { Sql } from '../core/database/sql.ts'
import { isInnerCall } from '../core/http/call.ts'
import { attachment, FILE_POLICY } from '../core/http/file-headers.ts'
import { daysQuery } from '../core/http/paging.ts'
import { anyone, type Input, route, TextOf } from '../core/http/route.ts'
import type { Core } from '../core/runtime/core.ts'
import { type ErrorName, refuse } from '../core/runtime/errors.ts'
import { STATISTICS_DAYS } from '../core/runtime/retention.ts'
import { isUuid } from '../core/security/crypto.ts'
import { perIp } from '../core/security/limits.ts'
import { sendObject } from '../core/storage/send-object.ts'
import { findForEditor } from '../listings/listing/edit.ts'
import { refuseWithdrawn } from '../listings/withdrawn/schema.ts'
import { claimableSources, hostOf, sourceOf } from './attempts.ts'
import { authorizeAnonymous, authorizeUser } from './authorize-download.ts'
import { findDownload } from './find-download.ts'
import { LinkData } from './link-schema.ts'
import { checkLink } from './links.ts'
import { followDownload } from './open-downloads.ts'
import { readCleanFile, readDownloads, type StoredFile } from './queries.ts'

const Text = Type.String()
const params = Type.Object({ file_uid: Text })
const limits = [perIp(60, { bucket: 'downloads' })]
const query = Type.Object({ source: Type.Optional(Text) })
const described = { query: { source: TextOf(claimableSources) } }

type DownloadInput = Pick<
  Input<unknown, { file_uid: string }, { source?: string }, unknown>,
  'core' | 'params' | 'query' | 'request'
>

const downloadRequest = ({ core, query, request }: DownloadInput) => ({
  core,
  request,
  // Among in-process callers, only the tools of the player server call these routes.
  source: isInnerCall()
    ? 'mcp_player'
    : sourceOf(query.source, hostOf(request.headers.referer), core.addresses.web_url),
})

const anonymousLink = async (input: DownloadInput) =>
  authorizeAnonymous(
    downloadRequest(input),
    await findDownload(input.core, null, input.params.file_uid),
  )

const anonymousErrors: ErrorName[] = [
  'DOWNLOAD_REQUIRES_SIGN_IN',
  'NOT_FOUND',
  'STILL_SCANNING',
  'BUILD_WITHDRAWN',
  'LINK_SIGNING_FAILED',
]

export const publicDownload = route({
  method: 'GET',
  url: '/api/v1/public/downloads/:file_uid',
  summary: 'Get a link to a file of a listing that allows downloads without an account',
  auth: optionalToken,
  limits,
  params,
  query,
  described,
  data: LinkData,
  cors: true,
  cache: 'no-store',
  errors: anonymousErrors,
  handle: anonymousLink,
})

const publicDownloadRedirect = route({
  method: 'GET',
  url: '/api/v1/public/downloads/:file_uid/redirect',
  summary: 'Redirect to the file',
  auth: optionalToken,
  limits,
  params,
  query,
  described,
  envelope: false,
  redirect: 302,
  cors: true,
  cache: 'no-store',
  errors: anonymousErrors,
  handle: async (input) => input.reply.redirect((await anonymousLink(input)).url, 302),
})

export const privateDownload = route({
  method: 'GET',
  url: '/api/v1/private/downloads/:file_uid',
  summary: 'Get a link to a file; the first download of a free game adds it to your library',
  auth: player('player:read'),
  params,
  query,
  described,
  data: LinkData,
  errors: [
    'NOT_FOUND',
    'CHANNEL_NOT_ACCESSIBLE',
    'BETA_REQUIRES_PURCHASE',
    'EMAIL_NOT_VERIFIED',
    'STILL_SCANNING',
    'BUILD_WITHDRAWN',
    'DOWNLOAD_REQUIRES_PURCHASE',
    'LINK_SIGNING_FAILED',
  ],
  handle: async (input) =>
    authorizeUser(
      downloadRequest(input),
      await findDownload(input.core, input.who, input.params.file_uid),
      input.who,
    ),
})

const serveFile = route({
  method: 'GET',
  url: '/files/:file_uid/:filename',
  summary: 'Download a file by a signed link',
  auth: anyone,
  params: Type.Object({ file_uid: Text, filename: Text }),
  query: Type.Object({
    expires: Type.String({ default: '' }),
    signature: Type.String({ default: '' }),
  }),
  envelope: false,
  produces: 'application/zip',
  cache: 'private, no-store',
  errors: ['NOT_FOUND', 'FORBIDDEN', 'BUILD_WITHDRAWN', 'RANGE_NOT_SATISFIABLE'],
  async handle({ core, sql, params, query, request, reply }) {
    if (!isUuid(params.file_uid)) refuse('NOT_FOUND')
    checkLink(core, params.file_uid, query, new Date())
    const download = followDownload(core, params.file_uid, reply.raw)
    const file = (await readCleanFile(sql, params.file_uid)) ?? (await refuseFile(sql, params))
    if (download.is_withdrawn) await refuseFile(sql, params)
    download.is_sending = true
    reply.headers({
      'content-disposition': attachment(file.filename),
      'content-security-policy': FILE_POLICY,
    })
    return core.config.accel_prefix
      ? sendByProxy(core, reply, file, core.config.accel_prefix)
      : sendFile(core, request, reply, file)
  },
})

/** Who holds a link to a withdrawn file learns why it does not work any more. */
async function refuseFile(sql: Sql, { file_uid }: { file_uid: string }): Promise<never> {
  const withdrawn = await readFileWithdrawal(sql, file_uid)
  return withdrawn ? refuseWithdrawn(withdrawn) : refuse('NOT_FOUND')
}

/** The proxy reads the same disk, and sends ranges and answers conditional requests itself. */
async function sendByProxy(
  { storage }: Core,
  reply: FastifyReply,
  file: StoredFile,
  prefix: string,
) {
  if (!(await storage.stat(fileKey(file)))) refuse('NOT_FOUND')
  return reply
    .type('application/zip')
    .header('x-accel-redirect', `${prefix}${fileKey(file)}`)
    .send('')
}

async function sendFile(
  { storage }: Core,
  request: FastifyRequest,
  reply: FastifyReply,
  file: StoredFile,
) {
  reply.header('last-modified', file.uploaded_at.toUTCString())
  const { size, checksum } = file
  return sendObject(storage, request, reply, {
    key: fileKey(file),
    size,
    checksum,
    type: 'application/zip',
  })
}

const counts = <K extends string>(name: K) =>
  Type.Array(
    Type.Object({ [name]: Text, count: Type.Integer() } as { [P in K]: typeof Text } & {
      count: ReturnType<typeof Type.Integer>
    }),
  )
const DownloadsData = Type.Object({
  total: Type.Integer(),
  unique_users: Type.Integer(),
  anonymous: Type.Integer(),
  licenses_granted: Type.Integer(),
  by_source: counts('source'),
  by_access: counts('access'),
  by_client: counts('client'),
  by_outcome: counts('outcome'),
  by_country: counts('country'),
  daily: counts('day'),
})

export const downloadAnalytics = route({
  method: 'GET',
  url: '/api/v1/private/games/:uid/download-analytics',
  summary: `Read the download statistics of the last ${STATISTICS_DAYS} days, or of up to a year`,
  auth: developer('mcp:analytics.read'),
  params: Type.Object({ uid: Text }),
  query: Type.Object(daysQuery),
  data: Type.Object({ downloads: DownloadsData }),
  errors: ['NOT_FOUND'],
  async handle({ sql, who, params, query }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    const { by_source, by_access, by_client, by_outcome, by_country, daily, ...totals } =
      await readDownloads(sql, uid, query.days)
    const withKey = (rows: { name: string; count: number }[], key: string) =>
      rows.map(({ name, count }) => ({ [key]: name, count }))
    const lists = {
      by_source: withKey(by_source, 'source'),
      by_access: withKey(by_access, 'access'),
      by_client: withKey(by_client, 'client'),
      by_outcome: withKey(by_outcome, 'outcome'),
      by_country: withKey(by_country, 'country'),
      daily: withKey(daily, 'day').sort((a, b) => (a.day! < b.day! ? -1 : 1)),
    }
    return { downloads: { ...totals, ...lists } as unknown as Static<typeof DownloadsData> }
  },
})

export const downloadRoutes = [
  publicDownload,
  publicDownloadRedirect,
  privateDownload,
  serveFile,
  downloadAnalytics,
]
