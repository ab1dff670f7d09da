/** A value at a time in milliseconds. */
export type Sample = { at: number; value: number }

const HOUR_MS = 3_600_000
/** Caches and compiled code grow for a while, so a shorter time says nothing about a slope. */
const MIN_HEAP_MS = HOUR_MS / 2
/** A slope counts as above its limit only if it is so by this many standard errors. */
const CERTAINTY = 2

/** The slope per hour by least squares, and its standard error. */
export function slopePerHour(samples: Sample[]): { slope: number; error: number } {
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

export function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

/** What was measured in one process. */
export type ProcessSamples = {
  name: string
  /** Whether it ran from the start to the end: only then its slopes mean something. */
  was_killed: boolean
  heap: Sample[]
  files: Sample[]
  search_lag: Sample[]
}

export const limits = { heap_mb_per_hour: 1, open_files: 20, search_lag_seconds: 1 }

export type Verdict = { lines: string[]; violations: string[] }

/** Compares what was measured after `warm_until` with the limits. */
export function judge(processes: ProcessSamples[], warm_until: number): Verdict {
  const verdict: Verdict = { lines: [], violations: [] }
  const warm = (samples: Sample[]) => samples.filter(({ at }) => at >= warm_until)
  for (const { name, was_killed, heap, files } of processes) {
    if (was_killed) {
      verdict.lines.push(`${name}: was killed and restarted, so it has no slope`)
      continue
    }
    judgeHeap(verdict, name, warm(heap))
    judgeFiles(verdict, name, warm(files))
  }
  const lags = processes.flatMap(({ search_lag }) => warm(search_lag).map(({ value }) => value))
  const p99 = quantile(lags, 0.99)
  verdict.lines.push(`search lag: p99 ${p99.toFixed(2)} s of ${lags.length} samples`)
  if (p99 > limits.search_lag_seconds)
    verdict.violations.push(`the search lag was ${p99.toFixed(2)} s (p99)`)
  return verdict
}

function judgeHeap({ lines, violations }: Verdict, name: string, heap: Sample[]) {
  const in_mb = heap.map(({ at, value }) => ({ at, value: value / 1024 ** 2 }))
  const { slope, error } = slopePerHour(in_mb)
  const size = in_mb.at(-1)?.value.toFixed(1) ?? '?'
  const range = Number.isFinite(error) ? `± ${error.toFixed(2)} ` : ''
  lines.push(`${name}: heap ${size} MB, slope ${slope.toFixed(2)} ${range}MB per hour`)
  const measured_ms = (heap.at(-1)?.at ?? 0) - (heap[0]?.at ?? 0)
  if (measured_ms < MIN_HEAP_MS)
    return void lines.push(
      `${name}: too short for a limit of the slope, which needs a soak of 40 minutes`,
    )
  if (slope - CERTAINTY * error > limits.heap_mb_per_hour)
    violations.push(`the heap of ${name} grows by ${slope.toFixed(2)} MB per hour`)
}

/** Compares the lowest counts of the two halves, because open requests come and go. */
function judgeFiles({ lines, violations }: Verdict, name: string, files: Sample[]) {
  const half = Math.floor(files.length / 2)
  const lowest = (part: Sample[]) => Math.min(...part.map(({ value }) => value))
  if (!half) return
  const [first, last] = [lowest(files.slice(0, half)), lowest(files.slice(half))]
  lines.push(`${name}: ${first} open files, then ${last}`)
  if (last - first > limits.open_files)
    violations.push(`${name} has ${last - first} more files open in the second half`)
}
