import { formatBytes } from '../../../core/runtime/format-bytes.ts'
import { formatDate, formatPrice, labelOf } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { icon } from '../../components/icons.ts'
import { UGC_REL } from '../../components/link.ts'
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
  const from = editions.length > 0 && price_cents > 0 && html` <small class="soft">from</small>`
  const main_files = html`<your-platform>${fileList(main)}</your-platform>`
  const other_files = html`
    <details>
      <summary>Other programs of this project</summary>
      ${fileList(others)}
    </details>
  `
  return html`
    <section class="panel download-panel" aria-labelledby="get">
      <h2 id="get" class="download-price">${formatPrice(price_cents)}${from}</h2>
      ${!is_open && notForSale}
      ${visitor?.copy}
      ${main.length ? main_files : html`<p class="soft">No downloads yet.</p>`}
      ${others.length > 0 && other_files}
      ${editions.length > 0 && editionList(editions)}
      ${demo_url && videoLink(demo_url)}
    </section>
  `
}

const videoLink = (url: string) => html`
  <p>
    <a class="button button-quiet" href="${url}" rel="${UGC_REL}">${icon('play')}Watch the video</a>
  </p>
`

/** Payments are not part of the service yet. */
const notForSale = html`
  <p class="not-for-sale">
    <strong>Not for sale here yet.</strong>
    Its developer can give you a copy, which then appears in your library.
  </p>
`

const browserBuild = html`
  <p class="soft">A build for web browsers, as a zip to unpack and serve. It does not run here.</p>
`

const scanned = html`<span class="mark mark-ok">${icon('ok')}Scanned</span>`
const beingScanned = html`<span class="mark mark-warn">${icon('wait')}Being scanned</span>`

function fileRow(listing: ListingPage, file: File, is_open: boolean): Html {
  const { os, arch, channel } = file
  const is_for_browsers = os === 'web'
  const system = is_for_browsers ? 'Browser build' : labelOf(os)
  const platform = [os ? system : 'Any system', isSpecific(arch) ? labelOf(arch) : '']
    .filter(Boolean)
    .join(', ')
  const name = file.app ? `${file.app}, ${platform}` : platform
  const channel_label = channel !== 'stable' && ` · ${labelOf(channel)}`
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
          <span>Checksum and origin</span>
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
    ['File', html`<span class="mono">${filename}</span>`],
    ['SHA-256', html`<copy-text><code class="checksum">${checksum}</code></copy-text>`],
    ['Source', html`${origin(provenance)}, ${formatDate(uploaded_at)}`],
    ['History', html`<a href="/games/${game_uid}/files/${uid}">Scans and origin</a>`],
  ])
}

export const origin = ({ method, key_ref }: { method: string; key_ref?: string }) =>
  method === 'website'
    ? 'An upload on the website'
    : html`A build machine${key_ref && html` with key <code>${key_ref}…</code>`}`

function downloadButton({ scan, uid }: File, name: string): Html {
  if (scan !== 'clean')
    return html`
      <span class="button button-quiet" aria-disabled="true">${icon('wait')}Scanning</span>
    `
  // One address for everyone: the API decides who gets the file, and a refusal is a page.
  return html`
    <a class="button button-primary" href="/download/${uid}" rel="nofollow">
      ${icon('download')}Download<span class="sr"> for ${name}</span>
    </a>
  `
}

const editionList = (editions: readonly Edition[]): Html => html`
  <h3 class="eyebrow">Editions</h3>
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
