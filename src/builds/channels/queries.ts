import type { Sql, Tx } from '../../core/database/sql.ts'
import { MAX_PREVIOUS_BUILDS } from '../build-limits.ts'
import { compareBuilds, newestBuild, type VersionedBuild } from './build-order.ts'

/** A channel of one program. */
export type ChannelKey = { game_uid: string; app: string; channel: string }
/** A channel on one platform. Its head is the build that players there get. */
export type HeadKey = ChannelKey & { os: string; arch: string }
type Head = VersionedBuild & { previous: string[] }

/** Serializes changes of a game's channels: each sees the heads that the one before it left. */
export async function lockChannels(tx: Tx, game_uid: string): Promise<void> {
  await tx`select from listings where uid = ${game_uid} for no key update`
}

/**
 * Called when a file has passed its scan: moves the head to its build if that is newer. The
 * channels must be locked.
 */
export async function advanceHead(
  tx: Tx,
  key: HeadKey,
  build: VersionedBuild,
  file_uid: string,
): Promise<boolean> {
  const head = await readHead(tx, key)
  if (head && compareBuilds(build, head) <= 0) return false
  await setHead(tx, key, build.uid, await buildsBefore(tx, key, head, build.uid))
  await recordEvent(tx, key, {
    event: 'upload',
    build_uid: build.uid,
    version: build.version,
    from_build_uid: head?.uid ?? null,
    file_uid,
  })
  return true
}

export async function readHead(
  tx: Sql | Tx,
  { game_uid, app, channel, os, arch }: HeadKey,
): Promise<Head | undefined> {
  const [head] = await tx<Head[]>`
    select b.uid, b.version, b.created_at, h.previous
    from channel_heads h
    join builds b on b.uid = h.build_uid
    where h.game_uid = ${game_uid} and h.app = ${app} and h.channel = ${channel}
      and h.os = ${os} and h.arch = ${arch}`
  return head
}

/**
 * What a head that moves to a build remembers for rollbacks: the builds of the head before it, or
 * those that the channel had before all of them were withdrawn.
 */
export async function buildsBefore(
  tx: Tx,
  key: HeadKey,
  head: Head | undefined,
  build_uid: string,
): Promise<string[]> {
  if (head) return [...head.previous, head.uid]
  const stack = (await readStack(tx, key)) ?? []
  return stack.filter((uid) => uid !== build_uid)
}

/** Whether an event moved the head; what is staged stands beside it. */
export const movesHead = (sql: Sql | Tx) => sql`event not in ('stage', 'unstage')`

/** The builds that a channel had, if nothing but withdrawals and their ends moved it since. */
export async function readStack(
  tx: Tx,
  { game_uid, app, channel, os, arch }: HeadKey,
): Promise<string[] | undefined> {
  const [event] = await tx<{ stack: string[] | null }[]>`
    select stack
    from channel_history
    where game_uid = ${game_uid} and app = ${app} and channel = ${channel}
      and os = ${os} and arch = ${arch}
      and ${movesHead(tx)}
    order by seq desc
    limit 1`
  return event?.stack ?? undefined
}

export async function setHead(
  tx: Tx,
  key: HeadKey,
  build_uid: string,
  before: string[],
): Promise<void> {
  const previous = before.slice(-MAX_PREVIOUS_BUILDS)
  await tx`
    insert into channels (game_uid, app, channel)
    values (${key.game_uid}, ${key.app}, ${key.channel})
    on conflict do nothing`
  await tx`
    insert into channel_heads ${tx({ ...key, build_uid, previous })}
    on conflict (game_uid, app, channel, os, arch) do update set
      build_uid = excluded.build_uid, previous = excluded.previous, moved_at = now()`
}

type NewEvent = {
  event: 'upload' | 'promote' | 'rollback' | 'delete' | 'withdraw' | 'restore' | 'stage' | 'unstage'
  build_uid: string | null
  version: string | null
  from_build_uid: string | null
  file_uid?: string
  by_user?: string | null
  stack?: string[]
  /** Of the devices that a staged build is delivered to. */
  percent?: number
}

export async function recordEvent(tx: Tx, key: HeadKey, event: NewEvent): Promise<void> {
  await tx`insert into channel_history ${tx({ ...key, ...event })}`
}

