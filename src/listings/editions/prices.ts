import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { invalidAddress } from '../fields/slug.ts'
import {
  choice,
  type Field,
  flag,
  invalidField,
  list,
  listingRef,
  markdown,
  NAMED_TWICE,
  record,
  requiredText,
  wholeNumber,
} from '../fields/text.ts'

export const editionKinds = ['standard', 'deluxe', 'beta_access', 'bundle'] as const
export const editionLimits = {
  slug: 40,
  name: 80,
  description: 2000,
  bundle: 10,
  sort_order: 100,
} as const

const EDITION_SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

export type PriceRules = {
  min_price_cents: number
  max_price_cents: number
  editions_max: number
  /** Whether listings may have a price. Prices from before stay. */
  paid_listings: boolean
}
export type EditionKind = (typeof editionKinds)[number]
export type Edition = {
  slug: string
  name: string
  description: string
  kind: EditionKind
  price_cents: number
  active: boolean
  sort_order: number
  /** Uids or vanity names, as the request sent them; `checkBundle` resolves them to uids. */
  bundle_asset_uids: string[]
}
type Priced = Pick<Edition, 'price_cents' | 'active'>

/** Validates the price of a listing: free, or within the range of the store. */
export function checkPrice(
  value: unknown,
  { min_price_cents: min, max_price_cents: max, paid_listings }: PriceRules,
): number {
  if (typeof value === 'number' && value > 0 && !paid_listings)
    refuse('PAID_LISTINGS_OFF', { field: 'price_cents' })
  const at: Field = { refusal: 'PRICE_OUT_OF_RANGE', field: 'price_cents' }
  if (
    typeof value === 'number' &&
    Number.isInteger(value) &&
    (value === 0 || (value >= min && value <= max))
  )
    return value
  invalidField(
    at,
    explain('price', `send 0 for free, or whole cents from ${min} to ${max}`, {
      min_cents: min,
      max_cents: max,
    }),
  )
}

/** The price that is shown: that of the cheapest active edition, otherwise the listing's own. */
export function listingPrice(price_cents: number, editions: readonly Priced[]): number {
  const active = editions.filter((edition) => edition.active).map((edition) => edition.price_cents)
  return active.length ? Math.min(...active) : price_cents
}

/**
 * Validates a direct change of the price. While editions set the price, only the current price is
 * accepted, because it changes nothing.
 */
export function checkPriceChange(
  price_cents: number,
  facts: { price_cents: number; editions: readonly Priced[]; anonymous: boolean },
): void {
  const has_active = facts.editions.some(({ active }) => active)
  if (has_active && price_cents !== listingPrice(facts.price_cents, facts.editions))
    refuse('PRICE_FROM_EDITIONS', { field: 'price_cents' })
  checkPriceAgainstAnonymous(price_cents, facts.anonymous)
}

/** Rejects a price while signed-out downloads are on, because those require a free listing. */
function checkPriceAgainstAnonymous(price_cents: number, anonymous: boolean): void {
  if (anonymous && price_cents > 0) refuse('PRICE_REQUIRES_SIGN_IN', { field: 'price_cents' })
}

/**
 * Rejects a new edition, even an inactive one, while signed-out downloads are on. Existing editions
 * can be edited but not activated.
 */
export function checkEditionAgainstAnonymous(
  edition: { is_new: boolean; active: boolean },
  anonymous: boolean,
): void {
  if (anonymous && (edition.is_new || edition.active))
    refuse('PRICE_REQUIRES_SIGN_IN', { field: 'active' })
}

/** Validates the setting for signed-out downloads. Turning it off is always allowed. */
export function checkAnonymous(
  { enabled, confirm_no_license }: { enabled: boolean; confirm_no_license?: boolean | undefined },
  { price_cents, editions }: { price_cents: number; editions: readonly Priced[] },
): boolean {
  if (!enabled) return false
  if (confirm_no_license !== true)
    refuse('ANONYMOUS_DOWNLOADS_NOT_CONFIRMED', { field: 'confirm_no_license' })
  if (price_cents > 0 || editions.some(({ active }) => active))
    refuse('ANONYMOUS_DOWNLOADS_REQUIRE_FREE', { field: 'enabled' })
  return true
}

