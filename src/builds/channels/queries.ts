import type { Sql, Tx } from '../../core/database/sql.ts'
import { compareBuilds, type VersionedBuild } from './build-order.ts'

const MOST_PREVIOUS = 50

export type HeadKey = { game_uid: string; app: string; channel: string; os: string; arch: string }
type Head = VersionedBuild & { previous: string[] }

/** Every change of channels holds the listing's row, so that of two moves each sees what the other left. */
export async function lockChannels(tx: Tx, game_uid: string): Promise<void> {
  await tx`select from listings where uid = ${game_uid} for no key update`
}

/** A file passed its scan: the channel moves to its build, if that is newer than what it points at. The game must be locked. */
export async function advanceHead(
  tx: Tx,
  spot: HeadKey,
  build: VersionedBuild,
  file_uid: string,
): Promise<boolean> {
  const head = await readHead(tx, spot)
  if (head && compareBuilds(build, head) <= 0) return false
  await setHead(tx, spot, build.uid, head ? [...head.previous, head.uid] : [])
  await tell(tx, spot, {
    event: 'upload',
    build_uid: build.uid,
    version: build.version,
    from_build_uid: head?.uid ?? null,
    file_uid,
  })
  return true
}

async function readHead(
  tx: Tx,
  { game_uid, app, channel, os, arch }: HeadKey,
): Promise<Head | undefined> {
  const [head] = await tx<Head[]>`
    select b.uid, b.version, b.created_at, h.previous from channel_heads h join builds b on b.uid = h.build_uid
    where h.game_uid = ${game_uid} and h.app = ${app} and h.channel = ${channel} and h.os = ${os} and h.arch = ${arch}`
  return head
}

async function setHead(
  tx: Tx,
  spot: HeadKey,
  build_uid: string,
  previous: string[],
): Promise<void> {
  const kept = previous.slice(-MOST_PREVIOUS)
  await tx`insert into channels (game_uid, app, channel) values (${spot.game_uid}, ${spot.app}, ${spot.channel}) on conflict do nothing`
  await tx`
    insert into channel_heads ${tx({ ...spot, build_uid, previous: kept })} on conflict (game_uid, app, channel, os, arch)
    do update set build_uid = excluded.build_uid, previous = excluded.previous, moved_at = now()`
}

type Told = {
  event: 'upload' | 'promote' | 'rollback' | 'delete'
  build_uid: string | null
  version: string | null
  from_build_uid: string | null
  file_uid?: string
  by_user?: string
}

