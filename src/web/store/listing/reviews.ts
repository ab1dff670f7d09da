import { t } from '../../../core/text/text.ts'
import type { ReviewRow } from '../../../library/review-queries.ts'
import { type ReviewSummary, shownPlaySeconds } from '../../../library/reviews.ts'
import { formatDate, formatDuration, formatRating } from '../../components/format.ts'
import { type Html, html, richText, strongText } from '../../components/html.ts'
import { icon } from '../../components/icons.ts'
import { markdown } from '../../components/markdown.ts'
import { avatarImage } from '../../images/avatar.ts'
import { reportLink } from '../../reports/report-form.ts'

const BAR_WIDTH = 120

export function reviewsSection(
  path: string,
  reviews: readonly ReviewRow[],
  summary: ReviewSummary,
  own_actions: Html | string = '',
): Html {
  const more = html`
    <p>
      <a class="button button-quiet" href="${path}/reviews">
        ${t('all-reviews', { count: summary.count })}
      </a>
    </p>
  `
  return html`
    <section aria-labelledby="reviews">
      <h2 id="reviews">${t('reviews')}</h2>
      ${summary.count ? reviewSummary(summary) : noReviews}
      ${own_actions}
      ${reviews.map(review)}
      ${summary.count > reviews.length && more}
    </section>
  `
}

const noReviews = html`
  <p class="soft">${t('no-reviews')}</p>
`

export function reviewSummary(summary: ReviewSummary): Html {
  const { count, enjoyed, quality_avg, quality_counts, would_play_with_friends } = summary
  const max = Math.max(1, ...Object.values(quality_counts))
  const row = (points: 1 | 2 | 3 | 4 | 5) => {
    const amount = quality_counts[points]
    return html`
      <tr>
        <th scope="row">${points}</th>
        <td>${bar(amount / max)}</td>
        <td class="mono">${amount}</td>
      </tr>
    `
  }
  const with_friends = t('with-friends', { count: would_play_with_friends })
  return html`
    <div class="summary">
      <p class="summary-mark">
        ${richText('review-average', {
          average: formatRating(quality_avg ?? 0),
          count,
          strong: strongText,
          soft: (text) => html`<span class="soft">${text}</span>`,
        })}
      </p>
      <table>
        <caption class="sr">${t('reviews-by-quality')}</caption>
        <tbody>${([5, 4, 3, 2, 1] as const).map(row)}</tbody>
      </table>
      <p>
        ${t('enjoyed-percent', { percent: Math.round((enjoyed / count) * 100) })}
        ${would_play_with_friends > 0 && html`<br>${with_friends}`}
      </p>
    </div>
  `
}

const bar = (part: number) => html`
  <svg class="bar-chart" width="${BAR_WIDTH}" height="10" aria-hidden="true">
    <rect class="bar-back" width="${BAR_WIDTH}" height="10" rx="2"/>
    <rect class="bar-full" width="${Math.round(part * BAR_WIDTH)}" height="10" rx="2"/>
  </svg>
`

const enjoyedIt = html`<span class="mark mark-ok">${icon('ok')}${t('enjoyed')}</span>`
const didNotEnjoyIt = html`
  <span class="mark mark-bad">${icon('bad')}${t('did-not-enjoy')}</span>
`

const playTime = (seconds: number): Html =>
  html`${t('play-time', { duration: formatDuration(seconds) })} · `

/** A link for those who want a public profile. */
const authorName = ({ username, has_profile }: ReviewRow): Html | string =>
  has_profile ? html`<a href="/${username}">${username}</a>` : username

export function review(row: ReviewRow): Html {
  const { text, created_at, reply_text } = row
  const play_seconds = shownPlaySeconds(row.play_seconds)
  return html`
    <article class="review">
      <header>
        ${avatarImage(row, 'medium')}
        <strong>${authorName(row)}</strong>
        ${row.enjoyed ? enjoyedIt : didNotEnjoyIt}
        <span class="mono">${row.quality}/5</span>
        <span class="soft">
          ${play_seconds !== null && playTime(play_seconds)}
          <time datetime="${created_at.toISOString()}">${formatDate(created_at)}</time>
        </span>
        ${reportLink('review', row.uid)}
      </header>
      ${text && markdown(text)}
      ${reply_text && reply(reply_text, row.replied_at)}
    </article>
  `
}

const reply = (text: string, replied_at: Date | null) => html`
  <div class="reply">
    <p class="eyebrow">
      ${replied_at ? t('reply-dated', { date: formatDate(replied_at) }) : t('reply')}
    </p>
    ${markdown(text)}
  </div>
`
