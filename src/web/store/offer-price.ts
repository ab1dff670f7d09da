import { type LocalText, type Text, t } from '../../core/text/text.ts'
import { BASE_CURRENCY, type Currency } from '../../listings/prices/currencies.ts'
import type { Offer } from '../../listings/prices/offers.ts'
import { optionTags } from '../components/form.ts'
import { dateTag, formatAmount } from '../components/format.ts'
import { type Html, html, richText } from '../components/html.ts'
import type { ListingPage } from './listing/head.ts'

type Priced = Pick<ListingPage, 'offers'>

/** The offer of an edition in the chosen currency, or in dollars where it has no such price. */
export const offerIn = (
  offers: readonly Offer[],
  edition_uid: string | null,
  currency: Currency,
): Offer | undefined => {
  const own = offers.filter((offer) => offer.edition_uid === edition_uid)
  return own.find((offer) => offer.currency === currency) ?? own[0]
}

/** The cheapest offer, in the chosen currency if every edition has a price in it. */
export function cheapestOffer({ offers }: Priced, currency: Currency): Offer | undefined {
  const editions = new Set(offers.map(({ edition_uid }) => edition_uid))
  const inCurrency = (code: Currency) => offers.filter((offer) => offer.currency === code)
  const chosen = inCurrency(currency)
  const list = chosen.length === editions.size ? chosen : inCurrency(BASE_CURRENCY)
  return list.toSorted((a, b) => a.price_minor - b.price_minor)[0]
}

const smallText = (text: Html | Text) => html`<small class="soft">${text}</small>`

/** The price, and the price before it in a sale. */
export function offerPrice({ currency, list_minor, price_minor, sale }: Offer): Html | LocalText {
  const price = formatAmount(price_minor, currency)
  if (!sale) return price
  return html`
    <del><span class="sr">${t('price-before')}</span>
      ${formatAmount(list_minor, currency)}</del>
    <ins>${price}</ins>
    <span class="badge badge-ok">${t('sale-percent', { percent: sale.percent })}</span>`
}

/** How long a sale runs, and the lowest price of the 30 days before it. */
export function saleNote({ sale, currency }: Offer): Html | string {
  if (!sale) return ''
  const { event, ends_at, lowest_minor } = sale
  return html`
    <p class="soft sale-note">
      ${event && html`<strong>${event}</strong> · `}
      ${richText('sale-ends', { date: dateTag(ends_at) })}
      ${
        lowest_minor !== null &&
        html`<br>${t('sale-lowest', { price: formatAmount(lowest_minor, currency) })}`
      }
    </p>`
}

/** The heading of the panel, what it says about a sale, and the choice of a currency. */
export function priceBlock(listing: Priced & { has_editions: boolean }, currency: Currency): Html {
  const offer = cheapestOffer(listing, currency)
  if (!offer) return html``
  const price = offerPrice(offer)
  const heading =
    listing.has_editions && offer.list_minor > 0
      ? richText('price-from', { price, small: smallText })
      : price
  return html`
    <h2 id="get" class="download-price">${heading}</h2>
    ${saleNote(offer)}
    ${offer.pay_what_you_want && payWhatYouWant(offer)}
    ${currencyChoice(listing.offers, currency)}`
}

function payWhatYouWant({ price_minor, suggested_minor, currency }: Offer): Html {
  const text =
    suggested_minor === null
      ? t('pay-what-you-want', { min: formatAmount(price_minor, currency) })
      : t('pay-what-you-want-suggested', {
          min: formatAmount(price_minor, currency),
          suggested: formatAmount(suggested_minor, currency),
        })
  return html`<p class="soft">${text}</p>`
}

function currencyChoice(offers: readonly Offer[], currency: Currency): Html | string {
  const codes = [...new Set(offers.map((offer) => offer.currency))]
  if (codes.length < 2) return ''
  const chosen = codes.includes(currency) ? currency : BASE_CURRENCY
  const options = codes.map((code) => ({ value: code, label: code }))
  return html`
    <form class="line-form currency-choice" method="post" action="/settings/currency">
      <div class="field">
        <label for="currency">${t('currency')}</label>
        <select id="currency" name="currency">${optionTags(options, chosen)}</select>
      </div>
      <button class="button button-quiet button-small">${t('currency-choose')}</button>
    </form>`
}
