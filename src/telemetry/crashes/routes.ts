import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { requestSeconds } from '../../builds/upload-limits.ts'
import { transact } from '../../core/database/transaction.ts'
import { readForm } from '../../core/http/multipart.ts'
import { bodyChunks } from '../../core/http/read-body.ts'
import {
  anyone,
  FileBytes,
  FreeForm,
  Nullable,
  route,
  Timestamp,
  Uid,
} from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import { Refusal, refuse } from '../../core/runtime/errors.ts'
import { isUuid, sha256 } from '../../core/security/crypto.ts'
import { perIp } from '../../core/security/limits.ts'
import { announcedBytes, checkQuota, recordWithinQuota } from '../../listings/storage/quota.ts'
import { requireSynchronousCommit } from '../events/queries.ts'
import { MAX_KEYS } from '../metadata.ts'
import { game } from '../schemes.ts'
import { senderOf } from '../senders.ts'
import { type Artifact, findLink, type UploadLinkRow, useLink } from './queries.ts'
import { readSentCrash } from './read-queries.ts'
import {
  compressible,
  FORM_BYTES,
  MAX_ARTIFACT_BYTES,
  receiveReport,
  removeStored,
  type StoredArtifact,
  storeArtifact,
} from './receive.ts'
import { attachArtifact, recordCrash } from './record.ts'
import { severities } from './severity.ts'

const Text = Type.String()
const url = '/api/v1/public/crashes'
/** How long a crash reporter can read the result of its report. */
const READABLE_MINUTES = 15

const LinkData = Type.Object({
  url: Text,
  method: Type.Literal('PUT'),
  expires_at: Timestamp,
  max_bytes: Type.Integer(),
  filename: Text,
})

const optionalText = (description: string) => Type.Optional(Type.String({ description }))
const optionalFlag = (description: string) => Type.Optional(Type.Boolean({ description }))
/** The schema for clients. Reports are read leniently, because one with a mistake is useful too. */
const ReportBody = Type.Object(
  {
    report_id: optionalText('Your uuid; a report sent again with the same id counts once'),
    app_id: optionalText('The uid of the game, unless it is sent as X-App-Id'),
    build_id: optionalText('The uid of the build, unless it is sent as X-Build-Id'),
    app_name: optionalText('The name of the program'),
    app_version: optionalText('Its version'),
    engine_version: optionalText('The version of its engine'),
    os: optionalText('The operating system'),
    arch: optionalText('The processor architecture'),
    user_message: optionalText('What the player wrote'),
    severity: optionalText(`${severities.join(', ')}; anything else counts as none`),
    anonymous: optionalFlag('The player does not want to be identified'),
    device_uid: optionalText('A random id that stays the same on one device'),
    session_id: optionalText('The same as in the events of this run'),
    timestamp: optionalText('ISO 8601; defaults to the time of arrival'),
    has_dump: optionalFlag('Return a link to upload a dump'),
    has_log: optionalFlag('Return a link to upload a log'),
    metadata: Type.Optional(FreeForm(`Facts of your own, at most ${MAX_KEYS} keys`)),
  },
  { title: 'CrashReport', additionalProperties: true },
)
const ReportForm = Type.Object({
  metadata: Type.String({ description: 'The fields of the report as JSON' }),
  dump: Type.Optional(FileBytes('A minidump')),
  log: Type.Optional(FileBytes('A log')),
})

