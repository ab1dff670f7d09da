import { Type } from 'typebox'
import { type Route, route } from '../../core/http/route.ts'
import { handOn } from '../call.ts'
import { rejectedForm } from '../components/form.ts'
import { redirectTo } from '../flash-message.ts'
import { member } from '../visitor.ts'
import { type Desk, explained, openDesk, type Show } from './project-page.ts'

type Parts = { to: (desk: Desk) => string; form: string; show: Show; done: string; back: string }

/** A form with files, for browsers without script: handed to the API as it arrives, and answered with a page. */
export const sendOn = (
  path: string,
  summary: string,
  { to, form, show, done, back }: Parts,
): Route =>
  route({
    method: 'POST',
    url: `/dashboard/:game/${path}`,
    summary,
    ...{ role: 'web', hidden: true, page: true, envelope: false, raw_body: true, auth: member },
    receive_seconds: (bytes: number) => 300 + bytes / 524_288,
    params: Type.Object(
      Object.fromEntries(
        [...`:game/${path}`.matchAll(/:(\w+)/g)].map(([, name]) => [name!, Type.String()]),
      ),
    ),
    errors: ['NOT_FOUND', 'DEVELOPER_MODE_REQUIRED', 'EMAIL_NOT_VERIFIED'],
    async handle(input: Parameters<typeof openDesk>[0]) {
      const desk = await openDesk(input)
      const answer = await handOn(desk.request, to(desk))
      if (answer.ok) return redirectTo(desk.reply, `${desk.base}/${back}`, done)
      return show(
        { ...desk, reply: desk.reply.code(answer.status) },
        { form, state: rejectedForm(null, explained(answer)) },
      )
    },
  } as never)
