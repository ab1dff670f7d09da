import { findRecipient } from '../../accounts/publishing/queries.ts'
import { job } from '../../core/jobs/index.ts'
import { mailLanguage, writeMail } from '../../core/text/mail-text.ts'
import { pageUrl } from '../../listings/page/url.ts'
import { keyRequestMail } from './mail-templates.ts'
import { findRequest } from './request-queries.ts'

/** Tells a journalist or creator what the developer decided. */
export const mailKeyRequest = job<{ request_uid: string; id: string }>({
  name: 'library.mail-key-request',
  async handle({ core, data: { request_uid, id } }) {
    const request = await findRequest(core.sql, request_uid)
    const recipient = request && (await findRecipient(core.sql, request.user_uid))
    if (!recipient || request.state === 'waiting') return
    const { name, username, vanity_name, state } = request
    const text = keyRequestMail({
      store: core.settings.current.store_name,
      game: name,
      is_approved: state === 'approved',
      url: pageUrl(core.addresses, { owner_username: username, vanity_name }),
    })
    const mail = writeMail(text, mailLanguage(core.config, recipient.language))
    await core.mail.send({ ...mail, id, to: recipient.email, created_at: new Date() })
  },
})
