import { Type } from 'typebox'
import { acknowledgeNotices } from '../../bugs/notices/queries.ts'
import { readBetaGames } from '../../builds/channels/beta-queries.ts'
import type { RouteData } from '../../core/http/route.ts'
import { isUuid } from '../../core/security/crypto.ts'
import { joinTexts, type LocalText, t } from '../../core/text/text.ts'
import { type LibrarySort, librarySorts } from '../../library/copies.ts'
import { hideCopyRoute, libraryRoute, removeCopyRoute } from '../../library/copy-routes.ts'
import { type Pictures, readPictures } from '../../listings/renditions/pictures.ts'
import { listGiftsRoute } from '../../payments/gifts/routes.ts'
import { readApi } from '../call.ts'
import { fileButton } from '../components/file-button.ts'
import { fieldValue, optionTags } from '../components/form.ts'
import { formatCount, formatDate, formatPlayTime } from '../components/format.ts'
import { type Html, hiddenText, html, richText, strongText } from '../components/html.ts'
import { icon } from '../components/icons.ts'
import { page, withStoreName } from '../components/layout.ts'
import { pageNumber, pager } from '../components/pager.ts'
import { confirmButton, postButton } from '../components/secret-field.ts'
import { redirectTo } from '../flash-message.ts'
import { previousPage } from '../next-path.ts'
import { getPage, postForm } from '../page-routes.ts'
import { giftNotice } from '../payments/gift.ts'
import {
  type FixedReport,
  type LibraryFile,
  readBetaFiles,
  readFixedReports,
  readLibraryFiles,
} from '../queries.ts'
import { thumbnail, thumbnailUrls } from '../store/browse/card.ts'
import { withdrawnNotice } from '../store/browse/withdrawn-notice.ts'
import { member } from '../visitor.ts'
import { accountTabs } from './tabs.ts'

type Copy = RouteData<typeof libraryRoute>['items'][number]
type Filters = { q: string; sort: LibrarySort; show: 'visible' | 'hidden' }

const MAX_QUERY = 200

const MAX_QUOTE = 300
const sourceText = ({ source, given_by }: Copy, date: LocalText): LocalText =>
  ({
    free: t('copy-free', { date }),
    grant: given_by
      ? t('copy-gift', { giver: given_by.username, date })
      : t('copy-granted', { date }),
    key: t('copy-redeemed', { date }),
    purchase: given_by
      ? t('copy-gift', { giver: given_by.username, date })
      : t('copy-bought', { date }),
  })[source]

export const libraryPage = getPage('/library', 'Library page', {
  auth: member,
  query: Type.Object({
    page: Type.String({ default: '1' }),
    q: Type.String({ default: '' }),
    sort: Type.String({ default: '' }),
    show: Type.String({ default: '' }),
  }),
  async handle(input) {
    const { core, who, request, query } = input
    const filters = libraryFilters(query)
    const [library, reports, gifts] = await Promise.all([
      readApi(request, libraryRoute, { query: { page: pageNumber(query.page), ...filters } }),
      readFixedReports(core.sql, who.user_uid),
      readApi(request, listGiftsRoute),
    ])
    const game_uids = library.items.map(({ game_uid }) => game_uid)
    const pictures = await readPictures(core, thumbnailUrls(library.items))
    const beta_games = await readBetaGames(core.sql, who.user_uid, game_uids)
    const [stable, beta] = await Promise.all([
      readLibraryFiles(core.sql, game_uids),
      readBetaFiles(core.sql, beta_games),
    ])
    const files = Map.groupBy([...stable, ...beta], ({ game_uid }) => game_uid)
    const copies = html`
      <p class="soft">${formatCount(library.total, 'copy')}</p>
      <ul class="library">
        ${library.items.map((copy) => copyRow(copy, files.get(copy.game_uid) ?? [], pictures))}
      </ul>
    `
    return page(input, {
      title: withStoreName(input.core, t('nav-library')),
      noindex: true,
      scripts: ['platform.mjs'],
      body: html`
        <h1>${t('nav-library')}</h1>
        ${accountTabs('/library')}
        ${gifts.items.map(giftNotice)}
        ${reports.map(fixedNotice)}
        ${filters.show === 'hidden' && html`<h2>${t('library-hidden-title')}</h2>`}
        ${(library.total > 1 || filters.q) && filterForm(filters)}
        ${library.total ? copies : nothingFound(filters)}
        ${pager(libraryUrl(filters), library)}
        <p><a href="/redeem">${t('redeem-title')}</a></p>
        ${hiddenLink(filters, library.hidden_total)}
        ${adultGifts(library.adult_gifts_total)}
      `,
    })
  },
})

