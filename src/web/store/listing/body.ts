import { joinTexts, type Text, t } from '../../../core/text/text.ts'
import type { ReviewRow } from '../../../library/review-queries.ts'
import type { ReviewSummary } from '../../../library/reviews.ts'
import { isUnreleasedPage } from '../../../listings/listing/visibility.ts'
import { BASE_CURRENCY, type Currency } from '../../../listings/prices/currencies.ts'
import type { Pictures } from '../../../listings/renditions/pictures.ts'
import type { Discovery } from '../../../payments/orders/discovery.ts'
import { formatDate, labelOf } from '../../components/format.ts'
import { type Html, html, richText, strongText } from '../../components/html.ts'
import { icon } from '../../components/icons.ts'
import { linkTo } from '../../components/link.ts'
import { markdown } from '../../components/markdown.ts'
import { reportLink } from '../../reports/report-form.ts'
import { type Card, cards } from '../browse/card.ts'
import { trailersSection } from '../trailers/section.ts'
import { languageAttributes, type TextChoice, translationNote } from '../translation.ts'
import { downloadPanel } from './downloads.ts'
import { factsPanel } from './facts.ts'
import { gallery } from './gallery.ts'
import type { ListingPage } from './head.ts'
import { labelStrip } from './label-strip.ts'
import type { Device } from './primary-file.ts'
import { relatedPanels } from './related.ts'
import { requirementsSection } from './requirements.ts'
import { reviewsSection } from './reviews.ts'
import { sharePanel } from './share.ts'
import { titleBlock } from './title.ts'

/** What the page of a listing shows to everyone who may open it. */
export type ListingView = {
  listing: ListingPage
  similar: Card[]
  pictures: Pictures
  reviews: ReviewRow[]
  summary: ReviewSummary
  /** The address of the page. */
  url: string
  translation?: TextChoice
  /** The store can show builds for browsers. */
  plays_builds: boolean
  /** Buyers can pay its developer. */
  is_for_sale: boolean
  /** The currency that the visitor chose. */
  currency?: Currency
  /** How the visitor came here; undefined where nothing can be bought. */
  discovery?: Discovery | undefined
}
/** What only this visitor sees: their copy, and what they may do. */
export type PersonalParts = {
  copy: Html
  /** What they may do with their copy besides downloading it. */
  actions: Html | string
  can_download: boolean
  has_copy: boolean
  review: Html | string
  /** For members of the moderation team. */
  moderate: Html | false
  notice: Html | string
}

/** Images first, then the name and the download, then everything else about the listing. */
export function listingBody(view: ListingView, device: Device, personal?: PersonalParts): Html {
  const { listing, similar, pictures, reviews, summary, translation } = view
  const path = `/${listing.developer.username}/${listing.vanity_name}`
  return html`
    ${visibilityNotice(listing)}
    ${personal?.notice}
    <article class="game">
      <div class="game-gallery">${gallery(listing, pictures)}</div>
      <div class="game-head">${titleBlock(listing, summary, translation)}</div>
      <div class="game-download">
        ${downloadPanel(listing, device, {
          visitor: personal,
          play_path: view.plays_builds ? `${path}/play` : undefined,
          is_for_sale: view.is_for_sale,
          currency: view.currency ?? BASE_CURRENCY,
          discovery: view.discovery,
        })}
        ${sharePanel(listing, view.url)}
        <p class="row">${reportLink('listing', listing.uid)} ${personal?.moderate}</p>
      </div>
      <div class="game-labels">${labelStrip(listing, summary)}</div>
      <div class="game-text">
        ${trailersSection(listing, pictures)}
        ${aboutSection(path, listing, translation)}
        ${factsPanel(listing)}
        ${requirementsSection(listing, device)}
        ${modSection(listing)}
        ${reviewsSection(path, reviews, summary, personal?.review)}
        ${changelogSection(listing)}
        <div class="related">${relatedPanels(listing, path)}</div>
      </div>
    </article>
    ${similar.length > 0 && similarShelf(view)}
  `
}

