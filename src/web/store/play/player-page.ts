import { Type } from 'typebox'
import { isSameUsername } from '../../../accounts/people/usernames.ts'
import { routePath } from '../../../core/http/call.ts'
import { Uid } from '../../../core/http/route.ts'
import type { Core } from '../../../core/runtime/core.ts'
import { refuse } from '../../../core/runtime/errors.ts'
import { type Text, t } from '../../../core/text/text.ts'
import { playerTokenRoute } from '../../../library/player-token-routes.ts'
import { openPage, showPage } from '../../../listings/page/page.ts'
import { readPage } from '../../../listings/page/queries.ts'
import { type Pictures, readPictures } from '../../../listings/renditions/pictures.ts'
import { type NothingToPlay, offerPlay, type PlayOffer } from '../../../play/choose-build.ts'
import { playTokenRoute } from '../../../play/sharing/routes.ts'
import { formatBytes, labelOf } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { icon } from '../../components/icons.ts'
import { onStore, page } from '../../components/layout.ts'
import { picture } from '../../components/picture.ts'
import { scriptTexts } from '../../components/script-texts.ts'
import { copyText } from '../../components/secret-field.ts'
import { withNext } from '../../next-path.ts'
import { getPage } from '../../page-routes.ts'
import { visitor } from '../../visitor.ts'
import { gatePage, isGated } from '../listing/adult-gate.ts'
import {
  bugButton,
  bugDialog,
  type PlayerOptions,
  readPlayerOptions,
  sharingForm,
} from './player-controls.ts'

/** What the frame of a game may use of the device. */
const allowed = [
  'autoplay',
  'fullscreen',
  'gamepad',
  'screen-wake-lock',
  'accelerometer',
  'gyroscope',
  'clipboard-write',
  'cross-origin-isolated',
]
  .map((feature) => `${feature} *`)
  .join('; ')

/** Without `allow-top-navigation`, a game cannot lead the page around it elsewhere. */
const sandbox =
  'allow-scripts allow-same-origin allow-forms allow-modals allow-downloads allow-popups ' +
  'allow-pointer-lock allow-orientation-lock allow-presentation'

/** The page on which a game is played, in a frame of its own origin. */
export const playerPage = getPage('/:username/:vanity_name/play', 'Play a game in the browser', {
  auth: visitor,
  params: Type.Object({ username: Type.String(), vanity_name: Type.String() }),
  query: Type.Object({ file: Type.Optional(Uid) }),
  async handle(input) {
    const { core, who, params, query, request, reply } = input
    const state = await openPage(core, who, params.vanity_name)
    if (isGated(who, state)) return gatePage(input, request.url)
    const row = await readPage(core.sql, state.uid, null)
    if (!row || !isSameUsername(row.developer.username, params.username)) refuse('NOT_FOUND')
    const listing = showPage(core.addresses, row, false)
    const offer = await offerPlay(core, who, state.uid, query.file)
    if (offer === 'no_build') refuse('NOT_FOUND')
    const path = `/${listing.developer.username}/${listing.vanity_name}`
    const image = listing.cover ?? listing.thumbnail
    const pictures = await readPictures(core, [image])
    const cover = image ? coverPicture(pictures, image) : undefined
    const is_playable = typeof offer === 'object'
    const options = await readPlayerOptions(core, who, state.uid)
    const stage = { name: listing.name, cover, options, path }
    // The frame is isolated only if the page around it is.
    if (is_playable && offer.build.isolated)
      reply.header('cross-origin-embedder-policy', 'require-corp')
    return page(input, {
      title: onStore(core, t('play-title', { name: listing.name })),
      canonical: path,
      noindex: true,
      layout: 'play',
      ...(is_playable && { frames: [offer.origin], scripts: ['play.mjs', 'copy.mjs'] }),
      styles: ['play.css'],
      body: html`
        <p class="play-back"><a href="${path}">${icon('left')}${listing.name}</a></p>
        <h1 class="play-name">${t('play-title', { name: listing.name })}</h1>
        ${is_playable ? player(core, offer, stage) : nothing(offer, path)}`,
    })
  },
})

const coverPicture = (pictures: Pictures, url: string): Html =>
  picture(pictures, url, {
    alt: '',
    width: 1280,
    height: 720,
    widths: [640, 1280],
    sizes: '60rem',
    loading: 'eager',
  })