/** The API refuses other values; an address with one shows the library as usual. */
function libraryFilters({ q, sort, show }: Record<'q' | 'sort' | 'show', string>): Filters {
  return {
    q: q.trim().slice(0, MAX_QUERY),
    sort: librarySorts.find((known) => known === sort) ?? 'added',
    show: show === 'hidden' ? 'hidden' : 'visible',
  }
}

/** The address of the library with these filters; those that change nothing are left out. */
function libraryUrl({ q, sort, show }: Filters): string {
  const query = new URLSearchParams({
    ...(q && { q }),
    ...(sort !== 'added' && { sort }),
    ...(show !== 'visible' && { show }),
  }).toString()
  return query ? `/library?${query}` : '/library'
}

const sortLabels: Record<LibrarySort, LocalText> = {
  added: t('library-sort-added'),
  name: t('library-sort-name'),
  updated: t('library-sort-updated'),
}

const filterForm = ({ q, sort, show }: Filters): Html => html`
  <form class="library-filters" action="/library" role="search" aria-label="${t('nav-library')}">
    <div class="field">
      <label for="library-q">${t('library-search')}</label>
      <input id="library-q" type="search" name="q" value="${q}" maxlength="${MAX_QUERY}">
    </div>
    <div class="field">
      <label for="library-sort">${t('library-sort')}</label>
      <select id="library-sort" name="sort">
        ${optionTags(
          librarySorts.map((value) => ({ value, label: sortLabels[value] })),
          sort,
        )}
      </select>
    </div>
    ${show === 'hidden' && html`<input type="hidden" name="show" value="hidden">`}
    <button class="button button-quiet">${t('library-apply')}</button>
  </form>
`

const hiddenLink = ({ show }: Filters, count: number) => {
  if (show === 'hidden') return html`<p><a href="/library">${t('library-show-visible')}</a></p>`
  return (
    count > 0 &&
    html`
    <p><a href="/library?show=hidden">${t('library-show-hidden', { count })}</a></p>
  `
  )
}

const adultGifts = (count: number) =>
  count > 0 &&
  html`
    <p class="soft">
      ${richText('library-adult-gifts', {
        count,
        link: (text) => html`<a href="/settings#adult">${text}</a>`,
      })}
    </p>
  `

function nothingFound({ q, ...filters }: Filters): Html {
  if (q)
    return html`
      <div class="empty">
        <h2>${t('library-no-match', { q })}</h2>
        <p>
          <a class="button button-quiet" href="${libraryUrl({ ...filters, q: '' })}">
            ${t('library-clear-search')}
          </a>
        </p>
      </div>
    `
  return filters.show === 'hidden'
    ? html`<p class="soft">${t('library-none-hidden')}</p>`
    : emptyLibrary
}

const emptyLibrary = html`
  <div class="empty">
    <h2>${t('library-empty')}</h2>
    <p>${t('library-empty-text')}</p>
    <p><a class="button button-primary" href="/search?asset_type=game">${t('find-game')}</a></p>
  </div>
`

const COPY_SIZES = '(max-width: 600px) 104px, 240px'

