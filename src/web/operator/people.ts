import { Type } from 'typebox'
import type { Identity } from '../../accounts/sessions/identity.ts'
import type { Route, RouteData, TypedRoute } from '../../core/http/route.ts'
import { type LocalText, t } from '../../core/text/text.ts'
import { listListingsRoute } from '../../operator/console/listing-routes.ts'
import {
  cancelResetRoute,
  listPeopleRoute,
  makeOperatorRoute,
  readPersonRoute,
  removeOperatorRoute,
  requestResetRoute,
  verifyPersonRoute,
} from '../../operator/console/people-routes.ts'
import { listEventsRoute } from '../../operator/console/security-event-routes.ts'
import { listPersonSessionsRoute } from '../../operator/console/session-routes.ts'
import { MAX_BOUNCES } from '../../operator/mail/outbox-routes.ts'
import { eventTable } from '../account/security/event-table.ts'
import { callApi, readApi } from '../call.ts'
import { badge } from '../components/badge.ts'
import { type FormState, formMessage, rejectedForm } from '../components/form.ts'
import { dateTag, dateTimeTag, formatNumber } from '../components/format.ts'
import { type Html, html, richText } from '../components/html.ts'
import type { Context } from '../components/layout.ts'
import { pager } from '../components/pager.ts'
import { confirmButton, postButton } from '../components/secret-field.ts'
import { emptyState, facts, table } from '../components/table.ts'
import { redirectTo } from '../flash-message.ts'
import { getPage, postForm } from '../page-routes.ts'
import { consoleOperator } from '../visitor.ts'
import { consoleSubsection, pageNumber, renderConsole, searchForm } from './console-page.ts'
import { listingTable } from './listings.ts'
import { EVENTS_URL } from './security/events.ts'
import { personSessions } from './security/sessions.ts'

const URL = '/operator/people'
type Person = RouteData<typeof readPersonRoute>
type Events = RouteData<typeof listEventsRoute>

/** How many events the page of a person shows. */
const NEWEST_EVENTS = 20

const marks = ({ email_verified, developer, operator, mail_bounces }: Person): Html => html`
  ${!email_verified && badge(t('not-verified'), 'warn')}
  ${mail_bounces >= MAX_BOUNCES && badge(t('mail-bounces', { count: mail_bounces }), 'bad')}
  ${developer && badge(t('person-developer'))}
  ${operator && badge(t('person-operator'), 'ink')}`

const peopleTable = (people: readonly Person[]): Html =>
  table(
    t('console-people'),
    [
      t('username'),
      t('email'),
      t('console-state'),
      t('console-listings'),
      t('person-sessions'),
      t('person-joined'),
    ],
    people.map((person) => [
      html`<a href="${URL}/${person.uid}">${person.username}</a>`,
      person.email,
      marks(person),
      formatNumber(person.listings),
      formatNumber(person.sessions),
      dateTag(person.created_at),
    ]),
  )

const peoplePage = getPage(URL, 'People of the store', {
  auth: consoleOperator,
  query: Type.Object({
    q: Type.String({ default: '', maxLength: 320 }),
    page: Type.String({ default: '1' }),
  }),
  async handle(input) {
    const { q, page } = input.query
    const data = await readApi(input.request, listPeopleRoute, {
      query: { q, page: pageNumber(page) },
    })
    return renderConsole(input, URL, {
      body: html`
        ${searchForm(URL, { label: t('people-search'), q })}
        ${data.items.length ? peopleTable(data.items) : noPeople}
        ${pager(q ? `${URL}?${new URLSearchParams({ q })}` : URL, data)}`,
    })
  },
})

const noPeople = emptyState(t('people-none'), t('console-search-none'))

const params = Type.Object({ uid: Type.String() })

async function renderPerson(context: Context, uid: string, state?: FormState) {
  const { request } = context
  const [person, listings, events, sessions] = await Promise.all([
    readApi(request, readPersonRoute, { params: { uid } }),
    readApi(request, listListingsRoute, { query: { owner_uid: uid, page_size: 50 } }),
    readApi(request, listEventsRoute, { query: { user_uid: uid, page_size: NEWEST_EVENTS } }),
    readApi(request, listPersonSessionsRoute, { params: { uid } }),
  ])
  return renderConsole(context, URL, {
    title: person.username,
    body: html`
      ${state && formMessage(state)}
      ${facts([
        [t('email'), person.email],
        [t('console-state'), marks(person)],
        [t('person-sessions'), formatNumber(person.sessions)],
        [t('person-second-factor'), secondFactor(person)],
        [t('person-joined'), dateTag(person.created_at)],
      ])}
      <p class="row">${personActions(person, context.who?.user_uid === uid)}</p>
      ${consoleSubsection(
        'listings',
        t('console-listings'),
        listings.items.length
          ? listingTable(listings.items)
          : html`<p class="soft">${t('nothing-yet')}</p>`,
      )}
      ${consoleSubsection('sessions', t('sessions'), personSessions(person, sessions.sessions))}
      ${consoleSubsection('events', t('security-events'), newestEvents(uid, events))}`,
  })
}

