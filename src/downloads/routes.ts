import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Identity } from '../accounts/identity.ts'
import { developer, player } from '../accounts/schemes.ts'
import { openFiles } from '../builds/audience.ts'
import { gameOfFile, readFiles, type SeenFile } from '../builds/file-queries.ts'
import { fileKey } from '../builds/files.ts'
import type { Core } from '../core/core.ts'
import { isUuid } from '../core/crypto.ts'
import { refuse } from '../core/errors.ts'
import { perIp } from '../core/limits.ts'
import { anyone, type Input, route, Timestamp, Uid } from '../core/route.ts'
import { insertFreeLicence, readHolding } from '../library/queries.ts'
import { findForEditor } from '../listings/edit.ts'
import { pageUrl } from '../listings/page-url.ts'
import type { ListingFor } from '../listings/queries.ts'
import { clientOf, hostOf, type Outcome, sourceOf } from './attempts.ts'
import { checkLink, signLink } from './links.ts'
import { readCleanFile, readDownloads, readPrice, recordAttempt } from './queries.ts'
import { attachment, matches, readRange } from './serve.ts'

const Text = Type.String()
const params = Type.Object({ file_uid: Text })
const LinkData = Type.Object({
  url: Text,
  expires_at: Timestamp,
  expires_in: Type.Integer(),
  filename: Text,
  checksum: Text,
  game_uid: Uid,
})
const limits = [perIp(60, { bucket: 'downloads' })]
const query = Type.Object({ source: Type.Optional(Text) })

type Found = { listing: ListingFor; file: SeenFile; runs_it: boolean }

/** A file on a channel the viewer sees; else there is none. */
async function findFile(core: Core, who: Identity | null, file_uid: string): Promise<Found> {
  const game_uid = isUuid(file_uid) ? await gameOfFile(core.sql, file_uid) : undefined
  const { listing, audience } = await openFiles(core.sql, who, game_uid ?? refuse('NOT_FOUND'))
  const [file] = await readFiles(core.sql, listing.uid, audience, file_uid)
  return { listing, file: file ?? refuse('NOT_FOUND'), runs_it: audience.all }
}

/** Writes down what came of an attempt: what was asked for and how, and never from which address. */
function recorder(core: Core, { headers }: FastifyRequest, { file, listing }: Found, who: Identity | null, asked: string | undefined) {
  const referrer_host = hostOf(headers.referer)
  const about = {
    ...{ game_uid: listing.uid, file_uid: file.uid, build_uid: file.build_id, channel: file.channel, user_uid: who?.user_uid ?? null },
    ...{ source: sourceOf(asked, referrer_host, core.addresses.web_url), country: null, referrer_host, ...clientOf(headers['user-agent']) },
  }
  return (outcome: Outcome, access: string, licence_granted = false) =>
    recordAttempt(core.sql, { ...about, outcome, access, licence_granted })
}

const buying = (core: Core, listing: ListingFor, price_cents: number) => ({
  browse_url: pageUrl(core.addresses, listing),
  price_cents,
  currency: 'USD',
})

type Asking = Pick<Input<unknown, { file_uid: string }, { source?: string }, unknown>, 'core' | 'params' | 'query' | 'request'>

/** Without an account: free projects that allow it, and nothing is kept of whoever asked. */
async function signedOut({ core, params, query, request }: Asking) {
  const found = await findFile(core, null, params.file_uid)
  const { listing, file } = found
  const record = recorder(core, request, found, null, query.source)
  const { price_cents, editions } = await readPrice(core.sql, listing.uid)
  const paid = price_cents > 0
  if (paid || editions > 0 || !listing.anonymous_downloads) {
    await record(paid ? 'payment_required' : 'sign_in_required', 'anonymous')
    refuse('SIGN_IN_TO_DOWNLOAD', buying(core, listing, price_cents))
  }
  if (file.scan === 'scanning') {
    await record('scanning', 'anonymous')
    refuse('STILL_SCANNING')
  }
  return linkTo(core, file, (outcome) => record(outcome, 'anonymous'))
}

async function linkTo(core: Core, file: SeenFile, record: (outcome: Outcome) => Promise<void>) {
  try {
    const link = signLink(core, file, new Date())
    await record('ok')
    return link
  } catch (error) {
    await record('unavailable')
    throw error
  }
}

export const publicDownload = route({
  method: 'GET',
  url: '/api/v1/public/downloads/:file_uid',
  summary: 'A link to a file of a project that allows downloads without an account',
  auth: anyone,
  limits,
  params,
  query,
  data: LinkData,
  cors: true,
  cache: 'no-store',
  errors: ['SIGN_IN_TO_DOWNLOAD', 'NOT_FOUND', 'STILL_SCANNING', 'LINK_NOT_SIGNED'],
  handle: signedOut,
})

export const publicDownloadRedirect = route({
  method: 'GET',
  url: '/api/v1/public/downloads/:file_uid/redirect',
  summary: 'Goes straight to the file',
  auth: anyone,
  limits,
  params,
  query,
  envelope: false,
  cors: true,
  cache: 'no-store',
  errors: ['SIGN_IN_TO_DOWNLOAD', 'NOT_FOUND', 'STILL_SCANNING', 'LINK_NOT_SIGNED'],
  handle: async (input) => input.reply.redirect((await signedOut(input)).url, 302),
})

