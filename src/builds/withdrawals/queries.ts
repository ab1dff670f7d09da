import { listingExists } from '../../accounts/people/role-queries.ts'
import type { Sql, Tx } from '../../core/database/sql.ts'
import { withdrawalOf } from '../../listings/withdrawn/queries.ts'
import type { Withdrawal } from '../../listings/withdrawn/schema.ts'
import type { ChannelAccess } from '../channels/access.ts'
import type { VersionedBuild } from '../channels/build-order.ts'
import { type ReleasedFile, releaseFile } from '../channels/staged-queries.ts'
import { restoreHeads, withdrawHeads } from '../channels/withdrawn-head-queries.ts'

export async function readWithdrawal(
  sql: Sql | Tx,
  build_uid: string,
): Promise<Withdrawal | undefined> {
  const [row] = await sql<{ withdrawn: Withdrawal | null }[]>`
    select ${withdrawalOf(sql)} as withdrawn
    from builds b
    where b.uid = ${build_uid}`
  return row?.withdrawn ?? undefined
}

type WithdrawnBuild = VersionedBuild & { game_uid: string; app: string }
type NewWithdrawal = { reason: string; replacement_uid: string | null; by_user: string | null }

/**
 * Withdraws a build, or changes why it is withdrawn and what replaces it. The times of withdrawals
 * and scans are those of the clock, not of the transaction, because both wait for the lock on the
 * listing, which the caller must hold.
 */
export async function withdrawBuild(
  tx: Tx,
  { uid, game_uid }: WithdrawnBuild,
  { reason, replacement_uid, by_user }: NewWithdrawal,
): Promise<void> {
  await tx`
    update builds
    set withdrawn_at = coalesce(withdrawn_at, clock_timestamp()), withdrawn_by = ${by_user},
      withdrawal_reason = ${reason}, replacement_uid = ${replacement_uid}
    where uid = ${uid}`
  await tx`update files set scan = 'withdrawn' where build_uid = ${uid} and scan = 'clean'`
  await tx`
    update files
    set scan_before_quarantine = 'withdrawn'
    where build_uid = ${uid} and scan_before_quarantine = 'clean'`
  await withdrawHeads(tx, game_uid, uid, by_user)
  await announce(tx)
}

/** Ends the withdrawal of a build. The caller must lock the listing first. */
export async function restoreBuild(
  tx: Tx,
  { game_uid, app, ...build }: WithdrawnBuild,
  by_user: string | null,
): Promise<void> {
  const scanned = await filesScannedSince(tx, build.uid)
  await tx`
    update builds
    set withdrawn_at = null, withdrawn_by = null, withdrawal_reason = null, replacement_uid = null
    where uid = ${build.uid}`
  await tx`update files set scan = 'clean' where build_uid = ${build.uid} and scan = 'withdrawn'`
  await tx`
    update files
    set scan_before_quarantine = 'clean'
    where build_uid = ${build.uid} and scan_before_quarantine = 'withdrawn'`
  await restoreHeads(tx, game_uid, build, by_user)
  for (const { file_uid, release_percent, ...platform } of scanned)
    await releaseFile(tx, { game_uid, app, ...platform }, build, { file_uid, release_percent })
  await announce(tx)
}

type ScannedFile = ReleasedFile & { channel: string; os: string; arch: string }

/** The files that first passed their scan while the build was withdrawn. */
async function filesScannedSince(tx: Tx, build_uid: string): Promise<ScannedFile[]> {
  return tx<ScannedFile[]>`
    select f.uid as file_uid, f.release_percent, f.channel, f.os, f.arch
    from builds b
    join files f on f.build_uid = b.uid and f.scan = 'withdrawn'
    cross join lateral (
      select min(h.at) as at
      from scan_history h
      where h.file_uid = f.uid and h.state = 'clean') first
    where b.uid = ${build_uid} and first.at > b.withdrawn_at
    order by f.uploaded_at, f.uid`
}

/** Every process drops what it has cached, as after a decision of moderators, and ends downloads. */
const announce = async (tx: Tx) => void (await tx`notify moderation`)

export type ListedWithdrawal = Withdrawal & {
  build_id: string
  app: string
  version: string
  os: string
  arch: string
  channels: string[]
}

/** The channels that a build `b` was uploaded to or delivered by, of those a person can see. */
const visibleChannels = (sql: Sql, { channels, all }: ChannelAccess) => sql`
  select array_agg(distinct seen.channel order by seen.channel) as channels
  from (
    select b.channel
    union
    select h.channel
    from channel_history h
    where h.build_uid = b.uid and h.game_uid = b.game_uid) seen
  where ${all} or seen.channel = any(${channels})`

/** The withdrawn builds with files, of channels that a person can see, last withdrawn first. */
export async function listWithdrawals(
  sql: Sql,
  game_uid: string,
  access: ChannelAccess,
  limit: number,
): Promise<ListedWithdrawal[]> {
  const rows = await sql<(Omit<ListedWithdrawal, keyof Withdrawal> & { withdrawn: Withdrawal })[]>`
    select b.uid as build_id, b.app, b.version, b.os, b.arch, seen.channels,
      ${withdrawalOf(sql)} as withdrawn
    from builds b
    cross join lateral (${visibleChannels(sql, access)}) seen
    where b.game_uid = ${game_uid} and b.withdrawn_at is not null
      and b.quarantined_at is null and seen.channels is not null
      and exists (select from files f where f.build_uid = b.uid and f.scan = 'withdrawn')
    order by b.withdrawn_at desc, b.uid desc
    limit ${limit}`
  return rows.map(({ withdrawn, ...build }) => ({ ...build, ...withdrawn }))
}

export type WithdrawnFile = {
  uid: string
  game_uid: string
  build_id: string
  channel: string
  filename: string
  checksum: string
  scan: 'withdrawn'
  withdrawn: Withdrawal
}

/** Why a file is withdrawn; undefined if it is not, or if its listing does not exist. */
export async function readFileWithdrawal(sql: Sql, uid: string): Promise<Withdrawal | undefined> {
  const [row] = await sql<{ withdrawn: Withdrawal }[]>`
    select ${withdrawalOf(sql)} as withdrawn
    from files f
    join builds b on b.uid = f.build_uid
    where f.uid = ${uid} and f.scan = 'withdrawn' and ${listingExists(sql, 'f')}`
  return row?.withdrawn
}

/** A withdrawn file that the person could see before. */
export async function findWithdrawnFile(
  sql: Sql,
  game_uid: string,
  access: ChannelAccess,
  file_uid: string,
): Promise<WithdrawnFile | undefined> {
  const [file] = await sql<WithdrawnFile[]>`
    select f.uid, f.game_uid, f.build_uid as build_id, f.channel, f.filename, f.checksum, f.scan,
      ${withdrawalOf(sql)} as withdrawn
    from files f
    join builds b on b.uid = f.build_uid
    cross join lateral (${visibleChannels(sql, access)}) seen
    where f.uid = ${file_uid} and f.game_uid = ${game_uid} and f.scan = 'withdrawn'
      and seen.channels is not null`
  return file
}
