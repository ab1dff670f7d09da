import { job } from '../../core/jobs/index.ts'
import { mailLanguage, writeMail } from '../../core/text/mail-text.ts'
import { appealMail } from './mail-templates.ts'
import { findAppealMail } from './queries.ts'

export const mailAppeal = job<{ appeal_uid: string }>({
  name: 'moderation.mail-appeal',
  async handle({ core, data: { appeal_uid } }) {
    const appeal = await findAppealMail(core.sql, appeal_uid)
    if (!appeal) return
    const { email, language, uid, decided_at } = appeal
    const text = appealMail({ ...appeal, store: core.settings.current.store_name })
    const mail = writeMail(text, mailLanguage(core.config, language))
    await core.mail.send({ ...mail, id: uid, to: email, created_at: decided_at })
  },
})
