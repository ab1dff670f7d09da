import { joinTexts, type Text, t } from '../../../core/text/text.ts'
import type { Currency } from '../../../listings/prices/currencies.ts'
import type { Offer } from '../../../listings/prices/offers.ts'
import type { Discovery } from '../../../payments/orders/discovery.ts'
import { formatBytes, formatDate, formatPrice, labelOf } from '../../components/format.ts'
import { type Html, hiddenText, html, richText, strongText } from '../../components/html.ts'
import { icon } from '../../components/icons.ts'
import { UGC_REL } from '../../components/link.ts'
import { copyText } from '../../components/secret-field.ts'
import { facts } from '../../components/table.ts'
import { buyForm, buyLabel, giftForm } from '../../payments/buy.ts'
import { cheapestOffer, offerIn, offerPrice, priceBlock, saleNote } from '../offer-price.ts'
import type { ListingPage } from './head.ts'
import { type Device, primaryFile } from './primary-file.ts'

type File = ListingPage['files'][number]
type Edition = ListingPage['editions'][number]

/** What the visitor has: their copy, and whether it lets them download a paid listing. */
type Visitor = { copy: Html; actions: Html | string; can_download: boolean; has_copy: boolean }

/** Who gets the files: everyone shown here, or only people who sign in first. */
type Access = {
  is_open: boolean
  needs_sign_in: boolean
  /** The page on which a build for browsers is played, where the store can show it. */
  play_path: string | undefined
}

type PanelOptions = {
  visitor: Visitor | undefined
  play_path: string | undefined
  is_for_sale: boolean
  /** The currency that the visitor chose. */
  currency: Currency
  /** How the visitor came here. */
  discovery: Discovery | undefined
}

/** Price, one button for the visitor's system, all other files folded, and what they are. */
export function downloadPanel(
  listing: ListingPage,
  device: Device,
  { visitor, play_path, is_for_sale, currency, discovery }: PanelOptions,
): Html {
  const { files, price_cents, editions, demo_url } = listing
  const is_open = price_cents === 0 || (visitor?.can_download ?? false)
  const needs_sign_in = !visitor && !listing.anonymous_downloads
  return html`
    <section class="panel download-panel" aria-labelledby="get">
      ${priceBlock({ offers: listing.offers, has_editions: editions.length > 0 }, currency)}
      ${!is_open && (is_for_sale ? buyPart(listing, currency, discovery) : notForSale)}
      ${visitor?.copy}
      ${visitor?.has_copy && is_for_sale && giftPart(listing, currency)}
      ${is_open && play_path && files.some(isPlayed) && playButton(play_path, files)}
      ${fileLists(files, device, { is_open, needs_sign_in, play_path })}
      ${visitor?.actions}
      ${editions.length > 0 && editionList(listing, { currency, is_for_sale, discovery })}
      ${demo_url && videoLink(demo_url)}
      ${files.length > 0 && originDetails(listing)}
    </section>
  `
}

function fileLists(files: readonly File[], device: Device, access: Access): Html {
  const { is_open } = access
  const is_played = access.play_path !== undefined && files.some(isPlayed)
  const main = files.filter(({ app }) => app === '')
  const others = files.filter(({ app }) => app !== '')
  const primary = is_open ? primaryFile(main, device) : undefined
  const rest = main.filter((file) => file !== primary)
  const list = (files: readonly File[]) => html`
    <ul class="files">${files.map((file) => fileRow(file, access))}</ul>
  `
  return html`
    ${!main.length && noDownloads}
    ${primary && primaryDownload(primary, access)}
    ${!primary && is_open && main.length > 0 && device.os && !is_played && noBuildFor(device.os)}
    ${rest.length > 0 && (primary ? folded(t('other-systems'), list(rest)) : list(rest))}
    ${others.length > 0 && folded(t('other-programs'), list(others))}
  `
}

const noDownloads = html`<p class="soft">${t('no-downloads')}</p>`

const noBuildFor = (os: string) => html`
  <p class="soft">${t('no-build-for', { system: labelOf(os) })}</p>
`

const folded = (summary: Text, content: Html): Html => html`
  <details class="more-files">
    <summary>${summary}</summary>
    ${content}
  </details>
`

const videoLabel = html`${icon('play')}${t('watch-video')} ${icon('link')}`
const videoLink = (url: string) => html`
  <p><a class="button button-quiet" href="${url}" rel="${UGC_REL}">${videoLabel}</a></p>
`

/** With editions, each of them has its own button. */
function buyPart(
  listing: ListingPage,
  currency: Currency,
  discovery: Discovery | undefined,
): Html | undefined {
  if (listing.editions.length) return undefined
  const offer = cheapestOffer(listing, currency)
  return offer && buyForm(listing.uid, offer, buyLabel, discovery)
}

/** For people who need no copy of their own. */
function giftPart(listing: ListingPage, currency: Currency): Html | undefined {
  if (listing.editions.length) return undefined
  const offer = cheapestOffer(listing, currency)
  return offer && giftForm(listing.uid, offer)
}

/** Until the store takes payments and the developer can be paid. */
const notForSale = html`
  <p class="not-for-sale">${richText('not-for-sale-text', { strong: strongText })}</p>
`

const browserBuild = html`<p class="soft">${t('browser-build-text')}</p>`

/** A build that the store can show in the browser. */
export const isPlayed = ({ playable }: Pick<File, 'playable'>) => playable === true

const playButton = (path: string, files: readonly File[]): Html => html`
  <p>
    <a class="button button-primary button-download" href="${path}">
      ${icon('play')}${t('play-here')}
    </a>
  </p>
  ${files.some((file) => isPlayed(file) && !file.isolated) && notIsolated}
`
const notIsolated = html`<p class="soft">${t('play-not-isolated')}</p>`

