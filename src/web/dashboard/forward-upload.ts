import { type Route, route, type TypedRoute } from '../../core/http/route.ts'
import type { Text } from '../../core/text/text.ts'
import { forwardBody } from '../call.ts'
import { rejectedForm } from '../components/form.ts'
import { redirectTo } from '../flash-message.ts'
import { member } from '../visitor.ts'
import { withCheckErrors, withStatus } from './project-form.ts'
import { openProject, type ProjectInput, pathParams, type ShowPage } from './project-page.ts'

const MIN_UPLOAD_SECONDS = 300
const MIN_BYTES_PER_SECOND = 512 * 1024

/** What every route that reads a form with files has in common. */
export const uploadRouteParts = {
  method: 'POST',
  role: 'web',
  hidden: true,
  page: true,
  envelope: false,
  raw_body: true,
  auth: member,
  receive_seconds: (bytes: number) => MIN_UPLOAD_SECONDS + bytes / MIN_BYTES_PER_SECOND,
} as const

type UploadParts<Query, Body, Data> = {
  to: TypedRoute<{ uid: string }, Query, Body, Data>
  form: string
  show: ShowPage
  done: Text
  back: string
}

/**
 * A form with files, for browsers without JavaScript. The body is forwarded to the API as it
 * arrives, and the answer is a page.
 */
export const forwardUpload = <Query, Body, Data>(
  path: string,
  summary: string,
  { to, form, show, done, back }: UploadParts<Query, Body, Data>,
): Route =>
  route({
    ...uploadRouteParts,
    url: `/dashboard/:game/${path}`,
    summary,
    params: pathParams(`:game/${path}`),
    errors: ['NOT_FOUND', 'DEVELOPER_MODE_REQUIRED', 'EMAIL_NOT_VERIFIED'],
    async handle(input: ProjectInput) {
      const project = await openProject(input)
      const answer = await forwardBody(project.request, to, { uid: project.uid })
      if (answer.ok) return redirectTo(project.reply, `${project.base}/${back}`, done)
      return show(withStatus(project, answer), {
        form,
        state: rejectedForm(null, withCheckErrors(answer)),
      })
    },
  } as never)
