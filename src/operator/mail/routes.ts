import { Type } from 'typebox'
import { operator } from '../../accounts/people/operator-access.ts'
import { readUser } from '../../accounts/people/queries.ts'
import { OneOf, route } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { HOUR } from '../../core/runtime/units.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import { perAccount } from '../../core/security/limits.ts'
import { mailLanguage, writeMail } from '../../core/text/mail-text.ts'
import { t } from '../../core/text/text.ts'

const MAX_ERROR = 300

export const sendTestMailRoute = route({
  method: 'POST',
  url: '/api/v1/private/operations/test-mail',
  summary: 'For operators: send a mail to your own address, to see whether mail works',
  auth: operator,
  limits: [perAccount(10, { seconds: HOUR })],
  data: Type.Object({
    to: Type.String({ description: 'Your address' }),
    delivery: OneOf(['smtp', 'outbox'], {
      description: 'outbox: without SMTP_URL, mails are files in DATA_DIR/outbox',
    }),
  }),
  errors: ['UNAVAILABLE'],
  async handle({ core, sql, who }) {
    const { email, language } = await readUser(sql, who.user_uid)
    const store = core.settings.current.store_name
    const text = {
      subject: t('mail-test-subject', { store }),
      paragraphs: [t('mail-test', { store, url: core.addresses.web_url })],
    }
    const mail = writeMail(text, mailLanguage(core.config, language))
    try {
      await core.mail.send({ ...mail, id: uuidv7(), to: email, created_at: new Date() })
    } catch (cause) {
      core.log.warn({ err: cause }, 'the test mail could not be sent')
      const error = String((cause as Error).message ?? cause).slice(0, MAX_ERROR)
      refuse(
        'UNAVAILABLE',
        undefined,
        explain('mail_failed', `The mail server did not take the mail: ${error}`, { error }),
      )
    }
    return { to: email, delivery: core.config.smtp_url ? ('smtp' as const) : ('outbox' as const) }
  },
})
