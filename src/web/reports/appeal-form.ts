import { Type } from 'typebox'
import { t } from '../../core/text/text.ts'
import { fileAppealRoute, MAX_APPEAL, readStatementRoute } from '../../moderation/appeals/routes.ts'
import { statementCard } from '../account/moderation.ts'
import { callApi, readApi } from '../call.ts'
import {
  emptyForm,
  type FormState,
  fieldForm,
  fieldValue,
  rejectedForm,
  textArea,
} from '../components/form.ts'
import { html } from '../components/html.ts'
import type { Context } from '../components/layout.ts'
import { narrowPage } from '../components/narrow-page.ts'
import { redirectTo } from '../flash-message.ts'
import { getPage, postForm } from '../page-routes.ts'
import { visitor } from '../visitor.ts'

type Address = { statement_uid: string; token: string }

const pathOf = ({ statement_uid, token }: Address) =>
  `/appeal/${encodeURIComponent(statement_uid)}${token && `?token=${encodeURIComponent(token)}`}`

const appealForm = (address: Address, state: FormState) =>
  fieldForm(
    state,
    { action: pathOf(address), names: ['text'], submit: t('appeal-send') },
    textArea(state, {
      name: 'text',
      label: t('appeal-text'),
      hint: t('appeal-text-hint'),
      rows: 8,
      maxlength: MAX_APPEAL,
      required: true,
    }),
  )

/** The statement of reasons, and the form as long as the person can appeal. */
async function renderAppeal(context: Context, address: Address, state: FormState = emptyForm) {
  const { statement_uid, token } = address
  const statement = await readApi(context.request, readStatementRoute, {
    params: { statement_uid },
    query: { token },
  })
  return narrowPage(context, {
    title: t('appeal-title'),
    body: html`
      ${statementCard(statement)}
      ${
        statement.may_appeal &&
        html`
          <p>${t('appeal-intro')}</p>
          ${appealForm(address, state)}`
      }
    `,
  })
}

const params = Type.Object({ statement_uid: Type.String() })
const query = Type.Object({ token: Type.String({ default: '' }) })

/** Opens with the link of the mail too, for people who cannot sign in. */
const appealPage = getPage('/appeal/:statement_uid', 'Appeal against a decision', {
  auth: visitor,
  params,
  query,
  cache: 'private, no-store',
  handle: (input) => renderAppeal(input, { ...input.params, ...input.query }),
})

const submitAppeal = postForm('/appeal/:statement_uid', 'Send an appeal', {
  auth: visitor,
  params,
  query,
  async handle(input) {
    const { request, reply, body, query } = input
    const address = { ...input.params, ...query }
    const answer = await callApi(request, fileAppealRoute, {
      params: input.params,
      body: { token: query.token, text: fieldValue(body, 'text') },
    })
    if (answer.ok) return redirectTo(reply, pathOf(address), t('appeal-sent'))
    reply.code(answer.status)
    return renderAppeal(input, address, rejectedForm(body, answer))
  },
})

export const appealPages = [appealPage, submitAppeal]
