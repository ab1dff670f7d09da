import type { ReviewRow } from '../../../library/review-queries.ts'
import { type ReviewSummary, shownPlaySeconds } from '../../../library/reviews.ts'
import { formatCount, formatDate, formatDuration } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { icon } from '../../components/icons.ts'
import { markdown } from '../../components/markdown.ts'

const BAR = 120

export function reviewsPart(
  path: string,
  reviews: readonly ReviewRow[],
  summary: ReviewSummary,
  own: Html | string = '',
): Html {
  return html`<section aria-labelledby="reviews"><h2 id="reviews">Reviews</h2>${summary.count ? summaryOf(summary) : html`<p class="soft">Nobody has reviewed this yet. Whoever has a copy may.</p>`}
${own}${reviews.map(review)}
${summary.count > reviews.length && html`<p><a class="button button-quiet" href="${path}/reviews">All ${formatCount(summary.count, 'review')}</a></p>`}</section>`
}

export function summaryOf({
  count: all,
  enjoyed,
  quality_avg,
  quality_counts,
  would_play_with_friends,
}: ReviewSummary): Html {
  const most = Math.max(1, ...Object.values(quality_counts))
  const bar = (stars: 1 | 2 | 3 | 4 | 5) => {
    const amount = quality_counts[stars]
    return html`<tr><th scope="row">${stars}</th><td><svg class="bar-chart" width="${BAR}" height="10" aria-hidden="true"><rect class="bar-back" width="${BAR}" height="10" rx="2"/><rect class="bar-full" width="${Math.round((amount / most) * BAR)}" height="10" rx="2"/></svg></td><td class="mono">${amount}</td></tr>`
  }
  return html`<div class="summary"><p class="summary-mark"><strong>${quality_avg?.toFixed(1)}</strong><span class="soft">of 5, from ${formatCount(all, 'review')}</span></p>
<table><caption class="sr">How many reviews gave how many points</caption><tbody>${([5, 4, 3, 2, 1] as const).map(bar)}</tbody></table>
<p>${Math.round((enjoyed / all) * 100)}% enjoyed it${would_play_with_friends > 0 && html`<br>${formatCount(would_play_with_friends, 'player')} would play it with friends`}</p></div>`
}

export function review({
  username,
  enjoyed,
  quality,
  text,
  play_seconds,
  created_at,
  reply_text,
  replied_at,
}: ReviewRow): Html {
  const played = shownPlaySeconds(play_seconds)
  return html`<article class="review"><header><strong>${username}</strong> ${enjoyed ? html`<span class="mark mark-ok">${icon('ok')}Enjoyed it</span>` : html`<span class="mark mark-bad">${icon('bad')}Did not enjoy it</span>`} <span class="mono">${quality}/5</span> <span class="soft">${played !== null && `${formatDuration(played)} played · `}<time datetime="${created_at.toISOString()}">${formatDate(created_at)}</time></span></header>
${text && markdown(text)}${reply_text && html`<div class="reply"><p class="eyebrow">The maker answers${replied_at && html`, ${formatDate(replied_at)}`}</p>${markdown(reply_text)}</div>`}</article>`
}
