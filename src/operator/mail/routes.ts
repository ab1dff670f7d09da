import { Type } from 'typebox'
import { operator } from '../../accounts/people/operator-access.ts'
import { readUser } from '../../accounts/people/queries.ts'
import { Body, OneOf, route } from '../../core/http/route.ts'
import { mailSender } from '../../core/mail/mail.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain, withMessage } from '../../core/runtime/reasons.ts'
import { HOUR } from '../../core/runtime/units.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import { perAccount } from '../../core/security/limits.ts'
import {
  deleteMailServer,
  localPortOf,
  MAIL_SERVER,
  mailServerProblem,
  storeMailServer,
} from '../../core/settings/mail-server.ts'
import { writeSetting } from '../../core/settings/queries.ts'
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
      description: 'outbox: without a mail server, mails are files in DATA_DIR/outbox',
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
    return { to: email, delivery: showMail(core).delivery }
  },
})

const MAIL = '/api/v1/private/operations/mail-server'
const CHANGES_PER_HOUR = 30

const MailData = Type.Object({
  delivery: OneOf(['smtp', 'outbox'], {
    description: 'outbox: without a mail server, mails are files in DATA_DIR/outbox',
  }),
  server: OneOf(['environment', 'settings', 'none'], {
    description: 'Where the mail server is set. Its address is never shown',
  }),
  sender: Type.String({ description: 'The sender of mails' }),
})

function showMail({ config, settings }: Core) {
  const set_inside = settings.mail_server ? ('settings' as const) : ('none' as const)
  const server = config.smtp_url ? ('environment' as const) : set_inside
  const { mail_from, store_name } = settings.current
  return {
    delivery: server === 'none' ? ('outbox' as const) : ('smtp' as const),
    server,
    sender: mailSender(mail_from, store_name),
  }
}

function checkNotFixed({ config }: Core): void {
  const variable = 'SMTP_URL'
  const message = `${variable} is set in the environment; change it there`
  if (config.smtp_url)
    refuse(
      'SETTING_FIXED',
      { setting: MAIL_SERVER },
      explain('setting_fixed', message, { variable }),
    )
}

export const readMailServerRoute = route({
  method: 'GET',
  url: MAIL,
  summary: 'For operators: how mails are delivered',
  auth: operator,
  limits: [perAccount(60)],
  data: MailData,
  handle: ({ core }) => showMail(core),
})

const changeLimits = [perAccount(CHANGES_PER_HOUR, { seconds: HOUR, bucket: 'mail server' })]

export const setMailServerRoute = route({
  method: 'PUT',
  url: MAIL,
  summary: 'For operators: set the mail server',
  description:
    'The address is sealed and never shown again. SMTP_URL in the environment wins. All ' +
    'processes follow within a second.',
  auth: operator,
  limits: changeLimits,
  body: Body({
    smtp_url: Type.String({
      maxLength: 500,
      description: 'Such as smtps://user:password@mail.example:465',
    }),
  }),
  data: MailData,
  errors: ['SETTING_FIXED'],
  async handle({ core, who, body }) {
    checkNotFixed(core)
    const url = body.smtp_url.trim()
    const problem = mailServerProblem(url)
    if (problem)
      refuse(
        'MALFORMED',
        { field: MAIL_SERVER },
        withMessage(problem, (message) => `${MAIL_SERVER}: ${message}`),
      )
    const value = { uid: uuidv7(), local_port: localPortOf(url) }
    await core.sql.begin(async (tx) => {
      await storeMailServer(tx, core.secrets, url)
      await writeSetting(tx, { name: MAIL_SERVER, value, user_uid: who.user_uid })
    })
    await core.settings.reload()
    return showMail(core)
  },
})

export const removeMailServerRoute = route({
  method: 'DELETE',
  url: MAIL,
  summary: 'For operators: remove the mail server; mails become files again',
  auth: operator,
  limits: changeLimits,
  data: MailData,
  errors: ['SETTING_FIXED', 'NOT_FOUND'],
  async handle({ core, who }) {
    checkNotFixed(core)
    await core.sql.begin(async (tx) => {
      const change = { name: MAIL_SERVER, value: null, user_uid: who.user_uid }
      if (!(await writeSetting(tx, change))) refuse('NOT_FOUND')
      await deleteMailServer(tx)
    })
    await core.settings.reload()
    return showMail(core)
  },
})

export const mailRoutes = [
  readMailServerRoute,
  setMailServerRoute,
  removeMailServerRoute,
  sendTestMailRoute,
]
