import type { Message } from '../core/runtime/mail.ts'
import { APPROVAL_SECONDS } from './approvals/approvals.ts'
import { CODE_SECONDS } from './credentials/codes.ts'
import { RESET_SECONDS } from './credentials/reset-tokens.ts'

type MailText = Pick<Message, 'subject' | 'text'>

const CONTROL_CHARACTERS = /[\x00-\x1f\x7f]+/g
const paragraphs = (...texts: string[]) => `${texts.join('\n\n')}\n`

export const codeMail = ({ code, verify_url }: { code: string; verify_url: string }): MailText => ({
  subject: `${code} is your Slipway code`,
  text: paragraphs(
    `Your code is ${code}`,
    `Enter it on the page that requested it, or open ${verify_url}`,
    `The code is valid for ${CODE_SECONDS / 60} minutes. ` +
      'If you did not request it, ignore this mail.',
  ),
})

export const passwordResetMail = ({ reset_url }: { reset_url: string }): MailText => ({
  subject: 'Reset your Slipway password',
  text: paragraphs(
    'We received a request to reset the password of your Slipway account.',
    `To choose a new password, open ${reset_url}`,
    `The link works once and expires in ${RESET_SECONDS / 60} minutes. ` +
      'If you did not request it, ignore this mail: your password stays the same.',
  ),
})

export const passwordChangedMail = (change: {
  username: string
  /** The address had not been verified before, so all other credentials were revoked. */
  unproven: boolean | undefined
  keys_url: string
  forgot_url: string
}): MailText => ({
  subject: 'Your Slipway password was changed',
  text: paragraphs(
    `The password of your Slipway account ${change.username} was changed with a link sent to ` +
      'this address. You were signed out everywhere.',
    change.unproven
      ? 'This address had not been verified before, so all keys and connected apps were revoked.'
      : `Your keys and connected apps still work. Review them at ${change.keys_url}`,
    'If this was not you, somebody can read your mail. Change the password of your mail account, ' +
      `then reset your Slipway password at ${change.forgot_url}`,
  ),
})

/** Contains a link to decide in the browser, and a code to pass to the agent instead. */
export const approvalMail = (approval: {
  credential: string
  game: string
  summary: string
  code: string
  approval_url: string
}): MailText => ({
  subject: `Approve: ${approval.summary}`.replace(CONTROL_CHARACTERS, ' '),
  text: paragraphs(
    `Your agent (${approval.credential}) requests your approval for ${approval.game}:`,
    `  ${approval.summary}`,
    `To approve or deny it, open ${approval.approval_url}`,
    `Or approve it by giving your agent this code: ${approval.code}`,
    `The request expires in ${APPROVAL_SECONDS / 60} minutes. If you did not expect it, deny it ` +
      "and revoke the agent's key or access.",
  ),
})
