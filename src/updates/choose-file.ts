import type { Identity } from '../accounts/sessions/identity.ts'
import {
  authorizeFileAccess,
  type ChannelAccess,
  refuseChannels,
} from '../builds/channels/access.ts'
import { bestFile, type FileFilters } from '../builds/files/best-file.ts'
import { readVisibleFiles, type VisibleFile } from '../builds/files/queries.ts'
import { listWithdrawals } from '../builds/withdrawals/queries.ts'
import type { Sql } from '../core/database/sql.ts'
import type { Core } from '../core/runtime/core.ts'
import { refuse } from '../core/runtime/errors.ts'
import { isOpenToAnyone, purchaseData } from '../downloads/authorize-download.ts'
import { readPrice } from '../downloads/queries.ts'
import { readHolding } from '../library/copy-queries.ts'
import type { ListingFor } from '../listings/listing/queries.ts'
import { refuseWithdrawn, type Withdrawal } from '../listings/withdrawn/schema.ts'

export type ChosenFile = {
  listing: ListingFor
  access: ChannelAccess
  file: VisibleFile
  /** Anyone may have it, without an account. */
  is_open: boolean
}

/**
 * The file that the caller would install: they may know of it and download it. Nothing is added to
 * their library and nothing is counted; both happen with the download.
 */
export async function chooseFile(
  core: Core,
  who: Identity | null,
  game_id: string,
  filters: FileFilters,
): Promise<ChosenFile> {
  const { sql } = core
  const { listing, access } = await authorizeFileAccess(sql, who, game_id)
  const with_delivered = Boolean(filters.build_id)
  const files = await readVisibleFiles(sql, listing.uid, access, { with_delivered })
  const file = bestFile(files, filters)
  if (!file) return explainMissing(sql, who, listing, access, files, filters)
  return { listing, access, file, is_open: await authorize(core, who, listing, access) }
}

/** Returns whether anyone may have the files of the listing. */
async function authorize(
  { sql, addresses }: Core,
  who: Identity | null,
  listing: ListingFor,
  { all }: ChannelAccess,
): Promise<boolean> {
  const { uid } = listing
  const price = await readPrice(sql, uid)
  const { price_cents } = price
  const is_open = isOpenToAnyone(price, listing)
  if (is_open || all) return is_open
  if (!who) refuse('DOWNLOAD_REQUIRES_SIGN_IN', purchaseData(addresses, listing, price_cents))
  if (!who.email_verified) refuse('EMAIL_NOT_VERIFIED')
  if (price_cents > 0 && !(await readHolding(sql, who.user_uid, uid))?.source)
    refuse('DOWNLOAD_REQUIRES_PURCHASE', purchaseData(addresses, listing, price_cents))
  return is_open
}

const MAX_WITHDRAWALS = 1000

/** Why a build that the caller could have was withdrawn. */
export async function findWithdrawal(
  sql: Sql,
  game_uid: string,
  access: ChannelAccess,
  build_id: string,
): Promise<Withdrawal | undefined> {
  const withdrawals = await listWithdrawals(sql, game_uid, access, MAX_WITHDRAWALS)
  return withdrawals.find((build) => build.build_id === build_id.toLowerCase())
}

/** Why there is nothing to install. Signed-out callers learn no more than that. */
async function explainMissing(
  sql: Sql,
  who: Identity | null,
  { uid }: ListingFor,
  access: ChannelAccess,
  files: VisibleFile[],
  filters: FileFilters,
): Promise<never> {
  const { build_id, channel } = filters
  const withdrawn = build_id && (await findWithdrawal(sql, uid, access, build_id))
  if (withdrawn) refuseWithdrawn(withdrawn)
  const scanning = files
    .filter(({ scan }) => scan === 'scanning')
    .map((file) => ({ ...file, scan: 'clean', channels: [file.channel] }))
  if (bestFile(scanning, filters)) refuse('STILL_SCANNING')
  if (who && channel && !access.all && !access.channels.includes(channel))
    return refuseChannels(sql, uid, who.user_uid, [channel])
  refuse('NOT_FOUND')
}
