import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import { type Claimed, holdSession, keepHolding, releaseSession, type Session } from './queries.ts'

/**
 * How long a chunk that brings no bytes keeps the session. A process that was killed, or a line that went dead without a word, frees it
 * after this; a line that is closed frees it at once.
 */
export const HOLD_SECONDS = 4
const RENEW_MS = 1000

export type Hold = {
  holder: string
  session: Session
  /** CallResult as bytes arrive, before they are written: refuses once the session is someone else's. */
  progress: () => Promise<void> | undefined
  /** Refuses unless the session is ours for the next seconds, whatever passed since the last bytes. */
  confirm: () => Promise<void>
  /** The session stays ours while this goes on, which is not the sender's fault. */
  during: <T>(work: Promise<T>) => Promise<T>
  /** All bytes are here: the session stays ours while they are made safe, however long that takes. */
  keep: () => void
  /** The session was let go of with the last change of it. */
  isDone: () => void
  release: () => Promise<void>
}

/** The session for one chunk, across all processes. Nothing when someone else has it. */
export async function hold(core: Core, claimed: Claimed): Promise<Hold | undefined> {
  const [holder, session_uid] = [uuidv7(), claimed.uid]
  let [renewed, done] = [performance.now(), false]
  const session = await holdSession(core.sql, claimed, holder, HOLD_SECONDS)
  if (!session) return undefined

  async function renew() {
    const asked = performance.now()
    if (!(await keepHolding(core.sql, session_uid, holder, HOLD_SECONDS)))
      refuse('CHUNK_IN_PROGRESS')
    renewed = asked
  }
  // One that fails shows when the chunk is recorded, which only the holder can do.
  const keepOn = () => setInterval(() => void renew().catch(() => {}), RENEW_MS)
  let keeping: NodeJS.Timeout | undefined
  return {
    holder,
    session,
    confirm: renew,
    progress: () => (performance.now() - renewed > RENEW_MS ? renew() : undefined),
    async during(work) {
      const timer = keepOn()
      try {
        return await work
      } finally {
        clearInterval(timer)
      }
    },
    keep() {
      keeping ??= keepOn()
    },
    isDone() {
      done = true
    },
    async release() {
      clearInterval(keeping)
      if (!done) await releaseSession(core.sql, session_uid, holder)
    },
  }
}
