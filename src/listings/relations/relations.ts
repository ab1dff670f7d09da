import {
  type AssetType,
  type LicenseKind,
  licenseKinds,
  type Visibility,
} from '../fields/fields.ts'
import { choice, type Field, invalidField, list, listingRef, record } from '../fields/text.ts'

export const MAX_SIMILAR = 10
export const MAX_DEPENDENCIES = 50
export const dependencyKinds = ['uses', 'supports', 'made_with'] as const

export type DependencyKind = (typeof dependencyKinds)[number]
/** What is known of a listing a request names; null when there is none. */
export type Target = { uid: string; asset_type: AssetType; visibility: Visibility } | null
type Listing = { uid: string; asset_type: AssetType }

/** Who may have a link of a kind, and what it may point at. */
const kinds: Record<
  DependencyKind,
  { from: readonly AssetType[] | 'any'; to: readonly AssetType[] }
> = {
  uses: { from: 'any', to: ['game_asset', 'dev_asset', 'plugin'] },
  supports: { from: ['mod', 'plugin'], to: ['game', 'application', 'tool'] },
  made_with: { from: 'any', to: ['tool'] },
}

/** The names of similar titles in a request, most similar first. */
export function readSimilar(value: unknown): string[] {
  const at: Field = { refusal: 'INVALID_SIMILAR', field: 'games' }
  const games = list(at, value)
  if (games.length > MAX_SIMILAR)
    invalidField(at, `name at most ${MAX_SIMILAR} games; this list has ${games.length}`)
  return games.map((game, index) => listingRef({ ...at, field: `games[${index}]` }, game))
}

/** Uids of the similar titles, in the order asked. `found` holds one entry for each name of readSimilar. */
export function checkSimilar(listing: Listing, found: readonly Target[]): string[] {
  const seen = new Set<string>()
  found.forEach((target, index) => {
    const at: Field = { refusal: 'INVALID_SIMILAR', field: `games[${index}]` }
    const { uid, asset_type } = otherPublic(at, listing, target)
    if (asset_type !== 'game')
      invalidField(at, `similar titles are games; this one is a ${asset_type}`)
    addOnce(at, seen, uid)
  })
  return [...seen]
}

export function readDependencies(value: unknown): { game: string; kind: DependencyKind }[] {
  const dependencies = checkDependencyCount(list(dependencyAt(''), value))
  return dependencies.map((dependency, index) => {
    const { game, kind } = record(dependencyAt(`[${index}]`), dependency)
    return {
      game: listingRef(dependencyAt(`[${index}].game`), game),
      kind: choice(dependencyAt(`[${index}].kind`), kind, dependencyKinds),
    }
  })
}

export function checkDependencyCount<T>(links: readonly T[]): T[] {
  if (links.length > MAX_DEPENDENCIES)
    invalidField(
      dependencyAt(''),
      `name at most ${MAX_DEPENDENCIES} listings; this list has ${links.length}`,
    )
  return [...links]
}

/** The links to keep, in the order asked. Each entry is one of readDependencies with the listing found for its name. */
export function checkDependencies(
  listing: Listing,
  asked: readonly { kind: DependencyKind; found: Target }[],
) {
  const seen = new Set<string>()
  return asked.map(({ kind, found }, index) => {
    const { uid, asset_type } = otherPublic(dependencyAt(`[${index}].game`), listing, found)
    const { from, to } = kinds[kind]
    if (from !== 'any' && !from.includes(listing.asset_type))
      invalidField(dependencyAt(`[${index}].kind`), `${kind} is for ${from.join(' and ')} listings`)
    if (!to.includes(asset_type))
      invalidField(
        dependencyAt(`[${index}].game`),
        `${kind} points at a ${to.join(', ')}, not at a ${asset_type}`,
      )
    addOnce(dependencyAt(`[${index}]`), seen, `${uid} ${kind}`)
    return { uid, kind }
  })
}

/** The license kind of a listing; null says nothing about it. */
export function checkLicense(value: unknown): LicenseKind | null {
  return value === null
    ? null
    : choice({ refusal: 'INVALID_LICENSE', field: 'license_kind' }, value, licenseKinds)
}

function otherPublic(at: Field, listing: Listing, target: Target): NonNullable<Target> {
  if (target?.uid === listing.uid) invalidField(at, 'a listing cannot name itself')
  // One answer for a missing and for a hidden listing: the difference would tell that it exists.
  return target?.visibility === 'public'
    ? target
    : invalidField(at, 'there is no such public listing')
}

function addOnce(at: Field, seen: Set<string>, key: string) {
  if (seen.has(key)) invalidField(at, 'is named twice; leave one out')
  seen.add(key)
}

function dependencyAt(path: string): Field {
  return { refusal: 'INVALID_DEPENDENCY', field: `dependencies${path}` }
}
