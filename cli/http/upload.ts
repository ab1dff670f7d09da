import { setTimeout as pause } from 'node:timers/promises'
import { uploadLimits } from '../../src/builds/upload-limits.ts'
import { ApiError, exits, Failure, UsageError } from '../errors.ts'
import { formatSize, t } from '../messages.ts'
import { noStaging } from '../publish/availability.ts'
import { checkUnchanged, type Package } from '../publish/package.ts'
import type { Progress } from '../terminal/progress.ts'
import { type Api, type Data, urlEncoded } from './api.ts'
import { multipart } from './multipart.ts'
import { createResumeState, type ResumeState } from './resume.ts'
import { backoff, isTransient, MAX_ATTEMPTS, waitBeforeRetry, withRetries } from './retry.ts'

export type Target = {
  build_id: string
  os: string
  arch: string
  channel: string
  app: string
  /** The part of the devices that gets the build, if the user said so. */
  percent?: string | undefined
}
export type Uploaded = { file_uid: string; checksum: string; data: Data }

const MAX_REOPENS = 3
const SESSION_NOT_FOUND = 4045
const CHUNK_IN_PROGRESS = 4047
const FILES = '/tool/upload/files'

/**
 * Sends a zip: in one request when it is small, otherwise in chunks that can be resumed. With more
 * fields for its session, it is always sent in chunks, and so it is for a part of the devices: the
 * answer to the session says whether the store can do that.
 */
export async function uploadPackage(
  api: Api,
  zip: Package,
  target: Target,
  env: NodeJS.ProcessEnv,
  more_fields?: Record<string, string>,
): Promise<Uploaded> {
  const progress = api.ui.progress(t('progress-uploading'), zip.size)
  try {
    const data =
      zip.size <= uploadLimits.single_request_bytes && !more_fields && !target.percent
        ? await sendInOneRequest(api, { zip, target, progress })
        : await sendInChunks(api, { zip, target, progress, more_fields }, env)
    if (typeof data.file_uid !== 'string')
      throw new Failure(exits.refused, t('server-no-file-uid'), t('server-no-file-uid-hint'))
    return { file_uid: data.file_uid, checksum: zip.checksum, data }
  } finally {
    progress.end()
  }
}

const fieldsOf = (
  { build_id, os, arch, channel, app, percent }: Target,
  { checksum }: Package,
): Record<string, string> => ({
  build_id,
  ...(os ? { os } : {}),
  ...(arch ? { arch } : {}),
  ...(channel ? { channel } : {}),
  checksum,
  ...(app ? { app } : {}),
  ...(percent ? { percent } : {}),
})

type Upload = {
  zip: Package
  target: Target
  progress: Progress
  more_fields?: Record<string, string> | undefined
}

async function sendInOneRequest(api: Api, { zip, target, progress }: Upload): Promise<Data> {
  const fields = Object.entries(fieldsOf(target, zip)).map(([name, value]) => ({ name, value }))
  const file = { name: 'file', filename: zip.filename, path: zip.path, start: 0, length: zip.size }
  const body = multipart([...fields, file])
  const data = await withRetries(api, async () => {
    checkUnchanged(zip)
    return api.sendOnce({ method: 'POST', to: 'upload', path: FILES, body, onSent: progress.at })
  })
  progress.step(zip.size)
  return data
}

type Session = { id: string; at: number }

async function sendInChunks(api: Api, upload: Upload, env: NodeJS.ProcessEnv): Promise<Data> {
  const { zip, target, progress, more_fields } = upload
  const resume = resumeStateOf(api, target, env, more_fields?.format)
  let session = findInterrupted(api, zip, resume) ?? (await openSession(api, upload, resume))
  const busyWait = createBusyWait(api)
  for (let tries = 0, reopened = 0; session.at < zip.size; ) {
    try {
      const data = await sendChunk(api, zip, session, progress)
      if ('file_uid' in data) {
        resume.clear()
        return data
      }
      session = { ...session, at: offsetAfter(data, session, zip) }
      tries = 0
      busyWait.renew()
      progress.step(session.at)
    } catch (error) {
      if (isSessionNotFound(error) && reopened < MAX_REOPENS) {
        reopened++
        api.ui.note(t('session-expired'))
        session = await openSession(api, upload, resume)
        continue
      }
      if (isBusy(error)) {
        await busyWait.wait(error)
        continue
      }
      const at = await resumeOffset(api, { session, error, tries: ++tries, resume })
      // Another process uploads the same file: while it advances, nothing has failed.
      if (at > session.at) {
        tries = 1
        busyWait.renew()
      }
      session = { ...session, at }
    }
    resume.save({ session_id: session.id, checksum: zip.checksum, size: zip.size, at: session.at })
  }
  throw new Failure(exits.refused, t('server-no-file-uid-sent'), t('run-again-hint'))
}

