import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TypedRoute } from '../../core/http/route.ts'
import { t } from '../../core/text/text.ts'
import { type ApiAnswer, type ApiRefusal, callApi } from '../call.ts'
import { type FormBody, type FormState, fieldValue, rejectedForm } from '../components/form.ts'
import { html } from '../components/html.ts'

/** Forms of the account whose fields are those of the route that they call. */

export const backToSettings = html`
  <p class="aside"><a href="/settings">${t('nav-settings')}</a></p>`

type Submission = { request: FastifyRequest; reply: FastifyReply; body: FormBody }

/** Calls a route with the text of these fields. */
export const sendFields = <Params, Query, Body, Data>(
  { request, body }: Submission,
  route: TypedRoute<Params, Query, Body, Data>,
  names: readonly (keyof NoInfer<Body> & string)[],
): Promise<ApiAnswer<Data>> => {
  const fields = Object.fromEntries(names.map((name) => [name, fieldValue(body, name)]))
  return callApi(request, route, { body: fields as Body })
}

/** The form with what was typed and why it was refused, for a page with that status. */
export function refusedForm({ reply, body }: Submission, answer: ApiRefusal): FormState {
  reply.code(answer.status)
  return rejectedForm(body, answer)
}
