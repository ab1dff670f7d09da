import { job } from '../core/jobs/index.ts'
import { mailLanguage, writeMail } from '../core/text/mail-text.ts'
import { appealUrl } from './appeals/appeal.ts'
import { statementMail } from './mail-templates.ts'
import { findStatementMail } from './queries.ts'

export const mailStatement = job<{ statement_uid: string }>({
  name: 'moderation.mail-statement',
  async handle({ core, data: { statement_uid } }) {
    const statement = await findStatementMail(core.sql, statement_uid)
    if (!statement) return
    const { email, language, uid, created_at } = statement
    const text = statementMail({
      ...statement,
      store: core.settings.current.store_name,
      url: `${core.addresses.web_url}/settings/moderation`,
      appeal_url: statement.may_appeal ? appealUrl(core, uid) : null,
    })
    const mail = writeMail(text, mailLanguage(core.config, language))
    await core.mail.send({ ...mail, id: uid, to: email, created_at })
  },
})
