import type { Core } from '../../core/runtime/core.ts'
import { BASE_CURRENCY, type Currency } from '../../listings/prices/currencies.ts'
import { type Offer, offersOf } from '../../listings/prices/offers.ts'
import { readOfferFactsIn } from '../../listings/prices/queries.ts'
import { cheapestOffer } from './offer-price.ts'

type Priced = { uid: string; price_cents: number }

/**
 * Adds to the cards of a page what the listings cost in the currency that the visitor chose: one
 * query for all of them, and none for US dollars. Listings without a price in it keep theirs.
 */
export async function inCurrency<Listing extends Priced>(
  core: Core,
  currency: Currency,
  listings: readonly Listing[],
): Promise<(Listing & { offer?: Offer | undefined })[]> {
  const uids = listings.filter(({ price_cents }) => price_cents > 0).map(({ uid }) => uid)
  if (currency === BASE_CURRENCY || !uids.length) return [...listings]
  const rows = await core.read((sql) => readOfferFactsIn(sql, uids, currency))
  const offers = new Map(
    rows.map(({ uid, facts }) => [uid, cheapestOffer({ offers: offersOf(facts) }, currency)]),
  )
  return listings.map((listing) => ({ ...listing, offer: offers.get(listing.uid) }))
}