const noDescription = html`<p class="soft">${t('no-description')}</p>`
function aboutSection(path: string, { description }: ListingPage, translation: TextChoice): Html {
  const text = description.trim()
    ? html`<div${languageAttributes(translation)}>${markdown(description)}</div>`
    : noDescription
  return html`
    <section aria-labelledby="about">
      <h2 id="about">${t('about')}</h2>
      ${text}
      ${translationNote(path, translation)}
    </section>
  `
}

const similarShelf = ({ similar, pictures, listing }: ListingView): Html => html`
  <section class="shelf" aria-labelledby="similar">
    <header>
      <h2 id="similar">${t('similar')}</h2>
      <p class="soft">${t('similar-picked', { username: listing.developer.username })}</p>
    </header>
    ${cards(similar, pictures)}
  </section>
`

function visibilityNotice({ visibility, uid }: ListingPage): Html | string {
  if (visibility === 'invisible')
    return html`
      <p class="notice notice-warn">
        ${icon('info')}<span>${t('unlisted-notice')}</span>
      </p>
    `
  if (!isUnreleasedPage({ visibility })) return ''
  const wrappers = { strong: strongText, edit: linkTo(`/dashboard/${uid}`) }
  const notice =
    visibility === 'draft'
      ? richText('draft-notice', wrappers)
      : richText('owner-only-notice', wrappers)
  return html`
    <p class="notice notice-warn" role="status">
      ${icon('info')}<span>${notice}</span>
    </p>
  `
}

type ModCompat = NonNullable<ListingPage['mod_compat']>[number]

function modSection({ mod_settings, mod_compat = [] }: ListingPage): Html | string {
  if (!mod_settings) return ''
  const { install_path, loader, instructions } = mod_settings
  const rows: Html[] = [
    ...(install_path ? [modRow(t('install-path'), install_path)] : []),
    ...(loader ? [modRow(t('mod-loader'), loader)] : []),
    ...mod_compat.map(compatRow),
  ]
  if (!rows.length && !instructions) return ''
  return html`
    <section aria-labelledby="install">
      <h2 id="install">${t('installation')}</h2>
      ${rows.length > 0 && html`<dl class="facts">${rows}</dl>`}
      ${instructions && markdown(instructions)}
    </section>
  `
}

const modRow = (name: Text, value: string) => html`<dt>${name}</dt><dd><code>${value}</code></dd>`

function compatRow({ game, status, platforms }: ModCompat): Html {
  const names = platforms.map(({ os, engine_version }) =>
    joinTexts([labelOf(os), engine_version], ' '),
  )
  return html`
    <dt><a href="/games/${game.uid}">${game.name}</a></dt>
    <dd>
      ${labelOf(status)}
      ${names.length > 0 && html`<span class="soft">(${joinTexts(names, ', ')})</span>`}
    </dd>
  `
}

type Change = ListingPage['changelog'][number]

function changelogSection({ changelog }: ListingPage): Html | string {
  if (!changelog.length) return ''
  return html`
    <section aria-labelledby="changes">
      <h2 id="changes">${t('changelog')}</h2>
      ${changelog.map(changeEntry)}
    </section>
  `
}

function changeEntry(change: Change, i: number): Html {
  const { version, title, description, items, created_at } = change
  const item = ({ title, description }: Change['items'][number]) =>
    html`<li>${description ? html`<strong>${title}</strong> ${description}` : title}</li>`
  return html`
    <details class="change"${i === 0 && html` open`}>
      <summary>
        <span class="mono">${version}</span>
        ${title !== version && title}
        <time class="soft" datetime="${created_at}">${formatDate(created_at)}</time>
      </summary>
      ${description && markdown(description)}
      ${items.length > 0 && html`<ul>${items.map(item)}</ul>`}
    </details>
  `
}
