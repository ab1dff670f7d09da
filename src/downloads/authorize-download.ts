import type { FastifyRequest } from 'fastify'
import type { Identity } from '../accounts/sessions/identity.ts'
import type { VisibleFile } from '../builds/files/queries.ts'
import type { Addresses } from '../core/runtime/config.ts'
import type { Core } from '../core/runtime/core.ts'
import { refuse } from '../core/runtime/errors.ts'
import { countryOf } from '../core/security/country.ts'
import { insertFreeCopy, readHolding } from '../library/copy-queries.ts'
import type { ListingFor } from '../listings/listing/queries.ts'
import { pageUrl } from '../listings/page/url.ts'
import { refuseWithdrawn, type Withdrawal } from '../listings/withdrawn/schema.ts'
import { clientOf, hostOf, type Outcome, type Source } from './attempts.ts'
import { type Link, signLink } from './links.ts'
import { readPrice, recordAttempt } from './queries.ts'

/** A file that the caller may know of. Whether they may download it is decided in this file. */
export type DownloadTarget = {
  listing: Pick<ListingFor, 'uid' | 'anonymous_downloads' | 'owner_username' | 'vanity_name'>
  file: Pick<VisibleFile, 'uid' | 'game_uid' | 'build_id' | 'channel' | 'filename' | 'checksum'> & {
    scan: VisibleFile['scan'] | 'withdrawn'
  }
  /** Why the build of the file was withdrawn, if it was. */
  withdrawn?: Withdrawal
  /** The caller owns or administers the listing. */
  is_manager: boolean
  /** Signs the link to what is sent instead of the whole file. */
  sign?: (now: Date) => Promise<Link>
}
type DownloadRequest = { core: Core; request: FastifyRequest; source: Source }

/** Returns a function that records the outcome of an attempt. The address is never recorded. */
async function attemptRecorder(
  { core, request, source }: DownloadRequest,
  { file, listing }: DownloadTarget,
  user_uid: string | null,
) {
  const { headers, ip_address } = request
  const attempt = {
    game_uid: listing.uid,
    file_uid: file.uid,
    build_uid: file.build_id,
    channel: file.channel,
    user_uid,
    source,
    country: await countryOf(core, ip_address),
    referrer_host: hostOf(headers.referer),
    ...clientOf(headers['user-agent']),
  }
  return (outcome: Outcome, access: string, licence_granted = false) =>
    recordAttempt(core.sql, { ...attempt, outcome, access, licence_granted })
}
type AttemptRecorder = Awaited<ReturnType<typeof attemptRecorder>>

/** What a refusal says about the price of a listing. */
export const purchaseData = (
  addresses: Addresses,
  listing: DownloadTarget['listing'],
  price_cents: number,
) => ({
  browse_url: pageUrl(addresses, listing),
  game_uid: listing.uid,
  price_cents,
  currency: 'USD',
})

/** Whether anyone may have the files of a listing, without an account. */
export const isOpenToAnyone = (
  { price_cents, editions }: { price_cents: number; editions: number },
  { anonymous_downloads }: { anonymous_downloads: boolean },
): boolean => price_cents === 0 && editions === 0 && anonymous_downloads

/** Without an account: only free listings that allow it. No data about the caller is stored. */
export async function authorizeAnonymous(
  download: DownloadRequest,
  target: DownloadTarget,
): Promise<Link> {
  const { core } = download
  const { listing, file } = target
  const record = await attemptRecorder(download, target, null)
  if (target.withdrawn) {
    await record('withdrawn', 'anonymous')
    refuseWithdrawn(target.withdrawn)
  }
  const price = await readPrice(core.sql, listing.uid)
  const { price_cents } = price
  if (!isOpenToAnyone(price, listing)) {
    await record(price_cents > 0 ? 'payment_required' : 'sign_in_required', 'anonymous')
    refuse('DOWNLOAD_REQUIRES_SIGN_IN', purchaseData(core.addresses, listing, price_cents))
  }
  if (file.scan === 'scanning') {
    await record('scanning', 'anonymous')
    refuse('STILL_SCANNING')
  }
  return createLink(core, target, (outcome) => record(outcome, 'anonymous'))
}

/** With an account: own listings, those with a copy, and free ones, which adds a free copy. */
export async function authorizeUser(
  download: DownloadRequest,
  target: DownloadTarget,
  who: Identity,
): Promise<Link> {
  const { core } = download
  if (!who.email_verified) refuse('EMAIL_NOT_VERIFIED')
  const record = await attemptRecorder(download, target, who.user_uid)
  if (target.withdrawn) {
    await record('withdrawn', await readAccess(core, target, who))
    refuseWithdrawn(target.withdrawn)
  }
  const { access, granted } = await resolveAccess(core, target, who, record)
  if (target.file.scan === 'scanning') {
    await record('scanning', access, granted)
    refuse('STILL_SCANNING')
  }
  return createLink(core, target, (outcome) => record(outcome, access, granted))
}

async function createLink(
  core: Core,
  { file, sign }: DownloadTarget,
  record: (outcome: Outcome) => Promise<void>,
) {
  const now = new Date()
  try {
    const link = await (sign?.(now) ?? signLink(core, file, now))
    await record('ok')
    return link
  } catch (error) {
    await record('unavailable')
    throw error
  }
}

/** Why the person could download the file before it was withdrawn. */
async function readAccess(core: Core, { listing, is_manager }: DownloadTarget, who: Identity) {
  if (is_manager) return 'owner'
  const holding = await readHolding(core.sql, who.user_uid, listing.uid)
  return holding?.source ?? (holding?.is_paid ? 'purchase' : 'free')
}

/** Why the download is allowed: managing the listing, a copy, or a free copy that is added here. */
async function resolveAccess(
  core: Core,
  { listing, is_manager, file }: DownloadTarget,
  { user_uid }: Identity,
  record: AttemptRecorder,
) {
  if (is_manager) return { access: 'owner', granted: false }
  const holding = await readHolding(core.sql, user_uid, listing.uid)
  if (holding?.source) return { access: holding.source as string, granted: false }
  // A file that cannot be downloaded yet adds no copy.
  if (!holding?.is_paid && file.scan === 'scanning') return { access: 'free', granted: false }
  if (!holding?.is_paid && (await insertFreeCopy(core.sql, user_uid, listing.uid)))
    return { access: 'free', granted: true }
  // A concurrent request may have added the copy.
  const current = await readHolding(core.sql, user_uid, listing.uid)
  if (current?.source) return { access: current.source as string, granted: false }
  await record('payment_required', 'purchase')
  const { price_cents } = await readPrice(core.sql, listing.uid)
  refuse('DOWNLOAD_REQUIRES_PURCHASE', purchaseData(core.addresses, listing, price_cents))
}
