import { Type } from 'typebox'
import type { RouteData } from '../../../core/http/route.ts'
import { t } from '../../../core/text/text.ts'
import {
  endPersonSessionRoute,
  endPersonSessionsRoute,
  type listPersonSessionsRoute,
} from '../../../operator/console/session-routes.ts'
import { sessionRow } from '../../account/security/sessions.ts'
import { readApi } from '../../call.ts'
import { type Html, html } from '../../components/html.ts'
import { confirmButton } from '../../components/secret-field.ts'
import { redirectTo } from '../../flash-message.ts'
import { postForm } from '../../page-routes.ts'
import { consoleOperator } from '../../visitor.ts'

const PEOPLE = '/operator/people'
const sessionsUrl = (uid: string) => `${PEOPLE}/${uid}/sessions`

type Sessions = RouteData<typeof listPersonSessionsRoute>['sessions']
type Person = { uid: string; username: string }

/** On the page of a person: where they are signed in. */
export function personSessions({ uid, username }: Person, sessions: Sessions): Html {
  const base = sessionsUrl(uid)
  if (!sessions.length) return html`<p class="soft">${t('person-sessions-none')}</p>`
  return html`
    <ul class="plain">${sessions.map((session) => sessionRow(session, base))}</ul>
    ${confirmButton({
      label: t('person-sessions-end'),
      sentence: t('person-sessions-end-text', { username }),
      action: `${base}/end`,
    })}`
}

const endOne = postForm(`${PEOPLE}/:uid/sessions/:session_uid/end`, 'End a session of a person', {
  auth: consoleOperator,
  params: Type.Object({ uid: Type.String(), session_uid: Type.String() }),
  async handle({ request, reply, params }) {
    await readApi(request, endPersonSessionRoute, { params })
    return redirectTo(reply, `${PEOPLE}/${params.uid}`, t('session-ended'))
  },
})

const endAll = postForm(`${PEOPLE}/:uid/sessions/end`, 'End all sessions of a person', {
  auth: consoleOperator,
  params: Type.Object({ uid: Type.String() }),
  async handle({ request, reply, params }) {
    await readApi(request, endPersonSessionsRoute, { params })
    return redirectTo(reply, `${PEOPLE}/${params.uid}`, t('person-sessions-ended'))
  },
})

export const personSessionForms = [endOne, endAll]
