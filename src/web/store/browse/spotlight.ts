import { type Card, showCard } from '../../../catalog/cards/cards.ts'
import { createRefreshingCache } from '../../../catalog/refreshing-cache.ts'
import { loadSpotlight, type SpotlightReason } from '../../../catalog/shelves/spotlight.ts'
import type { Core } from '../../../core/runtime/core.ts'
import { perCore } from '../../../core/runtime/per-core.ts'
import { t } from '../../../core/text/text.ts'
import { moderationEpoch } from '../../../listings/moderated/epoch.ts'
import type { Currency } from '../../../listings/prices/currencies.ts'
import { type Pictures, readPictures } from '../../../listings/renditions/pictures.ts'
import { type Html, html } from '../../components/html.ts'
import { picture, picturePreload } from '../../components/picture.ts'
import { inCurrency } from '../card-prices.ts'
import { cardFacts } from './card.ts'

type RenderedSpotlight = { uid: string; preload: Html | string; section: Html }

const spotlightCache = perCore(() =>
  createRefreshingCache<RenderedSpotlight[]>({ cost_factor: 20, max_age_ms: 10_000 }),
)

/** The listings that may be shown large today, the first choice first. Cached like shelves. */
export const cachedSpotlights = (core: Core, currency: Currency) =>
  spotlightCache(core)(`${moderationEpoch(core)} ${core.addresses.web_url} ${currency}`, () =>
    renderSpotlights(core, currency),
  )

async function renderSpotlights(core: Core, currency: Currency): Promise<RenderedSpotlight[]> {
  const { reason, rows } = await loadSpotlight(core, new Date())
  const items = rows.map((row) => showCard(core.addresses, row))
  const listings = await inCurrency(core, currency, items)
  const pictures = await readPictures(
    core,
    listings.map(({ cover }) => cover),
  )
  return listings.map((listing) => ({
    uid: listing.uid,
    preload: picturePreload(pictures, listing.cover, art),
    section: spotlightSection(listing, reason, pictures),
  }))
}

const art = {
  widths: [320, 640, 1280],
  sizes: '(max-width: 600px) 92vw, (max-width: 960px) 92vw, 720px',
} as const

const reasons = {
  popular: { title: t('spotlight-popular'), rule: t('spotlight-popular-text') },
  new: { title: t('spotlight-new'), rule: t('spotlight-new-text') },
}

function spotlightSection(listing: Card, reason: SpotlightReason, pictures: Pictures): Html {
  const { name, tagline, username, vanity_name, cover } = listing
  const { title, rule } = reasons[reason]
  return html`
    <section class="spotlight" aria-labelledby="spotlight">
      <article class="card">
        ${picture(pictures, cover, {
          ...art,
          alt: '',
          width: 1280,
          height: 720,
          loading: 'first',
          class_name: 'thumbnail',
        })}
        <div class="card-text">
          <p class="eyebrow">${title}</p>
          <h2 id="spotlight"><a href="/${username}/${vanity_name}">${name}</a></h2>
          <p class="card-developer">${username}</p>
          <p class="lede">${tagline}</p>
          ${cardFacts(listing)}
          <p class="soft spotlight-rule">${rule}</p>
        </div>
      </article>
    </section>
  `
}
