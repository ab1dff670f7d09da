import { createCache } from '../../core/runtime/cache.ts'
import type { Core } from '../../core/runtime/core.ts'
import { clearPeriodically } from '../../listings/page/invalidation.ts'
import {
  type PackageRow,
  type PackageState,
  readPackageStates,
  readPackages,
  type Viewer,
} from './queries.ts'

/** Public rows are cached until their freshness changes. A row takes about two kilobytes. */
const MAX_CACHED = 10_000
const cache = createCache<PackageRow & PackageState>({ max_entries: MAX_CACHED })
const clearIfDue = clearPeriodically(() => cache.clear())

/** The current rows of these packages in the given order, without those hidden from the viewer. */
export async function loadPackages(
  { sql }: Core,
  uids: readonly string[],
  viewer: Viewer,
): Promise<PackageRow[]> {
  if (!uids.length) return []
  // Rows for a signed-in viewer depend on their own projects and copies, so they are not cached.
  if (viewer) return readPackages(sql, uids, viewer)
  clearIfDue()
  const rows = new Map<string, PackageRow>()
  const missing: string[] = []
  for (const { uid, freshness } of await readPackageStates(sql, uids)) {
    const row = cache.get(uid)
    if (row?.freshness === freshness) rows.set(uid, row)
    else missing.push(uid)
  }
  for (const row of await readPackages(sql, missing, null)) {
    rows.set(row.uid, row)
    cache.set(row.uid, row)
  }
  return uids.flatMap((uid) => rows.get(uid) ?? [])
}