function copyRow(copy: Copy, files: readonly LibraryFile[], pictures: Pictures): Html {
  const { name, developer, vanity_name, game_uid, play_seconds } = copy
  const details = [
    t('by-developer', { developer: developer.username }),
    sourceText(copy, formatDate(copy.created_at)),
    formatPlayTime(play_seconds),
  ]
  const downloads = html`
    <your-platform>
      <ul class="files row">${files.map(fileButton)}</ul>
    </your-platform>
  `
  return html`
    <li class="panel copy">
      ${thumbnail(copy, pictures, { sizes: COPY_SIZES })}
      <div>
        <h2><a href="/${developer.username}/${vanity_name}">${name}</a></h2>
        <p class="soft">${joinTexts(details, ' · ')}</p>
        ${copy.withdrawn_downloads.map(withdrawnNotice)}
        ${files.length ? downloads : html`<p class="soft">${t('library-no-downloads')}</p>`}
        <p class="row">
          <a href="/games/${game_uid}/review">${t('write-review')}</a>
          <a href="/games/${game_uid}/bug">${t('report-bug')}</a>
        </p>
        <div class="row">${copyButtons(copy)}</div>
      </div>
    </li>
  `
}

/** What is lost with a copy depends on how its holder got it. */
const removalText = ({ name, source, given_by }: Copy): LocalText =>
  ({
    free: t('copy-remove-text', { name }),
    grant: t('copy-remove-text-gift', { name }),
    key: t('copy-remove-text-key', { name }),
    purchase: given_by
      ? t('copy-remove-text-gift', { name })
      : t('copy-remove-text-bought', { name }),
  })[source]

function copyButtons(copy: Copy): Html {
  const { game_uid, name, hidden } = copy
  const action = `/library/${game_uid}`
  const label = richText(hidden ? 'copy-unhide' : 'copy-hide', { name, hidden: hiddenText })
  const remove = confirmButton({
    label: richText('copy-remove', { name, hidden: hiddenText }),
    sentence: removalText(copy),
    action: `${action}/remove`,
    confirm: t('copy-remove-confirm'),
  })
  return html`
    ${postButton(label, `${action}/${hidden ? 'show' : 'hide'}`)}
    ${remove}
  `
}

function fixedNotice({ uid, game_uid, game_name, message, version, fixed_at }: FixedReport): Html {
  const quote = message.length > MAX_QUOTE ? `${message.slice(0, MAX_QUOTE)}…` : message
  const release = version ? `${game_name} ${version}` : game_name
  return html`
    <div class="notice notice-ok" role="status">
      ${icon('ok')}
      <div>
        <p>
          ${richText('bug-fixed', { release, date: formatDate(fixed_at), strong: strongText })}
        </p>
        <blockquote>${quote}</blockquote>
        <form method="post" action="/library/notices">
          <input type="hidden" name="game" value="${game_uid}">
          <button class="button button-quiet button-small" name="notice" value="${uid}">
            ${t('dismiss')}
          </button>
        </form>
      </div>
    </div>
  `
}

export const dismissNotice = postForm('/library/notices', 'Dismiss the notice of a fixed bug', {
  auth: member,
  async handle({ core, who, reply, body }) {
    const game = fieldValue(body, 'game')
    const notice = fieldValue(body, 'notice')
    const reporter = { user_uid: who.user_uid, extstore_id: null }
    if (isUuid(game) && isUuid(notice)) await acknowledgeNotices(core.sql, game, reporter, [notice])
    return redirectTo(reply, '/library')
  },
})

const copyParams = Type.Object({ uid: Type.String() })

const hideForm = (action: 'hide' | 'show', summary: string) =>
  postForm(`/library/:uid/${action}`, summary, {
    auth: member,
    params: copyParams,
    async handle({ request, reply, params }) {
      const hidden = action === 'hide'
      await readApi(request, hideCopyRoute, { params, body: { hidden } })
      const message = hidden ? t('copy-is-hidden') : t('copy-is-visible')
      return redirectTo(reply, previousPage(request.headers.referer) ?? '/library', message)
    },
  })

export const hideCopy = hideForm('hide', 'Hide a copy in the library')
export const showCopy = hideForm('show', 'Show a hidden copy in the library again')

export const removeCopy = postForm('/library/:uid/remove', 'Remove a copy', {
  auth: member,
  params: copyParams,
  async handle({ request, reply, params }) {
    await readApi(request, removeCopyRoute, { params })
    const url = previousPage(request.headers.referer) ?? '/library'
    return redirectTo(reply, url, t('copy-removed'))
  },
})
