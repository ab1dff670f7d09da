import type { FastifyRequest } from 'fastify'
import type { Identity } from '../accounts/sessions/identity.ts'
import type { VisibleFile } from '../builds/files/queries.ts'
import type { Core } from '../core/runtime/core.ts'
import { refuse } from '../core/runtime/errors.ts'
import { insertFreeCopy, readHolding } from '../library/copy-queries.ts'
import type { ListingFor } from '../listings/listing/queries.ts'
import { pageUrl } from '../listings/page/url.ts'
import { clientOf, hostOf, type Outcome, type Source } from './attempt.ts'
import { countryOf } from './country.ts'
import { type Link, signLink } from './links.ts'
import { readPrice, recordAttempt } from './queries.ts'

/** A file someone may know of. What they may do with it is decided here, the same way wherever they ask. */
export type Found = {
  listing: Pick<ListingFor, 'uid' | 'anonymous_downloads' | 'owner_username' | 'vanity_name'>
  file: Pick<
    VisibleFile,
    'uid' | 'game_uid' | 'build_id' | 'channel' | 'filename' | 'checksum' | 'scan'
  >
  runs_it: boolean
}
type Asking = { core: Core; request: FastifyRequest; source: Source }

/** Writes down what came of an attempt: what was asked for and how, and never from which address. */
async function recorder(
  { core, request, source }: Asking,
  { file, listing }: Found,
  user_uid: string | null,
) {
  const { headers, ip_address } = request
  const about = {
    ...{
      game_uid: listing.uid,
      file_uid: file.uid,
      build_uid: file.build_id,
      channel: file.channel,
      user_uid,
      source,
    },
    ...{
      country: await countryOf(core, ip_address),
      referrer_host: hostOf(headers.referer),
      ...clientOf(headers['user-agent']),
    },
  }
  return (outcome: Outcome, access: string, licence_granted = false) =>
    recordAttempt(core.sql, { ...about, outcome, access, licence_granted })
}
type Recorder = Awaited<ReturnType<typeof recorder>>

const buying = (core: Core, listing: Found['listing'], price_cents: number) => ({
  browse_url: pageUrl(core.addresses, listing),
  game_uid: listing.uid,
  price_cents,
  currency: 'USD',
})

/** Without an account: free projects that allow it, and nothing is kept of whoever asked. */
export async function giveToAnyone(asking: Asking, found: Found): Promise<Link> {
  const { core } = asking
  const { listing, file } = found
  const record = await recorder(asking, found, null)
  const { price_cents, editions } = await readPrice(core.sql, listing.uid)
  const paid = price_cents > 0
  if (paid || editions > 0 || !listing.anonymous_downloads) {
    await record(paid ? 'payment_required' : 'sign_in_required', 'anonymous')
    refuse('DOWNLOAD_REQUIRES_SIGN_IN', buying(core, listing, price_cents))
  }
  if (file.scan === 'scanning') {
    await record('scanning', 'anonymous')
    refuse('STILL_SCANNING')
  }
  return linkTo(core, file, (outcome) => record(outcome, 'anonymous'))
}

/** With an account: their own projects, what they have a copy of, and what is free, of which they get one. */
export async function giveTo(asking: Asking, found: Found, who: Identity): Promise<Link> {
  const { core } = asking
  if (!who.email_verified) refuse('EMAIL_NOT_VERIFIED')
  const record = await recorder(asking, found, who.user_uid)
  const { access, granted } = await accessOf(core, found, who, record)
  if (found.file.scan === 'scanning') {
    await record('scanning', access, granted)
    refuse('STILL_SCANNING')
  }
  return linkTo(core, found.file, (outcome) => record(outcome, access, granted))
}

async function linkTo(
  core: Core,
  file: Found['file'],
  record: (outcome: Outcome) => Promise<void>,
) {
  try {
    const link = await signLink(core, file, new Date())
    await record('ok')
    return link
  } catch (error) {
    await record('unavailable')
    throw error
  }
}

/** By what right: running the project, a copy, or a free one that is given here. */
async function accessOf(
  core: Core,
  { listing, runs_it, file }: Found,
  { user_uid }: Identity,
  record: Recorder,
) {
  if (runs_it) return { access: 'owner', granted: false }
  const held = await readHolding(core.sql, user_uid, listing.uid)
  if (held?.source) return { access: held.source as string, granted: false }
  // A file that cannot be had yet gives no copy yet.
  if (!held?.is_paid && file.scan === 'scanning') return { access: 'free', granted: false }
  if (!held?.is_paid && (await insertFreeCopy(core.sql, user_uid, listing.uid)))
    return { access: 'free', granted: true }
  const now = await readHolding(core.sql, user_uid, listing.uid)
  if (now?.source) return { access: now.source as string, granted: false }
  await record('payment_required', 'purchase')
  refuse(
    'DOWNLOAD_REQUIRES_PURCHASE',
    buying(core, listing, (await readPrice(core.sql, listing.uid)).price_cents),
  )
}
