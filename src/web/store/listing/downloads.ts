import { joinTexts, type LocalText, type Text, t } from '../../../core/text/text.ts'
import { formatBytes, formatDate, formatPrice, labelOf } from '../../components/format.ts'
import { type Html, hiddenText, html, richText, strongText } from '../../components/html.ts'
import { icon } from '../../components/icons.ts'
import { UGC_REL } from '../../components/link.ts'
import { copyText } from '../../components/secret-field.ts'
import { facts } from '../../components/table.ts'
import type { ListingPage } from './head.ts'

type File = ListingPage['files'][number]
type Edition = ListingPage['editions'][number]

/** What the visitor has: their copy, and whether it lets them download a paid listing. */
type Visitor = { copy: Html; can_download: boolean }

/** Price, files and editions. A small script moves the file for the visitor's platform up. */
export function downloadPanel(listing: ListingPage, visitor?: Visitor): Html {
  const { files, price_cents, editions, demo_url } = listing
  const is_open = price_cents === 0 || (visitor?.can_download ?? false)
  const fileList = (files: readonly File[]) => html`
    <ul class="files">${files.map((file) => fileRow(listing, file, is_open))}</ul>
  `
  const main = files.filter(({ app }) => app === '')
  const others = files.filter(({ app }) => app !== '')
  const price = formatPrice(price_cents)
  const has_editions = editions.length > 0 && price_cents > 0
  const main_files = html`<your-platform>${fileList(main)}</your-platform>`
  const other_files = html`
    <details>
      <summary>${t('other-programs')}</summary>
      ${fileList(others)}
    </details>
  `
  return html`
    <section class="panel download-panel" aria-labelledby="get">
      <h2 id="get" class="download-price">${has_editions ? priceFrom(price) : price}</h2>
      ${!is_open && notForSale}
      ${visitor?.copy}
      ${main.length ? main_files : noDownloads}
      ${others.length > 0 && other_files}
      ${editions.length > 0 && editionList(editions)}
      ${demo_url && videoLink(demo_url)}
    </section>
  `
}

const noDownloads = html`<p class="soft">${t('no-downloads')}</p>`

const priceFrom = (price: LocalText) =>
  richText('price-from', { price, small: (text) => html`<small class="soft">${text}</small>` })

const videoLabel = html`${icon('play')}${t('watch-video')}`
const videoLink = (url: string) => html`
  <p><a class="button button-quiet" href="${url}" rel="${UGC_REL}">${videoLabel}</a></p>
`

/** Payments are not part of the service yet. */
const notForSale = html`
  <p class="not-for-sale">${richText('not-for-sale-text', { strong: strongText })}</p>
`

const browserBuild = html`<p class="soft">${t('browser-build-text')}</p>`

const scanned = html`<span class="mark mark-ok">${icon('ok')}${t('scanned')}</span>`
const beingScanned = html`<span class="mark mark-warn">${icon('wait')}${t('being-scanned')}</span>`

function fileRow(listing: ListingPage, file: File, is_open: boolean): Html {
  const { os, arch, channel } = file
  const is_for_browsers = os === 'web'
  const system = is_for_browsers ? t('browser-build') : labelOf(os)
  const platform = [os ? system : t('any-system-label'), isSpecific(arch) && labelOf(arch)]
  const name = joinTexts([file.app, ...platform], ', ')
  const channel_label = channel !== 'stable' && html` · ${labelOf(channel)}`
  return html`
    <li class="file" data-os="${os}" data-arch="${arch}">
      <div class="file-top">
        <div>
          <strong>${name}</strong>
          <span class="file-details">
            <span class="mono">${file.version}</span> · ${formatBytes(file.size)}${channel_label}
          </span>
        </div>
        ${is_open && downloadButton(file, name)}
      </div>
      ${is_for_browsers && browserBuild}
      <details class="origin">
        <summary>
          ${file.scan === 'clean' ? scanned : beingScanned}
          <span>${t('checksum-and-origin')}</span>
        </summary>
        ${fileFacts(listing.uid, file)}
      </details>
    </li>
  `
}

const isSpecific = (arch: string) => arch !== '' && arch !== 'universal'

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

function downloadButton({ scan, uid }: File, name: Text): Html {
  if (scan !== 'clean')
    return html`
      <span class="button button-quiet" aria-disabled="true">
        ${icon('wait')}${labelOf('scanning')}
      </span>
    `
  // One address for everyone: the API decides who gets the file, and a refusal is a page.
  return html`
    <a class="button button-primary" href="/download/${uid}" rel="nofollow">
      ${icon('download')}${richText('download-for', { name, hidden: hiddenText })}
    </a>
  `
}

const editionList = (editions: readonly Edition[]): Html => html`
  <h3 class="eyebrow">${t('editions')}</h3>
  <ul class="editions">${editions.map(editionRow)}</ul>
`

const editionRow = ({ name, description, price_cents, kind }: Edition) => html`
  <li>
    <div>
      <strong>${name}</strong> <span class="soft">${labelOf(kind)}</span>
      ${description && html`<p class="soft">${description}</p>`}
    </div>
    <span class="mono">${formatPrice(price_cents)}</span>
  </li>
`
