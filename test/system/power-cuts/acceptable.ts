import type { Entry } from './workloads.ts'

/** A value may be the last acknowledged, or one that was begun since. */
export function acceptable(entries: Entry[]): Map<string, Set<string | null>> {
  const values = new Map<string, Set<string | null>>()
  for (const { step, what, sha256 } of entries)
    if (step === 'done') values.set(what, new Set([sha256]))
    else values.set(what, (values.get(what) ?? new Set([null])).add(sha256))
  return values
}
