import type { Tx } from '../core/database/sql.ts'
import { transact } from '../core/database/transaction.ts'
import type { Core } from '../core/runtime/core.ts'
import { Refusal, refuse } from '../core/runtime/errors.ts'
import { insertFile, type Uploader } from './queries.ts'
import type { StagedUpload } from './receive/staging.ts'
import type { UploadTarget } from './target.ts'

export type UploadedFile = {
  file_uid: string
  status: string
  message: string
  build_id: string
  app_id: string
  filename: string
  checksum: string
  channel: string
  os: string
  arch: string
  size: number
}

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
 * transaction. A crash in between leaves only bytes, which the sweep removes.
 */
export async function finishUpload(core: Core, upload: CompletedUpload): Promise<UploadedFile> {
  const { staged, uploader, file_uid, size, inTransaction } = upload
  const { build, ...target } = upload.target
  await staged.commit()
  try {
    await transact(core.sql, async (tx) => {
      const file = { uid: file_uid, build_uid: build.uid, ...target, ...uploader, size }
      if (await insertFile(tx, file)) await core.jobs.send(tx, 'scan.file', { file_uid })
      await inTransaction?.(tx)
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
  const { filename, checksum, channel, os, arch } = target
  return {
    file_uid,
    status: 'scanning',
    message: 'Received; it can be downloaded after its scan',
    build_id: build.uid,
    app_id: build.game_uid,
    filename,
    checksum,
    channel,
    os,
    arch,
    size,
  }
}
