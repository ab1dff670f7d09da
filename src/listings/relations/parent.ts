import type { AssetType, Visibility } from '../fields/fields.ts'
import {
  type Field,
  httpsUrl,
  invalidField,
  listingRef,
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
const parentTypes: readonly AssetType[] = ['game', 'application']

export type ParentRequest = { game: string } | { external_name: string; external_url: string }
/** What is known of the listing a request names; null when there is none. `mine`: the editor owns or helps run it. */
export type ParentFacts = {
  uid: string
  asset_type: AssetType
  visibility: Visibility
  mine: boolean
} | null

/** The shape of a parent: one on the service or one elsewhere, never both; null takes the parent away. */
export function readParent(value: unknown): ParentRequest | null {
  if (value === null) return null
  const { game, external_name, external_url } = record(at('parent'), value)
  const is_external = given(external_name) || given(external_url)
  if (given(game) === is_external)
    invalidField(at('parent'), 'send either game, or external_name with external_url')
  if (!is_external) return { game: listingRef(at('parent.game'), game) }
  return {
    external_name: requiredText(at('parent.external_name'), external_name, MAX_EXTERNAL_NAME),
    external_url: httpsUrl(at('parent.external_url'), external_url),
  }
}

/** Whether a listing of this type may be given a parent at all, here or elsewhere. */
export function checkTakesParent(type: AssetType): void {
  if (parentRule[type] === 'none')
    invalidField(at('parent'), `a listing of type ${type} has no parent; leave it out`)
}

/** Whether a listing (uid null while it is being created) may hang under the one a request named. Answers the parent's uid. */
export function checkParent(
  listing: { uid: string | null; asset_type: AssetType },
  parent: ParentFacts,
): string {
  checkTakesParent(listing.asset_type)
  // One answer for a missing and for someone else's hidden listing: the difference would tell that it exists.
  if (!parent || (!parent.mine && parent.visibility !== 'public'))
    invalidField(at('parent.game'), 'there is no such public listing')
  if (parent.uid === listing.uid)
    invalidField(at('parent.game'), 'a listing cannot be its own parent')
  if (!parentTypes.includes(parent.asset_type))
    invalidField(
      at('parent.game'),
      `a parent is a game or an application, not a ${parent.asset_type}`,
    )
  return parent.uid
}

/** What is left of a parent when the type changes. */
export function parentAfter<P>(type: AssetType, parent: P | null): P | null {
  return parentRule[type] === 'none' ? null : parent
}

function at(field: string): Field {
  return { refusal: 'INVALID_PARENT', field }
}

function given(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}
