/** The result of a scan. Anything but an explicit clean verdict is not clean. */
export type Outcome =
  | { state: 'clean'; detail: null }
  | { state: 'infected' | 'error'; detail: string }
export type Finding = { path: string; threat: string }

export const clean: Outcome = { state: 'clean', detail: null }
const MAX_LISTED = 20

export function infected(findings: readonly Finding[]): Outcome {
  const threats = findings.slice(0, MAX_LISTED).map(({ path, threat }) => `${threat} in ${path}`)
  if (findings.length > MAX_LISTED) threats.push(`and ${findings.length - MAX_LISTED} more`)
  return { state: 'infected', detail: threats.join('; ') }
}

export const failed = (detail: string): Outcome => ({ state: 'error', detail })