export const privateDownload = route({
  method: 'GET',
  url: '/api/v1/private/downloads/:file_uid',
  summary: 'A link to a file for someone signed in; the first download of a free game puts it into their library',
  auth: player('player:read'),
  params,
  query,
  data: LinkData,
  errors: ['NOT_FOUND', 'EMAIL_NOT_VERIFIED', 'STILL_SCANNING', 'BUY_TO_DOWNLOAD', 'LINK_NOT_SIGNED'],
  async handle({ core, who, params, query, request }) {
    const found = await findFile(core, who, params.file_uid)
    if (!who.email_verified) refuse('EMAIL_NOT_VERIFIED')
    const record = recorder(core, request, found, who, query.source)
    const { access, granted } = await accessOf(core, found, who, record)
    if (found.file.scan === 'scanning') {
      await record('scanning', access, granted)
      refuse('STILL_SCANNING')
    }
    return linkTo(core, found.file, (outcome) => record(outcome, access, granted))
  },
})

type Recorder = ReturnType<typeof recorder>

/** By what right: running the project, a copy, or a free one that is given here. */
async function accessOf(core: Core, { listing, runs_it, file }: Found, { user_uid }: Identity, record: Recorder) {
  if (runs_it) return { access: 'owner', granted: false }
  const held = await readHolding(core.sql, user_uid, listing.uid)
  if (held?.source) return { access: held.source as string, granted: false }
  // A file that cannot be had yet gives no copy yet.
  if (!held?.is_paid && file.scan === 'scanning') return { access: 'free', granted: false }
  if (!held?.is_paid && (await insertFreeLicence(core.sql, user_uid, listing.uid))) return { access: 'free', granted: true }
  const now = await readHolding(core.sql, user_uid, listing.uid)
  if (now?.source) return { access: now.source as string, granted: false }
  await record('payment_required', 'purchase')
  refuse('BUY_TO_DOWNLOAD', buying(core, listing, (await readPrice(core.sql, listing.uid)).price_cents))
}

export const serveFile = route({
  method: 'GET',
  url: '/files/:file_uid/:filename',
  summary: 'The bytes of a file, by a signed link',
  auth: anyone,
  params: Type.Object({ file_uid: Text, filename: Text }),
  query: Type.Object({ expires: Type.String({ default: '' }), signature: Type.String({ default: '' }) }),
  envelope: false,
  produces: 'application/zip',
  cache: 'private, no-store',
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  async handle({ core, sql, params, query, request, reply }) {
    if (!isUuid(params.file_uid)) refuse('NOT_FOUND')
    checkLink(core, params.file_uid, query, new Date())
    const file = (await readCleanFile(sql, params.file_uid)) ?? refuse('NOT_FOUND')
    const etag = `"${file.checksum}"`
    reply.headers({ etag, 'accept-ranges': 'bytes', 'last-modified': file.uploaded_at.toUTCString() })
    if (matches(request.headers['if-none-match'], etag)) return reply.code(304).send()
    const { range: asked, 'if-range': since } = request.headers
    const range = since === undefined || since === etag ? readRange(asked, file.size) : undefined
    if (range === null) return notThere(reply, file.size)
    const whole = { start: 0, end: file.size - 1 }
    reply.headers({ 'content-disposition': attachment(file.filename), 'content-security-policy': "default-src 'none'; sandbox" })
    if (range) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${file.size}`)
    return send(core, reply, fileKey(file), range ?? whole, request.method === 'HEAD')
  },
})

async function send(core: Core, reply: FastifyReply, key: string, range: { start: number; end: number }, head: boolean) {
  const found = head ? undefined : ((await core.storage.get(key, range)) ?? refuse('NOT_FOUND'))
  reply.type('application/zip').header('content-length', range.end - range.start + 1)
  return reply.send(found?.stream ?? Readable.from([]))
}

function notThere(reply: FastifyReply, size: number) {
  const error = { code: 4000, message: 'The file has no such bytes' }
  return reply
    .code(416)
    .header('content-range', `bytes */${size}`)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ success: false, error }))
}

const counts = <K extends string>(name: K) =>
  Type.Array(Type.Object({ [name]: Text, count: Type.Integer() } as { [P in K]: typeof Text } & { count: ReturnType<typeof Type.Integer> }))
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
  summary: 'Thirty days of downloads',
  auth: developer('mcp:analytics.read'),
  params: Type.Object({ uid: Text }),
  data: Type.Object({ downloads: DownloadsData }),
  errors: ['NOT_FOUND'],
  async handle({ sql, who, params }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    const { by_source, by_access, by_client, by_outcome, by_country, daily, ...totals } = await readDownloads(sql, uid)
    const named = (rows: { name: string; count: number }[], key: string) => rows.map(({ name, count }) => ({ [key]: name, count }))
    const lists = {
      by_source: named(by_source, 'source'),
      by_access: named(by_access, 'access'),
      by_client: named(by_client, 'client'),
      by_outcome: named(by_outcome, 'outcome'),
      by_country: named(by_country, 'country'),
      daily: named(daily, 'day').sort((a, b) => (a.day! < b.day! ? -1 : 1)),
    }
    return { downloads: { ...totals, ...lists } as unknown as Static<typeof DownloadsData> }
  },
})
