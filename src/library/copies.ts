import type { Sql, Tx } from '../core/database/sql.ts'
import { refuse } from '../core/runtime/errors.ts'
import { explain } from '../core/runtime/reasons.ts'
import { DAY, SECOND_MS } from '../core/runtime/units.ts'
import type { Visibility } from '../listings/fields/fields.ts'
import { canBeBought } from '../listings/listing/visibility.ts'
import { countGifts, type HoldingRow, readHolding } from './copy-queries.ts'

/** How a player got a copy of a listing. The wire and the database call a copy a licence. */
export const copySources = ['purchase', 'free', 'grant', 'key'] as const
export type CopySource = (typeof copySources)[number]

export const librarySorts = ['added', 'name', 'updated'] as const
export type LibrarySort = (typeof librarySorts)[number]
export const libraryParts = ['visible', 'hidden', 'all'] as const
export type LibraryPart = (typeof libraryParts)[number]

/** The copy a person has of a listing, if any, and whether the listing costs something today. */
export type Holding = { source: CopySource | null; is_paid: boolean }

/** A copy can be claimed for free when the listing is released and costs nothing. */
export function checkClaim({
  visibility,
  is_paid,
}: {
  visibility: Visibility
  is_paid: boolean
}): void {
  if (!canBeBought({ visibility }))
    refuse(
      'CONFLICT',
      { field: 'visibility' },
      explain(
        'not_released',
        'This listing is not released yet; only its owner can give out copies',
      ),
    )
  if (is_paid) refuse('DOWNLOAD_REQUIRES_PURCHASE')
}

/** The listing existed a moment ago; it is refused as missing if it was deleted since. */
export async function requireHolding(
  sql: Sql,
  { user_uid }: { user_uid: string },
  { uid }: { uid: string },
): Promise<HoldingRow> {
  return (await readHolding(sql, user_uid, uid)) ?? refuse('NOT_FOUND')
}

/** Call it in the transaction that gives the copies; a refusal takes them back. */
export async function limitGifts(
  tx: Tx,
  { user_uid, gifts }: { user_uid: string; gifts: number },
  per_day: number,
): Promise<void> {
  if (gifts === 0 || (await countGifts(tx, user_uid, gifts)) <= per_day) return
  const retry_after = DAY - (Math.floor(Date.now() / SECOND_MS) % DAY)
  refuse(
    'TOO_MANY_REQUESTS',
    { retry_after },
    explain('gifts_per_day', `You can give away ${per_day} copies a day; try again tomorrow`, {
      count: per_day,
    }),
    { 'retry-after': String(retry_after) },
  )
}
