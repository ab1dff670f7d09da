import { Type } from 'typebox'
import { undoEmailChangeRoute } from '../../../accounts/credentials/undo-routes.ts'
import { t } from '../../../core/text/text.ts'
import { callApi } from '../../call.ts'
import {
  button,
  emptyForm,
  type FormState,
  fieldForm,
  fieldValue,
  rejectedForm,
} from '../../components/form.ts'
import { html } from '../../components/html.ts'
import type { Context } from '../../components/layout.ts'
import { narrowPage } from '../../components/narrow-page.ts'
import { redirectTo } from '../../flash-message.ts'
import { getPage, postForm } from '../../page-routes.ts'
import { visitor } from '../../visitor.ts'

const UNDO_PAGE = '/account/email/undo'

/** A button, because programs that check mails open every link in them. */
const renderUndo = (context: Context, token: string, state: FormState) =>
  narrowPage(context, {
    title: t('undo-email'),
    secret: true,
    body: html`
      <p>${t('undo-email-text')}</p>
      ${fieldForm(
        state,
        { action: UNDO_PAGE, names: [], submit: button(t('undo-email-button')) },
        html`<input type="hidden" name="token" value="${token}">`,
      )}
    `,
  })

const undoEmailPage = getPage(UNDO_PAGE, 'Undo a change of the email address', {
  auth: visitor,
  query: Type.Object({ token: Type.Optional(Type.String()) }),
  handle: (input) => renderUndo(input, input.query.token ?? '', emptyForm),
})

const submitUndoEmail = postForm(UNDO_PAGE, 'Undo a change of the email address', {
  auth: visitor,
  async handle(input) {
    const { request, reply, body } = input
    const token = fieldValue(body, 'token')
    const answer = await callApi(request, undoEmailChangeRoute, { body: { token } })
    if (answer.ok) return redirectTo(reply, '/login', t('email-undone'))
    reply.code(answer.status)
    return renderUndo(input, token, rejectedForm(null, answer))
  },
})

export const undoEmailPages = [undoEmailPage, submitUndoEmail]
