/** How asking the store can fail; each kind wears the circuit out at its own pace. */
export type FailureKind = 'key_refused' | 'busy' | 'away' | 'strange'

/** Failures in a row until the circuit opens. Refused keys make the store turn against our whole address, so few are enough. */
const opensAt: Record<FailureKind, number> = { busy: 1, key_refused: 3, away: 5, strange: 5 }
const FIRST_PAUSE = 5_000
export const LONGEST_PAUSE = 60_000

/** One for each stored key: a game whose key went bad takes nobody with it. */
export type Circuit = { failures: number; pauses: number; open_until: number; probing: boolean }

export const closed = (): Circuit => ({ failures: 0, pauses: 0, open_until: 0, probing: false })

/** Whether the store may be asked now. Once a pause is over a single request goes first, and the others wait for what it finds. */
export function admits(circuit: Circuit, now: number): boolean {
  if (circuit.open_until === 0) return true
  return now >= circuit.open_until && !circuit.probing
}

export function started(circuit: Circuit): Circuit {
  return circuit.open_until === 0 ? circuit : { ...circuit, probing: true }
}

export function failed(
  circuit: Circuit,
  kind: FailureKind,
  now: number,
  retry_after_ms?: number,
): Circuit {
  const failures = circuit.failures + 1
  const opens = circuit.open_until !== 0 || failures >= opensAt[kind]
  if (!opens) return { ...circuit, failures, probing: false }
  const pause = Math.min(retry_after_ms ?? FIRST_PAUSE * 2 ** circuit.pauses, LONGEST_PAUSE)
  return { failures, pauses: circuit.pauses + 1, open_until: now + pause, probing: false }
}
