/** A value at a time in milliseconds. */
export type Sample = { at: number; value: number }

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** Caches and compiled code grow for a while, so a shorter time says nothing about a slope. */
const MIN_HEAP_MS = HOUR_MS / 2
/** A run of this length has to show on which side of its limit a slope is. */
const CONCLUSIVE_RUN_MS = HOUR_MS
/** How many standard errors a slope must be away from its limit. */
const CERTAINTY = 2
/** A run of this length needs this share of its samples. Faults may cost the others. */
const SAMPLED_RUN_MS = 10 * MINUTE_MS
const MIN_SAMPLE_SHARE = 0.8

export type Slope = { slope: number; error: number }

/** The slope per hour by least squares, and its standard error. */
export function slopePerHour(samples: Sample[]): Slope {
  const count = samples.length
  if (count < 3) return { slope: 0, error: Number.POSITIVE_INFINITY }
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / count
  const hours = samples.map(({ at }) => at / HOUR_MS)
  const mean_hour = mean(hours)
  const mean_value = mean(samples.map(({ value }) => value))
  let covariance = 0
  let variance = 0
  for (const [index, { value }] of samples.entries()) {
    covariance += (hours[index]! - mean_hour) * (value - mean_value)
    variance += (hours[index]! - mean_hour) ** 2
  }
  if (variance === 0) return { slope: 0, error: Number.POSITIVE_INFINITY }
  const slope = covariance / variance
  const residuals = samples.map(
    ({ value }, index) => value - mean_value - slope * (hours[index]! - mean_hour),
  )
  const squares = residuals.reduce((sum, residual) => sum + residual ** 2, 0)
  return { slope, error: Math.sqrt(squares / (count - 2) / variance) }
}

/** Compares a slope with its limit; inconclusive if its error is too large to tell. */
export function rateSlope(
  { slope, error }: Slope,
  limit: number,
): 'within' | 'above' | 'inconclusive' {
  if (slope - CERTAINTY * error > limit) return 'above'
  return slope + CERTAINTY * error <= limit ? 'within' : 'inconclusive'
}

/** Undefined without values. */
export function quantile(values: number[], share: number): number | undefined {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}

/** The value of a metric without labels; undefined if it is missing or not a number. */
export function readMetric(text: string, name: string): number | undefined {
  const written = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]
  const value = Number(written)
  return written !== undefined && Number.isFinite(value) ? value : undefined
}

/** What was measured in one process. */
export type ProcessSamples = {
  name: string
  /** Whether it was restarted: then its slopes mean nothing, and it has fewer samples. */
  was_killed: boolean
  heap: Sample[]
  files: Sample[]
  rss: Sample[]
  search_lag: Sample[]
  /** Why a sample failed, for each that did. */
  failures: string[]
}

/** What is judged is measured from `warm_until` to `ended`, once per `sample_ms`. */
export type Period = { started: number; warm_until: number; ended: number; sample_ms: number }

export const limits = { heap_mb_per_hour: 1, open_files: 20, search_lag_seconds: 1 }

export type Verdict = { lines: string[]; violations: string[] }

/** Compares what was measured after the warm-up with the limits. */
export function judge(processes: ProcessSamples[], period: Period): Verdict {
  const verdict: Verdict = { lines: [], violations: [] }
  const warm = (samples: Sample[]) => samples.filter(({ at }) => at >= period.warm_until)
  for (const { name, was_killed, heap, files, rss, search_lag, failures } of processes) {
    verdict.lines.push(`${name}: ${describeMemory(rss)}`, `${name}: ${countFailures(failures)}`)
    if (was_killed) {
      verdict.lines.push(`${name}: was killed and restarted, so it has no slope`)
      continue
    }
    const lists = { heap: warm(heap), files: warm(files), search_lag: warm(search_lag) }
    judgeCounts(verdict, name, lists, period)
    judgeHeap(verdict, name, lists.heap, period)
    judgeFiles(verdict, name, lists.files)
  }
  const lags = processes.flatMap(({ search_lag }) => warm(search_lag).map(({ value }) => value))
  judgeLag(verdict, lags, period)
  return verdict
}

