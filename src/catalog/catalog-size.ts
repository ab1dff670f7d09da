import type { Core } from '../core/runtime/core.ts'
import { perCore } from '../core/runtime/per-core.ts'
import { countEverCreated } from './cards/queries.ts'

/** Below this number of listings, hidden ones included, queries are cheap and are not cached. */
const LARGE_CATALOG = 5000
/** A catalog that was large once stays so: the count includes deleted listings. */
const sizeOf = perCore(() => ({ is_large: false }))

/** Whether the catalog is so large that expensive results are cached. */
export async function isLargeCatalog(core: Core): Promise<boolean> {
  const size = sizeOf(core)
  size.is_large ||= (await countEverCreated(core.sql)) >= LARGE_CATALOG
  return size.is_large
}
