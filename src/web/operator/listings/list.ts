import { Type } from 'typebox'
import type { RouteData } from '../../../core/http/route.ts'
import { type Text, t } from '../../../core/text/text.ts'
import type { Visibility } from '../../../listings/fields/fields.ts'
import { listListingsRoute } from '../../../operator/console/listing-routes.ts'
import { listingStates } from '../../../operator/console/queries.ts'
import { readApi } from '../../call.ts'
import { badge, visibilityBadge } from '../../components/badge.ts'
import { optionTags } from '../../components/form.ts'
import { dateTag, labelOf } from '../../components/format.ts'
import { type Html, hiddenText, html, richText } from '../../components/html.ts'
import { pageNumber, pager } from '../../components/pager.ts'
import { emptyState, table } from '../../components/table.ts'
import { checkText } from '../../dashboard/page/check-text.ts'
import { getPage } from '../../page-routes.ts'
import { consoleOperator } from '../../visitor.ts'
import { renderConsole, searchForm } from '../console-page.ts'
import { targetPath } from '../moderation/paths.ts'

export const LISTINGS_URL = '/operator/listings'
type Listing = RouteData<typeof listListingsRoute>['items'][number]

/** Only public pages can be opened by everybody; others are named without a link. */
const listingName = (listing: Listing): Html => {
  const { name, username, vanity_name, visibility, deleted_at, taken_down } = listing
  return visibility === 'public' && !deleted_at && !taken_down
    ? html`<a href="/${username}/${vanity_name}">${name}</a>`
    : html`${name}`
}

const historyLink = ({ uid, name }: Listing): Html => html`
  <a class="soft" href="${LISTINGS_URL}/${uid}">
    ${richText('listing-history-of', { name, hidden: hiddenText })}
  </a>`

function stateOf({ visibility, deleted_at, taken_down, hidden }: Listing): Html {
  const is_moderated = taken_down || hidden
  return html`
    ${deleted_at && badge(t('listing-deleted'), 'bad')}
    ${taken_down && badge(t('moderation-action-take-down'), 'bad')}
    ${hidden && badge(t('moderation-action-hide'), 'bad')}
    ${!deleted_at && !is_moderated && visibilityBadge(visibility as Visibility)}`
}

const moderateLink = ({ uid, taken_down, hidden }: Listing): Html => html`
  <a href="${targetPath('listing', uid)}">
    ${taken_down || hidden ? t('listing-decisions') : t('moderate')}
  </a>`

function checkResult({ check }: Listing): Html {
  if (!check) return html`–`
  if (check.ready) return badge(t('listing-check-passed'), 'ok', 'ok')
  return html`
    <details>
      <summary>${t('listing-check-issues', { count: check.errors.length })}</summary>
      <ul>${check.errors.map((item) => html`<li>${checkText(item, false)}</li>`)}</ul>
    </details>`
}

/** Listings of any state with the result of their check. */
export const listingTable = (listings: readonly Listing[]): Html =>
  table(
    t('console-listings'),
    [
      t('console-listing'),
      t('console-owner'),
      t('console-state'),
      t('listing-check'),
      t('console-created'),
      t('moderation'),
    ],
    listings.map((listing) => [
      html`${listingName(listing)} <br>${historyLink(listing)}`,
      html`<a href="/operator/people?q=${listing.username}">${listing.username}</a>`,
      stateOf(listing),
      checkResult(listing),
      dateTag(listing.created_at),
      moderateLink(listing),
    ]),
  )

const moderatedStates: Partial<Record<string, Text>> = {
  taken_down: t('moderation-action-take-down'),
  hidden: t('moderation-action-hide'),
  deleted: t('listing-deleted'),
}

const stateOptions = [
  { value: '', label: t('console-any-state') },
  ...listingStates.map((value) => ({
    value,
    label: moderatedStates[value] ?? labelOf(value),
  })),
]

const stateField = (state: string): Html => html`
  <label class="sr" for="state">${t('console-state')}</label>
  <select id="state" name="state">${optionTags(stateOptions, state)}</select>`

const query = Type.Object({
  q: Type.String({ default: '', maxLength: 200 }),
  state: Type.String({ default: '' }),
  page: Type.String({ default: '1' }),
})

export const listingsPage = getPage(LISTINGS_URL, 'Listings of any state', {
  auth: consoleOperator,
  query,
  async handle(input) {
    const { q, state, page } = input.query
    const known = listingStates.find((name) => name === state)
    const data = await readApi(input.request, listListingsRoute, {
      query: { q, page: pageNumber(page), ...(known && { state: known }) },
    })
    const search = new URLSearchParams({ ...(q && { q }), ...(known && { state: known }) })
    return renderConsole(input, LISTINGS_URL, {
      body: html`
        ${searchForm(LISTINGS_URL, { label: t('listings-search'), q, fields: stateField(known ?? '') })}
        ${data.items.length ? listingTable(data.items) : noListings}
        ${pager(search.size ? `${LISTINGS_URL}?${search}` : LISTINGS_URL, data)}`,
    })
  },
})

const noListings = emptyState(t('listings-none'), t('console-search-none'))
