import { Type } from 'typebox'
import type { RouteData } from '../../../core/http/route.ts'
import { type LocalText, t } from '../../../core/text/text.ts'
import { listActionsRoute } from '../../../moderation/log/routes.ts'
import { listListingsRoute } from '../../../operator/console/listing-routes.ts'
import { readPersonRoute } from '../../../operator/console/people-routes.ts'
import { listEventsRoute } from '../../../operator/console/security-event-routes.ts'
import { listPersonSessionsRoute } from '../../../operator/console/session-routes.ts'
import { eventTable } from '../../account/security/event-table.ts'
import { readApi } from '../../call.ts'
import { emptyForm, type FormState, formMessage } from '../../components/form.ts'
import { dateTag, dateTimeTag, formatNumber } from '../../components/format.ts'
import { type Html, html, richText } from '../../components/html.ts'
import type { Context } from '../../components/layout.ts'
import { confirmButton, postButton } from '../../components/secret-field.ts'
import { facts } from '../../components/table.ts'
import { getPage } from '../../page-routes.ts'
import { consoleOperator } from '../../visitor.ts'
import { consoleSubsection, renderConsole } from '../console-page.ts'
import { listingTable } from '../listings/list.ts'
import { decisionsAbout, decisionTable } from '../moderation/decisions.ts'
import { targetPath } from '../moderation/paths.ts'
import { EVENTS_URL } from '../security/events.ts'
import { personSessions } from '../security/sessions.ts'
import { dataPart } from './data-forms.ts'
import { hasMarks, marks, PEOPLE_URL, type Person } from './list.ts'
import { suspensionPart } from './suspension-form.ts'

type Events = RouteData<typeof listEventsRoute>
type Decisions = RouteData<typeof listActionsRoute>

/** How many events and decisions the page of a person shows. */
const NEWEST_EVENTS = 20
const NEWEST_DECISIONS = 10

/** The form of the page that was refused; the others are shown as they are. */
export type RefusedForm = { form: 'action' | 'suspension' | 'data'; state: FormState }

export async function renderPerson(context: Context, uid: string, refused?: RefusedForm) {
  const { request } = context
  const [person, listings, events, sessions, decisions] = await Promise.all([
    readApi(request, readPersonRoute, { params: { uid } }),
    readApi(request, listListingsRoute, { query: { owner_uid: uid, page_size: 50 } }),
    readApi(request, listEventsRoute, { query: { user_uid: uid, page_size: NEWEST_EVENTS } }),
    readApi(request, listPersonSessionsRoute, { params: { uid } }),
    readApi(request, listActionsRoute, { query: { person: uid, page_size: NEWEST_DECISIONS } }),
  ])
  const is_own = context.who?.user_uid === person.uid
  const stateOf = (form: RefusedForm['form']) =>
    refused?.form === form ? refused.state : emptyForm
  return renderConsole(context, PEOPLE_URL, {
    title: person.username,
    body: html`
      ${formMessage(stateOf('action'))}
      ${facts([
        [t('email'), person.email],
        hasMarks(person) && [t('console-state'), marks(person)],
        [t('person-sessions'), formatNumber(person.sessions)],
        [t('person-second-factor'), secondFactor(person)],
        [t('person-joined'), dateTag(person.created_at)],
      ])}
      <p><a href="${targetPath('person', uid)}">${t('moderate')}</a></p>
      <div class="row">${personActions(person, is_own)}</div>
      ${
        !is_own &&
        consoleSubsection(
          'suspension',
          t('person-suspension'),
          suspensionPart(person, stateOf('suspension')),
        )
      }
      ${consoleSubsection(
        'listings',
        t('console-listings'),
        listings.items.length
          ? listingTable(listings.items)
          : html`<p class="soft">${t('nothing-yet')}</p>`,
      )}
      ${consoleSubsection(
        'decisions',
        t('moderation-decisions'),
        newestDecisions(person.username, decisions),
      )}
      ${consoleSubsection('sessions', t('sessions'), personSessions(person, sessions.sessions))}
      ${consoleSubsection('events', t('security-events'), newestEvents(uid, events))}
      ${consoleSubsection('data', t('person-data'), dataPart(person, stateOf('data')))}`,
  })
}

const newestDecisions = (username: string, { items, total }: Decisions): Html => html`
  ${items.length ? decisionTable(items) : html`<p class="soft">${t('nothing-yet')}</p>`}
  ${
    total > items.length &&
    html`<p><a href="${decisionsAbout(username)}">${t('parts-all', { count: total })}</a></p>`
  }`

const newestEvents = (uid: string, { items, total }: Events): Html => html`
  ${items.length ? eventTable(items, 'operator') : html`<p class="soft">${t('nothing-yet')}</p>`}
  ${total > items.length && html`<p><a href="${EVENTS_URL}?user=${uid}">${t('events-all')}</a></p>`}`

const secondFactor = ({ second_factor, second_factor_reset: reset }: Person): Html | LocalText => {
  if (reset) return richText('person-reset-due', { time: dateTimeTag(reset.due_at) })
  return second_factor ? t('person-second-factor-on') : t('person-second-factor-off')
}

function resetAction({ uid, username, second_factor, second_factor_reset }: Person): Html | false {
  const action = `${PEOPLE_URL}/${uid}/second-factor-reset`
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

type Role = 'operator' | 'moderator'
type RoleTexts = Record<'make' | 'remove', { label: LocalText; sentence: (of: Name) => LocalText }>
type Name = { username: string }

const roleTexts: Record<Role, RoleTexts> = {
  operator: {
    make: {
      label: t('person-make-operator'),
      sentence: (name) => t('person-make-operator-text', name),
    },
    remove: {
      label: t('person-remove-operator'),
      sentence: (name) => t('person-remove-operator-text', name),
    },
  },
  moderator: {
    make: {
      label: t('person-make-moderator'),
      sentence: (name) => t('person-make-moderator-text', name),
    },
    remove: {
      label: t('person-remove-moderator'),
      sentence: (name) => t('person-remove-moderator-text', name),
    },
  },
}

/** Gives a role to a person, or takes it away. */
function roleAction({ uid, username, ...person }: Person, role: Role): Html {
  const has_role = person[role]
  const { label, sentence } = roleTexts[role][has_role ? 'remove' : 'make']
  return confirmButton({
    label,
    sentence: sentence({ username }),
    action: `${PEOPLE_URL}/${uid}/${role}/${has_role ? 'remove' : 'add'}`,
    danger: has_role,
  })
}

const personActions = (person: Person, is_own: boolean): Html => html`
  ${!is_own && resetAction(person)}
  ${!person.email_verified && postButton(t('person-verify'), `${PEOPLE_URL}/${person.uid}/verify`)}
  ${roleAction(person, 'moderator')}
  ${roleAction(person, 'operator')}`

export const personPage = getPage(`${PEOPLE_URL}/:uid`, 'An account', {
  auth: consoleOperator,
  params: Type.Object({ uid: Type.String() }),
  handle: (input) => renderPerson(input, input.params.uid),
})
