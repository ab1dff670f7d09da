import type { FastifyReply } from 'fastify'
import type { Route, RouteData, TypedRoute } from '../../core/http/route.ts'
import { joinTexts, type Text, t } from '../../core/text/text.ts'
import type { CheckReport } from '../../listings/listing/check.ts'
import { type ApiAnswer, type ApiRefusal, callApi } from '../call.ts'
import { type FormBody, type FormState, rejectedForm } from '../components/form.ts'
import { redirectTo } from '../flash-message.ts'
import { postForm } from '../page-routes.ts'
import { member } from '../visitor.ts'
import { checkText } from './page/check-text.ts'
import {
  anyQuery,
  type FormResult,
  openProject,
  type ProjectContext,
  pathParams,
  type ShowPage,
} from './project-page.ts'

/** Calls the API with what a form sent. */
type Send<Data> = (project: ProjectContext, sent: FormBody) => Promise<ApiAnswer<Data>>

type ShowQuestion = () => Promise<FastifyReply>

type FormParts<Data> = {
  /** The name of the form on its page. */
  form: string | ((project: ProjectContext) => string)
  /** The page that the form is on. */
  show: ShowPage
  /**
   * Shows a page that asks whether to go on, where what the form sends needs that. It is returned
   * as a function, because a reply that is awaited resolves to undefined.
   */
  confirm?: (project: ProjectContext, sent: FormBody) => Promise<ShowQuestion | undefined>
} & (
  | {
      /** The message after success. */
      done: Text | ((project: ProjectContext, data: Data) => Text)
      /** Where to go after success: a page of the project, or any address by function. */
      back: string | ((project: ProjectContext, data: Data) => string)
    }
  /** The secrets of an answer. They are shown at once, because they cannot be read again. */
  | { reveal: (data: Data) => Record<string, string> }
)

/** The target of a form of a project. When refused, the page comes back with the input. */
export const projectForm = <Data>(
  path: string,
  summary: string,
  send: Send<Data>,
  { form, show, confirm, ...outcome }: FormParts<Data>,
): Route =>
  postForm(`/dashboard/:game/${path}`, summary, {
    auth: member,
    params: pathParams(`:game/${path}`),
    query: anyQuery,
    async handle(input) {
      const project = await openProject(input as never)
      const name = typeof form === 'function' ? form(project) : form
      const showQuestion = await confirm?.(project, input.body)
      if (showQuestion) return showQuestion()
      const answer = await send(project, input.body)
      if (!answer.ok)
        return show(withStatus(project, answer), {
          form: name,
          state: rejectedForm(input.body, withCheckErrors(answer)),
        })
      if ('reveal' in outcome)
        return show(
          { ...(await openProject(project)), has_secret: true },
          { form: name, secrets: outcome.reveal(answer.data) },
        )
      const { back, done } = outcome
      const address =
        typeof back === 'function' ? back(project, answer.data) : `${project.base}/${back}`
      const message = typeof done === 'function' ? done(project, answer.data) : done
      return redirectTo(project.reply, address, message)
    },
  })

type RouteBody<R extends { readonly types?: { body: unknown } }> = NonNullable<R['types']>['body']

/** Sends forms to routes with these parameters; `read` makes the body from the fields of a form. */
export const formSender =
  <Params>(paramsOf: (project: ProjectContext) => Params) =>
  <R extends TypedRoute<Params, unknown, unknown, unknown>>(
    route: R,
    read?: (sent: FormBody) => RouteBody<R>,
  ) =>
  (project: ProjectContext, sent: FormBody): Promise<ApiAnswer<RouteData<R>>> =>
    callApi(project.request, route, {
      params: paramsOf(project),
      ...(read && { body: read(sent) }),
    })

/** Sends a form to a route of the listing. */
export const sendTo = formSender(({ uid }) => ({ uid }))

/** The page that answers a refused form has the status of the refusal. */
export const withStatus = (project: ProjectContext, { status }: ApiRefusal): ProjectContext => ({
  ...project,
  reply: project.reply.code(status),
})

/** Adds the errors of the listing check to the message of a failed check. */
export function withCheckErrors(refused: ApiRefusal): ApiRefusal {
  const { lint } = refused.details as { lint?: CheckReport }
  if (!lint?.errors.length) return refused
  const errors = joinTexts(
    lint.errors.map((item) => checkText(item)),
    '; ',
  )
  return { ...refused, message: t('listing-check-refused', { errors }) }
}

/** The state of a form: the refused input if this form was sent, otherwise the saved values. */
export const formState = (
  { form, state }: FormResult,
  name: string,
  saved: Record<string, unknown>,
): FormState => (form === name && state ? state : { values: saved })

/**
 * Shows a refusal at a field whose name differs from that of the API. Two forms of a page may send
 * the same API field, while the ids of their inputs must differ.
 */
export function renameRefusedField(state: FormState, names: Record<string, string>): FormState {
  const { refused } = state
  const name = refused?.field ? names[refused.field] : undefined
  return refused && name ? { ...state, refused: { ...refused, field: name } } : state
}
