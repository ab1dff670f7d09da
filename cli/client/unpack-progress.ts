import { t } from '../messages.ts'
import type { Progress } from '../terminal/progress.ts'
import type { Entry, Manifest } from './manifest.ts'
import type { StoreApi } from './store-api.ts'

type Unpacking = { api: StoreApi; manifest: Manifest; name: string }

/** The progress of writing files whose bytes were downloaded: large ones take minutes. */
export function startUnpacking(
  { api, manifest, name }: Unpacking,
  files: readonly Pick<Entry, 'size'>[],
) {
  const total = files.reduce((sum, { size }) => sum + size, 0)
  const label = t('client-unpacking', { name, version: manifest.version })
  let progress: Progress | undefined
  let done = 0
  return {
    /** Counts bytes that were written since; without `is_shown`, a later call shows them. */
    add(bytes: number, is_shown = true) {
      done += bytes
      if (!is_shown) return
      progress ??= api.ui.progress(label, total)
      progress.at(Math.min(done, total))
    },
    end: () => progress?.end(),
  }
}
