/** How a request to the store can fail. */
export type FailureKind = 'key_rejected' | 'rate_limited' | 'unreachable' | 'invalid_response'

/**
 * How many failures in a row open the circuit. Rejected keys count more, because the store blocks
 * the IP address of a client that keeps sending them.
 */
const failureThreshold: Record<FailureKind, number> = {
  rate_limited: 1,
  key_rejected: 3,
  unreachable: 5,
  invalid_response: 5,
}
const FIRST_OPEN_MS = 5_000
const MAX_OPEN_MS = 60_000

/** The state of a circuit. There is one per stored key, so that a bad key affects only its game. */
export type Circuit = {
  failures: number
  times_opened: number
  /** 0 while the circuit is closed. */
  open_until: number
  /** A single request is testing whether the store works again. */
  probing: boolean
}

export const closedCircuit = (): Circuit => ({
  failures: 0,
  times_opened: 0,
  open_until: 0,
  probing: false,
})

/** Whether a request may be sent. After the open time only one probe is let through. */
export function allowsRequest(circuit: Circuit, now: number): boolean {
  if (circuit.open_until === 0) return true
  return now >= circuit.open_until && !circuit.probing
}

export function requestStarted(circuit: Circuit): Circuit {
  return circuit.open_until === 0 ? circuit : { ...circuit, probing: true }
}

export function requestFailed(
  circuit: Circuit,
  kind: FailureKind,
  now: number,
  retry_after_ms?: number,
): Circuit {
  const failures = circuit.failures + 1
  const opens = circuit.open_until !== 0 || failures >= failureThreshold[kind]
  if (!opens) return { ...circuit, failures, probing: false }
  const backoff_ms = FIRST_OPEN_MS * 2 ** circuit.times_opened
  const open_ms = Math.min(retry_after_ms ?? backoff_ms, MAX_OPEN_MS)
  return {
    failures,
    times_opened: circuit.times_opened + 1,
    open_until: now + open_ms,
    probing: false,
  }
}