export const postCrash = route({
  method: 'POST',
  url,
  summary: 'Send a crash report',
  description:
    'Send JSON with has_dump, has_log, app_name, app_version, engine_version, os, arch, ' +
    'user_message, severity (fatal, error, warning or info), anonymous, device_uid and metadata; ' +
    'the response has single-use upload links for the dump and the log. Or send ' +
    'multipart/form-data with the parts metadata (the same JSON), dump and log. The dump may ' +
    'also be called upload_file_minidump, and text fields, app_id and build_id among them, may ' +
    'be parts of their own, as Breakpad sends them. The body may have Content-Encoding: gzip.',
  auth: game,
  // Games that run in a browser are on an origin of their own.
  cors: true,
  limits: [perIp(60, { bucket: 'crashes' })],
  raw_body: true,
  stores_files: 'anyone',
  described: { body: { 'application/json': ReportBody, 'multipart/form-data': ReportForm } },
  receive_seconds: requestSeconds,
  status: 201,
  data: Type.Object({
    id: Uid,
    uploads: Type.Object({ dump: Type.Optional(LinkData), log: Type.Optional(LinkData) }),
  }),
  errors: ['TOO_MANY_EVENTS', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
  async handle({ core, who, request }) {
    const received = await receiveReport(core, request, who)
    const sender = await senderOf(core, request, received.game.game_uid)
    return recordCrash(core, { ...received, sender })
  },
})

const putCrashUpload = route({
  method: 'PUT',
  url: '/api/v1/public/crash-uploads/:token',
  summary: 'Upload the dump or log of a crash report',
  description:
    'Send the file as the request body, or as the part `file` of a form. The body may have ' +
    'Content-Encoding: gzip.',
  auth: anyone,
  cors: true,
  limits: [perIp(60, { bucket: 'crash uploads' })],
  raw_body: true,
  stores_files: 'anyone',
  described: {
    body: {
      'application/octet-stream': FileBytes('The dump or log'),
      'multipart/form-data': Type.Object({ file: FileBytes('The dump or log') }),
    },
  },
  receive_seconds: requestSeconds,
  params: Type.Object({ token: Text }),
  data: Type.Object({ received: Type.Integer() }),
  errors: [
    'NOT_FOUND',
    'CONFLICT',
    'FILE_MISSING',
    'BODY_TOO_LARGE',
    'UNSUPPORTED_MEDIA_TYPE',
    'STORAGE_QUOTA_EXCEEDED',
  ],
  async handle({ core, params, request }) {
    const token_hash = sha256(params.token)
    const link =
      (await findLink(core.sql, token_hash)) ??
      refuse('NOT_FOUND', undefined, 'This link does not exist or has expired')
    if (link.used) refuse('CONFLICT', undefined, 'This link has already been used')
    const bytes = announcedBytes(request.raw, FORM_BYTES)
    await checkQuota(core, { game_uid: link.game_uid, sender: 'players', bytes })
    const stored = await receiveArtifact(core, request, link.kind)
    await attachToLink(core, link, token_hash, stored)
    return { received: stored.size }
  },
})

async function receiveArtifact(
  core: Core,
  request: FastifyRequest,
  kind: Artifact,
): Promise<StoredArtifact> {
  const is_form = /^multipart\/form-data\b/i.test(String(request.headers['content-type'] ?? ''))
  const max_bytes = MAX_ARTIFACT_BYTES + (is_form ? FORM_BYTES : 0)
  if (Number(request.headers['content-length'] ?? 0) > max_bytes) refuse('BODY_TOO_LARGE')
  const stored = is_form
    ? await receivePart(core, request, kind)
    : await storeArtifact(core, kind, bodyChunks(request.raw, compressible))
  if (stored && stored.size > 0) return stored
  if (stored) await removeStored(core, { [kind]: stored })
  return refuse(
    'FILE_MISSING',
    undefined,
    'Send the file as the request body, or as the part file of a form',
  )
}

async function receivePart(
  core: Core,
  request: FastifyRequest,
  kind: Artifact,
): Promise<StoredArtifact | undefined> {
  const limits = { ...compressible, max_bytes: MAX_ARTIFACT_BYTES + FORM_BYTES }
  let stored: StoredArtifact | undefined
  try {
    for await (const part of readForm(request.raw, limits))
      if (part.name === 'file' && !('value' in part) && !stored)
        stored = await storeArtifact(core, kind, part.bytes)
    return stored
  } catch (error) {
    if (stored) await removeStored(core, { [kind]: stored })
    throw error
  }
}

/** Of two concurrent uploads to the same link, the second fails and its file is removed. */
async function attachToLink(
  core: Core,
  { crash_uid, game_uid, kind }: UploadLinkRow,
  token_hash: Buffer,
  stored: StoredArtifact,
): Promise<void> {
  try {
    await transact(core.sql, async (tx) => {
      await requireSynchronousCommit(tx)
      await recordWithinQuota(core, tx, { game_uid, sender: 'players' }, async () => {
        // Locks the report before the link, the same order as for a report that is sent again.
        if (!(await attachArtifact(core, tx, crash_uid, { kind, file: stored })))
          refuse('CONFLICT', undefined, `This report already has a ${kind}`)
        if (!(await useLink(tx, token_hash)))
          refuse('CONFLICT', undefined, 'This link has already been used')
      })
    })
  } catch (error) {
    // After any other error the file may have been attached, so it is left to the sweep.
    if (error instanceof Refusal) await removeStored(core, { [kind]: stored })
    throw error
  }
}

const readReportOf = async (core: Core, id: string) =>
  (isUuid(id) && (await readSentCrash(core.sql, id, READABLE_MINUTES))) || refuse('NOT_FOUND')

const readSentReport = route({
  method: 'GET',
  url: `${url}/:report_id`,
  summary: 'Read the crash reason of a report you have just sent',
  description:
    `For crash reporters, for ${READABLE_MINUTES} minutes after the report. Symbol names are not ` +
    'included.',
  auth: anyone,
  cors: true,
  limits: [perIp(120, { bucket: 'sent crashes' })],
  params: Type.Object({ report_id: Text }),
  data: Type.Object({
    id: Uid,
    analysis: Nullable(Type.Object({ crash_reason: Text, crash_address: Text })),
  }),
  errors: ['NOT_FOUND'],
  async handle({ core, params }) {
    const { uid, analysis } = await readReportOf(core, params.report_id)
    const { crash_reason, crash_address } = analysis ?? {}
    return {
      id: uid,
      analysis:
        crash_reason === undefined || crash_address === undefined
          ? null
          : { crash_reason, crash_address },
    }
  },
})

const readSentStack = route({
  method: 'GET',
  url: `${url}/:report_id/stack`,
  summary: 'Read the stack of a report you have just sent, by module and offset',
  auth: anyone,
  cors: true,
  limits: [perIp(120, { bucket: 'sent crashes' })],
  params: Type.Object({ report_id: Text }),
  envelope: false,
  produces: 'text/plain',
  errors: ['NOT_FOUND'],
  async handle({ core, params, reply }) {
    const { analysis } = await readReportOf(core, params.report_id)
    if (!analysis?.frames?.length) refuse('NOT_FOUND', undefined, 'The stack is not available yet')
    const lines = analysis.frames.map(
      ({ module, offset }, i) => `${i}  ${module || '(no module)'} + ${offset}`,
    )
    return reply.type('text/plain; charset=utf-8').send(`${lines.join('\n')}\n`)
  },
})

export const crashRoutes = [postCrash, putCrashUpload, readSentReport, readSentStack]
