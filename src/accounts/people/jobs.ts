import { job } from '../../core/jobs/index.ts'
import { APPROVAL_DAYS, APPROVAL_SECONDS, approvalUrl } from '../approvals/approvals.ts'
import { approvalMail, sweepApprovals } from '../approvals/queries.ts'
import { startReset, sweepResets } from '../credentials/reset-queries.ts'
import { RESET_RESEND_SECONDS, RESET_SECONDS, resetToken } from '../credentials/reset-tokens.ts'
import { CALL_DAYS } from '../keys/call-log.ts'
import { sweepCalls } from '../keys/call-log-queries.ts'
import { CODE_SECONDS, digitsFrom } from './account-rules.ts'
import { codeIsCurrent, readUser, sweepExpired } from './queries.ts'

/** The code is worked out here, from the nonce, so that it stands in no table and no queue. */
export const mailCode = job<{ user_uid: string; nonce: string }>({
  name: 'accounts.mail-code',
  async handle({ core, data: { user_uid, nonce } }) {
    const to = await codeIsCurrent(core.sql, user_uid, nonce)
    if (!to) return
    const code = digitsFrom(core.secrets.mac('mail code', nonce))
    const link = `${core.addresses.web_url}/settings/verify?code=${code}`
    const text = `Your code is ${code}\n\nType it in on the page that asked for it, or open ${link}\n\nIt is valid for ${CODE_SECONDS / 60} minutes. If you did not ask for it, ignore this mail.\n`
    await core.mail.send({
      id: nonce,
      to,
      subject: `${code} is your Slipway code`,
      text,
      created_at: new Date(),
    })
  },
})

/** Asked for by anybody: for somebody who is nobody, or was just written to, nothing happens. */
export const mailReset = job<{ user_uid: string | null; nonce: string }>({
  name: 'accounts.mail-reset',
  async handle({ core, data: { user_uid, nonce } }) {
    const times = { valid_seconds: RESET_SECONDS, resend_seconds: RESET_RESEND_SECONDS }
    const to = user_uid === null ? undefined : await startReset(core.sql, user_uid, nonce, times)
    if (!to) return
    const link = `${core.addresses.web_url}/password/new?token=${resetToken(core, nonce)}`
    const text = `Somebody, hopefully you, asked for a new password for your Slipway account.\n\nTo choose one, open ${link}\n\nThe link works once, within ${RESET_SECONDS / 60} minutes. If you did not ask for it, ignore this mail: your password stays as it is.\n`
    await core.mail.send({
      id: nonce,
      to,
      subject: 'A new password for Slipway',
      text,
      created_at: new Date(),
    })
  },
})

export const mailPasswordChanged = job<{ user_uid: string; id: string; unproven?: boolean }>({
  name: 'accounts.mail-password-changed',
  async handle({ core, data: { user_uid, id, unproven } }) {
    const user = await readUser(core.sql, user_uid)
    if (!user) return
    const keys = unproven
      ? 'Nobody had proven this address before, so keys and apps that had been let in were ended as well.'
      : `Keys and apps that you let in go on: see ${core.addresses.web_url}/account/keys`
    const text = `The password of your Slipway account ${user.username} was changed with a link from a mail to this address, and every session was ended.\n\n${keys}\n\nIf this was not you, somebody reads your mail: change its password, then ask for a new one at ${core.addresses.web_url}/password/forgot\n`
    await core.mail.send({
      id,
      to: user.email,
      subject: 'Your Slipway password was changed',
      text,
      created_at: new Date(),
    })
  },
})

/** A link for people at a computer, a code for those who would rather tell their agent. */
export const mailApproval = job<{ uid: string }>({
  name: 'accounts.mail-approval',
  async handle({ core, data: { uid } }) {
    const mail = await approvalMail(core.sql, uid)
    if (!mail) return
    const code = digitsFrom(core.secrets.mac('approval code', uid))
    const text = [
      `Your agent (${mail.credential}) asks to do this for ${mail.game}:`,
      `  ${mail.summary}`,
      `To decide, open ${approvalUrl(core, uid)}`,
      `Or tell your agent this code, which allows it: ${code}`,
      `You have ${APPROVAL_SECONDS / 60} minutes. If you did not expect this, deny it, and revoke the key or the access of the agent.`,
    ].join('\n\n')
    const subject = `Approve: ${mail.summary}`.replace(/[\x00-\x1f\x7f]+/g, ' ')
    await core.mail.send({
      id: uid,
      to: mail.to,
      subject,
      text: `${text}\n`,
      created_at: mail.created_at,
    })
  },
})

export const sweep = job({
  name: 'accounts.sweep',
  schedule: '17 3 * * *',
  handle: ({ finish }) =>
    finish(async (tx) => {
      await sweepExpired(tx)
      await sweepResets(tx)
      await sweepCalls(tx, CALL_DAYS)
      await sweepApprovals(tx, APPROVAL_DAYS)
    }),
})
