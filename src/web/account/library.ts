import { Type } from 'typebox'
import { acknowledgeNotices } from '../../bugs/notices/queries.ts'
import { readBetaGames } from '../../builds/channels/queries.ts'
import type { RouteData } from '../../core/http/route.ts'
import { isUuid } from '../../core/security/crypto.ts'
import { libraryRoute } from '../../library/copy-routes.ts'
import { type Pictures, readPictures } from '../../listings/renditions/pictures.ts'
import { readApi } from '../call.ts'
import { fileButton } from '../components/file-button.ts'
import { fieldValue } from '../components/form.ts'
import { formatCount, formatDate, formatPlayTime } from '../components/format.ts'
import { type Html, html } from '../components/html.ts'
import { icon } from '../components/icons.ts'
import { page } from '../components/layout.ts'
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
const sources: Record<Copy['source'], string> = {
  free: 'Free',
  grant: 'Given to you',
  purchase: 'Bought',
}

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
      title: 'Library · Slipway',
      noindex: true,
      scripts: ['platform.mjs'],
      body: html`
        <h1>Library</h1>
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
    <h2>Your library is empty</h2>
    <p>Games you download while signed in are kept here, with all their updates.</p>
    <p><a class="button button-primary" href="/search?asset_type=game">Find a game</a></p>
  </div>
`

const COPY_SIZES = '(max-width: 600px) 104px, 240px'

function copyRow(copy: Copy, files: readonly LibraryFile[], pictures: Pictures): Html {
  const { name, developer, vanity_name, game_uid, play_seconds } = copy
  const details = [
    `by ${developer.username}`,
    `${sources[copy.source]} since ${formatDate(copy.created_at)}`,
    formatPlayTime(play_seconds),
  ].filter(Boolean)
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
        <p class="soft">${details.join(' · ')}</p>
        ${files.length ? downloads : html`<p class="soft">No downloads right now.</p>`}
        <p class="row">
          <a href="/games/${game_uid}/review">Write a review</a>
          <a href="/games/${game_uid}/bug">Report a bug</a>
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
        <p><strong>Fixed in ${release}</strong>, ${formatDate(fixed_at)}. You reported:</p>
        <blockquote>${quote}</blockquote>
        <form method="post" action="/library/notices">
          <input type="hidden" name="game" value="${game_uid}">
          <button class="button button-quiet button-small" name="notice" value="${uid}">
            Dismiss
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
