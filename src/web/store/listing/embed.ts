import { Type } from 'typebox'
import { isSameUsername } from '../../../accounts/people/usernames.ts'
import { refuse } from '../../../core/runtime/errors.ts'
import type { Language } from '../../../core/text/languages.ts'
import { joinTexts, type Text, t } from '../../../core/text/text.ts'
import { isUnreleasedPage } from '../../../listings/listing/visibility.ts'
import { openPage, showPage } from '../../../listings/page/page.ts'
import { readPage } from '../../../listings/page/queries.ts'
import { BASE_CURRENCY, isCurrency } from '../../../listings/prices/currencies.ts'
import type { Offer } from '../../../listings/prices/offers.ts'
import { type Pictures, readPictures } from '../../../listings/renditions/pictures.ts'
import { canSell } from '../../../payments/orders/can-sell.ts'
import { assetUrl } from '../../assets.ts'
import { iconLinks } from '../../brand/logo.ts'
import { formatAmount, formatCount, formatPrice } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import {
  accentStylesheet,
  drillBar,
  onStore,
  sendHtml,
  setPageHeaders,
} from '../../components/layout.ts'
import { chooseLanguage } from '../../language.ts'
import { getPage } from '../../page-routes.ts'
import { countDownloads } from '../../queries.ts'
import { visitor } from '../../visitor.ts'
import { thumbnail } from '../browse/card.ts'
import { cheapestOffer } from '../offer-price.ts'
import type { ListingPage } from './head.ts'

/**
 * A widget for other sites. It reads no cookie, so it never acts for anyone who sees it, and the
 * site that shows it chooses the currency: `?currency=EUR`.
 */
export const embedPage = getPage('/:username/:vanity_name/embed', 'Widget for other sites', {
  auth: { ...visitor, vary: 'Accept-Encoding, Accept-Language', identify: () => null },
  params: Type.Object({ username: Type.String(), vanity_name: Type.String() }),
  query: Type.Object({ currency: Type.Optional(Type.Unknown()) }),
  async handle(input) {
    const { core, params, query, request, reply } = input
    const state = await openPage(core, null, params.vanity_name)
    const [row, downloads] = await Promise.all([
      readPage(core.sql, state.uid, null),
      countDownloads(core.sql, state.uid),
    ])
    if (!row || row.adult || isUnreleasedPage(row)) refuse('NOT_FOUND')
    if (!isSameUsername(row.developer.username, params.username)) refuse('NOT_FOUND')
    const listing = showPage(core.addresses, row, false)
    const url = `${core.addresses.web_url}/${listing.developer.username}/${listing.vanity_name}`
    const pictures = await readPictures(core, [listing.thumbnail])
    const language = chooseLanguage(core, request, null)
    const title = onStore(core, listing.name)
    setPageHeaders(input, { framed: true, noindex: true })
    const brand = html`${iconLinks(core)}${accentStylesheet(core)}`
    const drill_bar = drillBar(core.config)
    const is_for_sale = listing.price_cents > 0 && (await canSell(core, state.uid))
    const currency = isCurrency(query.currency) ? query.currency : BASE_CURRENCY
    const offer = cheapestOffer(listing, currency)
    const parts = {
      offer,
      title,
      url,
      downloads,
      pictures,
      language,
      brand,
      drill_bar,
      is_for_sale,
    }
    return sendHtml(request, reply, widget(listing, parts))
  },
})

type Embedded = Pick<
  ListingPage,
  | 'name'
  | 'tagline'
  | 'developer'
  | 'price_cents'
  | 'platforms'
  | 'files'
  | 'thumbnail'
  | 'playable'
>

const canDownload = ({ price_cents, files }: Embedded): boolean =>
  price_cents === 0 && files.some(({ scan }) => scan === 'clean')

const canPlay = ({ price_cents, playable }: Embedded): boolean =>
  price_cents === 0 && playable.length > 0

/** What the button of the widget says, and the page it opens. */
function actionOf(
  listing: Embedded,
  url: string,
  is_for_sale: boolean,
): [label: Text, url: string] {
  if (canPlay(listing)) return [t('play-now'), `${url}/play`]
  if (is_for_sale) return [t('buy'), url]
  return [canDownload(listing) ? t('download') : t('view'), url]
}

type WidgetParts = {
  /** The cheapest offer, in the currency that the site chose where there is one. */
  offer: Offer | undefined
  title: Text
  url: string
  downloads: number
  pictures: Pictures
  language: Language
  /** The icons and the colors of the store. */
  brand: Html
  drill_bar: Html | false
  is_for_sale: boolean
}

function widget(
  listing: Embedded,
  { offer, title, url, downloads, pictures, language, brand, drill_bar, is_for_sale }: WidgetParts,
): string {
  const { name, tagline, developer, price_cents, platforms } = listing
  const [action, action_url] = actionOf(listing, url, is_for_sale)
  const new_tab = html`target="_blank" rel="noopener"`
  const details = [
    offer ? formatAmount(offer.price_minor, offer.currency) : formatPrice(price_cents),
    price_cents > 0 && !is_for_sale && t('not-for-sale'),
    platforms.includes('web') &&
      (listing.playable.length ? t('plays-in-browser') : t('browser-build')),
    downloads > 0 && formatCount(downloads, 'download'),
  ]
  return html`<!doctype html>
<html lang="${language}">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <meta name="robots" content="noindex, nofollow">
    <link rel="canonical" href="${url}">
    <link rel="stylesheet" href="${assetUrl('site.css')}">
    ${brand}
  </head>
  <body class="embed">
    ${drill_bar}
    <main>
      ${thumbnail(listing, pictures, { eager: true, sizes: '270px' })}
      <div>
        <h1><a href="${url}" ${new_tab}>${name}</a></h1>
        <p class="soft">${t('by-developer', { developer: developer.username })}</p>
        <p class="embed-line">${tagline}</p>
        <p class="row">
          <a class="button button-primary" href="${action_url}" ${new_tab}>${action}</a>
          <span class="soft">${joinTexts(details, ' · ')}</span>
        </p>
      </div>
    </main>
  </body>
</html>`.write(language)
}