export type HeadRow = VersionedBuild & {
  app: string
  channel: string
  os: string
  arch: string
  previous: string[]
  moved_at: Date
  expires_at: Date | null
  expired: boolean
}

export async function readHeads(sql: Sql | Tx, game_uid: string): Promise<HeadRow[]> {
  return sql<HeadRow[]>`
    select h.app, h.channel, h.os, h.arch, h.previous, h.moved_at,
      b.uid, b.version, b.created_at,
      c.expires_at, coalesce(c.expires_at <= now(), false) as expired
    from channel_heads h
    join builds b on b.uid = h.build_uid
    left join channels c on c.game_uid = h.game_uid and c.app = h.app and c.channel = h.channel
    where h.game_uid = ${game_uid}
    order by h.app, h.channel, h.os, h.arch`
}

export type ChannelHeads = { app: string; channel: string; newest: HeadRow; heads: HeadRow[] }

export function groupByChannel(all_heads: readonly HeadRow[]): ChannelHeads[] {
  const groups = Map.groupBy(all_heads, ({ app, channel }) => `${app} ${channel}`)
  return [...groups.values()].map((heads) => {
    const newest = newestBuild(heads)!
    return { app: newest.app, channel: newest.channel, newest, heads }
  })
}

/** A build that a channel points at on one platform. */
export type Release = VersionedBuild & { os: string; arch: string }

/**
 * The platforms for which the build has a file that passed its scan. For all platforms, those of
 * the other builds of its version too; where several builds are for the same platform, the build
 * itself goes first and then the newest.
 */
export async function readReleases(
  sql: Sql | Tx,
  build_uid: string,
  all_platforms: boolean,
): Promise<Release[]> {
  return sql<Release[]>`
    select distinct on (f.os, f.arch) f.os, f.arch, b.uid, b.version, b.created_at
    from builds chosen
    join builds b on b.game_uid = chosen.game_uid and b.app = chosen.app
      and b.version = chosen.version and b.build_type = chosen.build_type
    join files f on f.build_uid = b.uid and f.scan = 'clean'
    where chosen.uid = ${build_uid} and (b.uid = chosen.uid or ${all_platforms})
    order by f.os, f.arch, b.uid = chosen.uid desc, b.created_at desc, b.uid desc`
}

/**
 * Points a channel at the build of each of these platforms, for some hours or (0) without end. The
 * channels must be locked.
 */
export async function promote(
  tx: Tx,
  channel_key: ChannelKey,
  releases: readonly Release[],
  { hours, by_user }: { hours: number; by_user: string },
): Promise<void> {
  const { game_uid, app, channel } = channel_key
  for (const { os, arch, uid, version } of releases) {
    const key = { game_uid, app, channel, os, arch }
    const head = await readHead(tx, key)
    if (head?.uid !== uid) await setHead(tx, key, uid, await buildsBefore(tx, key, head, uid))
    await recordEvent(tx, key, {
      event: 'promote',
      build_uid: uid,
      version,
      from_build_uid: head?.uid ?? null,
      by_user,
    })
  }
  await tx`
    update channels set
      ended = false,
      expires_at = case when ${hours} > 0 then now() + ${hours} * interval '1 hour' end
    where game_uid = ${game_uid} and app = ${app} and channel = ${channel}`
  // Mods show their compatibility with the channel, which may have been expired until now.
  await tx`select touch_mods_of(${game_uid})`
}

/** The last of these builds that still has a clean file for the platform. */
export async function findLastUsable(
  tx: Tx,
  uids: string[],
  { os, arch }: HeadKey,
): Promise<VersionedBuild | undefined> {
  const usable = await tx<VersionedBuild[]>`
    select b.uid, b.version, b.created_at
    from builds b
    where b.uid = any(${uids}::uuid[])
      and exists (
        select from files f
        where f.build_uid = b.uid and f.scan = 'clean' and f.os = ${os} and f.arch = ${arch})`
  const last = uids.findLast((uid) => usable.some((build) => build.uid === uid))
  return usable.find((build) => build.uid === last)
}

type PreviousBuild = Release & { app: string; channel: string }

