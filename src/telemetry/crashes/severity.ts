import { isRequestedDump } from '../dump/reasons.ts'

/** How bad a crash was for the player, worst first. */
export const severities = ['fatal', 'error', 'warning', 'info'] as const
export type Severity = (typeof severities)[number]

/**
 * The severity that the report names; without one, a crash ended the program, unless its dump was
 * requested by the program itself, which then went on.
 */
export function severityOf(reported: string | null, crash_reason: string | null): Severity {
  const named = severities.find((severity) => severity === reported?.trim().toLowerCase())
  return named ?? (isRequestedDump(crash_reason) ? 'warning' : 'fatal')
}
