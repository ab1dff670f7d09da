import type { IncomingMessage } from 'node:http'
import { readChecksum } from '../../builds/builds/fields.ts'
import { uploadLimits } from '../../builds/upload-limits.ts'
import { transact } from '../../core/database/transaction.ts'
import { readForm } from '../../core/http/multipart.ts'
import { readBody } from '../../core/http/read-body.ts'
import { checkText } from '../../core/http/text-input.ts'
import type { Core } from '../../core/runtime/core.ts'
import { crashPoint } from '../../core/runtime/crash-point.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { KIB } from '../../core/runtime/units.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import { recordWithinQuota } from '../../listings/storage/quota.ts'
import { readTotalSize } from '../receive/chunk-headers.ts'
import { findTarget, type UploadFields } from '../target.ts'
import { checkMayRelease, holdUploaderRole, type Sender } from '../uploader-auth.ts'
import { insertSession } from './queries.ts'

const MAX_FORM_BYTES = 64 * KIB

export type OpenedSession = {
  session_id: string
  expected_size: number
  current_size: number
  expires_at: string
  /** Repeats what the uploader sent, so that it knows that the service read it. */
  percent?: number
}

/** Opens a resumable upload. Everything that can be checked is checked before bytes are sent. */
export async function openSession(
  core: Core,
  request: IncomingMessage,
  sender: Sender,
): Promise<OpenedSession> {
  const { uploader } = sender
  const fields = await readFields(request)
  const total_size = readTotalSize(fields.total_size)
  const filename = fields.filename ?? ''
  const { build, ...target } = await findTarget(core.sql, uploader.game_uid, { fields, filename })
  checkMayRelease(sender, target)
  const session = {
    uid: uuidv7(),
    file_uid: uuidv7(),
    build_uid: build.uid,
    ...uploader,
    ...target,
    total_size,
    ...readDeltaFields(fields),
  }
  const { session_seconds: seconds, open_sessions: max_open } = uploadLimits
  // An open session counts as stored, so that uploads at the same time share what is left.
  const opened = await transact(core.sql, async (tx) => {
    await holdUploaderRole(tx, uploader)
    const { game_uid } = uploader
    return recordWithinQuota(core, tx, { game_uid, sender: 'developers' }, () =>
      insertSession(tx, session, { seconds, max_open }),
    )
  })
  crashPoint('session-opened')
  if ('retry_after' in opened)
    refuse(
      'TOO_MANY_UPLOADS',
      opened,
      explain('upload_sessions', `A game can have at most ${max_open} open upload sessions`, {
        count: max_open,
      }),
      {
        'retry-after': String(opened.retry_after),
      },
    )
  return {
    session_id: session.uid,
    expected_size: total_size,
    current_size: 0,
    expires_at: opened.expires_at.toISOString(),
    ...(target.release_percent === null ? {} : { percent: target.release_percent }),
  }
}

/** A delta is received like a zip; the zip that is composed of it has a uid of its own. */
function readDeltaFields({ format = 'zip', source_checksum }: UploadFields) {
  if (format !== 'zip' && format !== 'delta')
    refuse('INVALID_UPLOAD', { field: 'format' }, 'format: send zip or delta')
  if (format === 'zip') return { composed_uid: null, source_checksum: null }
  return {
    composed_uid: uuidv7(),
    source_checksum: source_checksum ? readChecksum(source_checksum) : null,
  }
}

/** Uploaders send a URL-encoded form; a multipart form is accepted, too. */
async function readFields(request: IncomingMessage): Promise<UploadFields> {
  const fields: UploadFields = Object.create(null)
  if (/^multipart\//i.test(request.headers['content-type'] ?? '')) {
    for await (const part of readForm(request, { max_bytes: MAX_FORM_BYTES }))
      if ('value' in part) fields[part.name] = part.value
    return fields
  }
  if (Number(request.headers['content-length'] ?? 0) > MAX_FORM_BYTES) refuse('BODY_TOO_LARGE')
  const body = await readBody(request.iterator({ destroyOnReturn: false }), MAX_FORM_BYTES)
  for (const [name, value] of new URLSearchParams(new TextDecoder().decode(body)))
    fields[name] = value
  checkText(fields, 'form')
  return fields
}
