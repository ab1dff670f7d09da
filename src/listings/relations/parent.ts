import { explain } from '../../core/runtime/reasons.ts'
import type { AssetType, Visibility } from '../fields/fields.ts'
import {
  type Field,
  httpsUrl,
  invalidField,
  listingRef,
  noSuchListing,
  record,
  requiredText,
} from '../fields/text.ts'

export const parentRule: Record<AssetType, 'none' | 'optional' | 'required'> = {
  game: 'none',
  game_asset: 'none',
  dev_asset: 'none',
  application: 'optional',
  tool: 'required',
  mod: 'required',
  plugin: 'required',
}

export const MAX_EXTERNAL_NAME = 120
export const parentTypes: readonly AssetType[] = ['game', 'application']

/** A parent as requests send it and answers return it. `game` is a uid or a vanity name. */
export type Parent = { game: string } | { external_name: string; external_url: string }
/**
 * The listing that a request refers to; null if there is none. `is_editor` means that the user owns
 * or administers it.
 */
export type ParentFacts = {
  uid: string
  asset_type: AssetType
  visibility: Visibility
  is_editor: boolean
} | null

/** Parses a parent: a listing or an external page, but not both. Null removes the parent. */
export function readParent(value: unknown): Parent | null {
  if (value === null) return null
  const { game, external_name, external_url } = record(at('parent'), value)
  const is_external = isPresent(external_name) || isPresent(external_url)
  if (isPresent(game) === is_external)
    invalidField(
      at('parent'),
      explain('parent', 'send either game, or external_name with external_url'),
    )
  if (!is_external) return { game: listingRef(at('parent.game'), game) }
  return {
    external_name: requiredText(at('parent.external_name'), external_name, MAX_EXTERNAL_NAME),
    external_url: httpsUrl(at('parent.external_url'), external_url),
  }
}

/** Checks that listings of this type can have a parent. */
export function checkTakesParent(type: AssetType): void {
  if (parentRule[type] === 'none')
    invalidField(
      at('parent'),
      explain('no_parent', `a listing of type ${type} has no parent; leave it out`),
    )
}

/**
 * Checks that a listing can have this parent, and returns the uid of the parent. The uid of the
 * listing is null while it is being created.
 */
export function checkParent(
  listing: { uid: string | null; asset_type: AssetType },
  parent: ParentFacts,
  ref?: string,
): string {
  checkTakesParent(listing.asset_type)
  // A missing listing and another user's hidden listing give the same error, so that it does not
  // reveal whether the listing exists.
  if (!parent || (!parent.is_editor && parent.visibility !== 'public'))
    invalidField(at('parent.game'), noSuchListing(ref))
  if (parent.uid === listing.uid)
    invalidField(at('parent.game'), explain('own_parent', 'a listing cannot be its own parent'))
  if (!parentTypes.includes(parent.asset_type))
    invalidField(
      at('parent.game'),
      explain('parent_type', `a parent is a game or an application, not a ${parent.asset_type}`),
    )
  return parent.uid
}

/** The parent after a change of type: null if the new type cannot have one. */
export function parentAfter<P>(type: AssetType, parent: P | null): P | null {
  return parentRule[type] === 'none' ? null : parent
}

/**
 * The parent in an answer, which can be sent back as it is. The row has only what the caller may
 * see: those who run the listing know its parent, also when they may not see the game any more.
 */
export function parentInAnswer(listing: {
  parent_game: { uid: string } | null
  run_parent_uid?: string | null
  parent_external_name: string | null
  parent_external_url: string | null
}): Parent | null {
  const { parent_game, parent_external_name, parent_external_url } = listing
  if (parent_external_name !== null)
    return { external_name: parent_external_name, external_url: parent_external_url ?? '' }
  const uid = parent_game?.uid ?? listing.run_parent_uid
  return uid ? { game: uid } : null
}

function at(field: string): Field {
  return { refusal: 'INVALID_PARENT', field }
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}
