import type { Build } from '../builds/builds/queries.ts'
import { releaseFileAgain } from '../builds/channels/staged-queries.ts'
import { findBlocked, holdBlockedHashes } from '../builds/files/blocked-queries.ts'
import { fileKey } from '../builds/files/key.ts'
import type { Sql, Tx } from '../core/database/sql.ts'
import { transact } from '../core/database/transaction.ts'
import type { Core } from '../core/runtime/core.ts'
import { crashPoint } from '../core/runtime/crash-point.ts'
import { Refusal, refuse, refuseAndLog } from '../core/runtime/errors.ts'
import { isStorageUnavailable } from '../core/storage/storage.ts'
import { recordWithinQuota } from '../listings/storage/quota.ts'
import {
  changeReleasePercent,
  findAcceptedFile,
  findStoredContent,
  insertFile,
  makeNewest,
  type NewFile,
  readStoredContent,
  replaceObjects,
  type UploadedFile,
  type Uploader,
} from './queries.ts'
import type { StagedUpload } from './receive/staging.ts'
import type { UploadTarget } from './target.ts'
import { holdUploaderRole } from './uploader-auth.ts'
import type { NameCollision } from './zip/name-collisions.ts'

const FOREIGN_KEY_VIOLATION = '23503'

const NOT_STORED_AGAIN = 'The build already has this file; it was not stored again'
const BYTES_REPLACED =
  'The build already has this file; its stored bytes were missing or damaged and were replaced'

const unwanted: ReadonlySet<string> = new Set([
  'STORAGE_QUOTA_EXCEEDED',
  'DEPLOY_KEY_REVOKED',
  'NOT_FOUND',
])

export type CompletedUpload = {
  staged: StagedUpload
  uploader: Uploader
  target: UploadTarget
  file_uid: string
  size: number
  /** The checksum of the zip that the uploader packed, if this one was composed of a delta. */
  source_checksum?: string | null
  /** Runs in the transaction that records the file. */
  inTransaction?: (tx: Tx) => Promise<unknown>
}

/** The answer to an upload, with what its publisher should know about the zip. */
export function withWarnings(file: UploadedFile, name_collisions: NameCollision[]): UploadedFile {
  if (!name_collisions.length) return file
  const warnings = name_collisions.map(
    ({ first, second }) =>
      `${JSON.stringify(first)} and ${JSON.stringify(second)} are the same name on Windows and ` +
      'macOS: one of them is lost there',
  )
  return { ...file, warnings, name_collisions }
}

/** Moderators block files by their hash. */
export async function refuseBlocked(sql: Sql | Tx, ...checksums: string[]): Promise<void> {
  if ((await findBlocked(sql, checksums)).size) refuse('CONTENT_BLOCKED')
}

/**
 * Makes a checked upload a file: first its bytes, then its record and its scan job in one
 * transaction. A crash in between leaves only bytes, which the sweep removes. If the build has the
 * same content already, the bytes are removed: the answer is that file, or for another platform or
 * channel a new file that shares its object. If that object is missing or damaged, the bytes
 * replace it.
 */
export async function finishUpload(core: Core, upload: CompletedUpload): Promise<UploadedFile> {
  const { staged, uploader, file_uid, size, source_checksum = null, inTransaction } = upload
  const { build, ...target } = upload.target
  const file = {
    uid: file_uid,
    build_uid: build.uid,
    ...target,
    ...uploader,
    size,
    source_checksum,
  }
  crashPoint('upload-checked')
  await staged.commit()
  crashPoint('upload-stored')
  try {
    const damaged = await findDamagedObjects(core, file)
    const recorded = await transact(core.sql, async (tx) => {
      await holdBlockedHashes(tx)
      await refuseBlocked(tx, file.checksum, ...(source_checksum ? [source_checksum] : []))
      await holdUploaderRole(tx, uploader)
      const { game_uid } = uploader
      return recordWithinQuota(core, tx, { game_uid, sender: 'developers' }, async () => {
        const recorded = await recordFile(core, tx, { file, build, damaged })
        await inTransaction?.(tx)
        crashPoint('upload-recording')
        return recorded
      })
    })
    crashPoint('upload-recorded')
    return recorded
  } catch (error) {
    // The sweep would leave the bytes for a day, and more could be sent.
    if (error instanceof Refusal && unwanted.has(error.refusal))
      await core.storage.discard(fileKey({ object_uid: file_uid, game_uid: uploader.game_uid }))
    if (error instanceof Refusal || isStorageUnavailable(error)) throw error
    // The build was deleted while its file was uploaded.
    if ((error as { code?: string }).code === FOREIGN_KEY_VIOLATION) refuse('BUILD_NOT_REGISTERED')
    refuseAndLog(
      {
        fields: { error: (error as Error).message, file_uid },
        message: 'could not record an uploaded file; the client has to send it again',
      },
      'FILE_NOT_RECORDED',
    )
  }
}

/**
 * The objects with the content of the file that are not stored in its size, or that could not be
 * scanned. This is checked before the transaction, so that a slow object store does not extend its
 * locks.
 */
async function findDamagedObjects({ sql, storage }: Core, file: NewFile): Promise<string[]> {
  const damaged: string[] = []
  for (const { object_uid, has_failed } of await readStoredContent(sql, file)) {
    const stored = await storage.stat(fileKey({ object_uid, game_uid: file.game_uid }))
    if (has_failed || stored?.size !== file.size) damaged.push(object_uid)
  }
  return damaged
}

type Recording = { file: NewFile; build: Build; damaged: readonly string[] }

async function recordFile(
  core: Core,
  tx: Tx,
  { file, build, damaged }: Recording,
): Promise<UploadedFile> {
  const { uid: file_uid, game_uid, build_uid } = file
  const accepted = await findAcceptedFile(tx, file)
  const removeObjects = (uids: string[]) =>
    core.jobs.send(tx, 'builds.remove-objects', {
      keys: uids.map((object_uid) => fileKey({ object_uid, game_uid })),
    })
  const replaced = damaged.length ? await replaceObjects(tx, file, damaged) : []
  if (replaced.length) {
    core.log.warn({ replaced, file_uid }, 'replaced stored files that were missing or damaged')
    await removeObjects(replaced)
  }
  if (accepted && accepted.file_uid !== file_uid) {
    if (!replaced.length) await removeObjects([file_uid])
    await makeNewest(tx, accepted.file_uid)
    await releaseAgain(tx, accepted, file, build)
    return { ...accepted, message: replaced.length ? BYTES_REPLACED : NOT_STORED_AGAIN }
  }
  const object_uid = accepted || replaced.length ? null : await findStoredContent(tx, file)
  if (await insertFile(tx, { ...file, object_uid })) {
    if (object_uid) await removeObjects([file_uid])
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

/** A file that is uploaded again for a part of the devices, or for all, is released to them. */
async function releaseAgain(
  tx: Tx,
  { file_uid, status, channel, os, arch }: UploadedFile,
  { release_percent, uploaded_by }: NewFile,
  { app, ...build }: Build,
): Promise<void> {
  if (release_percent === null) return
  await changeReleasePercent(tx, { file_uid, release_percent })
  if (status !== 'clean') return
  const key = { game_uid: build.game_uid, app, channel, os, arch }
  const release = { file_uid, release_percent, by_user: uploaded_by }
  await releaseFileAgain(tx, key, build, release)
}
