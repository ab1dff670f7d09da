import { Type } from 'typebox'
import { undoEmailChangeRoute } from '../../../accounts/credentials/undo-routes.ts'
import { t } from '../../../core/text/text.ts'
import { callApi } from '../../call.ts'
import { emptyForm, type FormState, fieldValue, rejectedForm } from '../../components/form.ts'
import type { Context } from '../../components/layout.ts'
import { redirectTo } from '../../flash-message.ts'
import { getPage, postForm } from '../../page-routes.ts'
import { visitor } from '../../visitor.ts'
import { renderMailedLink } from './mailed-link.ts'

const UNDO_PAGE = '/account/email/undo'

const renderUndo = (context: Context, token: string, state: FormState) =>
  renderMailedLink(
    context,
    {
      title: t('undo-email'),
      text: t('undo-email-text'),
      action: UNDO_PAGE,
      submit: t('undo-email-button'),
      token,
    },
    state,
  )

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