/** The resident memory at the start and at the end. */
export function describeMemory(rss: Sample[]): string {
  const [first, last] = [rss[0], rss.at(-1)]
  if (!first || !last) return 'resident memory was not measured'
  return `resident memory ${inMb(first.value)} MB, then ${inMb(last.value)} MB`
}

const inMb = (bytes: number) => (bytes / 1024 ** 2).toFixed(1)

/** How many samples failed, and why. */
export function countFailures(failures: string[]): string {
  const reasons = Map.groupBy(failures, (reason) => reason)
  const counts = [...reasons].map(([reason, { length }]) => `${length} × ${reason}`)
  return `${failures.length} failed samples${counts.length ? `: ${counts.join(', ')}` : ''}`
}

const lengthOf = ({ started, ended }: Period) => ended - started

/** How many of the samples of a period are missing; 0 if there are enough. */
export function missingSamples(
  count: number,
  { warm_until, ended, sample_ms }: Omit<Period, 'started'>,
): number {
  const expected = Math.floor((ended - warm_until) / sample_ms)
  return count < expected * MIN_SAMPLE_SHARE ? expected - count : 0
}

function judgeCounts(
  { lines, violations }: Verdict,
  name: string,
  lists: Record<string, Sample[]>,
  period: Period,
) {
  for (const [list, { length }] of Object.entries(lists)) {
    const missing = missingSamples(length, period)
    if (!missing) continue
    const text = `${name}: ${missing} of ${length + missing} samples of ${list} are missing`
    lines.push(text)
    if (lengthOf(period) >= SAMPLED_RUN_MS) violations.push(text)
  }
}

function judgeHeap({ lines, violations }: Verdict, name: string, heap: Sample[], period: Period) {
  const in_mb = heap.map(({ at, value }) => ({ at, value: value / 1024 ** 2 }))
  const measured = slopePerHour(in_mb)
  const size = in_mb.at(-1)?.value.toFixed(1) ?? '?'
  const slope = `${measured.slope.toFixed(2)} ± ${measured.error.toFixed(2)} MB per hour`
  lines.push(`${name}: heap ${size} MB, slope ${slope}`)
  if (period.ended - period.warm_until < MIN_HEAP_MS)
    return void lines.push(
      `${name}: too short for a limit of the slope, which needs a soak of 40 minutes`,
    )
  const rating = rateSlope(measured, limits.heap_mb_per_hour)
  if (rating === 'above') violations.push(`the heap of ${name} grows by ${slope}`)
  if (rating !== 'inconclusive') return
  const text = `the slope of the heap of ${name} is inconclusive: ${slope}; run a longer soak`
  lines.push(text)
  if (lengthOf(period) >= CONCLUSIVE_RUN_MS) violations.push(text)
}

/** Compares the lowest counts of the two halves, because open requests come and go. */
function judgeFiles({ lines, violations }: Verdict, name: string, files: Sample[]) {
  const half = Math.floor(files.length / 2)
  const lowest = (part: Sample[]) => Math.min(...part.map(({ value }) => value))
  if (!half) return void lines.push(`${name}: open files were not measured`)
  const [first, last] = [lowest(files.slice(0, half)), lowest(files.slice(half))]
  lines.push(`${name}: ${first} open files, then ${last}`)
  if (last - first > limits.open_files)
    violations.push(`${name} has ${last - first} more files open in the second half`)
}

function judgeLag({ lines, violations }: Verdict, lags: number[], period: Period) {
  const p99 = quantile(lags, 0.99)
  if (p99 === undefined) {
    lines.push('the search lag was not measured')
    if (lengthOf(period) >= SAMPLED_RUN_MS) violations.push('the search lag was not measured')
    return
  }
  lines.push(`search lag: p99 ${p99.toFixed(2)} s of ${lags.length} samples`)
  if (p99 > limits.search_lag_seconds)
    violations.push(`the search lag was ${p99.toFixed(2)} s (p99)`)
}
