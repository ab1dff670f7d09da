export const scanStates = ['scanning', 'clean', 'infected', 'error'] as const
export type ScanState = (typeof scanStates)[number]

/** What a scan can come to. Whatever is not plainly clean is not clean. */
export type Outcome =
  | { state: 'clean'; detail: null }
  | { state: 'infected' | 'error'; detail: string }
export type Finding = { path: string; threat: string }

export const clean: Outcome = { state: 'clean', detail: null }
const MOST_TOLD = 20

export function infected(findings: readonly Finding[]): Outcome {
  const told = findings.slice(0, MOST_TOLD).map(({ path, threat }) => `${threat} in ${path}`)
  if (findings.length > MOST_TOLD) told.push(`and ${findings.length - MOST_TOLD} more`)
  return { state: 'infected', detail: told.join('; ') }
}

export const failed = (detail: string): Outcome => ({ state: 'error', detail })
