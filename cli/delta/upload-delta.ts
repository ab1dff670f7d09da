import { ApiError } from '../errors.ts'
import type { Api } from '../http/api.ts'
import { hasInterruptedUpload, type Target, type Uploaded, uploadPackage } from '../http/upload.ts'
import { formatSize, t } from '../messages.ts'
import { type Package, temporaryFolder } from '../publish/package.ts'
import type { Item } from '../zip/tree.ts'
import { requestDelta } from './answer.ts'
import { bestCodec } from './codec.ts'
import { hashItems } from './hash-items.ts'
import { type Delta, makeDelta } from './make-delta.ts'
import { hasZstd, patchWithZstd } from './patch.ts'

/** What a delta is made of, besides the zip. */
export type DeltaSource = {
  items: readonly Item[]
  /** A local folder with the version that the store has. */
  base_folder: string | undefined
  wrap: string | undefined
}

/** Smaller zips are sent at once: comparing would take longer. */
const MIN_ZIP_BYTES = 1024 * 1024
/** A delta that is nearly as large as the zip is not worth composing. */
const MAX_RATIO = 0.9
/** Refusals after which the whole zip is sent: it is invalid, its bytes are wrong, no base. */
const fallback_codes = [4041, 4046, 4222]

/**
 * Sends only what the store does not have of the build. Undefined if the whole zip has to be sent,
 * which the user is told the reason of.
 */
export async function uploadDelta(
  api: Api,
  zip: Package,
  target: Target,
  { env, source }: { env: NodeJS.ProcessEnv; source: DeltaSource },
): Promise<(Uploaded & { sent: number }) | undefined> {
  if (zip.size < MIN_ZIP_BYTES || hasInterruptedUpload(api, zip, target, env)) return undefined
  let delta: Delta | undefined
  try {
    delta = await prepareDelta(api, zip, target, source)
    if (!delta) return undefined
    const { filename, files, unpacked } = zip
    const uploaded = await uploadPackage(
      api,
      { ...delta, filename, files, unpacked },
      target,
      env,
      {
        format: 'delta',
        source_checksum: zip.checksum,
      },
    )
    api.ui.note(t('sent-delta', { sent: formatSize(delta.size), total: formatSize(zip.size) }))
    return { ...uploaded, checksum: String(uploaded.data.checksum), sent: delta.size }
  } catch (error) {
    if (!(error instanceof ApiError) || (delta && !mayFallBack(error))) throw error
    api.ui.note(t('delta-refused', { reason: error.message }))
    return undefined
  }
}

/** Before that, any refusal means that deltas are not possible: earlier stores have none. */
const mayFallBack = ({ code }: ApiError) => fallback_codes.includes(code ?? 0)

async function prepareDelta(
  api: Api,
  zip: Package,
  target: Target,
  { items, base_folder, wrap }: DeltaSource,
): Promise<Delta | undefined> {
  const { signal, ui } = api
  const progress = ui.progress(t('progress-comparing'), 2 * zip.unpacked)
  try {
    const hashed = await hashItems(items, signal, progress.at)
    const with_patches = base_folder !== undefined && hasZstd()
    if (base_folder !== undefined && !with_patches) ui.note(t('delta-no-zstd'))
    const answer = await requestDelta(api, {
      target,
      filename: zip.filename,
      items: hashed,
      signatures: !with_patches,
    })
    if (!answer) return undefined
    const folder = temporaryFolder()
    const delta = await makeDelta(hashed, answer, {
      folder,
      codec: bestCodec(),
      signal,
      makePatch: with_patches
        ? patchWithZstd({ base_folder, wrap, temp_folder: folder, signal })
        : undefined,
      onProgress: (bytes) => progress.at(zip.unpacked + bytes),
    })
    return delta.size < zip.size * MAX_RATIO ? delta : undefined
  } finally {
    progress.end()
  }
}
