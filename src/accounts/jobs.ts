import { job } from '../core/jobs.ts'
import { codeIsCurrent, sweepExpired } from './queries.ts'
import { CODE_SECONDS, digitsFrom } from './rules.ts'

/** The code is worked out here, from the nonce, so that it stands in no table and no queue. */
export const mailCode = job<{ user_uid: string; nonce: string }>({
  name: 'accounts.mail-code',
  async handle({ core, data: { user_uid, nonce } }) {
    const to = await codeIsCurrent(core.sql, user_uid, nonce)
    if (!to) return
    const code = digitsFrom(core.secrets.mac('mail code', nonce))
    const text = `Your code is ${code}\n\nIt is valid for ${CODE_SECONDS / 60} minutes. If you did not ask for it, ignore this mail.\n`
    await core.mail.send({ id: nonce, to, subject: `${code} is your Slipway code`, text, created_at: new Date() })
  },
})

export const sweep = job({
  name: 'accounts.sweep',
  schedule: '17 3 * * *',
  handle: ({ finish }) => finish(sweepExpired),
})
