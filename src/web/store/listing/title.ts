import { type Text, t } from '../../../core/text/text.ts'
import type { ReviewSummary } from '../../../library/reviews.ts'
import { fieldLabel } from '../../components/field-text.ts'
import { dateTag, formatPlayers, formatRating, labelOf } from '../../components/format.ts'
import { type Html, html, richText } from '../../components/html.ts'
import { type IconName, icon } from '../../components/icons.ts'
import { languageAttributes, type TextChoice } from '../translation.ts'
import { parentLink } from './facts.ts'
import type { ListingPage } from './head.ts'

/** What the listing is, its name, its developer, and what players ask first. */
export function titleBlock(
  listing: ListingPage,
  summary: ReviewSummary,
  translation: TextChoice,
): Html {
  const { name, tagline, asset_type, status, developer } = listing
  const { username } = developer
  const parent = parentLink(listing)
  const kind = labelOf(asset_type)
  const author = html`<a rel="author" href="/${username}">${username}</a>`
  return html`
    <p class="eyebrow">
      ${parent ? richText('kind-for-parent', { kind, parent }) : kind}
      ${status !== 'released' && html` · ${labelOf(status)}`}
    </p>
    <h1>${name}</h1>
    <p class="lede"${languageAttributes(translation)}>${tagline}</p>
    <p class="by">${richText('by-developer', { developer: author })}</p>
    ${quickFacts(listing, summary)}
  `
}

function quickFacts(listing: ListingPage, { count, quality_avg }: ReviewSummary): Html {
  const { players_min, players_max, session_bucket, updated_at } = listing
  const players = formatPlayers(players_min, players_max)
  return html`
    <ul class="quick-facts">
      ${count > 0 && quickFact('star', ratingLink(quality_avg ?? 0, count))}
      ${players && quickFact('person', players)}
      ${session_bucket && quickFact('wait', sessionLength(session_bucket))}
      ${quickFact('refresh', richText('updated-at', { date: dateTag(updated_at) }))}
    </ul>
  `
}

const quickFact = (sign: IconName, content: Html | Text): Html => html`
  <li>${icon(sign)}<span>${content}</span></li>
`

const ratingLink = (average: number, count: number): Html => html`
  <a href="#reviews">${t('rating-of-five', { average: formatRating(average), count })}</a>
`

/** The clock beside it says the same to those who see it. */
const sessionLength = (bucket: string): Html => html`
  <span class="sr">${fieldLabel('session_bucket')}: </span>${labelOf(bucket)}
`
