import type { Text } from '../../../core/text/text.ts'
import { button, type FormState, fieldForm } from '../../components/form.ts'
import { html } from '../../components/html.ts'
import type { Context } from '../../components/layout.ts'
import { narrowPage } from '../../components/narrow-page.ts'

type MailedLink = { title: Text; text: Text; action: string; submit: Text; token: string }

/**
 * The page of a link in a mail that changes something. It takes a button, because programs that
 * check mails open every link in them.
 */
export const renderMailedLink = (context: Context, link: MailedLink, state: FormState) =>
  narrowPage(context, {
    title: link.title,
    secret: true,
    body: html`
      <p>${link.text}</p>
      ${fieldForm(
        state,
        { action: link.action, names: [], submit: button(link.submit) },
        html`<input type="hidden" name="token" value="${link.token}">`,
      )}
    `,
  })
