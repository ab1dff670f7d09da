import type { Tx } from '../../core/database/sql.ts'
import { transact } from '../../core/database/transaction.ts'
import type { Run } from '../../core/jobs/index.ts'
import type { Core } from '../../core/runtime/core.ts'
import { SECOND_MS } from '../../core/runtime/units.ts'
import { acquireHostSlot } from './host-slots.ts'
import {
  type DueBatch,
  type DueDelivery,
  failDelivery,
  failPendingDeliveries,
  markDelivered,
  parkDelivery,
  readDueBatch,
  readQueueState,
  recordFailedAttempt,
} from './queries.ts'
import { enqueueReceiver } from './queue.ts'
import {
  disableReceiver,
  lockReceiver,
  markIdle,
  type Receiver,
  recordFailure,
  recordSuccess,
} from './receiver-queries.ts'
import {
  type AttemptResult,
  type FailedAttempt,
  isExhausted,
  nextAttemptAt,
  shouldProbeNext,
} from './retry-schedule.ts'
import { sendDelivery } from './send.ts'
import { readSigningKey } from './signing.ts'

/**
 * Each receiver has its own queue and at most one job. The job sends the deliveries in the order
 * they were filed, and ends when the queue is empty, when the receiver is backing off, or when its
 * time slice is over. So a slow receiver delays only itself.
 */
export type DeliveryJob = { receiver_uid: string }

const BATCH_SIZE = 20
/** After this long a job ends, so that other receivers get its slot. */
const TIME_SLICE_MS = 10 * SECOND_MS
const HOST_BUSY_DELAY_MS = 2 * SECOND_MS

type DeliveryRun = { core: Core; receiver_uid: string; job: string }

export async function deliverQueue({
  core,
  data: { receiver_uid },
  id: job,
  finish,
}: Run<DeliveryJob>): Promise<void> {
  const run = { core, receiver_uid, job }
  const batch = await readDueBatch(core.sql, receiver_uid, job, BATCH_SIZE)
  if (!batch) return
  const freeSlot = acquireHostSlot(batch.url)
  try {
    if (freeSlot) await sendUntilDone(run, batch)
  } finally {
    freeSlot?.()
  }
  const not_before = freeSlot ? null : new Date(Date.now() + HOST_BUSY_DELAY_MS)
  await finish((tx) => scheduleNextRun(run, tx, not_before))
}

async function sendUntilDone(run: DeliveryRun, first: DueBatch): Promise<void> {
  const deadline = Date.now() + TIME_SLICE_MS
  let batch: DueBatch | undefined = first
  while (batch?.deliveries.length) {
    if (!(await sendBatch(run, batch, deadline))) return
    batch = await readDueBatch(run.core.sql, run.receiver_uid, run.job, BATCH_SIZE)
  }
}

/** Returns whether to read another batch. */
async function sendBatch(run: DeliveryRun, batch: DueBatch, deadline: number): Promise<boolean> {
  const signing_key = await readSigningKey(run.core, run.core.sql, batch.game_uid)
  const send = (delivery: DueDelivery) =>
    sendDelivery(run.core, batch.url, { ...delivery, signing_key })
  for (const [index, delivery] of batch.deliveries.entries()) {
    if (Date.now() >= deadline) return false
    const result = await send(delivery)
    if (result.delivered) {
      if (!(await handleSuccess(run, batch, delivery, result.status))) return false
    } else if (delivery.parked && !result.is_gone) {
      await transact(run.core.sql, async (tx) => {
        if (await lockOwnReceiver(run, tx)) await retryParked(tx, delivery, result)
      })
    } else {
      const next = batch.deliveries.slice(index + 1).find(({ parked }) => !parked)
      return handleFailure(run, { send, delivery, result, next })
    }
  }
  return true
}

/** Returns false if another job works on the queue now. */
async function handleSuccess(
  run: DeliveryRun,
  { failures, disabled }: DueBatch,
  { uid }: DueDelivery,
  status: number,
): Promise<boolean> {
  const is_own = await markDelivered(run.core.sql, run, uid, status)
  if (is_own && (failures > 0 || disabled)) await recordSuccess(run.core.sql, run.receiver_uid)
  return is_own
}

