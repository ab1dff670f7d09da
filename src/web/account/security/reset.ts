import { Type } from 'typebox'
import {
  stopOwnResetRoute,
  stopResetByLinkRoute,
} from '../../../accounts/second-factor/reset-routes.ts'
import { readSecondFactorRoute } from '../../../accounts/second-factor/routes.ts'
import type { RouteData } from '../../../core/http/route.ts'
import { t } from '../../../core/text/text.ts'
import { callApi, readApi } from '../../call.ts'
import {
  button,
  emptyForm,
  type FormState,
  fieldForm,
  fieldValue,
  rejectedForm,
} from '../../components/form.ts'
import { dateTimeTag } from '../../components/format.ts'
import { type Html, html, richText } from '../../components/html.ts'
import type { Context } from '../../components/layout.ts'
import { narrowPage } from '../../components/narrow-page.ts'
import { postButton } from '../../components/secret-field.ts'
import { redirectTo } from '../../flash-message.ts'
import { localPath, withNext } from '../../next-path.ts'
import { getPage, postForm } from '../../page-routes.ts'
import { visitor } from '../../visitor.ts'
import { renderMailedLink } from './mailed-link.ts'
import { RESET_PAGE, SECURITY_PAGE } from './paths.ts'

type Reset = NonNullable<RouteData<typeof readSecondFactorRoute>['reset']>

const dueText = ({ due_at }: Reset): Html =>
  html`<p>${richText('reset-waits', { time: dateTimeTag(due_at) })}</p>`

/** On the page about the security of the account. */
export const resetNotice = (reset: Reset): Html => html`
  <section class="notice" aria-label="${t('reset-title')}">
    ${dueText(reset)}
    <p>${t('reset-stop-text')}</p>
    ${postButton(t('reset-stop'), RESET_PAGE, { kind: 'ink' })}
  </section>
`

const renderLink = (context: Context, token: string, state: FormState) =>
  renderMailedLink(
    context,
    {
      title: t('reset-title'),
      text: t('reset-link-text'),
      action: RESET_PAGE,
      submit: t('reset-stop'),
      token,
    },
    state,
  )

/** For somebody who just took the second step, and so did not lose it. */
const renderOwn = (context: Context, reset: Reset, next: string) =>
  narrowPage(context, {
    title: t('reset-title'),
    body: html`
      ${dueText(reset)}
      <p>${t('reset-stop-text')}</p>
      ${fieldForm(
        emptyForm,
        { action: withNext(RESET_PAGE, next), names: [], submit: button(t('reset-stop')) },
        html``,
      )}
      <p class="aside"><a href="${next}">${t('reset-continue')}</a></p>
    `,
  })

const query = Type.Object({
  token: Type.Optional(Type.String()),
  next: Type.Optional(Type.String()),
})

const resetPage = getPage(RESET_PAGE, 'Stop the reset of a second factor', {
  auth: visitor,
  query,
  async handle(input) {
    const { token } = input.query
    if (token !== undefined) return renderLink(input, token, emptyForm)
    if (!input.who) return redirectTo(input.reply, withNext('/login', input.request.url))
    const next = localPath(input.query.next) ?? SECURITY_PAGE
    const { reset } = await readApi(input.request, readSecondFactorRoute)
    return reset ? renderOwn(input, reset, next) : redirectTo(input.reply, next)
  },
})

const submitStop = postForm(RESET_PAGE, 'Stop the reset of a second factor', {
  auth: visitor,
  query,
  async handle(input) {
    const { request, reply, body, who } = input
    const token = fieldValue(body, 'token')
    const next = localPath(input.query.next) ?? SECURITY_PAGE
    if (!token && !who) return redirectTo(reply, '/login')
    const answer = token
      ? await callApi(request, stopResetByLinkRoute, { body: { token } })
      : await callApi(request, stopOwnResetRoute)
    if (answer.ok) return redirectTo(reply, who ? next : '/login', t('reset-stopped'))
    if (!token) return redirectTo(reply, next, t('reset-none'))
    reply.code(answer.status)
    return renderLink(input, token, rejectedForm(null, answer))
  },
})

export const resetPages = [resetPage, submitStop]
