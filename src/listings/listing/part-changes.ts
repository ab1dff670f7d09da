import type { Identity } from '../../accounts/sessions/identity.ts'
import type { Tx } from '../../core/database/sql.ts'
import { type CompatRange, checkCompat } from '../fields/engine-versions.ts'
import { checkTaxonomy } from '../fields/taxonomy.ts'
import { replaceRanges } from '../relations/engine-range-queries.ts'
import { findListings, replaceDependencies, replaceSimilar } from '../relations/link-queries.ts'
import { checkModSettings, type ModSettings } from '../relations/mod-settings.ts'
import {
  checkDependencies,
  checkSimilar,
  readDependencies,
  readSimilar,
} from '../relations/relations.ts'
import { type ListingFor, updateListing } from './queries.ts'

/**
 * Each function replaces one part of a listing that the caller has locked. The values are checked
 * here, because their refusals have codes of their own.
 */
export async function changeTaxonomy(
  tx: Tx,
  listing: ListingFor,
  values: Record<string, unknown>,
): Promise<ListingFor> {
  const change = checkTaxonomy(values, listing)
  await updateListing(tx, listing.uid, change)
  return { ...listing, ...change }
}

export async function changeModSettings(
  tx: Tx,
  listing: ListingFor,
  values: Record<string, unknown>,
): Promise<ModSettings> {
  const { install_path, loader, instructions } = checkModSettings(listing.asset_type, values)
  await updateListing(tx, listing.uid, {
    mod_install_path: install_path,
    mod_loader: loader,
    mod_instructions: instructions,
  })
  return { install_path, loader, instructions }
}

export async function changeSimilar(
  tx: Tx,
  listing: ListingFor,
  games: unknown,
  who: Identity,
): Promise<void> {
  const refs = readSimilar(games)
  const targets = await findListings(tx, refs, who.user_uid)
  await replaceSimilar(tx, listing.uid, checkSimilar(listing, targets, refs))
}

export async function changeDependencies(
  tx: Tx,
  listing: ListingFor,
  dependencies: unknown,
  who: Identity,
): Promise<void> {
  const requested = readDependencies(dependencies)
  const refs = requested.map(({ game }) => game)
  const targets = await findListings(tx, refs, who.user_uid)
  const links = checkDependencies(
    listing,
    requested.map(({ kind, game }, i) => ({ kind, target: targets[i] ?? null, ref: game })),
  )
  await replaceDependencies(tx, listing.uid, links)
}

export async function changeRanges(
  tx: Tx,
  listing: ListingFor,
  values: unknown,
): Promise<CompatRange[]> {
  const ranges = checkCompat(values)
  await replaceRanges(tx, listing.uid, ranges)
  return ranges
}