/** Validates a new edition (`current` is null) or a change that is merged into `current`. */
export function checkEdition(body: unknown, current: Edition | null, rules: PriceRules): Edition {
  const change = record(at('edition'), body)
  const { slug, name, description, kind, price_cents, active, sort_order } = {
    kind: 'standard',
    active: true,
    sort_order: 0,
    ...current,
    ...change,
  }
  const checked_kind = choice(at('kind'), kind, editionKinds)
  return {
    slug: editionSlug(slug),
    name: requiredText(at('name'), name, editionLimits.name),
    description: markdown(at('description'), description, editionLimits.description),
    kind: checked_kind,
    price_cents: wholeNumber(
      at('price_cents'),
      price_cents,
      rules.min_price_cents,
      rules.max_price_cents,
    ),
    active: flag(at('active'), active),
    sort_order: wholeNumber(at('sort_order'), sort_order, 0, editionLimits.sort_order),
    bundle_asset_uids: bundleRefs(checked_kind, change.bundle_asset_uids, current),
  }
}

/** Every edition has a price. In a store without prices, those from before can be taken off sale. */
export function checkEditionAllowed(
  { price_cents, active }: Priced,
  current: Priced | null,
  { paid_listings }: PriceRules,
): void {
  const is_paid_before =
    current && current.price_cents === price_cents && (current.active || !active)
  if (!paid_listings && !is_paid_before) refuse('PAID_LISTINGS_OFF', { field: 'price_cents' })
}

/** Checks an edition against the other editions of its listing: their number and their slugs. */
export function checkEditionFits(
  edition: Edition,
  others: readonly Pick<Edition, 'slug'>[],
  rules: PriceRules,
): void {
  if (others.length >= rules.editions_max) {
    refuse(
      'TOO_MANY_EDITIONS',
      { field: 'editions' },
      explain(
        'editions',
        `editions: a listing has at most ${rules.editions_max}; retire one first`,
        { count: rules.editions_max },
      ),
    )
  }
  if (others.some(({ slug }) => slug === edition.slug))
    invalidField(
      at('slug'),
      explain('edition', `another edition is called ${edition.slug}; choose another slug`, {
        slug: edition.slug,
      }),
    )
}

/**
 * Returns the uids of a bundle, which may contain only other listings of the same seller. `parts`
 * has one entry for each requested name, null where no listing has that name.
 */
export function checkBundle(
  listing_uid: string,
  parts: readonly ({ uid: string; of_seller: boolean } | null)[],
): string[] {
  const seen = new Set<string>()
  parts.forEach((part, index) => {
    const field = at(`bundle_asset_uids[${index}]`)
    // A missing listing and another seller's give the same error, so that it does not reveal
    // whether the listing exists.
    if (!part?.of_seller)
      invalidField(
        field,
        explain('bundle_seller', 'a bundle holds listings of the same seller; this is none'),
      )
    if (part.uid === listing_uid)
      invalidField(
        field,
        explain('bundle_self', 'name other listings; this one is part of its bundle already'),
      )
    if (seen.has(part.uid)) invalidField(field, NAMED_TWICE)
    seen.add(part.uid)
  })
  return [...seen]
}

function editionSlug(value: unknown): string {
  if (typeof value === 'string' && value.length <= editionLimits.slug && EDITION_SLUG.test(value))
    return value
  invalidField(at('slug'), invalidAddress(editionLimits.slug))
}

function bundleRefs(kind: EditionKind, requested: unknown, current: Edition | null): string[] {
  const field = at('bundle_asset_uids')
  if (kind !== 'bundle') {
    // An edition that is no longer a bundle loses its parts. A request that sends parts for
    // another kind is an error.
    const extra = requested === undefined || requested === null ? [] : list(field, requested)
    return extra.length === 0
      ? []
      : invalidField(field, 'only an edition of kind bundle holds other listings')
  }
  const refs = list(field, requested ?? current?.bundle_asset_uids ?? [])
  if (refs.length < 1 || refs.length > editionLimits.bundle)
    invalidField(
      field,
      explain(
        'bundle_count',
        `a bundle holds 1 to ${editionLimits.bundle} other listings, not ${refs.length}`,
        { max: editionLimits.bundle },
      ),
    )
  return refs.map((ref, index) => listingRef(at(`bundle_asset_uids[${index}]`), ref))
}

function at(field: string): Field {
  return { refusal: 'INVALID_EDITION', field }
}