async function tell(tx: Tx, spot: HeadKey, told: Told): Promise<void> {
  await tx`insert into channel_history ${tx({ ...spot, ...told })}`
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
    select h.app, h.channel, h.os, h.arch, h.previous, h.moved_at, b.uid, b.version, b.created_at, c.expires_at,
      coalesce(c.expires_at <= now(), false) as expired
    from channel_heads h join builds b on b.uid = h.build_uid
      left join channels c on c.game_uid = h.game_uid and c.app = h.app and c.channel = h.channel
    where h.game_uid = ${game_uid} order by h.app, h.channel, h.os, h.arch`
}

/** What each channel of each app points at now: the newest of its heads. */
export async function readChannels(
  sql: Sql,
  game_uid: string,
): Promise<{ channel: string; app: string; build_id: string; version: string }[]> {
  return channelsOf(await readHeads(sql, game_uid)).map(({ channel, app, pointed }) => ({
    channel,
    app,
    build_id: pointed.uid,
    version: pointed.version,
  }))
}

export function channelsOf(
  heads: readonly HeadRow[],
): { app: string; channel: string; pointed: HeadRow; heads: HeadRow[] }[] {
  return [...Map.groupBy(heads, ({ app, channel }) => `${app} ${channel}`).values()].map(
    (group) => {
      const pointed = group.toSorted(compareBuilds).at(-1)!
      return { app: pointed.app, channel: pointed.channel, pointed, heads: group }
    },
  )
}

export type Platforms = { os: string; arch: string }[]

export async function cleanPlatforms(tx: Sql | Tx, build_uid: string): Promise<Platforms> {
  return tx<Platforms>`select distinct os, arch from files where build_uid = ${build_uid} and scan = 'clean' order by os, arch`
}

/** Points a channel at a build by hand, on every platform it has a clean file for. The game must be locked. */
export async function promote(
  tx: Tx,
  { game_uid, app, channel }: Omit<HeadKey, 'os' | 'arch'>,
  build: VersionedBuild,
  platforms: Platforms,
  { hours, by_user }: { hours: number; by_user: string },
): Promise<void> {
  for (const { os, arch } of platforms) {
    const spot = { game_uid, app, channel, os, arch }
    const head = await readHead(tx, spot)
    if (head?.uid !== build.uid)
      await setHead(tx, spot, build.uid, head ? [...head.previous, head.uid] : [])
    await tell(tx, spot, {
      event: 'promote',
      build_uid: build.uid,
      version: build.version,
      from_build_uid: head?.uid ?? null,
      by_user,
    })
  }
  await tx`
    update channels set ended = false, expires_at = case when ${hours} > 0 then now() + ${hours} * interval '1 hour' end
    where game_uid = ${game_uid} and app = ${app} and channel = ${channel}`
}

/** The newest of these builds, in the order given, that still has a clean file for the platform. */
async function lastUsable(
  tx: Tx,
  uids: string[],
  { os, arch }: HeadKey,
): Promise<VersionedBuild | undefined> {
  const usable = await tx<VersionedBuild[]>`
    select b.uid, b.version, b.created_at from builds b where b.uid = any(${uids}::uuid[])
      and exists (select from files f where f.build_uid = b.uid and f.scan = 'clean' and f.os = ${os} and f.arch = ${arch})`
  const byUid = new Map(usable.map((build) => [build.uid, build]))
  return uids.toReversed().flatMap((uid) => byUid.get(uid) ?? [])[0]
}

/**
 * Takes the release a channel points at back, on each platform it is out on and that had another before. False when there was nothing to
 * go back to. The game must be locked.
 */
export async function rollBack(
  tx: Tx,
  game_uid: string,
  app: string,
  channel: string,
  by_user: string,
): Promise<boolean> {
  const found = channelsOf(await readHeads(tx, game_uid)).find(
    (one) => one.app === app && one.channel === channel,
  )
  let moved = false
  for (const head of found?.heads.filter(({ version }) => version === found.pointed.version) ??
    []) {
    const spot = { game_uid, app, channel, os: head.os, arch: head.arch }
    const before = await lastUsable(tx, head.previous, spot)
    if (!before) continue
    await setHead(
      tx,
      spot,
      before.uid,
      head.previous.slice(0, head.previous.lastIndexOf(before.uid)),
    )
    await tell(tx, spot, {
      event: 'rollback',
      build_uid: before.uid,
      version: before.version,
      from_build_uid: head.uid,
      by_user,
    })
    moved = true
  }
  return moved
}

/** Before a build goes: channels that point at it go back to what they pointed at before, or to nothing. The game must be locked. */
export async function moveHeadsOffBuild(
  tx: Tx,
  game_uid: string,
  build_uid: string,
  by_user: string,
): Promise<void> {
  for (const head of (await readHeads(tx, game_uid)).filter(({ uid }) => uid === build_uid)) {
    const { app, channel, os, arch } = head
    const spot = { game_uid, app, channel, os, arch }
    const kept = head.previous.filter((uid) => uid !== build_uid)
    const before = await lastUsable(tx, kept, spot)
    if (before) await setHead(tx, spot, before.uid, kept.slice(0, kept.lastIndexOf(before.uid)))
    await tell(tx, spot, {
      event: 'delete',
      build_uid: before?.uid ?? null,
      version: before?.version ?? null,
      from_build_uid: build_uid,
      by_user,
    })
  }
}

export type Event = {
  app: string
  channel: string
  os: string
  arch: string
  event: string
  build_uid: string | null
  version: string | null
  from_build_uid: string | null
  by_username: string | null
  at: Date
}

/** The last events of every channel, newest first. */
export async function readHistory(sql: Sql, game_uid: string, most: number): Promise<Event[]> {
  return sql<Event[]>`
    select * from (
      select h.app, h.channel, h.os, h.arch, h.event, h.build_uid, h.version, h.from_build_uid, u.username as by_username, h.at, h.seq,
        row_number() over (partition by h.app, h.channel order by h.seq desc) as nth
      from channel_history h left join users u on u.uid = h.by_user where h.game_uid = ${game_uid}) ranked
    where nth <= ${most} order by seq desc`
}

/** Notes that the time of channels is over, once each. */
export async function endChannels(tx: Tx): Promise<void> {
  await tx`update channels set ended = true where expires_at <= now() and not ended`
}

export async function countBetaPlayers(sql: Sql, game_uid: string): Promise<number> {
  const [row] =
    await sql`select count(*)::int as players from player_channels where game_uid = ${game_uid}`
  return row!.players
}

/** On the beta, or back on stable. */
export async function choosePlayerChannel(
  sql: Sql,
  user_uid: string,
  game_uid: string,
  channel: 'stable' | 'beta',
): Promise<void> {
  if (channel === 'stable')
    await sql`delete from player_channels where user_uid = ${user_uid} and game_uid = ${game_uid}`
  else
    await sql`insert into player_channels ${sql({ user_uid, game_uid, channel })} on conflict do nothing`
}

export type Sku = { uid: string; slug: string; name: string; price_cents: number }

/** The editions that sell the beta, where it is sold and this person has not bought it; none where they may join. */
export async function betaSkus(sql: Sql, game_uid: string, user_uid: string): Promise<Sku[]> {
  return sql<Sku[]>`
    select uid, slug, name, price_cents from editions where game_uid = ${game_uid} and active and kind = 'beta_access'
      and not exists (select from licences o where o.game_uid = ${game_uid} and o.user_uid = ${user_uid} and o.edition_kind = 'beta_access')
    order by price_cents, uid`
}