const texts = {
  no_webgl: t('play-no-webgl'),
  no_threads: t('play-no-threads'),
  no_wasm: t('play-no-wasm'),
  ios_size: t('play-ios-size'),
  full_screen: t('play-full-screen'),
  leave_full_screen: t('play-leave-full-screen'),
  loading: t('play-loading'),
  loaded_of: t('play-loaded-of', { done: '{done}', total: '{total}' }),
  shared: t('play-shared'),
  not_shared: t('play-not-shared'),
  failed: t('play-request-failed'),
  bug_sent: t('report-sent'),
}

type Stage = { name: string; cover: Html | undefined; options: PlayerOptions; path: string }

function player({ addresses }: Core, offer: PlayOffer, stage: Stage): Html {
  const { file, build, url, origin } = offer
  const { name, cover, options, path } = stage
  return html`
    <play-frame class="player" data-url="${url}" data-origin="${origin}"
      data-isolated="${String(build.isolated)}" data-name="${name}"
      data-orientation="${build.orientation}"
      data-allow="${allowed}" data-sandbox="${sandbox}" data-texts="${scriptTexts(texts)}"
      data-game="${options.game_uid}" data-build="${file.build_id}" data-version="${file.version}"
      data-channel="${file.channel}" data-size="${file.size}" data-api="${addresses.base_url}"
      data-play-token="${routePath(playTokenRoute.url, { uid: options.game_uid })}"
      data-bug-token="${routePath(playerTokenRoute.url, { uid: options.game_uid })}">
      <div class="player-stage">
        <div class="player-cover">${cover}</div>
        <div class="player-start">
          <button type="button" class="button button-primary button-large" hidden data-start>
            ${icon('play')}${t('play-start')}
          </button>
          <noscript><p class="notice">${t('play-needs-script')}</p></noscript>
          <p class="player-problem" role="alert" hidden></p>
        </div>
      </div>
      <progress class="player-progress" aria-label="${t('play-loading')}" hidden></progress>
      <div class="player-bar">
        <span class="soft">
          <span class="mono">${file.version}</span> · ${labelOf(file.channel)} ·
          ${formatBytes(file.size)}
          <span role="status" data-loaded></span>
        </span>
        <span class="row">
          ${bugButton(options)}
          <button type="button" class="button button-quiet button-small" hidden data-full-screen>
            ${t('play-full-screen')}
          </button>
        </span>
      </div>
      ${bugDialog(options)}
    </play-frame>
    ${sharingForm(options, `${path}/play`)}
    ${!build.isolated && html`<p class="soft">${t('play-not-isolated')}</p>`}
    ${build.connect_origins.length > 0 && connections(build.connect_origins)}
    ${build.embeddable && build.is_open && embedding(name, offer)}`
}

/** The address without a build stays the same when a new one is released. */
const embedding = (name: string, { origin, build }: PlayOffer): Html => {
  const [width, height] = build.orientation === 'portrait' ? [540, 960] : [960, 540]
  const code = html`<iframe src="${origin}/" title="${name}" width="${width}" height="${height}"
    allow="autoplay; fullscreen; gamepad; cross-origin-isolated"></iframe>`
  return html`
    <details>
      <summary>${t('play-embed')}</summary>
      <p class="soft">${t('play-embed-text')}</p>
      ${copyText(html`<code>${code.write('en')}</code>`, 'share-text')}
    </details>`
}

const connections = (origins: readonly string[]): Html => html`
  <details>
    <summary>${t('play-connections', { count: origins.length })}</summary>
    <ul>${origins.map((origin) => html`<li><code>${origin}</code></li>`)}</ul>
  </details>`

const reasons: Record<Exclude<NothingToPlay, 'no_build'>, Text> = {
  not_set_up: t('play-not-set-up'),
  sign_in: t('play-sign-in'),
  purchase: t('play-purchase'),
}

const nothing = (why: Exclude<NothingToPlay, 'no_build'>, path: string): Html => html`
  <section class="panel">
    <p>${reasons[why]}</p>
    <p class="row">
      ${
        why === 'sign_in' &&
        html`<a class="button button-primary" href="${withNext('/login', `${path}/play`)}">${t('sign-in')}</a>`
      }
      <a class="button button-quiet" href="${path}">${t('play-to-listing')}</a>
    </p>
  </section>`
