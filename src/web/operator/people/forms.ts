import { Type } from 'typebox'
import type { Route, TypedRoute } from '../../../core/http/route.ts'
import { type LocalText, t } from '../../../core/text/text.ts'
import { addModeratorRoute, removeModeratorRoute, takeAction } from '../../../moderation/routes.ts'
import {
  cancelResetRoute,
  makeOperatorRoute,
  readPersonRoute,
  removeOperatorRoute,
  requestResetRoute,
  verifyPersonRoute,
} from '../../../operator/console/people-routes.ts'
import {
  deletePersonRoute,
  exportPersonRoute,
} from '../../../operator/console/person-data-routes.ts'
import { callApi, readApi } from '../../call.ts'
import { fieldValue, isChecked, rejectedForm } from '../../components/form.ts'
import { redirectTo } from '../../flash-message.ts'
import { postForm } from '../../page-routes.ts'
import { consoleOperator } from '../../visitor.ts'
import { readReasons, readSuspension } from '../moderation/decision-form.ts'
import { PEOPLE_URL } from './list.ts'
import { renderPerson } from './person.ts'

const params = Type.Object({ uid: Type.String() })
const personUrl = (uid: string) => `${PEOPLE_URL}/${uid}`

type ParamRoute = TypedRoute<Record<string, string>, unknown, unknown, unknown>
type PersonForm = {
  path: string
  summary: string
  route: Route
  /** The parameter of the route that names the person; both take the uid. */
  param?: 'uid' | 'username'
  done: LocalText
}

const personForm = ({ path, summary, route, param = 'uid', done }: PersonForm): Route =>
  postForm(`${PEOPLE_URL}/:uid/${path}`, summary, {
    auth: consoleOperator,
    params,
    async handle(input) {
      const { request, reply, body } = input
      const { uid } = input.params
      const answer = await callApi(request, route as ParamRoute, { params: { [param]: uid } })
      if (answer.ok) {
        // Who gives up the role can no longer open the page.
        const is_leaving = route === removeOperatorRoute && input.who.user_uid === uid
        return redirectTo(reply, is_leaving ? '/' : personUrl(uid), done)
      }
      reply.code(answer.status)
      return renderPerson(input, uid, { form: 'action', state: rejectedForm(body, answer) })
    },
  })

type DecisionForm = { action: 'suspend' | 'restore'; summary: string; done: LocalText }

const decisionForm = ({ action, summary, done }: DecisionForm): Route =>
  postForm(`${PEOPLE_URL}/:uid/${action}`, summary, {
    auth: consoleOperator,
    params,
    async handle(input) {
      const { request, reply, body } = input
      const { uid } = input.params
      const answer = await callApi(request, takeAction, {
        body: {
          target_type: 'person',
          target_id: uid,
          action,
          ...readReasons(body),
          ...(action === 'suspend' && { suspension: readSuspension(body) }),
        },
      })
      if (answer.ok) return redirectTo(reply, personUrl(uid), done)
      reply.code(answer.status)
      return renderPerson(input, uid, { form: 'suspension', state: rejectedForm(body, answer) })
    },
  })

const exportForm = postForm(`${PEOPLE_URL}/:uid/export`, 'Download the data of a person', {
  auth: consoleOperator,
  params,
  async handle({ request, reply, params: { uid } }) {
    const { username } = await readApi(request, readPersonRoute, { params: { uid } })
    const data = await readApi(request, exportPersonRoute, { params: { uid } })
    return reply
      .header('content-type', 'application/json; charset=utf-8')
      .header('content-disposition', `attachment; filename="account-${username}.json"`)
      .header('cache-control', 'private, no-store')
      .send(JSON.stringify(data, null, 2))
  },
})

const deleteForm = postForm(`${PEOPLE_URL}/:uid/delete`, 'Delete the account of a person', {
  auth: consoleOperator,
  params,
  async handle(input) {
    const { request, reply, body } = input
    const { uid } = input.params
    const answer = await callApi(request, deletePersonRoute, {
      params: { uid },
      body: {
        username: fieldValue(body, 'username'),
        with_listings: isChecked(body, 'with_listings'),
      },
    })
    if (answer.ok) return redirectTo(reply, PEOPLE_URL, t('person-deleted'))
    reply.code(answer.status)
    return renderPerson(input, uid, { form: 'data', state: rejectedForm(body, answer) })
  },
})

/** What operators do on the page of a person. */
export const personForms: Route[] = [
  personForm({
    path: 'verify',
    summary: 'Mark an address as verified',
    route: verifyPersonRoute,
    done: t('person-verified'),
  }),
  personForm({
    path: 'operator/add',
    summary: 'Make a person an operator',
    route: makeOperatorRoute,
    done: t('person-operator-made'),
  }),
  personForm({
    path: 'operator/remove',
    summary: 'Take the role of operator from a person',
    route: removeOperatorRoute,
    done: t('person-operator-removed'),
  }),
  personForm({
    path: 'second-factor-reset',
    summary: 'Reset the second factor of a person after a waiting time',
    route: requestResetRoute,
    done: t('person-reset-requested'),
  }),
  personForm({
    path: 'second-factor-reset/stop',
    summary: 'Stop the reset of a second factor',
    route: cancelResetRoute,
    done: t('person-reset-stopped'),
  }),
  personForm({
    path: 'moderator/add',
    summary: 'Make a person a moderator',
    route: addModeratorRoute,
    param: 'username',
    done: t('person-moderator-made'),
  }),
  personForm({
    path: 'moderator/remove',
    summary: 'Take the role of moderator from a person',
    route: removeModeratorRoute,
    param: 'username',
    done: t('person-moderator-removed'),
  }),
  decisionForm({
    action: 'suspend',
    summary: 'Suspend a person',
    done: t('person-is-suspended'),
  }),
  decisionForm({
    action: 'restore',
    summary: 'End the suspension of a person',
    done: t('person-lifted'),
  }),
  exportForm,
  deleteForm,
]
