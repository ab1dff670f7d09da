import { createCache } from '../../core/runtime/cache.ts'
import type { Core } from '../../core/runtime/core.ts'
import { perCore } from '../../core/runtime/per-core.ts'
import { MINUTE_MS } from '../../core/runtime/units.ts'
import { moderationEpoch } from '../../listings/moderated/epoch.ts'
import { type CountedSubject, countByYear, readMedians } from './queries.ts'

type Counts = Record<string, number>

export type YearFigures = {
  year: number
  reports: { total: number; kinds: Counts; outcomes: Counts; median_hours: number | null }
  decisions: { total: number; actions: Counts; grounds: Counts }
  appeals: { total: number; outcomes: Counts; median_hours: number | null }
}

const sum = (counts: Counts) => Object.values(counts).reduce((total, count) => total + count, 0)

async function countYears({ sql }: Core): Promise<YearFigures[]> {
  const [counts, medians] = await Promise.all([countByYear(sql), readMedians(sql)])
  const years = [...new Set(counts.map(({ year }) => year))]
  return years.map((year) => {
    const of = (subject: CountedSubject): Counts =>
      Object.fromEntries(
        counts
          .filter((row) => row.year === year && row.subject === subject)
          .map(({ name, count }) => [name, count]),
      )
    const median = (subject: 'reports' | 'appeals') =>
      medians.find((row) => row.year === year && row.subject === subject)?.hours ?? null
    const kinds = of('report_kind')
    const actions = of('action')
    const outcomes = of('appeal_outcome')
    return {
      year,
      reports: {
        total: sum(kinds),
        kinds,
        outcomes: of('report_outcome'),
        median_hours: median('reports'),
      },
      decisions: { total: sum(actions), actions, grounds: of('ground') },
      appeals: { total: sum(outcomes), outcomes, median_hours: median('appeals') },
    }
  })
}

/** Counting reads every report, so that everyone sees the same figures for some minutes. */
const figuresOf = perCore(() =>
  createCache<Promise<YearFigures[]>>({ max_entries: 1, ttl_ms: 10 * MINUTE_MS }),
)

/** The figures of every year, the newest first; counted again after a decision. */
export function readYears(core: Core): Promise<YearFigures[]> {
  const cache = figuresOf(core)
  const key = String(moderationEpoch(core))
  const cached = cache.get(key)
  if (cached) return cached
  const years = countYears(core)
  cache.set(key, years)
  years.catch(() => cache.delete(key))
  return years
}
