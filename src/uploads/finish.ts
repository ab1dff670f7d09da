import type { Tx } from '../core/database/sql.ts'
import { transact } from '../core/database/transaction.ts'
import type { Core } from '../core/runtime/core.ts'
import { Refusal, refuse } from '../core/runtime/errors.ts'
import {
  findAcceptedFile,
  findStoredContent,
  insertFile,
  makeNewest,
  type NewFile,
  type UploadedFile,
  type Uploader,
} from './queries.ts'
import type { StagedUpload } from './receive/staging.ts'
import { uploadKey } from './receive/upload-key.ts'
import type { UploadTarget } from './target.ts'

const FOREIGN_KEY_VIOLATION = '23503'

export type CompletedUpload = {
  staged: StagedUpload
  uploader: Uploader
  target: UploadTarget
  file_uid: string
  size: number
  /** Runs in the transaction that records the file. */
  inTransaction?: (tx: Tx) => Promise<unknown>
}

/**
 * Makes a checked upload a file: first its bytes, then its record and its scan job in one
 * transaction. A crash in between leaves only bytes, which the sweep removes. If the build has the
 * same content already, the bytes are removed: the answer is that file, or for another platform or
 * channel a new file that shares its object.
 */
export async function finishUpload(core: Core, upload: CompletedUpload): Promise<UploadedFile> {
  const { staged, uploader, file_uid, size, inTransaction } = upload
  const { build, ...target } = upload.target
  const file = { uid: file_uid, build_uid: build.uid, ...target, ...uploader, size }
  await staged.commit()
  try {
    return await transact(core.sql, async (tx) => {
      const recorded = await recordFile(core, tx, file)
      await inTransaction?.(tx)
      return recorded
    })
  } catch (error) {
    if (error instanceof Refusal) throw error
    // The build was deleted while its file was uploaded.
    if ((error as { code?: string }).code === FOREIGN_KEY_VIOLATION) refuse('BUILD_NOT_REGISTERED')
    core.log.error(
      { error: (error as Error).message, file_uid },
      'could not record an uploaded file; the client has to send it again',
    )
    refuse('FILE_NOT_RECORDED')
  }
}

async function recordFile(core: Core, tx: Tx, file: NewFile): Promise<UploadedFile> {
  const { uid: file_uid, game_uid, build_uid } = file
  const accepted = await findAcceptedFile(tx, file)
  const removeUploaded = () =>
    core.jobs.send(tx, 'builds.remove-objects', { keys: [uploadKey(file)] })
  if (accepted && accepted.file_uid !== file_uid) {
    await removeUploaded()
    await makeNewest(tx, accepted.file_uid)
    return { ...accepted, message: 'The build already has this file; it was not stored again' }
  }
  const object_uid = accepted ? null : await findStoredContent(tx, file)
  if (await insertFile(tx, { ...file, object_uid })) {
    if (object_uid) await removeUploaded()
    await core.jobs.send(tx, 'scan.file', { file_uid })
  }
  const { filename, checksum, channel, os, arch, size } = file
  return {
    file_uid,
    status: 'scanning',
    message: 'Received; it can be downloaded after its scan',
    build_id: build_uid,
    app_id: game_uid,
    filename,
    checksum,
    channel,
    os,
    arch,
    size,
  }
}
