import { transact } from '../../core/database/transaction.ts'
import { job } from '../../core/jobs/index.ts'
import { retention } from '../../core/runtime/retention.ts'
import { DAY_MS } from '../../core/runtime/units.ts'
import { knownScreenshots, sweepCounts } from '../reports/queries.ts'
import { deliverQueue, type Errand } from './deliver.ts'
import { findStranded, lockReceiver, readDeadReceiver, sweepDeliveries } from './queries.ts'
import { wake } from './webhooks.ts'

/** A receiver that fails is no failure of its job; what counts here is a worker that dies, and that may happen any number of times. */
const walking = {
  retries: 100_000,
  backoff_seconds: [1, 2],
  expire_seconds: 60,
  handle: deliverQueue,
} as const

export const deliverBugs = job<Errand>({ name: 'bugs.deliver', concurrency: 48, ...walking })
/** The same for receivers in trouble: those that hang wait among themselves. */
export const retryBugs = job<Errand>({ name: 'bugs.retry', concurrency: 24, ...walking })

export const mailDisabled = job<Errand>({
  name: 'bugs.mail-disabled',
  async handle({ core, id, data: { receiver_uid } }) {
    const dead = await readDeadReceiver(core.sql, receiver_uid)
    if (!dead) return
    const { game_name, url, email, last_error, disabled_at } = dead
    // Its origin alone: whoever reads the rest of a webhook's address can write to it, and mail is read by many machines.
    const text = [
      `Bug reports of ${game_name} could not be delivered to ${new URL(url).origin} for ten hours, so this webhook was disabled.`,
      `The last attempt: ${last_error}.`,
      'Nothing is lost: every delivery is kept in the bug reporter settings, where it can be sent again.',
      'To turn the webhook on again, save the settings once more, or send one of the deliveries again.',
    ].join('\n\n')
    const subject = `A bug webhook of ${game_name.replaceAll(/\p{C}/gu, ' ')} was disabled`
    await core.mail.send({ id, to: email, subject, text: `${text}\n`, created_at: disabled_at })
  },
})

const MOST_AT_ONCE = 1000

/** A delivery never depends on one row of the queue: a receiver whose job is gone gets another. */
export const rescheduleDeliveries = job({
  name: 'bugs.mend',
  schedule: '*/5 * * * *',
  async handle({ core }) {
    for (const uid of await findStranded(core.sql, MOST_AT_ONCE))
      await transact(core.sql, async (tx) => {
        const lane = await lockReceiver(tx, uid)
        if (lane && (await findStranded(tx, 1, uid)).length)
          await wake(core, tx, lane, lane.resume_at)
      })
  },
})

export const sweepBugs = job({
  name: 'bugs.sweep',
  schedule: '7 4 * * *',
  expire_seconds: 600,
  handle: ({ finish }) =>
    finish(async (tx) => {
      await sweepCounts(tx)
      await sweepDeliveries(tx)
    }),
})

const ORPHAN_MS = retention.orphaned_object_days * DAY_MS

/** Screenshots without a ticket: the report was refused, a crash came between the two, or the listing is gone. Younger than a day, it may still come. */
export const sweepScreenshots = job({
  name: 'bugs.sweep-screenshots',
  schedule: '33 4 * * *',
  expire_seconds: 3600,
  async handle({ core, signal }) {
    let keys: string[] = []
    const sweepKeys = async () => {
      const known = await knownScreenshots(core.sql, keys.map(uidOf))
      for (const key of keys) if (!known.has(uidOf(key))) await core.storage.remove(key)
      keys = []
    }
    for await (const { key } of core.storage.list('bugs/')) {
      signal.throwIfAborted()
      if (Date.now() - madeAt(uidOf(key)) > ORPHAN_MS) keys.push(key)
      if (keys.length >= MOST_AT_ONCE) await sweepKeys()
    }
    await sweepKeys()
  },
})

const uidOf = (key: string) => key.slice(key.lastIndexOf('/') + 1)
/** The first 48 bits of a uid are when it was made. */
const madeAt = (uid: string) => Number.parseInt(uid.replaceAll('-', '').slice(0, 12), 16)