/** The offset of the next chunk: what the server reports, or else the end of the chunk. */
const offsetAfter = ({ current_size }: Data, { at }: Session, zip: Package): number =>
  typeof current_size === 'number' ? current_size : at + chunkLength(zip, at)

const chunkLength = ({ size }: Package, at: number) => Math.min(uploadLimits.chunk_bytes, size - at)

const isSessionNotFound = (error: unknown) =>
  error instanceof ApiError && error.code === SESSION_NOT_FOUND
const isBusy = (error: unknown) => error instanceof ApiError && error.code === CHUNK_IN_PROGRESS

/**
 * Waits while another process uploads a chunk of the same session. That may take long on a slow
 * network, so it is limited by the timeout and does not count as a failed attempt.
 */
function createBusyWait({ ui, signal, settings }: Api) {
  let since: number | undefined
  let waits = 0
  return {
    renew() {
      since = undefined
      waits = 0
    },
    async wait(error: unknown) {
      const now = performance.now()
      if (since === undefined) ui.note(t('session-busy'))
      since ??= now
      if (now - since > settings.timeout_seconds * 1000) throw error
      await pause(backoff(Math.min(++waits, MAX_ATTEMPTS), settings) * 1000, undefined, { signal })
    },
  }
}

type FailedChunk = { session: Session; error: unknown; tries: number; resume: ResumeState }

/** The offset to continue at after a failed chunk; throws an error that a retry cannot fix. */
async function resumeOffset(
  api: Api,
  { session, error, tries, resume }: FailedChunk,
): Promise<number> {
  const server_offset =
    error instanceof ApiError && error.status === 409 ? error.current_size : undefined
  if (server_offset === undefined && !isTransient(error)) {
    // A later run cannot use the session: the server ended it or will refuse it again.
    if (error instanceof ApiError) resume.clear()
    throw error
  }
  if (tries >= MAX_ATTEMPTS) throw error
  if (server_offset !== undefined) return server_offset
  await waitBeforeRetry(tries, error, api)
  return session.at
}

async function openSession(
  api: Api,
  { zip, target, more_fields }: Upload,
  resume: ResumeState,
): Promise<Session> {
  const fields = {
    filename: zip.filename,
    total_size: String(zip.size),
    ...fieldsOf(target, zip),
    ...more_fields,
  }
  const data = await api.send({
    method: 'POST',
    to: 'upload',
    path: '/tool/upload/sessions',
    body: urlEncoded(fields),
  })
  if (typeof data.session_id !== 'string')
    throw new Failure(exits.refused, t('server-no-session'), t('run-again-hint'))
  if (target.percent && data.percent !== Number(target.percent)) throw noStaging()
  const at = typeof data.current_size === 'number' ? data.current_size : 0
  resume.save({ session_id: data.session_id, checksum: zip.checksum, size: zip.size, at })
  return { id: data.session_id, at }
}

/** Deltas have a state of their own, so that either kind of upload can be resumed. */
const resumeStateOf = (
  { settings }: Api,
  target: Target,
  env: NodeJS.ProcessEnv,
  format?: string,
): ResumeState =>
  createResumeState(env, { server: settings.upload_url, ...target, ...(format && { format }) })

/** Whether an earlier run has sent a part of this zip. */
export function hasInterruptedUpload(
  api: Api,
  { checksum, size }: Package,
  target: Target,
  env: NodeJS.ProcessEnv,
): boolean {
  const saved = resumeStateOf(api, target, env).read()
  return saved?.checksum === checksum && saved.size === size && saved.at > 0
}

/** The upload that an earlier run left unfinished, if it was of the same bytes. */
function findInterrupted(api: Api, zip: Package, resume: ResumeState): Session | undefined {
  const saved = resume.read()
  if (!saved) return undefined
  if (saved.checksum !== zip.checksum || saved.size !== zip.size) {
    api.ui.note(t('resume-changed'))
    return undefined
  }
  api.ui.note(t('resuming', { done: formatSize(saved.at), total: formatSize(zip.size) }))
  return { id: saved.session_id, at: saved.at }
}

async function sendChunk(
  api: Api,
  zip: Package,
  { id, at }: Session,
  progress: Progress,
): Promise<Data> {
  checkUnchanged(zip)
  const length = chunkLength(zip, at)
  if (at < 0 || length <= 0) throw new UsageError(t('server-too-many-bytes'))
  return api.sendOnce({
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
