import { Type } from 'typebox'
import { acknowledgeNotices } from '../../bugs/notices/queries.ts'
import { readBetaGames } from '../../builds/channels/queries.ts'
import type { RouteData } from '../../core/http/route.ts'
import { isUuid } from '../../core/security/crypto.ts'
import { joinTexts, type LocalText, t } from '../../core/text/text.ts'
import { libraryRoute } from '../../library/copy-routes.ts'
import { type Pictures, readPictures } from '../../listings/renditions/pictures.ts'
import { readApi } from '../call.ts'
import { fileButton } from '../components/file-button.ts'
import { fieldValue } from '../components/form.ts'
import { formatCount, formatDate, formatPlayTime } from '../components/format.ts'
import { type Html, html, richText, strongText } from '../components/html.ts'
import { icon } from '../components/icons.ts'
import { page, withSiteName } from '../components/layout.ts'
import { pager } from '../components/pager.ts'
import { redirectTo } from '../flash-message.ts'
import { getPage, postForm } from '../page-routes.ts'
import {
  type FixedReport,
  type LibraryFile,
  readBetaFiles,
  readFixedReports,
  readLibraryFiles,
} from '../queries.ts'
import { thumbnail, thumbnailUrls } from '../store/browse/card.ts'
import { member } from '../visitor.ts'
import { accountTabs } from './tabs.ts'

type Copy = RouteData<typeof libraryRoute>['items'][number]

const MAX_QUOTE = 300
const sourceText = (source: Copy['source'], date: LocalText): LocalText =>
  ({
    free: t('copy-free', { date }),
    grant: t('copy-granted', { date }),
    purchase: t('copy-bought', { date }),
  })[source]

export const libraryPage = getPage('/library', 'Library page', {
  auth: member,
  query: Type.Object({ page: Type.Integer({ default: 1 }) }),
  async handle(input) {
    const { core, who, request, query } = input
    const [library, reports] = await Promise.all([
      readApi(request, libraryRoute, { query: { page: query.page } }),
      readFixedReports(core.sql, who.user_uid),
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
      title: withSiteName(t('nav-library')),
      noindex: true,
      scripts: ['platform.mjs'],
      body: html`
        <h1>${t('nav-library')}</h1>
        ${accountTabs('/library')}
        ${reports.map(fixedNotice)}
        ${library.total ? copies : emptyLibrary}
        ${pager('/library', library)}
      `,
    })
  },
})

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
    sourceText(copy.source, formatDate(copy.created_at)),
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
        ${files.length ? downloads : html`<p class="soft">${t('library-no-downloads')}</p>`}
        <p class="row">
          <a href="/games/${game_uid}/review">${t('write-review')}</a>
          <a href="/games/${game_uid}/bug">${t('report-bug')}</a>
        </p>
      </div>
    </li>
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
