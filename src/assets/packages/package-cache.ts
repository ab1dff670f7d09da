import { createCache } from '../../core/runtime/cache.ts'
import type { Core } from '../../core/runtime/core.ts'
import { forgetting } from '../../listings/page/invalidation.ts'
import {
  type PackageRow,
  type PackageState,
  readPackageStates,
  readPackages,
  type Viewer,
} from './queries.ts'

/** Rows as everyone sees them are kept while nothing they show has changed; about two kilobytes each. */
const MAX_CACHED = 10_000
const kept = createCache<PackageRow & PackageState>({ max_entries: MAX_CACHED })
const clearIfStale = forgetting(() => kept.clear())

/** The rows of a list as they are now, in its order, without those that are not this viewer's to see. */
export async function loadPackages(
  { sql }: Core,
  uids: readonly string[],
  viewer: Viewer,
): Promise<PackageRow[]> {
  if (!uids.length) return []
  // What one person sees depends on what is theirs.
  if (viewer) return readPackages(sql, uids, viewer)
  clearIfStale()
  const rows = new Map<string, PackageRow>()
  const missing: string[] = []
  for (const { uid, freshness } of await readPackageStates(sql, uids)) {
    const known = kept.get(uid)
    if (known?.freshness === freshness) rows.set(uid, known)
    else missing.push(uid)
  }
  for (const row of await readPackages(sql, missing, null)) {
    rows.set(row.uid, row)
    kept.set(row.uid, row)
  }
  return uids.flatMap((uid) => rows.get(uid) ?? [])
}
