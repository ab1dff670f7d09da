import type { CopyEdition } from './copy-queries.ts'

/** What a copy has, with the list price of its edition. */
export type HeldEdition = CopyEdition & { price_cents: number }
type OfferedEdition = { uid: string; kind: string; price_cents: number }

const BETA = 'beta_access'

/**
 * The edition of a copy after its holder gets another one; null if it stays what it is. A copy
 * only ever becomes one of a dearer edition. Beta access is never lost by that, and a cheaper
 * edition with it adds only that.
 */
export function raisedEdition(held: HeldEdition, edition: OfferedEdition): CopyEdition | null {
  if (held.edition_uid === edition.uid) return null
  const has_beta = held.edition_kind === BETA
  if (edition.price_cents > held.price_cents)
    return { edition_uid: edition.uid, edition_kind: has_beta ? BETA : edition.kind }
  return edition.kind === BETA && !has_beta
    ? { edition_uid: held.edition_uid ?? edition.uid, edition_kind: BETA }
    : null
}
