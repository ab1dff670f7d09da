import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { website } from '../accounts/sessions/schemes.ts'
import { deployKey } from '../builds/keys/schemes.ts'
import { nameSchemas, route, Timestamp, Uid } from '../core/http/route.ts'
import type { Core } from '../core/runtime/core.ts'
import type { ErrorName } from '../core/runtime/errors.ts'
import { ArchName, OsName } from '../listings/fields/file-schema.ts'
import { describedSession, describedUpload } from './described-bodies.ts'
import { enforceHourlyLimit } from './rate-limits.ts'
import { isChunk } from './receive/chunk-headers.ts'
import { receiveChunk } from './receive/receive-chunk.ts'
import { receiveFile } from './receive/receive-file.ts'
import { openSession } from './sessions/open-session.ts'
import {
  contentErrors,
  type Sender,
  senderByDeployKey,
  senderBySession,
  uploadErrors,
  uploadRouteOptions,
} from './uploader-auth.ts'

const Text = Type.String()
const UploadedData = Type.Object({
  file_uid: Uid,
  status: Text,
  message: Text,
  warnings: Type.Optional(Type.Array(Text)),
  name_collisions: Type.Optional(Type.Array(Type.Object({ first: Text, second: Text }))),
  build_id: Uid,
  app_id: Uid,
  filename: Text,
  checksum: Text,
  channel: Text,
  os: OsName,
  arch: ArchName,
  size: Type.Integer(),
})

const ProgressData = Type.Object({
  session_id: Uid,
  current_size: Type.Integer(),
  expected_size: Type.Integer(),
  progress: Type.Number(),
})
const OpenedData = Type.Object({
  session_id: Uid,
  expected_size: Type.Integer(),
  current_size: Type.Integer(),
  expires_at: Timestamp,
  percent: Type.Optional(
    Type.Integer({ description: 'The part of the devices that the file is for, if it was sent' }),
  ),
})
nameSchemas({ UploadedFile: UploadedData, UploadProgress: ProgressData, UploadSession: OpenedData })

const chunkErrors: ErrorName[] = [
  'INVALID_CHUNK',
  'CHUNK_OUT_OF_ORDER',
  'UPLOAD_SESSION_NOT_FOUND',
  'CHUNK_IN_PROGRESS',
  'DELTA_BASE_GONE',
]

/** The bytes of a session are checked with its last chunk. */
const sessionErrors = uploadErrors.filter((name) => name !== 'CHECKSUM_MISMATCH')

/** Answers 201 with the file, or 202 while the upload is not complete. */
async function receiveUpload(
  core: Core,
  { raw }: FastifyRequest,
  reply: FastifyReply,
  sender: Sender,
) {
  const { uploader } = sender
  const is_chunk = isChunk(raw.headers)
  await enforceHourlyLimit(core, is_chunk ? 'chunks' : 'uploads', uploader.game_uid)
  const result = is_chunk
    ? await receiveChunk(core, raw, uploader)
    : await receiveFile(core, raw, sender)
  reply.code('file_uid' in result ? 201 : 202)
  if (is_chunk) reply.header('x-upload-session-id', String(raw.headers['x-upload-session-id']))
  // The data of a 202 is described by the route.
  return result as Static<typeof UploadedData>
}

async function openUpload(core: Core, { raw }: FastifyRequest, sender: Sender) {
  await enforceHourlyLimit(core, 'uploads', sender.uploader.game_uid)
  return openSession(core, raw, sender)
}

export const uploadFile = route({
  ...uploadRouteOptions,
  method: 'POST',
  url: '/api/v1/tool/upload/files',
  summary: 'Upload the zip of a build, or a chunk of it',
  auth: deployKey,
  stores_files: 'listing',
  status: 201,
  data: UploadedData,
  described: {
    ...describedUpload,
    answers: { 202: { description: 'The chunk was received', data: ProgressData } },
  },
  errors: [...uploadErrors, ...contentErrors, ...chunkErrors],
  handle: ({ core, who, request, reply }) =>
    receiveUpload(core, request, reply, senderByDeployKey(who)),
})

export const uploadFileOnWebsite = route({
  ...uploadRouteOptions,
  method: 'POST',
  url: '/api/v1/private/games/:uid/files',
  summary: 'Upload the zip of a build, or a chunk of it, from the website',
  auth: website,
  stores_files: 'account',
  params: Type.Object({ uid: Text }),
  status: 201,
  data: UploadedData,
  described: {
    ...describedUpload,
    answers: { 202: { description: 'The chunk was received', data: ProgressData } },
  },
  errors: ['NOT_FOUND', 'STEP_UP_REQUIRED', ...uploadErrors, ...contentErrors, ...chunkErrors],
  handle: async ({ core, sql, who, params, request, reply }) =>
    receiveUpload(core, request, reply, await senderBySession(sql, who, params.uid)),
})

const openUploadSession = route({
  ...uploadRouteOptions,
  method: 'POST',
  url: '/api/v1/tool/upload/sessions',
  summary: 'Start a resumable upload',
  auth: deployKey,
  stores_files: 'listing',
  status: 201,
  data: OpenedData,
  described: describedSession,
  errors: sessionErrors,
  handle: ({ core, who, request }) => openUpload(core, request, senderByDeployKey(who)),
})

export const openUploadSessionOnWebsite = route({
  ...uploadRouteOptions,
  method: 'POST',
  url: '/api/v1/private/games/:uid/files/sessions',
  summary: 'Start a resumable upload from the website',
  auth: website,
  stores_files: 'account',
  params: Type.Object({ uid: Text }),
  status: 201,
  data: OpenedData,
  described: describedSession,
  errors: ['NOT_FOUND', 'STEP_UP_REQUIRED', ...sessionErrors],
  handle: async ({ core, sql, who, params, request }) =>
    openUpload(core, request, await senderBySession(sql, who, params.uid)),
})

export const uploadRoutes = [
  openUploadSession,
  openUploadSessionOnWebsite,
  uploadFile,
  uploadFileOnWebsite,
]
