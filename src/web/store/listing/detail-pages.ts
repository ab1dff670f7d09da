import { Type } from 'typebox'
import { openPage } from '../../../listings/page/page.ts'
import { read } from '../../call.ts'
import { formatBytes, formatCount, formatDate, labelOf } from '../../components/format.ts'
import { html } from '../../components/html.ts'
import { icon } from '../../components/icons.ts'
import { page } from '../../components/layout.ts'
import { pager } from '../../components/pager.ts'
import { getPage } from '../../page-routes.ts'
import { visitor } from '../../visitor.ts'
import { gatePage, isGated } from './adult-gate.ts'
import { origin } from './downloads.ts'
import { review, summaryOf } from './reviews.ts'

type Steps = { state: string; engine: string; detail?: string; at: string }[]

/** Where a file came from and what the scanner said of it, whenever it was asked. */
export const filePage = getPage('/games/:game_id/files/:file_uid', 'Where a file came from', {
  auth: visitor,
  params: Type.Object({ game_id: Type.String(), file_uid: Type.String() }),
  async handle(input) {
    const { request, params } = input
    const game = `/api/v1/public/games/${encodeURIComponent(params.game_id)}`
    const [listing, file] = await Promise.all([
      read(request, game),
      read(request, `${game}/files/${encodeURIComponent(params.file_uid)}/provenance`),
    ])
    const steps = file.scan_history as Steps
    return page(input, {
      title: `${file.filename} · ${listing.name} on Slipway`,
      noindex: true,
      scripts: ['copy.mjs'],
      body: html`<p><a href="/games/${listing.uid}">${listing.name}</a></p><h1 class="mono file-name">${file.filename}</h1>
<section class="panel"><h2>Origin</h2><dl class="facts"><dt>Version</dt><dd class="mono">${file.version}</dd><dt>For</dt><dd>${[file.os && labelOf(file.os), file.arch && labelOf(file.arch)].filter(Boolean).join(', ') || 'Any system'}</dd><dt>Channel</dt><dd>${labelOf(file.channel)}</dd><dt>Size</dt><dd>${formatBytes(file.size)}</dd>
<dt>SHA-256</dt><dd><copy-text><code class="sum">${file.checksum}</code></copy-text></dd><dt>Came from</dt><dd>${origin(file)}</dd><dt>On</dt><dd><time datetime="${file.uploaded_at}">${formatDate(file.uploaded_at)}</time></dd></dl></section>
<section class="panel"><h2>Scans</h2><ol class="timeline">${steps.map(({ state, engine, at }) => html`<li><span class="label label-${state === 'clean' ? 'ok' : state === 'scanning' ? 'warn' : 'bad'}">${icon(state === 'clean' ? 'ok' : 'wait')}${labelOf(state)}</span> <span class="soft">${engine} · <time datetime="${at}">${formatDate(at)}</time></span></li>`)}</ol>
<p class="soft">A scan finds what is known to scanners. It is no promise that a file is harmless.</p></section>`,
    })
  },
})

export const reviewsPage = getPage('/:username/:vanity_name/reviews', 'All reviews of a listing', {
  auth: visitor,
  params: Type.Object({ username: Type.String(), vanity_name: Type.String() }),
  query: Type.Object({ page: Type.Integer({ default: 1 }) }),
  async handle(input) {
    const { core, who, request, params, query } = input
    const listing = await read(
      request,
      `/api/v1/public/user/${encodeURIComponent(params.username)}/games/${encodeURIComponent(params.vanity_name)}`,
    )
    if (isGated(who, await openPage(core, who, listing.uid))) return gatePage(input, request.url)
    const found = await read(
      request,
      `/api/v1/public/games/${listing.uid}/reviews?page=${query.page}`,
    )
    const path = `/${listing.developer.username}/${listing.vanity_name}`
    return page(input, {
      title: `Reviews of ${listing.name} on Slipway`,
      canonical: `${path}/reviews`,
      noindex: !listing.indexable,
      body: html`<p><a href="${path}">${listing.name}</a></p><h1>${formatCount(found.total, 'review')} of ${listing.name}</h1>${found.summary.count > 0 && summaryOf(found.summary)}
${found.items.map((one: Answered) => review({ ...one, play_seconds: one.play_seconds ?? 0, created_at: new Date(one.created_at), updated_at: new Date(one.updated_at), reply_text: one.reply?.text ?? null, replied_at: one.reply ? new Date(one.reply.at) : null }))}
${pager(`${path}/reviews`, found)}`,
    })
  },
})

type Answered = {
  uid: string
  username: string
  enjoyed: boolean
  quality: number
  would_play_with_friends: boolean | null
  text: string
  play_seconds?: number
  created_at: string
  updated_at: string
  reply?: { text: string; at: string }
}
