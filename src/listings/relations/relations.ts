import { explain } from '../../core/runtime/reasons.ts'
import {
  type AssetType,
  type LicenseKind,
  licenseKinds,
  type Visibility,
} from '../fields/fields.ts'
import {
  boundedList,
  choice,
  type Field,
  invalidField,
  list,
  listingRef,
  NAMED_TWICE,
  noSuchListing,
  record,
  tooMany,
} from '../fields/text.ts'

export const MAX_SIMILAR = 10
export const MAX_DEPENDENCIES = 50
export const dependencyKinds = ['uses', 'supports', 'made_with'] as const

export type DependencyKind = (typeof dependencyKinds)[number]
/** A listing that a request refers to; null if there is none. */
export type Target = { uid: string; asset_type: AssetType; visibility: Visibility } | null
type Listing = { uid: string; asset_type: AssetType }

/** The types of listings that can have each kind of link, and the types it can link to. */
const kinds: Record<
  DependencyKind,
  { from: readonly AssetType[] | 'any'; to: readonly AssetType[] }
> = {
  uses: { from: 'any', to: ['game_asset', 'dev_asset', 'plugin'] },
  supports: { from: ['mod', 'plugin'], to: ['game', 'application', 'tool'] },
  made_with: { from: 'any', to: ['tool'] },
}

/** Parses the references to similar games in a request, most similar first. */
export function readSimilar(value: unknown): string[] {
  const at: Field = { refusal: 'INVALID_SIMILAR', field: 'games' }
  const games = boundedList(at, value, MAX_SIMILAR, `name at most ${MAX_SIMILAR} games`)
  return games.map((game, index) => listingRef({ ...at, field: `games[${index}]` }, game))
}

/**
 * Returns the uids of the similar games in the order of the request. `targets` has one entry for
 * each of the references of `readSimilar`, which a refusal quotes.
 */
export function checkSimilar(
  listing: Listing,
  targets: readonly Target[],
  refs: readonly string[] = [],
): string[] {
  const seen = new Set<string>()
  targets.forEach((target, index) => {
    const at: Field = { refusal: 'INVALID_SIMILAR', field: `games[${index}]` }
    const { uid, asset_type } = otherPublic(at, listing, { target, ref: refs[index] })
    if (asset_type !== 'game')
      invalidField(
        at,
        explain('similar_type', `similar titles are games; this one is a ${asset_type}`),
      )
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
      tooMany(`name at most ${MAX_DEPENDENCIES} listings`, MAX_DEPENDENCIES, links.length),
    )
  return [...links]
}

/**
 * Returns the links to store, in the order of the request. Each entry of `links` is one of
 * `readDependencies` with the listing that it refers to.
 */
export function checkDependencies(
  listing: Listing,
  links: readonly { kind: DependencyKind; target: Target; ref?: string }[],
) {
  const seen = new Set<string>()
  return links.map(({ kind, target, ref }, index) => {
    const at = dependencyAt(`[${index}].game`)
    const { uid, asset_type } = otherPublic(at, listing, { target, ref })
    const { from, to } = kinds[kind]
    if (from !== 'any' && !from.includes(listing.asset_type))
      invalidField(
        dependencyAt(`[${index}].kind`),
        explain('dependency_from', `${kind} is for ${from.join(' and ')} listings`, {
          types: from.join(', '),
        }),
      )
    if (!to.includes(asset_type))
      invalidField(
        at,
        explain('dependency_to', `${kind} points at a ${to.join(', ')}, not at a ${asset_type}`, {
          types: to.join(', '),
        }),
      )
    addOnce(dependencyAt(`[${index}]`), seen, `${uid} ${kind}`)
    return { uid, kind }
  })
}

/** Validates the license kind of a listing; null means that none is stated. */
export function checkLicense(value: unknown): LicenseKind | null {
  return value === null
    ? null
    : choice({ refusal: 'INVALID_LICENSE', field: 'license_kind' }, value, licenseKinds)
}

function otherPublic(
  at: Field,
  listing: Listing,
  { target, ref }: { target: Target; ref: string | undefined },
): NonNullable<Target> {
  if (target?.uid === listing.uid)
    invalidField(at, explain('own_listing', 'a listing cannot name itself'))
  // A missing and a hidden listing give the same error, so that it does not reveal whether the
  // listing exists.
  return target?.visibility === 'public' ? target : invalidField(at, noSuchListing(ref))
}

function addOnce(at: Field, seen: Set<string>, key: string) {
  if (seen.has(key)) invalidField(at, NAMED_TWICE)
  seen.add(key)
}

function dependencyAt(path: string): Field {
  return { refusal: 'INVALID_DEPENDENCY', field: `dependencies${path}` }
}
