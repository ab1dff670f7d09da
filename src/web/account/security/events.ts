import { Type } from 'typebox'
import { listOwnEventsRoute } from '../../../accounts/security-events/routes.ts'
import { t } from '../../../core/text/text.ts'
import { readApi } from '../../call.ts'
import { type Html, html } from '../../components/html.ts'
import { page, withStoreName } from '../../components/layout.ts'
import { pager } from '../../components/pager.ts'
import { getPage } from '../../page-routes.ts'
import { member } from '../../visitor.ts'
import { accountTabs } from '../tabs.ts'
import { eventTable } from './event-table.ts'
import { EVENTS_PAGE, SECURITY_PAGE } from './paths.ts'

export const eventsPanel: Html = html`
  <section class="panel" id="events" aria-labelledby="events-title">
    <h2 id="events-title">${t('security-events')}</h2>
    <p>${t('security-events-panel')}</p>
    <p><a class="button button-quiet" href="${EVENTS_PAGE}">${t('security-events-show')}</a></p>
  </section>
`

export const eventsPage = getPage(EVENTS_PAGE, 'What happened to the security of the account', {
  auth: member,
  query: Type.Object({ page: Type.String({ default: '1' }) }),
  async handle(input) {
    const query = { page: Number(input.query.page) || 1 }
    const events = await readApi(input.request, listOwnEventsRoute, { query })
    const days = input.core.settings.current.security_event_days
    return page(input, {
      title: withStoreName(input.core, t('security-events')),
      noindex: true,
      body: html`
        <h1>${t('security-events')}</h1>
        ${accountTabs(SECURITY_PAGE)}
        <p class="soft">${t('security-events-text', { days })}</p>
        ${
          events.items.length
            ? eventTable(events.items, 'person')
            : html`<p class="soft">${t('nothing-yet')}</p>`
        }
        ${pager(EVENTS_PAGE, events)}
        <p class="aside"><a href="${SECURITY_PAGE}">${t('nav-security')}</a></p>
      `,
    })
  },
})
