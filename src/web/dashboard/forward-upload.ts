import { type Route, route, type TypedRoute } from '../../core/http/route.ts'
import type { Text } from '../../core/text/text.ts'
import { forwardBody } from '../call.ts'
import { rejectedForm } from '../components/form.ts'
import { redirectTo } from '../flash-message.ts'
import { uploadRouteParts } from '../page-routes.ts'
import { withCheckErrors, withStatus } from './project-form.ts'
import { openProject, type ProjectInput, pathParams, type ShowPage } from './project-page.ts'

type UploadParts<Params, Query, Body, Data> = {
  to: TypedRoute<Params, Query, Body, Data>
  form: string
  show: ShowPage
  done: Text | ((data: Data) => Text)
  back: string
}

/**
 * A form with files, for browsers without JavaScript. The body is forwarded to the API as it
 * arrives, and the answer is a page.
 */
export const forwardUpload = <Params extends { uid: string }, Query, Body, Data>(
  path: string,
  summary: string,
  { to, form, show, done, back }: UploadParts<Params, Query, Body, Data>,
): Route =>
  route({
    ...uploadRouteParts,
    url: `/dashboard/:game/${path}`,
    summary,
    params: pathParams(`:game/${path}`),
    errors: ['NOT_FOUND', 'DEVELOPER_MODE_REQUIRED', 'EMAIL_NOT_VERIFIED'],
    async handle(input: ProjectInput) {
      const project = await openProject(input)
      const params = { ...project.params, uid: project.uid } as unknown as Params
      const answer = await forwardBody(project.request, to, params)
      if (answer.ok) {
        const message = typeof done === 'function' ? done(answer.data) : done
        return redirectTo(project.reply, `${project.base}/${back}`, message)
      }
      return show(withStatus(project, answer), {
        form,
        state: rejectedForm(null, withCheckErrors(answer)),
      })
    },
  } as never)
