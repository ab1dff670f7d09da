import { open } from 'node:fs/promises'
import { uploadLimits } from '../../builds/upload-limits.ts'
import type { Core } from '../../core/runtime/core.ts'
import { type ErrorName, refuse } from '../../core/runtime/errors.ts'
import { MIB } from '../../core/runtime/units.ts'
import { isUuid } from '../../core/security/crypto.ts'
import { stageComposed } from '../receive/local-staging.ts'
import { partPath, removePart } from '../receive/part-files.ts'
import { refuseTooLarge } from '../receive/size-limit.ts'
import type { StagedUpload } from '../receive/staging.ts'
import { zipLimits } from '../zip/inspect.ts'
import type { ProgramFailure } from './delta-program.ts'
import { asStoredFile } from './plan.ts'
import { readCleanFiles, readEntriesAt } from './queries.ts'
import type { FileRequest, ResolvedFile } from './recorded-copies.ts'
import { DeltaFailure, runComposing } from './run-program.ts'

const COPY_BYTES = 4 * MIB

export type ComposedUpload = { staged: StagedUpload; size: number; checksum: string }

const refusals: Record<Exclude<ProgramFailure, 'too_large'>, ErrorName> = {
  wrong_bytes: 'CHECKSUM_MISMATCH',
  base_gone: 'DELTA_BASE_GONE',
  invalid: 'INVALID_UPLOAD',
}

/**
 * Composes the zip of a delta that has arrived, on the local disk. The zip and what is temporary
 * are part files of the zip's uid, so that the sweep removes what a crash leaves.
 */
export async function composeUpload(
  core: Core,
  { game_uid, uid }: { game_uid: string; uid: string },
  delta: StagedUpload,
): Promise<ComposedUpload> {
  const zip_path = await partPath(core, uid)
  const delta_path = await partPath(core, uid, 'delta')
  const temp_path = await partPath(core, uid, 'temp')
  const { max_entries, max_unpacked } = zipLimits(core.config)
  const temporary = [delta_path, `${temp_path}.base`, `${temp_path}.new`]
  try {
    // The program of a service that was killed may still write for a moment: to other files then.
    for (const path of [zip_path, ...temporary]) await removePart(path)
    await copyDelta(delta, delta_path)
    const limits = { max_entries, max_unpacked, max_zip_bytes: uploadLimits.max_file_bytes }
    const { size, checksum } = await runComposing(
      core,
      { delta_path, zip_path, temp_path, ...limits },
      (files) => resolveFiles(core, game_uid, files),
    )
    return { staged: stageComposed(core, { uid, game_uid }, zip_path, checksum), size, checksum }
  } catch (error) {
    await removePart(zip_path)
    if (!(error instanceof DeltaFailure)) throw error
    return refuseDelta(error)
  } finally {
    for (const path of temporary) await removePart(path)
  }
}

function refuseDelta({ reason, message }: DeltaFailure): never {
  if (reason === 'too_large') return refuseTooLarge(uploadLimits.max_file_bytes)
  if (reason === 'invalid')
    refuse('INVALID_UPLOAD', { field: 'file' }, `The delta ${message}; upload the whole zip`)
  return refuse(refusals[reason])
}

/** Copies what was received, which may be in an object store, to where the program can read it. */
async function copyDelta(delta: StagedUpload, path: string): Promise<void> {
  const { read, size, close } = await delta.open()
  const file = await open(path, 'w', 0o640)
  try {
    for (let at = 0; at < size; at += COPY_BYTES)
      await file.write(await read(at, Math.min(COPY_BYTES, size - at)))
  } finally {
    await file.close()
    await close()
  }
}

async function resolveFiles(
  { sql }: Core,
  game_uid: string,
  requests: FileRequest[],
): Promise<ResolvedFile[]> {
  const uids = requests.map(({ uid }) => uid).filter(isUuid)
  const clean = await readCleanFiles(sql, game_uid, uids)
  const by_uid = new Map(clean.map((file) => [file.uid, asStoredFile(game_uid, file)]))
  const resolved: ResolvedFile[] = []
  for (const { uid, paths } of requests) {
    const file = by_uid.get(uid)
    const entries = file && paths.length ? await readEntriesAt(sql, uid, paths) : []
    resolved.push(file ? { ...file, entries } : null)
  }
  return resolved
}
