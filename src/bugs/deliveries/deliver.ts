import type { Tx } from '../../core/database/sql.ts'
import { transact } from '../../core/database/transaction.ts'
import type { Run } from '../../core/jobs/index.ts'
import type { Core } from '../../core/runtime/core.ts'
import { acquireHostSlot } from './host-slots.ts'
import {
  clearTrouble,
  type Due,
  giveUpDelivery,
  giveUpReceiver,
  type Lane,
  lockReceiver,
  markDelivered,
  markFailedAttempt,
  nextDue,
  noteTrouble,
  readDue,
  rest,
  setAside,
  type Walk,
} from './queries.ts'
import { isOver, nextAttemptAt, type Outcome, shouldProbeNext } from './retry-schedule.ts'
import { post, wake } from './webhooks.ts'

/**
 * Each receiver has at most one job, which delivers what waits for it in the order in which it was filed, and then puts the work down: until
 * there is more, until the receiver is to be tried again, or because it is others' turn. So a receiver is only ever late for itself.
 */
export type Errand = { receiver_uid: string }

const BATCH = 20
/** How long one receiver keeps its place while others may wait for one. */
const TURN_MS = 10_000
const HOST_FULL_MS = 2_000

type Way = { core: Core; receiver_uid: string; job: string }
type Failed = Outcome & { arrived: false }

export async function deliverQueue({
  core,
  data: { receiver_uid },
  id: job,
  finish,
}: Run<Errand>): Promise<void> {
  const way = { core, receiver_uid, job }
  const walk = await readDue(core.sql, receiver_uid, job, BATCH)
  if (!walk) return
  const leave = acquireHostSlot(walk.url)
  try {
    if (leave) await keepSending(way, walk)
  } finally {
    leave?.()
  }
  await finish((tx) => putDown(way, tx, leave ? null : new Date(Date.now() + HOST_FULL_MS)))
}

async function keepSending(way: Way, first: Walk): Promise<void> {
  const until = Date.now() + TURN_MS
  for (
    let walk: Walk | undefined = first;
    walk?.due.length;
    walk = await readDue(way.core.sql, way.receiver_uid, way.job, BATCH)
  )
    for (const [index, delivery] of walk.due.entries()) {
      if (Date.now() >= until) return
      const outcome = await post(way.core, walk.url, delivery)
      if (outcome.arrived) {
        if (!(await arrived(way, walk, delivery, outcome.status))) return
      } else if (delivery.aside)
        await transact(way.core.sql, (tx) => stayAside(way, tx, delivery, outcome))
      else {
        const next = walk.due.slice(index + 1).find(({ aside }) => !aside)
        if (!(await stumble(way, walk, delivery, outcome, next))) return
        break
      }
    }
}

async function arrived(
  { core, receiver_uid, job }: Way,
  { failures, disabled }: Walk,
  { uid }: Due,
  status: number,
): Promise<boolean> {
  const mine = await markDelivered(core.sql, receiver_uid, job, uid, status)
  if (mine && (failures > 0 || disabled)) await clearTrouble(core.sql, receiver_uid)
  return mine
}

/** The first in line was refused. Answers whether to go on: only when the next one arrives, and so the trouble is this one's alone. */
async function stumble(
  way: Way,
  walk: Walk,
  delivery: Due,
  outcome: Failed,
  next: Due | undefined,
): Promise<boolean> {
  const { core, receiver_uid, job } = way
  const second =
    next && shouldProbeNext(delivery.attempts + 1) ? await post(core, walk.url, next) : undefined
  if (
    second?.arrived &&
    !(await markDelivered(core.sql, receiver_uid, job, next!.uid, second.status))
  )
    return false
  await transact(core.sql, async (tx) => {
    const lane = await lockMine(way, tx)
    if (!lane) return
    if (second && !second.arrived) await markFailedAttempt(tx, next!.uid, second)
    if (!second?.arrived) return wait(core, tx, lane, delivery, outcome)
    await clearTrouble(tx, receiver_uid)
    await keepAside(tx, delivery, outcome)
  })
  return second?.arrived ?? false
}

/** A receiver that someone else's hands are on is left to them. */
async function lockMine({ receiver_uid, job }: Way, tx: Tx): Promise<Lane | undefined> {
  const lane = await lockReceiver(tx, receiver_uid)
  return lane?.job === job ? lane : undefined
}

/** The receiver is in trouble: everything for it waits, in its order, until it has had ten hours. */
async function wait(core: Core, tx: Tx, lane: Lane, { uid }: Due, outcome: Failed): Promise<void> {
  const now = new Date()
  const { error, retry_after } = outcome
  const trouble = { failures: lane.failures + 1, since: lane.failing_since ?? now, retry_after }
  await markFailedAttempt(tx, uid, outcome)
  if (!isOver(trouble, now))
    return noteTrouble(tx, lane.uid, {
      ...trouble,
      resume_at: nextAttemptAt(trouble, now, Math.random()),
      error,
    })
  await giveUpReceiver(tx, lane.uid, error)
  if (!lane.disabled_at) await core.jobs.send(tx, 'bugs.mail-disabled', { receiver_uid: lane.uid })
}

async function stayAside(way: Way, tx: Tx, delivery: Due, outcome: Failed): Promise<void> {
  if (await lockMine(way, tx)) await keepAside(tx, delivery, outcome)
}

async function keepAside(
  tx: Tx,
  { uid, attempts, first_attempt_at }: Due,
  outcome: Failed,
): Promise<void> {
  const now = new Date()
  const trouble = {
    failures: attempts + 1,
    since: first_attempt_at ?? now,
    retry_after: outcome.retry_after,
  }
  await markFailedAttempt(tx, uid, outcome)
  if (isOver(trouble, now)) await giveUpDelivery(tx, uid)
  else await setAside(tx, uid, nextAttemptAt(trouble, now, Math.random()))
}

/** Decides, with the receiver locked, when it is looked after next: a report filed meanwhile was either seen here, or comes after and wakes it. */
async function putDown(way: Way, tx: Tx, not_before: Date | null): Promise<void> {
  const lane = await lockMine(way, tx)
  if (!lane) return
  const { in_order, aside_at } = await nextDue(tx, lane.uid)
  if (!in_order && !aside_at) return rest(tx, lane.uid)
  const times = [in_order ? (lane.resume_at ?? new Date()) : null, aside_at].filter(
    (time) => time !== null,
  )
  const earliest = new Date(Math.max(Math.min(...times.map(Number)), Number(not_before)))
  await wake(way.core, tx, lane, earliest.getTime() > Date.now() ? earliest : null)
}
