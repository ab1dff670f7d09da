import { setTimeout as pause } from 'node:timers/promises'
import { uploadLimits } from '../../src/builds/limits.ts'
import { size as sized } from '../documents/text.ts'
import { ApiError, exits, Failure, UsageError } from '../errors.ts'
import { checkUnchanged, type Package } from '../publish/package.ts'
import type { Progress } from '../terminal/progress.ts'
import { type Api, type Data, urlEncoded } from './api.ts'
import { multipart } from './multipart.ts'
import { createMemory, type Memory } from './resume.ts'
import { backoff, isPassing, TRIES, waitAndTell, withTries } from './retry.ts'

export type Target = { build_id: string; os: string; arch: string; channel: string; app: string }
export type Uploaded = { file_uid: string; checksum: string; data: Data }

const REOPENS = 3
const SESSION_GONE = 4045
const CHUNK_IN_PROGRESS = 4047
const FILES = '/tool/upload/files'

/** Sends a zip: in one request when it is small, else in chunks that can be resumed. */
export async function uploadPackage(
  api: Api,
  zip: Package,
  target: Target,
  env: NodeJS.ProcessEnv,
): Promise<Uploaded> {
  const progress = api.ui.progress('uploading', zip.size)
  try {
    const data =
      zip.size <= uploadLimits.single_request_bytes
        ? await sendWhole(api, zip, target, progress)
        : await sendInChunks(api, zip, target, progress, env)
    if (typeof data.file_uid !== 'string')
      throw new Failure(
        exits.refused,
        'the server took the file but did not name it',
        'run slipway builds list to see what arrived',
      )
    return { file_uid: data.file_uid, checksum: zip.checksum, data }
  } finally {
    progress.end()
  }
}

const fieldsOf = (
  { build_id, os, arch, channel, app }: Target,
  { checksum }: Package,
): Record<string, string> => ({
  build_id,
  ...(os ? { os } : {}),
  ...(arch ? { arch } : {}),
  ...(channel ? { channel } : {}),
  checksum,
  ...(app ? { app } : {}),
})

async function sendWhole(
  api: Api,
  zip: Package,
  target: Target,
  progress: Progress,
): Promise<Data> {
  const fields = Object.entries(fieldsOf(target, zip)).map(([name, value]) => ({ name, value }))
  const file = { name: 'file', filename: zip.filename, path: zip.path, start: 0, length: zip.size }
  const body = multipart([...fields, file])
  const data = await withTries(api, async () => {
    checkUnchanged(zip)
    return api.ask({ method: 'POST', to: 'upload', path: FILES, body, onSent: progress.at })
  })
  progress.step(zip.size)
  return data
}

type Session = { id: string; at: number }

async function sendInChunks(
  api: Api,
  zip: Package,
  target: Target,
  progress: Progress,
  env: NodeJS.ProcessEnv,
): Promise<Data> {
  const memory = createMemory(env, { server: api.settings.upload_url, ...target })
  let session = recall(api, zip, memory) ?? (await openSession(api, zip, target, memory))
  const patience = createPatience(api)
  for (let tries = 0, reopened = 0; session.at < zip.size; ) {
    try {
      const data = await sendChunk(api, zip, session, progress)
      if ('file_uid' in data) {
        memory.forget()
        return data
      }
      const length = Math.min(uploadLimits.chunk_bytes, zip.size - session.at)
      session = {
        ...session,
        at: typeof data.current_size === 'number' ? data.current_size : session.at + length,
      }
      tries = 0
      patience.renew()
      progress.step(session.at)
    } catch (error) {
      if (error instanceof ApiError && error.code === SESSION_GONE && reopened < REOPENS) {
        reopened++
        api.ui.note('the server no longer knows this upload; starting a new one')
        session = await openSession(api, zip, target, memory)
        continue
      }
      if (isBusy(error)) {
        await patience.wait(error)
        continue
      }
      const at = await afterFailure(api, session, error, ++tries, memory)
      // Someone else sends the same: while it goes forward, nothing has failed.
      if (at > session.at) {
        tries = 1
        patience.renew()
      }
      session = { ...session, at }
    }
    memory.keep({ session_id: session.id, checksum: zip.checksum, size: zip.size, at: session.at })
  }
  throw new Failure(
    exits.refused,
    'all was sent, but the server did not name the file',
    'run the same command again',
  )
}

const isBusy = (error: unknown) => error instanceof ApiError && error.code === CHUNK_IN_PROGRESS

/** A chunk of someone else takes as long as their network needs: it is waited for like a silent server, and is no failed try. */
function createPatience({ ui, signal, settings }: Api) {
  let since: number | undefined
  let waits = 0
  return {
    renew() {
      since = undefined
      waits = 0
    },
    async wait(error: unknown) {
      const now = performance.now()
      if (since === undefined) ui.note('another program sends the same; waiting for its chunk')
      since ??= now
      if (now - since > settings.timeout_seconds * 1000) throw error
      await pause(backoff(Math.min(++waits, TRIES), settings) * 1000, undefined, { signal })
    },
  }
}

/** Where to go on after a chunk that failed; throws what cannot be mended. */
async function afterFailure(
  api: Api,
  session: Session,
  error: unknown,
  tries: number,
  memory: Memory,
): Promise<number> {
  const elsewhere =
    error instanceof ApiError && error.status === 409 ? error.current_size : undefined
  if (elsewhere === undefined && !isPassing(error)) {
    // The session is of no use to a later run: the server ended it, or will refuse it again.
    if (error instanceof ApiError) memory.forget()
    throw error
  }
  if (tries >= TRIES) throw error
  if (elsewhere !== undefined) return elsewhere
  await waitAndTell(tries, error, api)
  return session.at
}

async function openSession(
  api: Api,
  zip: Package,
  target: Target,
  memory: Memory,
): Promise<Session> {
  const fields = { filename: zip.filename, total_size: String(zip.size), ...fieldsOf(target, zip) }
  const data = await api.send({
    method: 'POST',
    to: 'upload',
    path: '/tool/upload/sessions',
    body: urlEncoded(fields),
  })
  if (typeof data.session_id !== 'string')
    throw new Failure(exits.refused, 'the server opened no upload session')
  const at = typeof data.current_size === 'number' ? data.current_size : 0
  memory.keep({ session_id: data.session_id, checksum: zip.checksum, size: zip.size, at })
  return { id: data.session_id, at }
}

/** The upload that an earlier run left, if it was of these very bytes. */
function recall(api: Api, zip: Package, memory: Memory): Session | undefined {
  const left = memory.read()
  if (!left) return undefined
  if (left.checksum !== zip.checksum || left.size !== zip.size) {
    api.ui.note('the files changed since the upload that was interrupted; starting over')
    return undefined
  }
  api.ui.note(
    `continuing the upload that was interrupted at ${sized(left.at)} of ${sized(zip.size)}`,
  )
  return { id: left.session_id, at: left.at }
}

async function sendChunk(
  api: Api,
  zip: Package,
  { id, at }: Session,
  progress: Progress,
): Promise<Data> {
  checkUnchanged(zip)
  const length = Math.min(uploadLimits.chunk_bytes, zip.size - at)
  if (at < 0 || length <= 0) throw new UsageError('the server is further than the file is long')
  return api.ask({
    method: 'POST',
    to: 'upload',
    path: FILES,
    headers: {
      'x-upload-session-id': id,
      'content-range': `bytes ${at}-${at + length - 1}/${zip.size}`,
    },
    body: multipart([{ name: 'file', filename: zip.filename, path: zip.path, start: at, length }]),
    onSent: (sent) => progress.at(at + Math.min(sent, length)),
  })
}