/** For each head, the last build before it that still has a clean file, if there is one. */
export async function readPreviousBuilds(
  sql: Sql | Tx,
  game_uid: string,
): Promise<PreviousBuild[]> {
  return sql<PreviousBuild[]>`
    select h.app, h.channel, h.os, h.arch, last.uid, last.version, last.created_at
    from channel_heads h
    cross join lateral (
      select b.uid, b.version, b.created_at
      from unnest(h.previous) with ordinality as earlier (uid, position)
      join builds b on b.uid = earlier.uid
      where exists (
        select from files f
        where f.build_uid = b.uid and f.scan = 'clean' and f.os = h.os and f.arch = h.arch)
      order by earlier.position desc
      limit 1) last
    where h.game_uid = ${game_uid}`
}

/**
 * The build that a rollback of the channel gives to a platform. It takes back the newest release,
 * so a platform that has an older one stays, as does one that had no build before.
 */
export const rollbackTarget = (
  { newest }: ChannelHeads,
  head: HeadRow,
  previous_builds: readonly PreviousBuild[],
): Release | undefined =>
  head.version === newest.version
    ? previous_builds.find(
        ({ app, channel, os, arch }) =>
          app === head.app && channel === head.channel && os === head.os && arch === head.arch,
      )
    : undefined

/**
 * Takes back the newest release of a channel on each platform that has it and had another before.
 * Returns false if there was nothing to go back to. The channels must be locked.
 */
export async function rollBack(
  tx: Tx,
  { game_uid, app, channel }: ChannelKey,
  by_user: string,
): Promise<boolean> {
  const current = groupByChannel(await readHeads(tx, game_uid)).find(
    (group) => group.app === app && group.channel === channel,
  )
  if (!current) return false
  const previous_builds = await readPreviousBuilds(tx, game_uid)
  let moved = false
  for (const head of current.heads) {
    const build = rollbackTarget(current, head, previous_builds)
    if (!build) continue
    const { os, arch, uid, previous } = head
    const key = { game_uid, app, channel, os, arch }
    await setHead(tx, key, build.uid, previous.slice(0, previous.lastIndexOf(build.uid)))
    await recordEvent(tx, key, {
      event: 'rollback',
      build_uid: build.uid,
      version: build.version,
      from_build_uid: uid,
      by_user,
    })
    moved = true
  }
  return moved
}

/**
 * Called before a build is deleted: moves heads that point at it back to the build before it, if
 * there is one. The channels must be locked.
 */
export async function moveHeadsOffBuild(
  tx: Tx,
  game_uid: string,
  build_uid: string,
  by_user: string,
): Promise<void> {
  const heads = await readHeads(tx, game_uid)
  for (const head of heads.filter(({ uid }) => uid === build_uid)) {
    const { app, channel, os, arch } = head
    const key = { game_uid, app, channel, os, arch }
    const previous = head.previous.filter((uid) => uid !== build_uid)
    const build = await findLastUsable(tx, previous, key)
    if (build) await setHead(tx, key, build.uid, previous.slice(0, previous.lastIndexOf(build.uid)))
    await recordEvent(tx, key, {
      event: 'delete',
      build_uid: build?.uid ?? null,
      version: build?.version ?? null,
      from_build_uid: build_uid,
      by_user,
    })
  }
}

export type EventRow = {
  app: string
  channel: string
  os: string
  arch: string
  event: string
  build_uid: string | null
  version: string | null
  from_build_uid: string | null
  by_username: string | null
  percent: number | null
  at: Date
}

/** The last events of each channel, newest first. */
export async function readHistory(sql: Sql, game_uid: string, max: number): Promise<EventRow[]> {
  return sql<EventRow[]>`
    select app, channel, os, arch, event, build_uid, version, from_build_uid, by_username, percent,
      at
    from (
      select h.app, h.channel, h.os, h.arch, h.event, h.build_uid, h.version, h.from_build_uid,
        u.username as by_username, h.percent, h.at, h.seq,
        row_number() over (partition by h.app, h.channel order by h.seq desc) as nth
      from channel_history h
      left join users u on u.uid = h.by_user
      where h.game_uid = ${game_uid}) ranked
    where nth <= ${max}
    order by seq desc`
}

/** Records, once each, that the time of promoted channels has passed; mods show that, too. */
export async function markEndedChannels(tx: Tx): Promise<void> {
  await tx`
    with ended as (
      update channels set ended = true
      where expires_at <= now() and not ended
      returning game_uid)
    select touch_mods_of(game_uid)
    from (select distinct game_uid from ended) games`
}
