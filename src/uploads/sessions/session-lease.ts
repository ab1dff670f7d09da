import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { SECOND_MS } from '../../core/runtime/units.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import {
  type LeaseRequest,
  leaseSession,
  releaseSession,
  renewSession,
  type Session,
} from './queries.ts'

/**
 * How long a lease lasts without renewal. It frees the session of a process that was killed or of a
 * connection that went silent; a connection that is closed frees it at once.
 */
const LEASE_SECONDS = 4
const RENEW_MS = SECOND_MS

/** The exclusive right, across all processes, to add one chunk to a session. */
export type SessionLease = {
  holder: string
  session: Session
  /** Renews the lease if that is due. Called as bytes arrive, before they are written. */
  renewIfDue: () => Promise<void> | undefined
  /** Renews the lease now; refuses if another request holds the session. */
  renew: () => Promise<void>
  /** Keeps renewing while the server works, so that a slow disk does not cost the lease. */
  renewDuring: <T>(work: Promise<T>) => Promise<T>
  /** Keeps renewing until the release: all bytes have arrived and are being made durable. */
  keepRenewing: () => void
  /** Notes that the statement which recorded the chunk has released the lease as well. */
  markReleased: () => void
  release: () => Promise<void>
}

/** Leases the session for one chunk. Undefined if another request holds it or it has moved on. */
export async function acquireLease(
  core: Core,
  request: LeaseRequest,
): Promise<SessionLease | undefined> {
  const holder = uuidv7()
  let renewed_at = performance.now()
  const session = await leaseSession(core.sql, request, holder, LEASE_SECONDS)
  if (!session) return undefined
  let is_released = false
  let renewal: NodeJS.Timeout | undefined

  async function renew() {
    const started_at = performance.now()
    if (!(await renewSession(core.sql, request.uid, holder, LEASE_SECONDS)))
      refuse('CHUNK_IN_PROGRESS')
    renewed_at = started_at
  }
  // A failure shows when the chunk is recorded, which only the holder of the lease can do.
  const startRenewing = () => setInterval(() => void renew().catch(() => {}), RENEW_MS)

  return {
    holder,
    session,
    renew,
    renewIfDue: () => (performance.now() - renewed_at > RENEW_MS ? renew() : undefined),
    async renewDuring(work) {
      const timer = startRenewing()
      try {
        return await work
      } finally {
        clearInterval(timer)
      }
    },
    keepRenewing() {
      renewal ??= startRenewing()
    },
    markReleased() {
      is_released = true
    },
    async release() {
      clearInterval(renewal)
      if (!is_released) await releaseSession(core.sql, request.uid, holder)
    },
  }
}
