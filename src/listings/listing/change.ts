import { recordAudit } from '../../accounts/people/audit-queries.ts'
import { checkPublisher } from '../../accounts/publishing/publishing.ts'
import type { Identity } from '../../accounts/sessions/identity.ts'
import type { Tx } from '../../core/database/sql.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { checkPrice, checkPriceChange, listingPrice, type PriceRules } from '../editions/prices.ts'
import { readEditions } from '../editions/queries.ts'
import { type AssetType, assetTypes } from '../fields/fields.ts'
import { ADDRESS_TAKEN, checkVanityName } from '../fields/slug.ts'
import {
  type Field,
  invalidField,
  isPublicHost,
  MAX_DESCRIPTION,
  MAX_NAME,
  MAX_TAGLINE,
  MAX_URL,
  markdown,
  plainText,
  requiredText,
} from '../fields/text.ts'
import { checkTranslations } from '../fields/translations.ts'
import { checkAdult, checkAssetType } from '../publishing/allowed-content.ts'
import { holdRelease, needsReview } from '../publishing/releases.ts'
import { dropDependencies } from '../relations/link-queries.ts'
import { modTypes } from '../relations/mod-settings.ts'
import { parentRule } from '../relations/parent.ts'
import { parentFields } from '../relations/parent-fields.ts'
import { checkLicense } from '../relations/relations.ts'
import { isFormerName, keepFormerName } from './former-name-queries.ts'
import {
  type Change,
  countChildren,
  type Listing,
  type ListingFor,
  transactionTime,
  updateListing,
} from './queries.ts'
import type { ListingRules } from './store-rules.ts'

/** The fields that PATCH accepts; each has its own validation. */
export type Patch = Partial<
  Pick<
    Listing,
    | 'name'
    | 'tagline'
    | 'description'
    | 'vanity_name'
    | 'status'
    | 'asset_type'
    | 'adult'
    | 'indexable'
    | 'visibility'
    | 'demo_url'
  >
> & {
  parent?: unknown
  price_cents?: unknown
  license_kind?: unknown
  translations?: unknown
}

const at = (field: string): Field => ({ refusal: 'MALFORMED', field })
const parentTypes: readonly AssetType[] = assetTypes.filter(
  (type) => type === 'game' || type === 'application',
)
export const typesWithParent = assetTypes.filter((type) => parentRule[type] === 'required')

type ListingChange = {
  who: Pick<Identity, 'user_uid' | 'game_uid'>
  /** Locked by the caller. */
  listing: ListingFor
  patch: Patch
  rules: ListingRules
}

/** Returns whether the first release is held for a review; then the visibility did not change. */
export async function changeListing(
  tx: Tx,
  { who, listing, patch, rules }: ListingChange,
): Promise<{ is_held: boolean }> {
  const asset_type = patch.asset_type ?? listing.asset_type
  if (asset_type !== listing.asset_type) checkAssetType(asset_type, rules)
  await checkAdult(tx, listing, patch, rules)
  const { uid, parent_uid } = listing
  const visibility = await visibilityFields(tx, listing, patch, rules)
  const is_held = visibility.visibility === 'public' && (await needsReview(tx, listing, rules))
  const change: Change = {
    ...plainFields(patch),
    ...(await parentFields(tx, who, { uid, asset_type, parent_uid }, patch)),
    ...(await priceFields(tx, rules, listing, patch)),
    ...(is_held ? {} : visibility),
  }
  if (
    asset_type !== listing.asset_type &&
    !parentTypes.includes(asset_type) &&
    (await countChildren(tx, listing.uid))
  )
    refuse(
      'CONFLICT',
      { field: 'asset_type' },
      explain(
        'has_children',
        'Mods or tools hang under this listing, so it must stay a game or an application',
      ),
    )
  if (modTypes.includes(listing.asset_type) && !modTypes.includes(asset_type))
    await dropDependencies(tx, listing.uid, 'supports')
  await renameListing(tx, listing, change)
  await recordChange(tx, { who, listing }, change)
  if (is_held) await holdRelease(tx, listing, who.user_uid)
  return { is_held }
}

/** What operators see of a listing later: who changed its price and its visibility. */
async function recordChange(
  tx: Tx,
  { who, listing }: Pick<ListingChange, 'who' | 'listing'>,
  change: Change,
): Promise<void> {
  for (const field of ['price_cents', 'visibility'] as const) {
    const from = listing[field]
    const to = change[field]
    if (to === undefined || to === from) continue
    await recordAudit(tx, {
      user_uid: who.user_uid,
      game_uid: listing.uid,
      action: field === 'price_cents' ? 'listings.change-price' : 'listings.change-visibility',
      detail: { from, to },
    })
  }
}

