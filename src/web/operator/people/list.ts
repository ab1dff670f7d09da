import { Type } from 'typebox'
import type { RouteData } from '../../../core/http/route.ts'
import { t } from '../../../core/text/text.ts'
import { listPeopleRoute, type readPersonRoute } from '../../../operator/console/people-routes.ts'
import { MAX_BOUNCES } from '../../../operator/mail/outbox-routes.ts'
import { readApi } from '../../call.ts'
import { badge } from '../../components/badge.ts'
import { dateTag, formatNumber } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { pageNumber, pager } from '../../components/pager.ts'
import { emptyState, table } from '../../components/table.ts'
import { getPage } from '../../page-routes.ts'
import { consoleOperator } from '../../visitor.ts'
import { renderConsole, searchForm } from '../console-page.ts'

export const PEOPLE_URL = '/operator/people'
export type Person = RouteData<typeof readPersonRoute>

/** What sets an account apart from others. */
export const marks = (person: Person): Html => html`
  ${
    person.suspension &&
    badge(
      person.suspension.scope === 'everything'
        ? t('person-suspended')
        : t('person-publishing-suspended'),
      'bad',
    )
  }
  ${!person.email_verified && badge(t('not-verified'), 'warn')}
  ${
    person.mail_bounces >= MAX_BOUNCES &&
    badge(t('mail-bounces', { count: person.mail_bounces }), 'bad')
  }
  ${person.developer && badge(t('person-developer'))}
  ${person.moderator && badge(t('person-moderator'), 'ink')}
  ${person.operator && badge(t('person-operator'), 'ink')}`

export const hasMarks = (person: Person): boolean =>
  person.suspension !== null ||
  !person.email_verified ||
  person.mail_bounces >= MAX_BOUNCES ||
  person.developer ||
  person.moderator ||
  person.operator

const peopleTable = (people: readonly Person[]): Html =>
  table(
    t('console-people'),
    [
      t('username'),
      t('console-state'),
      t('email'),
      t('console-listings'),
      t('person-sessions'),
      t('person-joined'),
    ],
    people.map((person) => [
      html`<a href="${PEOPLE_URL}/${person.uid}">${person.username}</a>`,
      marks(person),
      person.email,
      formatNumber(person.listings),
      formatNumber(person.sessions),
      dateTag(person.created_at),
    ]),
  )

export const peoplePage = getPage(PEOPLE_URL, 'People of the store', {
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
    return renderConsole(input, PEOPLE_URL, {
      body: html`
        ${searchForm(PEOPLE_URL, { label: t('people-search'), q })}
        ${data.items.length ? peopleTable(data.items) : noPeople}
        ${pager(q ? `${PEOPLE_URL}?${new URLSearchParams({ q })}` : PEOPLE_URL, data)}`,
    })
  },
})

const noPeople = emptyState(t('people-none'), t('console-search-none'))
