import type { Core } from '../core/runtime/core.ts'
import { countEverCreated } from './cards/queries.ts'

/** Below this number of listings, hidden ones included, queries are cheap and are not cached. */
const LARGE_CATALOG = 5000
const large = new WeakSet<Core>()

/** Whether the catalog is so large that expensive results are cached. */
export async function isLargeCatalog(core: Core): Promise<boolean> {
  if (large.has(core)) return true
  if ((await countEverCreated(core.sql)) < LARGE_CATALOG) return false
  large.add(core)
  return true
}
