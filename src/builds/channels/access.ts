import type { Identity } from '../../accounts/sessions/identity.ts'
import type { Sql } from '../../core/database/sql.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { type ListingFor, readListing } from '../../listings/listing/queries.ts'
import { canEdit, canOpenFiles } from '../../listings/listing/visibility.ts'
import { isOnBeta } from '../files/queries.ts'

/** Which channels someone sees: players stable, those who joined the beta that too, who runs the project all of them. */
export type ChannelAccess = { channels: string[]; all: boolean }

/** The listing whose files someone may see, and which of them. Whoever may not is told there is none. */
export async function authorizeFileAccess(
  sql: Sql,
  who: Identity | null,
  uid_or_name: string,
): Promise<{ listing: ListingFor; access: ChannelAccess }> {
  const listing = await readListing(sql, uid_or_name, who?.user_uid ?? null)
  if (!listing || !canOpenFiles({ ...listing, sees_adult: who?.show_adult ?? false }))
    refuse('NOT_FOUND')
  if (canEdit(listing)) return { listing, access: { channels: [], all: true } }
  const beta = who !== null && (await isOnBeta(sql, listing.uid, who.user_uid))
  return { listing, access: { channels: beta ? ['stable', 'beta'] : ['stable'], all: false } }
}