type FailedDelivery = {
  send: (delivery: DueDelivery) => Promise<AttemptResult>
  delivery: DueDelivery
  result: FailedAttempt
  next: DueDelivery | undefined
}

/**
 * The first delivery in the queue has failed. After some attempts the next one is tried as well: if
 * that succeeds, the cause is this delivery, which is parked, and the queue continues. Otherwise
 * the receiver backs off. Returns whether the queue continues.
 */
async function handleFailure(run: DeliveryRun, failed: FailedDelivery): Promise<boolean> {
  const { core, receiver_uid } = run
  const { send, delivery, result, next } = failed
  const should_probe = !result.is_gone && shouldProbeNext(delivery.attempts + 1)
  const probe = next && should_probe ? await send(next) : undefined
  if (probe?.delivered && !(await markDelivered(core.sql, run, next!.uid, probe.status)))
    return false
  await transact(core.sql, async (tx) => {
    const receiver = await lockOwnReceiver(run, tx)
    if (!receiver) return
    if (probe && !probe.delivered) await recordFailedAttempt(tx, next!.uid, probe)
    if (!probe?.delivered) return backOff(core, tx, receiver, { uid: delivery.uid, result })
    await recordSuccess(tx, receiver_uid)
    await retryParked(tx, delivery, result)
  })
  return probe?.delivered ?? false
}

/** Locks the receiver if this job still works on its queue. */
async function lockOwnReceiver(run: DeliveryRun, tx: Tx): Promise<Receiver | undefined> {
  const receiver = await lockReceiver(tx, run.receiver_uid)
  return receiver?.job === run.job ? receiver : undefined
}

/**
 * Delays the whole queue of a failing receiver. Disables the receiver once its retries are used up,
 * or at once if it no longer exists.
 */
async function backOff(
  core: Core,
  tx: Tx,
  receiver: Receiver,
  { uid, result }: { uid: string; result: FailedAttempt },
): Promise<void> {
  const now = new Date()
  const { error, retry_after, is_gone } = result
  const streak = {
    failures: receiver.failures + 1,
    since: receiver.failing_since ?? now,
    retry_after,
  }
  await recordFailedAttempt(tx, uid, result)
  if (!is_gone && !isExhausted(streak, now)) {
    const resume_at = nextAttemptAt(streak, now, Math.random())
    return recordFailure(tx, receiver.uid, { ...streak, resume_at, error })
  }
  await failPendingDeliveries(tx, receiver.uid)
  await disableReceiver(tx, receiver.uid, error)
  if (!receiver.disabled_at)
    await core.jobs.send(tx, 'bugs.mail-disabled', { receiver_uid: receiver.uid, is_gone })
}

/** Parks a delivery until its next attempt, or fails it once its retries are used up. */
async function retryParked(
  tx: Tx,
  { uid, attempts, first_attempt_at }: DueDelivery,
  result: FailedAttempt,
): Promise<void> {
  const now = new Date()
  const streak = {
    failures: attempts + 1,
    since: first_attempt_at ?? now,
    retry_after: result.retry_after,
  }
  await recordFailedAttempt(tx, uid, result)
  if (isExhausted(streak, now)) await failDelivery(tx, uid)
  else await parkDelivery(tx, uid, nextAttemptAt(streak, now, Math.random()))
}

/**
 * Decides when the receiver's next job starts. The receiver is locked, so that a report that is
 * filed meanwhile is either seen here or enqueues a job after this.
 */
async function scheduleNextRun(run: DeliveryRun, tx: Tx, not_before: Date | null): Promise<void> {
  const receiver = await lockOwnReceiver(run, tx)
  if (!receiver) return
  const { has_queued, parked_at } = await readQueueState(tx, receiver.uid)
  if (!has_queued && !parked_at) return markIdle(tx, receiver.uid)
  const queue_at = has_queued ? (receiver.resume_at ?? new Date()) : null
  const times = [queue_at, parked_at].filter((time) => time !== null)
  const earliest = new Date(Math.max(Math.min(...times.map(Number)), Number(not_before)))
  await enqueueReceiver(run.core, tx, receiver, earliest.getTime() > Date.now() ? earliest : null)
}
