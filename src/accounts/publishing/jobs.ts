import { job } from '../../core/jobs/index.ts'
import { mailLanguage, writeMail } from '../../core/text/mail-text.ts'
import { publishingDecisionMail, publishingRequestMail } from '../mail-templates.ts'
import { findApprovalRow, findRecipient } from './queries.ts'

type Request = { user_uid: string; operator_uid: string; id: string }

/** Tells an operator that a person wants to publish. */
export const mailPublishingRequest = job<Request>({
  name: 'accounts.mail-publishing-request',
  async handle({ core, data: { user_uid, operator_uid, id } }) {
    const approval = await findApprovalRow(core.sql, user_uid)
    const recipient = await findRecipient(core.sql, operator_uid)
    if (!recipient || approval?.state !== 'requested') return
    const text = publishingRequestMail({
      store: core.settings.current.store_name,
      username: approval.username,
      request: approval.request,
      approvals_url: `${core.addresses.web_url}/operator/approvals`,
    })
    const mail = writeMail(text, mailLanguage(core.config, recipient.language))
    await core.mail.send({ ...mail, id, to: recipient.email, created_at: new Date() })
  },
})

/** Tells a person what the operators decided. */
export const mailPublishingDecision = job<{ user_uid: string; id: string }>({
  name: 'accounts.mail-publishing-decision',
  async handle({ core, data: { user_uid, id } }) {
    const approval = await findApprovalRow(core.sql, user_uid)
    const recipient = await findRecipient(core.sql, user_uid)
    if (!recipient || !approval || approval.state === 'requested') return
    const text = publishingDecisionMail({
      store: core.settings.current.store_name,
      is_approved: approval.state === 'approved',
      reason: approval.reason,
      dashboard_url: `${core.addresses.web_url}/dashboard`,
    })
    const mail = writeMail(text, mailLanguage(core.config, recipient.language))
    await core.mail.send({ ...mail, id, to: recipient.email, created_at: new Date() })
  },
})
