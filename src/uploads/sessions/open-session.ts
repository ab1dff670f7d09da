import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { uploadLimits } from '../../builds/limits.ts'
import { readForm } from '../../core/http/multipart.ts'
import { checkText } from '../../core/http/text-input.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import type { Uploader } from '../queries.ts'
import { readTotalSize } from '../receive/chunk-headers.ts'
import { type Fields, findTarget } from '../target.ts'
import { insertSession } from './queries.ts'

const MAX_FORM = 64 * 1024

export type Opened = {
  session_id: string
  expected_size: number
  current_size: number
  expires_at: string
}

/** A resumable upload; everything that can be wrong with it is said before a byte is sent. */
export async function openSession(
  core: Core,
  request: IncomingMessage,
  uploader: Uploader,
): Promise<Opened> {
  const fields = await readFields(request)
  const total_size = readTotalSize(fields.total_size)
  const { build, ...target } = await findTarget(
    core.sql,
    uploader.game_uid,
    fields,
    fields.filename ?? '',
  )
  const session = {
    uid: uuidv7(),
    file_uid: uuidv7(),
    build_uid: build.uid,
    ...uploader,
    ...target,
    total_size,
  }
  const limits = { seconds: uploadLimits.session_seconds, most: uploadLimits.open_sessions }
  const opened = await insertSession(core.sql, session, limits)
  if ('retry_after' in opened)
    refuse('TOO_MANY_UPLOADS', opened, `A game has at most ${limits.most} open upload sessions`, {
      'retry-after': String(opened.retry_after),
    })
  return {
    session_id: session.uid,
    expected_size: total_size,
    current_size: 0,
    expires_at: opened.expires_at.toISOString(),
  }
}

/** As uploaders send it, url-encoded; a form with parts will do too. */
async function readFields(request: IncomingMessage): Promise<Fields> {
  const fields: Fields = Object.create(null)
  if (/^multipart\//i.test(request.headers['content-type'] ?? '')) {
    for await (const part of readForm(request, { max_bytes: MAX_FORM }))
      if ('value' in part) fields[part.name] = part.value
    return fields
  }
  if (Number(request.headers['content-length'] ?? 0) > MAX_FORM) refuse('BODY_TOO_LARGE')
  for (const [name, value] of new URLSearchParams(await text(upTo(request, MAX_FORM))))
    fields[name] = value
  checkText(fields, 'form')
  return fields
}

async function* upTo(request: IncomingMessage, max: number): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += chunk.length
    if (size > max) refuse('BODY_TOO_LARGE')
    yield chunk
  }
}
