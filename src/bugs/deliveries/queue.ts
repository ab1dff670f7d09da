import type { Tx } from '../../core/database/sql.ts'
import type { Core } from '../../core/runtime/core.ts'
import { SECOND_MS } from '../../core/runtime/units.ts'
import { type Receiver, setJob } from './receiver-queries.ts'

/**
 * Enqueues the one job that delivers to a receiver, at once or at a time. The receiver's row must
 * be locked.
 */
export async function enqueueReceiver(
  core: Core,
  tx: Tx,
  { uid, failures }: Pick<Receiver, 'uid' | 'failures'>,
  at: Date | null = null,
): Promise<void> {
  const delay_ms = at ? at.getTime() - Date.now() : 0
  const after_seconds = at ? Math.max(1, Math.ceil(delay_ms / SECOND_MS)) : undefined
  // Failing receivers have a queue of their own, so that they take no slots from working ones.
  const queue = failures > 0 ? 'bugs.retry' : 'bugs.deliver'
  const job = await core.jobs.send(tx, queue, { receiver_uid: uid }, { after_seconds })
  await setJob(tx, uid, job, at)
}

/** Whether a new delivery needs a job: there is none, or it waits for a parked delivery only. */
export function needsJob({ job, wake_at, resume_at }: Receiver, now: Date): boolean {
  const is_delayed = wake_at !== null && wake_at > now
  const is_backing_off = resume_at !== null && resume_at > now
  return job === null || (is_delayed && !is_backing_off)
}
