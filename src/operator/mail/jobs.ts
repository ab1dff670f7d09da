import { job } from '../../core/jobs/index.ts'
import { sweepMails } from '../../core/mail/mail-log.ts'
import { retention } from '../../core/runtime/retention.ts'

export const sweepMailsJob = job({
  name: 'operator.sweep-mails',
  schedule: '41 3 * * *',
  handle: ({ finish }) => finish((tx) => sweepMails(tx, retention.mail_days)),
})
