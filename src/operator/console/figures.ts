import type { Core } from '../../core/runtime/core.ts'
import { perCore } from '../../core/runtime/per-core.ts'
import { MINUTE_MS } from '../../core/runtime/units.ts'
import { readFigures, type StoreFigures } from './queries.ts'

/** The days that the figures of the overview are about. */
export const OVERVIEW_DAYS = 30

/**
 * Counting a store with a million listings takes seconds, so figures are kept for this many times
 * as long as reading them took: in a small store they are never noticeably old.
 */
const KEPT_TIMES = 20
/** A reading that takes no longer is waited for, and the old figures are not shown. */
const QUICK_MS = 100
/** Older ones are not shown while new ones are read. */
const MAX_AGE_MS = 10 * MINUTE_MS

type Kept = { figures: StoreFigures; read_at: number; kept_ms: number }
type State = { kept?: Kept; reading?: Promise<Kept> | undefined }

const stateOf = perCore((): State => ({}))

async function read({ slow }: Core): Promise<Kept> {
  const began = performance.now()
  const figures = await readFigures(slow, OVERVIEW_DAYS)
  const read_at = performance.now()
  return { figures, read_at, kept_ms: (read_at - began) * KEPT_TIMES }
}

/** One reading at a time; those that wait share it. */
function refresh(core: Core, state: State): Promise<Kept> {
  state.reading ??= read(core)
    .then((kept) => {
      state.kept = kept
      return kept
    })
    .finally(() => {
      state.reading = undefined
    })
  return state.reading
}

export async function storeFigures(core: Core): Promise<StoreFigures> {
  const state = stateOf(core)
  const { kept } = state
  const age = kept ? performance.now() - kept.read_at : Number.POSITIVE_INFINITY
  if (kept && age < kept.kept_ms) return kept.figures
  const reading = refresh(core, state)
  const is_shown = kept && kept.kept_ms > QUICK_MS * KEPT_TIMES && age < MAX_AGE_MS
  if (!is_shown) return (await reading).figures
  // A failure is met again by the next reader.
  reading.catch(() => {})
  return kept.figures
}
