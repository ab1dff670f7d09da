import type { RouteData } from '../../core/http/route.ts'
import { MAIL_SERVER } from '../../core/settings/mail-server.ts'
import { t } from '../../core/text/text.ts'
import {
  readMailServerRoute,
  removeMailServerRoute,
  sendTestMailRoute,
  setMailServerRoute,
} from '../../operator/mail/routes.ts'
import { callApi, readApi } from '../call.ts'
import {
  button,
  emptyForm,
  type FormState,
  fieldForm,
  fieldValue,
  rejectedForm,
  textField,
} from '../components/form.ts'
import { type Html, html, richText } from '../components/html.ts'
import type { Context } from '../components/layout.ts'
import { postButton } from '../components/secret-field.ts'
import { facts } from '../components/table.ts'
import { redirectTo } from '../flash-message.ts'
import { postForm } from '../page-routes.ts'
import { consoleOperator } from '../visitor.ts'

type Mail = RouteData<typeof readMailServerRoute>

const serverText = ({ server }: Mail) => t(`mail-server-${server}`)

/** How mails are delivered, and the forms that change and test it. */
export async function mailServerSection(
  { request }: Context,
  path: string,
  state: FormState = emptyForm,
): Promise<Html> {
  const mail = await readApi(request, readMailServerRoute)
  return html`
    ${facts([
      [t('setup-mail-server'), serverText(mail)],
      [t('setup-mail-sender'), mail.sender],
    ])}
    ${
      mail.server === 'environment'
        ? html`<p class="hint">
            ${richText('setting-is-fixed', { variable: html`<code>SMTP_URL</code>` })}
          </p>`
        : serverForm(mail, path, state)
    }
    <div class="aside">${postButton(t('setup-mail-test'), `${path}/test`)}</div>`
}

const serverForm = ({ server }: Mail, path: string, state: FormState): Html => html`
  ${server === 'none' && html`<p class="soft">${t('mail-server-outbox')}</p>`}
  ${fieldForm(
    // The address has a password, so it is not sent back.
    { ...state, values: {} },
    { action: path, names: [MAIL_SERVER], submit: button(t('mail-server-save')) },
    textField(state, {
      name: MAIL_SERVER,
      label: t('mail-server-address'),
      hint: t('mail-server-address-hint'),
      type: 'password',
      autocomplete: 'off',
      maxlength: 500,
      required: true,
    }),
  )}
  ${server === 'settings' && postButton(t('mail-server-remove'), `${path}/remove`)}`

type Render = (context: Context, state: FormState) => Promise<unknown>

/** The routes of the forms on a page; a refused form is shown on the page again. */
export function mailServerForms(path: string, { page, render }: { page: string; render: Render }) {
  const submit = postForm(path, 'Set the mail server', {
    auth: consoleOperator,
    async handle(input) {
      const { request, reply, body } = input
      const smtp_url = fieldValue(body, MAIL_SERVER)
      const answer = await callApi(request, setMailServerRoute, { body: { smtp_url } })
      if (answer.ok) return redirectTo(reply, page, t('mail-server-saved'))
      reply.code(answer.status)
      return render(input, rejectedForm(null, answer))
    },
  })
  const remove = postForm(`${path}/remove`, 'Remove the mail server', {
    auth: consoleOperator,
    async handle({ request, reply }) {
      await readApi(request, removeMailServerRoute)
      return redirectTo(reply, page, t('mail-server-removed'))
    },
  })
  const sendTest = postForm(`${path}/test`, 'Send a test mail to the operator', {
    auth: consoleOperator,
    async handle({ request, reply }) {
      const answer = await callApi(request, sendTestMailRoute)
      if (!answer.ok) return redirectTo(reply, page, answer.message)
      const { to, delivery } = answer.data
      const id = delivery === 'smtp' ? 'setup-mail-smtp-sent' : 'setup-mail-outbox-sent'
      return redirectTo(reply, page, t(id, { to }))
    },
  })
  return [submit, remove, sendTest]
}