/** Links to the former address of a published page keep working, so its name stays reserved. */
async function renameListing(tx: Tx, listing: ListingFor, change: Change): Promise<void> {
  const { uid, vanity_name: from, published_at } = listing
  const to = change.vanity_name ?? from
  const is_free = to === from || !(await isFormerName(tx, to, uid))
  if (!is_free || !(await updateListing(tx, uid, change)))
    refuse('CONFLICT', { field: 'vanity_name' }, ADDRESS_TAKEN)
  if (to !== from && published_at) await keepFormerName(tx, uid, { from, to })
}

function plainFields({
  name,
  tagline,
  description,
  vanity_name,
  status,
  asset_type,
  adult,
  indexable,
  demo_url,
  license_kind,
  translations,
}: Patch): Change {
  return defined({
    name: name === undefined ? undefined : requiredText(at('name'), name, MAX_NAME),
    tagline: tagline === undefined ? undefined : plainText(at('tagline'), tagline, MAX_TAGLINE),
    description:
      description === undefined
        ? undefined
        : markdown(at('description'), description, MAX_DESCRIPTION),
    vanity_name: vanity_name === undefined ? undefined : checkVanityName(vanity_name),
    demo_url: demo_url === undefined ? undefined : checkDemoUrl(demo_url),
    translations:
      translations === undefined ? undefined : checkTranslations(at('translations'), translations),
    license_kind: license_kind === undefined ? undefined : checkLicense(license_kind),
    status,
    asset_type,
    adult,
    indexable,
  })
}

const defined = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T

/** Validates a link to a video or a playable page. Such sites often use http, so it is allowed. */
function checkDemoUrl(value: string): string {
  if (value === '') return ''
  const url = URL.canParse(value) ? new URL(value) : undefined
  const is_plain =
    url &&
    ['http:', 'https:'].includes(url.protocol) &&
    !url.username &&
    !url.password &&
    !/[\s\p{C}]/u.test(value)
  if (!is_plain || !isPublicHost(url.hostname) || url.href.length > MAX_URL)
    invalidField(
      at('demo_url'),
      explain(
        'public_link',
        `send the http or https address of a public page, at most ${MAX_URL} characters`,
        { count: MAX_URL },
      ),
    )
  return url.href
}

async function priceFields(
  tx: Tx,
  rules: PriceRules,
  listing: Listing,
  { price_cents: requested }: Patch,
): Promise<Change> {
  if (requested === undefined) return {}
  const paid_listings = rules.paid_listings || requested === listing.price_cents
  const price_cents = checkPrice(requested, { ...rules, paid_listings })
  const editions = await readEditions(tx, listing.uid)
  checkPriceChange(price_cents, {
    price_cents: listing.price_cents,
    editions,
    anonymous: listing.anonymous_downloads,
  })
  return editions.some(({ active }) => active) ? {} : { price_cents }
}

async function visibilityFields(
  tx: Tx,
  listing: ListingFor,
  { visibility: requested, adult, price_cents }: Patch,
  rules: ListingRules,
): Promise<Change> {
  // A page that is hidden because it is adult comes back only while it is.
  if (requested === undefined && adult === false) return { withheld_visibility: null }
  if (requested === undefined || requested === listing.visibility) return {}
  const withheld_visibility = null
  if (requested !== 'public')
    return { visibility: requested, public_since: null, withheld_visibility }
  if (listing.hidden_by_moderators)
    refuse(
      'FORBIDDEN',
      undefined,
      explain(
        'listing_hidden',
        'Moderators have hidden this listing from discovery; see the statement of reasons',
      ),
    )
  if (!listing.owner_verified)
    refuse(
      'EMAIL_NOT_VERIFIED',
      undefined,
      explain(
        'owner_unverified',
        'The owner must verify their email address before the page can be public',
      ),
    )
  await checkPublisher(tx, listing.owner_uid, rules.publishing)
  const own_price = typeof price_cents === 'number' ? price_cents : listing.price_cents
  if (!rules.paid_listings && listingPrice(own_price, await readEditions(tx, listing.uid)) > 0)
    refuse('PAID_LISTINGS_OFF', { field: 'visibility' })
  const now = await transactionTime(tx)
  return {
    visibility: 'public',
    public_since: now,
    published_at: listing.published_at ?? now,
    withheld_visibility,
  }
}
