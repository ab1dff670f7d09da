import type { Identity } from '../../accounts/sessions/identity.ts'
import type { Sql } from '../../core/database/sql.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { type ListingFor, readListing } from '../../listings/listing/queries.ts'
import { canEdit, canOpenFiles } from '../../listings/listing/visibility.ts'
import { isOnBeta, readBetaSkus } from './beta-queries.ts'

/**
 * The channels a person can see: players see stable, members of the beta also beta, and those who
 * run the project all of them.
 */
export type ChannelAccess = { channels: string[]; all: boolean }

/** Refuses with NOT_FOUND unless the person may see files of the listing; returns which. */
export async function authorizeFileAccess(
  sql: Sql,
  who: Pick<Identity, 'user_uid' | 'show_adult'> | null,
  uid_or_name: string,
): Promise<{ listing: ListingFor; access: ChannelAccess }> {
  const listing = await readListing(sql, uid_or_name, who?.user_uid ?? null)
  if (!listing || !canOpenFiles({ ...listing, sees_adult: who?.show_adult ?? false }))
    refuse('NOT_FOUND')
  if (canEdit(listing)) return { listing, access: { channels: [], all: true } }
  const on_beta = who !== null && (await isOnBeta(sql, listing.uid, who.user_uid))
  return { listing, access: { channels: on_beta ? ['stable', 'beta'] : ['stable'], all: false } }
}

/** Tells a signed-in person why they do not see these channels. */
export async function refuseChannels(
  sql: Sql,
  game_uid: string,
  user_uid: string,
  channels: string[],
): Promise<never> {
  const skus = channels.includes('beta') ? await readBetaSkus(sql, game_uid, user_uid) : []
  return skus.length ? refuse('BETA_REQUIRES_PURCHASE', { skus }) : refuse('CHANNEL_NOT_ACCESSIBLE')
}
