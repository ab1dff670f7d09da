import { Type } from 'typebox'
import { provenanceRoute } from '../../../builds/files/routes.ts'
import type { RouteData } from '../../../core/http/route.ts'
import { joinTexts, type Text, t } from '../../../core/text/text.ts'
import { readReviewsRoute } from '../../../library/review-routes.ts'
import { hashInUrl } from '../../../listings/media/url.ts'
import { openPage } from '../../../listings/page/page.ts'
import { readPublicListing, readPublicListingByDeveloper } from '../../../listings/page/routes.ts'
import { readApi } from '../../call.ts'
import { badge } from '../../components/badge.ts'
import { dateTag, formatBytes, formatDate, labelOf } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { onStore, page } from '../../components/layout.ts'
import { pageNumber, pager } from '../../components/pager.ts'
import { copyText } from '../../components/secret-field.ts'
import { facts } from '../../components/table.ts'
import { getPage } from '../../page-routes.ts'
import { moderateLink } from '../../reports/moderate-link.ts'
import { reportLink } from '../../reports/report-form.ts'
import { visitor } from '../../visitor.ts'
import { gatePage, isGated } from './adult-gate.ts'
import { origin } from './downloads.ts'
import { review, reviewSummary } from './reviews.ts'

type File = RouteData<typeof provenanceRoute>
type ScanStep = File['scan_history'][number]

/** The origin of a file and the results of all its scans. */
export const filePage = getPage('/games/:game_id/files/:file_uid', 'Origin and scans of a file', {
  auth: visitor,
  params: Type.Object({ game_id: Type.String(), file_uid: Type.String() }),
  async handle(input) {
    const { request, params } = input
    const [listing, file] = await Promise.all([
      readApi(request, readPublicListing, { params: { game_id: params.game_id } }),
      readApi(request, provenanceRoute, { params }),
    ])
    return page(input, {
      title: onStore(input.core, `${file.filename} · ${listing.name}`),
      noindex: true,
      scripts: ['copy.mjs'],
      body: html`
        <p><a href="/games/${listing.uid}">${listing.name}</a></p>
        <h1 class="mono file-name">${file.filename}</h1>
        <section class="panel">
          <h2>${t('origin')}</h2>
          ${originFacts(file)}
        </section>
        <section class="panel">
          <h2>${t('scans')}</h2>
          <ol class="timeline">${file.scan_history.map(scanStep)}</ol>
          <p class="soft">${t('scan-limits')}</p>
        </section>
        <p class="row">
          ${reportLink('file', file.file_uid)}
          ${moderateLink(input.who, 'file', file.file_uid)}
        </p>
      `,
    })
  },
})

function originFacts(file: File): Html {
  const platform = [file.os, file.arch].filter(Boolean).map(labelOf)
  const checksum = copyText(html`<code class="checksum">${file.checksum}</code>`)
  return facts([
    [t('file-version'), html`<span class="mono">${file.version}</span>`],
    [t('filter-platform'), platform.length ? joinTexts(platform, ', ') : t('any-system-label')],
    [t('file-channel'), labelOf(file.channel)],
    [t('file-size'), formatBytes(file.size)],
    ['SHA-256', checksum],
    [t('file-source'), origin(file)],
    [t('file-uploaded'), dateTag(file.uploaded_at)],
  ])
}

/** What recorded a step, where it is not a scanner with a name. */
const scanners: Record<string, Text> = {
  upload: t('scanner-upload'),
  embedded: t('scanner-embedded'),
}

function scanStep({ state, engine, at }: ScanStep): Html {
  const tone = state === 'clean' ? 'ok' : state === 'scanning' ? 'warn' : 'bad'
  return html`
    <li>
      ${badge(labelOf(state), tone, state === 'clean' ? 'ok' : 'wait')}
      <span class="soft">
        ${scanners[engine] ?? engine} · <time datetime="${at}">${formatDate(at)}</time>
      </span>
    </li>
  `
}

export const reviewsPage = getPage('/:username/:vanity_name/reviews', 'All reviews of a listing', {
  auth: visitor,
  params: Type.Object({ username: Type.String(), vanity_name: Type.String() }),
  query: Type.Object({ page: Type.String({ default: '1' }) }),
  async handle(input) {
    const { core, who, request, params, query } = input
    const listing = await readApi(request, readPublicListingByDeveloper, { params })
    if (isGated(who, await openPage(core, who, listing.uid))) return gatePage(input, request.url)
    const reviews = await readApi(request, readReviewsRoute, {
      params: { game_id: listing.uid },
      query: { page: pageNumber(query.page) },
    })
    const path = `/${listing.developer.username}/${listing.vanity_name}`
    return page(input, {
      title: onStore(input.core, t('reviews-of', { name: listing.name })),
      canonical: `${path}/reviews`,
      noindex: !listing.indexable,
      body: html`
        <p><a href="${path}">${listing.name}</a></p>
        <h1>${t('review-count-of', { count: reviews.total, name: listing.name })}</h1>
        ${reviews.summary.count > 0 && reviewSummary(reviews.summary)}
        ${reviews.items.map(({ reply, play_seconds, has_profile = false, avatar, ...row }) =>
          review({
            ...row,
            has_profile,
            avatar: hashInUrl(avatar ?? '') ?? null,
            play_seconds: play_seconds ?? 0,
            created_at: new Date(row.created_at),
            updated_at: new Date(row.updated_at),
            reply_text: reply?.text ?? null,
            replied_at: reply ? new Date(reply.at) : null,
          }),
        )}
        ${pager(`${path}/reviews`, reviews)}
      `,
    })
  },
})