const newestEvents = (uid: string, { items, total }: Events): Html => html`
  ${items.length ? eventTable(items, 'operator') : html`<p class="soft">${t('nothing-yet')}</p>`}
  ${total > items.length && html`<p><a href="${EVENTS_URL}?user=${uid}">${t('events-all')}</a></p>`}`

const secondFactor = ({ second_factor, second_factor_reset: reset }: Person): Html | LocalText => {
  if (reset) return richText('person-reset-due', { time: dateTimeTag(reset.due_at) })
  return second_factor ? t('person-second-factor-on') : t('person-second-factor-off')
}

function resetAction({ uid, username, second_factor, second_factor_reset }: Person): Html | false {
  const action = `${URL}/${uid}/second-factor-reset`
  if (second_factor_reset) return postButton(t('person-reset-stop'), `${action}/stop`)
  return (
    second_factor &&
    confirmButton({
      label: t('person-reset'),
      sentence: t('person-reset-text', { username }),
      action,
    })
  )
}

function personActions(person: Person, is_own: boolean): Html {
  const { uid, username, email_verified, operator } = person
  const base = `${URL}/${uid}`
  return html`
    ${!is_own && resetAction(person)}
    ${!email_verified && postButton(t('person-verify'), `${base}/verify`)}
    ${
      operator
        ? confirmButton({
            label: t('person-remove-operator'),
            sentence: t('person-remove-operator-text', { username }),
            action: `${base}/operator/remove`,
          })
        : confirmButton({
            label: t('person-make-operator'),
            sentence: t('person-make-operator-text', { username }),
            action: `${base}/operator/add`,
            danger: false,
          })
    }`
}

const personPage = getPage(`${URL}/:uid`, 'An account', {
  auth: consoleOperator,
  params,
  handle: (input) => renderPerson(input, input.params.uid),
})

type PersonRoute = TypedRoute<{ uid: string }, unknown, unknown, Person>
type PersonForm = { path: string; summary: string; route: PersonRoute; done: LocalText }

const personForm = ({ path, summary, route, done }: PersonForm): Route =>
  postForm(`${URL}/:uid/${path}`, summary, {
    auth: consoleOperator,
    params,
    async handle(input) {
      const { request, reply, body } = input
      const { uid } = input.params
      const answer = await callApi(request, route, { params: { uid } })
      // Who gives up the role can no longer open the page.
      const is_leaving = !answer.ok || (isOwn(input.who, uid) && !answer.data.operator)
      if (answer.ok) return redirectTo(reply, is_leaving ? '/' : `${URL}/${uid}`, done)
      reply.code(answer.status)
      return renderPerson(input, uid, rejectedForm(body, answer))
    },
  })

const isOwn = ({ user_uid }: Identity, uid: string) => user_uid === uid

export const peoplePageRoutes: Route[] = [
  peoplePage,
  personPage,
  personForm({
    path: 'verify',
    summary: 'Mark an address as verified',
    route: verifyPersonRoute as PersonRoute,
    done: t('person-verified'),
  }),
  personForm({
    path: 'operator/add',
    summary: 'Make a person an operator',
    route: makeOperatorRoute as PersonRoute,
    done: t('person-operator-made'),
  }),
  personForm({
    path: 'operator/remove',
    summary: 'Take the role of operator from a person',
    route: removeOperatorRoute as PersonRoute,
    done: t('person-operator-removed'),
  }),
  personForm({
    path: 'second-factor-reset',
    summary: 'Reset the second factor of a person after a waiting time',
    route: requestResetRoute as PersonRoute,
    done: t('person-reset-requested'),
  }),
  personForm({
    path: 'second-factor-reset/stop',
    summary: 'Stop the reset of a second factor',
    route: cancelResetRoute as PersonRoute,
    done: t('person-reset-stopped'),
  }),
]
