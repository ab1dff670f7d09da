import { Type } from 'typebox'
import { type EventKind, eventKinds } from '../../../accounts/security-events/kinds.ts'
import { t } from '../../../core/text/text.ts'
import { listEventsRoute } from '../../../operator/console/security-event-routes.ts'
import { eventTable, kindNames } from '../../account/security/event-table.ts'
import { readApi } from '../../call.ts'
import { optionTags } from '../../components/form.ts'
import { type Html, html } from '../../components/html.ts'
import { pageNumber, pager } from '../../components/pager.ts'
import { emptyState } from '../../components/table.ts'
import { getPage } from '../../page-routes.ts'
import { consoleOperator } from '../../visitor.ts'
import { renderConsole } from '../console-page.ts'

export const EVENTS_URL = '/operator/security-events'

const kindOptions = [
  { value: '', label: t('event-any-kind') },
  ...eventKinds.map((value) => ({ value, label: kindNames[value] })),
]
const isKind = (kind: string): kind is EventKind => kind in kindNames
const isDay = (day: string) => /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(Date.parse(day))
const isUid = (uid: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(uid)

type Filter = { kind: string; from: string; to: string; user: string }

const filterForm = ({ kind, from, to, user }: Filter): Html => html`
  <form class="console-search" action="${EVENTS_URL}">
    <label class="sr" for="kind">${t('event-kind')}</label>
    <select id="kind" name="kind">${optionTags(kindOptions, kind)}</select>
    <label for="from">${t('event-from')}</label>
    <input id="from" type="date" name="from" value="${from}">
    <label for="to">${t('event-to')}</label>
    <input id="to" type="date" name="to" value="${to}">
    ${user && html`<input type="hidden" name="user" value="${user}">`}
    <button class="button button-ink">${t('search-button')}</button>
  </form>`

/** What an address filters by; anything else in it is left out. */
function readFilter({ kind, from, to, user }: Filter) {
  return {
    ...(isKind(kind) && { kind }),
    ...(isDay(from) && { from }),
    ...(isDay(to) && { to }),
    ...(isUid(user) && { user_uid: user }),
  }
}

const text = Type.String({ default: '', maxLength: 60 })

export const operatorEventsPage = getPage(EVENTS_URL, 'Security events of the store', {
  auth: consoleOperator,
  query: Type.Object({
    kind: text,
    from: text,
    to: text,
    user: text,
    page: Type.String({ default: '1' }),
  }),
  async handle(input) {
    const { page, ...filter } = input.query
    const events = await readApi(input.request, listEventsRoute, {
      query: { ...readFilter(filter), page: pageNumber(page) },
    })
    const days = input.core.settings.current.security_event_days
    return renderConsole(input, EVENTS_URL, {
      body: html`
        <p class="soft">${t('console-events-text', { days })}</p>
        ${filterForm(filter)}
        ${
          events.items.length
            ? eventTable(events.items, 'operator')
            : emptyState(t('events-none'), t('console-search-none'))
        }
        ${pager(`${EVENTS_URL}?${new URLSearchParams(filter)}`, events)}`,
    })
  },
})
