import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { t } from '../../messages.ts'
import { inParallel } from '../disk.ts'
import type { Entry, SignedManifest } from '../manifest.ts'
import { patchFiles } from '../patch.ts'
import type { InstalledVersion } from '../record.ts'
import { damagedFile, openRemoteZip, type Part, planParts } from '../remote-zip.ts'
import type { StoreApi } from '../store-api.ts'
import { partOf, unpackLarge, unpackSmall, writeChecked } from '../unpack.ts'
import { startUnpacking } from '../unpack-progress.ts'

export const CONNECTIONS = 4

type Missing = Download & { spool: string }

/** Makes missing files with a patch if there is one, and downloads the others. */
export async function obtain(
  missing: Missing,
  from: { old: InstalledVersion; old_tree: string } | undefined,
): Promise<{ downloaded: number; saved: number }> {
  if (!missing.missing.length) return { downloaded: 0, saved: 0 }
  const { manifest } = missing.signed
  const patched = from && (await patchFiles({ ...missing, ...from, manifest }))
  const rest = patched?.missing ?? missing.missing
  const downloaded = rest.length ? await downloadFiles({ ...missing, missing: rest }) : 0
  return {
    downloaded: downloaded + (patched?.downloaded ?? 0),
    saved: patched?.saved ?? 0,
  }
}

type Download = {
  api: StoreApi
  signed: SignedManifest
  tree: string
  /** A folder for large files as they are in the zip; a later run continues them. */
  parts: string
  missing: Entry[]
  name: string
}

/** Returns how many bytes were read. */
async function downloadFiles(download: Download): Promise<number> {
  const { api, signed, tree, missing, name } = download
  const by_path = new Map(missing.map((entry) => [entry.path, entry]))
  // Ends what other connections wait for when one has failed for good.
  const stop = new AbortController()
  const signal = AbortSignal.any([api.signal, stop.signal])
  const zip = openRemoteZip({ ...api, signal }, signed.manifest)
  const directory = await zip.entries()
  const needed = missing.map(({ path }) => directory.get(path) ?? fail(path))
  const parts = planParts(needed, directory.values(), zip.size)
  const total = parts.reduce((sum, { start, end }) => sum + end - start + 1, 0)
  const { manifest } = signed
  const label = t('client-downloading', { name, version: manifest.version })
  const progress = api.ui.progress(label, total)
  const large = parts.flatMap(({ is_large, entries }) => (is_large ? entries : []))
  const unpacking = startUnpacking({ api, manifest, name }, large)
  let done = 0
  await mkdir(download.parts, { recursive: true })
  const unpack = (part: Part) => {
    const onBytes = (bytes: number) => {
      if (signal.aborted) throw new Error('cancelled')
      done += bytes
      // Its end comes before the progress of unpacking, which replaces it.
      if (done < total) progress.at(done)
      else progress.step(total)
    }
    const onUnpacked = (bytes: number) => {
      if (signal.aborted) throw new Error('cancelled')
      // One progress at a time: meanwhile the other files are downloaded.
      unpacking.add(bytes, done >= total)
    }
    const first = part.entries[0]!.path
    return part.is_large
      ? unpackLarge(
          zip,
          part,
          {
            spool: partOf(download.parts, first),
            target: join(tree, first),
            expected: by_path.get(first)!,
          },
          { onBytes, onUnpacked },
        )
      : unpackSmall(
          zip,
          part,
          (path, contents) => writeChecked(join(tree, path), by_path.get(path)!, contents),
          onBytes,
        )
  }
  const run = (part: Part) =>
    unpack(part).catch((error) => {
      // Only the first one is the reason.
      stop.abort(error)
      throw stop.signal.reason
    })
  try {
    await inParallel(parts, CONNECTIONS, run)
  } finally {
    progress.end()
    unpacking.end()
  }
  return total
}

function fail(path: string): never {
  throw damagedFile(path)
}
