import { formatBytes, formatDate, formatPrice, labelOf } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { icon } from '../../components/icons.ts'
import type { ListingPage } from './head.ts'

type File = ListingPage['files'][number]

/** The way to have it: your platform first (a small module moves it up), with version, size, scan and checksum. */
export function downloadPanel(listing: ListingPage, holding?: Html): Html {
  const { files, price_cents, editions, demo_url } = listing
  const main = files.filter(({ app }) => app === '')
  const others = files.filter(({ app }) => app !== '')
  return html`<section class="panel get" aria-labelledby="get"><h2 id="get" class="get-price">${formatPrice(price_cents)}${editions.length > 0 && price_cents > 0 && html` <small class="soft">from</small>`}</h2>
${holding}
${main.length ? html`<your-platform><ul class="files">${main.map((file) => fileRow(listing, file))}</ul></your-platform>` : html`<p class="soft">There is nothing to download yet.</p>`}
${others.length > 0 && html`<details><summary>Other programs of this project</summary><ul class="files">${others.map((file) => fileRow(listing, file))}</ul></details>`}
${editions.length > 0 && editionList(listing)}
${demo_url && html`<p><a class="button button-quiet" href="${demo_url}" rel="nofollow ugc noopener">${icon('play')}Watch the video</a></p>`}
</section>`
}

function fileRow(listing: ListingPage, file: File): Html {
  const { version, os, arch, channel, filename, checksum, scan, provenance, uploaded_at, uid } =
    file
  const where = [os ? labelOf(os) : 'Any system', arch && arch !== 'universal' ? labelOf(arch) : '']
    .filter(Boolean)
    .join(', ')
  const name = file.app ? `${file.app}, ${where}` : where
  return html`<li class="file" data-os="${os}" data-arch="${arch}"><div class="file-top"><div><strong>${name}</strong><span class="file-what"><span class="mono">${version}</span> · ${formatBytes(file.size)}${channel !== 'stable' && html` · ${labelOf(channel)}`}</span></div>${getButton(file, name)}</div>
<details class="origin"><summary>${scan === 'clean' ? html`<span class="mark mark-ok">${icon('ok')}Scanned</span>` : html`<span class="mark mark-warn">${icon('wait')}Being scanned</span>`} <span>Checksum and origin</span></summary>
<dl class="facts"><dt>File</dt><dd class="mono">${filename}</dd><dt>SHA-256</dt><dd><copy-text><code class="sum">${checksum}</code></copy-text></dd>
<dt>Came from</dt><dd>${origin(provenance)}, ${formatDate(uploaded_at)}</dd><dt>History</dt><dd><a href="/games/${listing.uid}/files/${uid}">Scans and origin of this file</a></dd></dl></details></li>`
}

export const origin = ({ method, key_ref }: { method: string; key_ref?: string }) =>
  method === 'website'
    ? 'An upload on the website'
    : html`A build machine${key_ref && html` with key <code>${key_ref}…</code>`}`

function getButton({ scan, uid }: File, name: string): Html {
  if (scan !== 'clean')
    return html`<span class="button button-quiet" aria-disabled="true">${icon('wait')}Soon</span>`
  // One address for everyone: what it takes to have the file is decided behind it, and a refusal is a page.
  return html`<a class="button button-primary" href="/download/${uid}" rel="nofollow">${icon('download')}Download<span class="sr"> for ${name}</span></a>`
}

function editionList({ editions }: ListingPage): Html {
  return html`<h3 class="eyebrow">Editions</h3><ul class="editions">${editions.map(({ name, description, price_cents, kind }) => html`<li><div><strong>${name}</strong> <span class="soft">${labelOf(kind)}</span>${description && html`<p class="soft">${description}</p>`}</div><span class="mono">${formatPrice(price_cents)}</span></li>`)}</ul>
<p class="soft">Paying is not built in here yet: copies are given by the makers.</p>`
}
