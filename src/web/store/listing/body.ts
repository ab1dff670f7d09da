import type { ReviewRow } from '../../../library/review-queries.ts'
import type { ReviewSummary } from '../../../library/reviews.ts'
import { isUnreleasedPage } from '../../../listings/listing/visibility.ts'
import { formatDate, labelOf } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { icon } from '../../components/icons.ts'
import { markdown } from '../../components/markdown.ts'
import { type Card, cards } from '../browse/card.ts'
import { downloadPanel } from './downloads.ts'
import { factsPanel } from './facts.ts'
import { gallery } from './gallery.ts'
import type { ListingPage } from './head.ts'
import { labelStrip } from './label-strip.ts'
import { related } from './related.ts'
import { reviewsPart } from './reviews.ts'

export type Shown = {
  listing: ListingPage
  similar: Card[]
  reviews: ReviewRow[]
  summary: ReviewSummary
}
/** What only this visitor sees: what they hold of it, and what they may do. */
export type Personal = { holding: Html; review: Html | string; notice: Html | string }

/** Picture first, then the name and the way to have it, then everything a doubtful player asks. */
export function listingBody(shown: Shown, personal?: Personal): Html {
  const { listing, similar, reviews, summary } = shown
  const { developer, vanity_name } = listing
  const path = `/${developer.username}/${vanity_name}`
  return html`${unreleased(listing)}${personal?.notice}
<article class="game">
<div class="game-art">${gallery(listing)}</div>
<div class="game-head"><p class="eyebrow">${[labelOf(listing.asset_type), listing.status === 'released' ? '' : labelOf(listing.status)].filter(Boolean).join(' · ')}</p>
<h1>${listing.name}</h1><p class="lede">${listing.tagline}</p><p class="by">by <a rel="author" href="/${developer.username}">${developer.username}</a></p></div>
<div class="game-get">${downloadPanel(listing, personal?.holding)}</div>
<div class="game-labels">${labelStrip(listing, summary)}</div>
<div class="game-text">
<section aria-labelledby="about"><h2 id="about">About</h2>${listing.description.trim() ? markdown(listing.description) : html`<p class="soft">The maker has not written more yet.</p>`}</section>
${modSettings(listing)}
${reviewsPart(path, reviews, summary, personal?.review)}
${changelog(listing)}
</div>
<div class="game-side">${factsPanel(listing)}${related(listing, path)}</div>
</article>
${similar.length > 0 && html`<section class="shelf" aria-labelledby="similar"><header><h2 id="similar">Like this</h2><p class="soft">Picked by ${developer.username}.</p></header>${cards(similar)}</section>`}`
}

function unreleased({ visibility, uid }: ListingPage): Html | string {
  if (visibility === 'invisible')
    return html`<p class="notice notice-warn">${icon('info')}<span>Not listed: only people with this link come here.</span></p>`
  if (!isUnreleasedPage({ visibility })) return ''
  const who = visibility === 'draft' ? 'you and the people who help you' : 'its owner'
  return html`<p class="notice notice-warn" role="status">${icon('info')}<span><strong>Not out yet.</strong> Only ${who} can open this page. It is not in search, and nobody can claim or buy it. <a href="/dashboard/${uid}">Edit it</a></span></p>`
}

function modSettings({ mod_settings, mod_compat = [] }: ListingPage): Html | string {
  if (!mod_settings) return ''
  const { install_path, loader, instructions } = mod_settings
  const told = [
    install_path && html`<dt>Goes into</dt><dd><code>${install_path}</code></dd>`,
    loader && html`<dt>Loader</dt><dd><code>${loader}</code></dd>`,
    ...mod_compat.map(
      ({ game, status, platforms }) =>
        html`<dt><a href="/games/${game.uid}">${game.name}</a></dt><dd>${labelOf(status)}${platforms.length > 0 && html` <span class="soft">(${platforms.map(({ os, engine_version }) => [labelOf(os), engine_version].filter(Boolean).join(' ')).join(', ')})</span>`}</dd>`,
    ),
  ].filter(Boolean)
  if (!told.length && !instructions) return ''
  return html`<section aria-labelledby="install"><h2 id="install">Installing it</h2>${told.length > 0 && html`<dl class="facts">${told as Html[]}</dl>`}${instructions && markdown(instructions)}</section>`
}

function changelog({ changelog }: ListingPage): Html | string {
  if (!changelog.length) return ''
  const entry = (
    { version, title, description, items, created_at }: ListingPage['changelog'][number],
    i: number,
  ) =>
    html`<details class="change"${i === 0 && html` open`}><summary><span class="mono">${version}</span> ${title} <time class="soft" datetime="${created_at}">${formatDate(created_at)}</time></summary>
${description && markdown(description)}${items.length > 0 && html`<ul>${items.map((item) => html`<li>${item.description ? html`<strong>${item.title}</strong> ${item.description}` : item.title}</li>`)}</ul>`}</details>`
  return html`<section aria-labelledby="changes"><h2 id="changes">What changed</h2>${changelog.map(entry)}</section>`
}
