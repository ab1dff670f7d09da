import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { website } from '../accounts/sessions/schemes.ts'
import { deployKey } from '../builds/keys/schemes.ts'
import { route, Timestamp, Uid } from '../core/http/route.ts'
import type { Core } from '../core/runtime/core.ts'
import type { ErrorName } from '../core/runtime/errors.ts'
import type { Uploader } from './queries.ts'
import { countForGame } from './rate-limits.ts'
import { isChunk } from './receive/chunk-headers.ts'
import { receiveChunk } from './receive/receive-chunk.ts'
import { receiveFile } from './receive/receive-file.ts'
import { openSession } from './sessions/open-session.ts'
import { byKey, byPerson, fileRefusals, receiving } from './uploader-auth.ts'

const Text = Type.String()
const Uploaded = Type.Object({
  file_uid: Uid,
  status: Text,
  message: Text,
  build_id: Uid,
  app_id: Uid,
  filename: Text,
  checksum: Text,
  channel: Text,
  os: Text,
  arch: Text,
  size: Type.Integer(),
})

const Taken = Type.Object({
  session_id: Uid,
  current_size: Type.Integer(),
  expected_size: Type.Integer(),
  progress: Type.Number(),
})
const Opened = Type.Object({
  session_id: Uid,
  expected_size: Type.Integer(),
  current_size: Type.Integer(),
  expires_at: Timestamp,
})

const chunkRefusals: ErrorName[] = [
  'INVALID_CHUNK',
  'CHUNK_OUT_OF_ORDER',
  'UPLOAD_SESSION_NOT_FOUND',
  'CHUNK_IN_PROGRESS',
]

/** 201 with the file, or 202 while a session goes on. */
async function take(core: Core, { raw }: FastifyRequest, reply: FastifyReply, uploader: Uploader) {
  const chunk = isChunk(raw.headers)
  await countForGame(core, chunk ? 'chunks' : 'uploads', uploader.game_uid)
  const taken = chunk
    ? await receiveChunk(core, raw, uploader)
    : await receiveFile(core, raw, uploader)
  reply.code('file_uid' in taken ? 201 : 202)
  if (chunk) reply.header('x-upload-session-id', String(raw.headers['x-upload-session-id']))
  return taken
}

async function open(core: Core, { raw }: FastifyRequest, uploader: Uploader) {
  await countForGame(core, 'uploads', uploader.game_uid)
  return openSession(core, raw, uploader)
}

export const uploadFile = route({
  ...receiving,
  method: 'POST',
  url: '/api/v1/tool/upload/files',
  summary: 'Upload the zip of a build, or a chunk of it',
  auth: deployKey,
  data: Type.Union([Uploaded, Taken]),
  errors: [...fileRefusals, ...chunkRefusals],
  handle: ({ core, who, request, reply }) => take(core, request, reply, byKey(who)),
})

export const uploadFileOnWebsite = route({
  ...receiving,
  method: 'POST',
  url: '/api/v1/private/games/:uid/files',
  summary: 'Upload the zip of a build, or a chunk of it, from the website',
  auth: website,
  params: Type.Object({ uid: Text }),
  data: Type.Union([Uploaded, Taken]),
  errors: ['NOT_FOUND', ...fileRefusals, ...chunkRefusals],
  handle: async ({ core, sql, who, params, request, reply }) =>
    take(core, request, reply, await byPerson(sql, who, params.uid)),
})

export const openUploadSession = route({
  ...receiving,
  method: 'POST',
  url: '/api/v1/tool/upload/sessions',
  summary: 'Open a resumable upload',
  auth: deployKey,
  status: 201,
  data: Opened,
  errors: fileRefusals,
  handle: ({ core, who, request }) => open(core, request, byKey(who)),
})

export const openUploadSessionOnWebsite = route({
  ...receiving,
  method: 'POST',
  url: '/api/v1/private/games/:uid/files/sessions',
  summary: 'Open a resumable upload from the website',
  auth: website,
  params: Type.Object({ uid: Text }),
  status: 201,
  data: Opened,
  errors: ['NOT_FOUND', ...fileRefusals],
  handle: async ({ core, sql, who, params, request }) =>
    open(core, request, await byPerson(sql, who, params.uid)),
})
