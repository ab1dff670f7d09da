import { transact } from '../../core/database/transaction.ts'
import { job } from '../../core/jobs/index.ts'
import { mailLanguage, writeMail } from '../../core/text/mail-text.ts'
import { deleteOldCounts } from '../reports/queries.ts'
import { type DeliveryJob, deliverQueue } from './deliver.ts'
import { disabledWebhookMail } from './mail-templates.ts'
import { deleteOldDeliveries } from './queries.ts'
import { enqueueReceiver } from './queue.ts'
import {
  deleteUnusedReceivers,
  findReceiversWithoutJob,
  lockReceiver,
  readDisabledReceiver,
} from './receiver-queries.ts'

/**
 * Failed deliveries do not fail their job; retry-schedule.ts has their schedule. These retries are
 * for workers that die under the job, which may happen any number of times.
 */
const deliveryJobOptions = {
  retries: 100_000,
  backoff_seconds: [1, 2],
  expire_seconds: 60,
  handle: deliverQueue,
} as const

export const deliverBugs = job<DeliveryJob>({
  name: 'bugs.deliver',
  concurrency: 48,
  ...deliveryJobOptions,
})

/** For failing receivers, so that those that hang do not block the others. */
export const retryBugs = job<DeliveryJob>({
  name: 'bugs.retry',
  concurrency: 24,
  ...deliveryJobOptions,
})

/** Jobs of the previous version do not say whether the webhook is gone. */
type DisabledMailJob = { receiver_uid: string; is_gone?: boolean }

export const mailDisabled = job<DisabledMailJob>({
  name: 'bugs.mail-disabled',
  async handle({ core, id, data: { receiver_uid, is_gone = false } }) {
    const receiver = await readDisabledReceiver(core.sql, receiver_uid)
    if (!receiver) return
    const { email: to, disabled_at: created_at, language } = receiver
    const mail = writeMail(
      disabledWebhookMail(receiver, is_gone),
      mailLanguage(core.config, language),
    )
    await core.mail.send({ id, to, created_at, ...mail })
  },
})

const MAX_RECEIVERS = 1000

/** Gives receivers whose job was lost another one, so that no delivery depends on one job row. */
export const rescheduleDeliveries = job({
  name: 'bugs.mend',
  schedule: '*/5 * * * *',
  async handle({ core }) {
    for (const uid of await findReceiversWithoutJob(core.sql, MAX_RECEIVERS))
      await transact(core.sql, async (tx) => {
        const receiver = await lockReceiver(tx, uid)
        if (receiver && (await findReceiversWithoutJob(tx, 1, uid)).length)
          await enqueueReceiver(core, tx, receiver, receiver.resume_at)
      })
  },
})

export const sweepBugs = job({
  name: 'bugs.sweep',
  schedule: '7 4 * * *',
  expire_seconds: 600,
  handle: ({ finish }) =>
    finish(async (tx) => {
      await deleteOldCounts(tx)
      await deleteOldDeliveries(tx)
      await deleteUnusedReceivers(tx)
    }),
})
