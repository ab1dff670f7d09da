import { requireDeveloperMode } from '../../accounts/people/developer-terms.ts'
import { lockDeveloperMode } from '../../accounts/people/queries.ts'
import type { Identity } from '../../accounts/sessions/identity.ts'
import type { Tx } from '../../core/database/sql.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import type { AssetType } from '../fields/fields.ts'
import { ADDRESS_TAKEN, checkVanityName, numberedSlug, slugFrom } from '../fields/slug.ts'
import {
  MAX_DESCRIPTION,
  MAX_NAME,
  MAX_TAGLINE,
  markdown,
  plainText,
  requiredText,
} from '../fields/text.ts'
import { checkAssetType } from '../publishing/allowed-content.ts'
import { parentFields } from '../relations/parent-fields.ts'
import { isFormerName } from './former-name-queries.ts'
import { insertListing, type NewListing } from './queries.ts'
import type { ListingRules } from './store-rules.ts'

const NAMES_TRIED = 50

type NewListingRequest = {
  name: string
  asset_type?: AssetType
  vanity_name?: string
  tagline?: string
  description?: string
  parent?: unknown
}

const at = (field: string) => ({ refusal: 'MALFORMED' as const, field })

/**
 * Creates a draft that belongs to the user. Without a vanity name, one is derived from the title,
 * with a number appended if it is taken.
 */
export async function addListing(
  tx: Tx,
  who: Identity,
  request: NewListingRequest,
  rules: Pick<ListingRules, 'asset_types'>,
): Promise<NewListing> {
  requireDeveloperMode(await lockDeveloperMode(tx, who.user_uid))
  if (who.game_uid)
    refuse('FORBIDDEN', undefined, 'This key is bound to one project and cannot make another')
  const asset_type = request.asset_type ?? 'game'
  checkAssetType(asset_type, rules)
  const listing = {
    uid: uuidv7(),
    owner_uid: who.user_uid,
    name: requiredText(at('name'), request.name, MAX_NAME),
    tagline: plainText(at('tagline'), request.tagline ?? '', MAX_TAGLINE),
    description: markdown(at('description'), request.description ?? '', MAX_DESCRIPTION),
    asset_type,
    ...(await parentFields(tx, who, { uid: null, asset_type, parent_uid: null }, request)),
  }
  for (const vanity_name of candidates(request))
    if (
      !(await isFormerName(tx, vanity_name, null)) &&
      (await insertListing(tx, { ...listing, vanity_name }))
    )
      return { ...listing, vanity_name }
  return refuse('CONFLICT', { field: 'vanity_name' }, ADDRESS_TAKEN)
}

function candidates({ name, vanity_name }: NewListingRequest): string[] {
  if (vanity_name !== undefined) return [checkVanityName(vanity_name)]
  const slug = slugFrom(name)
  const numbered = Array.from({ length: NAMES_TRIED }, (_, i) => numberedSlug(slug, i + 1))
  return [...numbered, numberedSlug(slug, Date.now())]
}