const scanned = html`<span class="mark mark-ok">${icon('ok')}${t('scanned')}</span>`
const beingScanned = html`<span class="mark mark-warn">${icon('wait')}${t('being-scanned')}</span>`

const isForBrowsers = ({ os }: File) => os === 'web'
const isSpecific = (arch: string) => arch !== '' && arch !== 'universal'

const systemName = ({ os }: File): Text =>
  os === 'web' ? t('browser-build') : os ? labelOf(os) : t('any-system-label')

/** What a file is for, such as "Linux, 64-bit". */
const fileTitle = (file: File): Text =>
  joinTexts([file.app, systemName(file), isSpecific(file.arch) && labelOf(file.arch)], ', ')

const fileDetails = ({ version, size, channel }: File): Html => {
  const channel_label = channel !== 'stable' && html` · ${labelOf(channel)}`
  return html`<span class="mono">${version}</span> · ${formatBytes(size)}${channel_label}`
}

// One address for everyone: the API decides who gets the file, and a refusal is a page.
const downloadPath = ({ uid }: File) => `/download/${uid}`

function primaryLabel(file: File, { needs_sign_in }: Access): Text {
  const system = systemName(file)
  if (!needs_sign_in || file.scan !== 'clean')
    return file.os ? t('download-for-system', { system }) : t('download')
  return file.os ? t('sign-in-to-download-for-system', { system }) : t('sign-in-to-download')
}

function primaryDownload(file: File, access: Access): Html {
  const label = primaryLabel(file, access)
  const content = html`
    <span>
      ${label}
      <small>${fileDetails(file)}</small>
    </span>
  `
  const button =
    file.scan === 'clean'
      ? html`
          <a class="button button-primary button-download" href="${downloadPath(file)}"
            rel="nofollow">${icon('download')}${content}</a>
        `
      : html`
          <span class="button button-quiet button-download" aria-disabled="true">
            ${icon('wait')}${content}
          </span>
          ${beingScanned}
        `
  return html`
    <div class="primary-download">
      ${button}
      ${isForBrowsers(file) && !(access.play_path && isPlayed(file)) && browserBuild}
    </div>
  `
}

const fileRow = (file: File, access: Access): Html => html`
  <li class="file">
    <div class="file-top">
      <div>
        <strong>${fileTitle(file)}</strong>
        <span class="file-details">${fileDetails(file)}</span>
      </div>
      ${access.is_open && downloadButton(file, access)}
    </div>
    ${isForBrowsers(file) && !(access.play_path && isPlayed(file)) && browserBuild}
  </li>
`

function downloadButton(file: File, { needs_sign_in }: Access): Html {
  if (file.scan !== 'clean')
    return html`
      <span class="button button-quiet button-small" aria-disabled="true">
        ${icon('wait')}${labelOf('scanning')}
      </span>
    `
  const parts = { name: fileTitle(file), hidden: hiddenText }
  const label = needs_sign_in
    ? richText('sign-in-to-download-for', parts)
    : richText('download-for', parts)
  return html`
    <a class="button button-quiet button-small" href="${downloadPath(file)}" rel="nofollow">
      ${icon('download')}${label}
    </a>
  `
}

/** Checksum, source and scans of every file, which few visitors look for. */
const originDetails = ({ uid, files }: ListingPage): Html => html`
  <details class="origin">
    <summary>
      ${files.some(({ scan }) => scan === 'clean') ? scanned : beingScanned}
      <span>${t('checksum-and-origin')}</span>
    </summary>
    ${files.map((file) => html`<h3>${fileTitle(file)}</h3>${fileFacts(uid, file)}`)}
  </details>
`

function fileFacts(game_uid: string, file: File): Html {
  const { uid, filename, checksum, provenance, uploaded_at } = file
  return facts([
    [t('file-name'), html`<span class="mono">${filename}</span>`],
    ['SHA-256', copyText(html`<code class="checksum">${checksum}</code>`)],
    [t('file-source'), html`${origin(provenance)}, ${formatDate(uploaded_at)}`],
    [
      t('file-history'),
      html`<a href="/games/${game_uid}/files/${uid}">${t('scans-and-origin')}</a>`,
    ],
  ])
}

export function origin({ method, key_ref }: { method: string; key_ref?: string }): Html | Text {
  if (method === 'website') return t('origin-website')
  return key_ref
    ? richText('origin-machine-key', { key: html`<code>${key_ref}…</code>` })
    : t('origin-machine')
}

const editionList = (
  { uid, editions, offers }: ListingPage,
  { currency, is_for_sale, discovery }: Omit<PanelOptions, 'visitor' | 'play_path'>,
): Html => html`
  <h3 class="eyebrow">${t('editions')}</h3>
  <ul class="editions">
    ${editions.map((edition) => {
      const offer = offerIn(offers, edition.uid, currency)
      const label = richText('buy-edition', { name: edition.name, hidden: hiddenText })
      const buy = is_for_sale && offer && buyForm(uid, offer, label, discovery)
      return editionRow(edition, offer, buy)
    })}
  </ul>
`

const editionRow = (
  { name, description, price_cents, kind }: Edition,
  offer: Offer | undefined,
  buy: Html | false | undefined,
) => html`
  <li>
    <div>
      <strong>${name}</strong> <span class="soft">${labelOf(kind)}</span>
      ${description && html`<p class="soft">${description}</p>`}
      ${offer && saleNote(offer)}
    </div>
    <span class="mono">${offer ? offerPrice(offer) : formatPrice(price_cents)}</span>
    ${buy}
  </li>
`
