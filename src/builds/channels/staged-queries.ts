import type { Sql, Tx } from '../../core/database/sql.ts'
import { type ChannelKey, type HeadKey, type Release, readHead, recordEvent } from './queries.ts'

/** A build that a channel delivers to a part of the devices on one platform. */
export type StagedRelease = {
  app: string
  channel: string
  os: string
  arch: string
  build_uid: string
  version: string
  percent: number
  staged_at: Date
}

/** What is staged on the channels of a game; nothing that players cannot have by now. */
export async function readStaged(sql: Sql | Tx, game_uid: string): Promise<StagedRelease[]> {
  return sql<StagedRelease[]>`
    select s.app, s.channel, s.os, s.arch, s.build_uid, b.version, s.percent, s.staged_at
    from staged_releases s
    join builds b on b.uid = s.build_uid
    where s.game_uid = ${game_uid}
      and exists (
        select from files f
        where f.build_uid = s.build_uid and f.os = s.os and f.arch = s.arch
          and f.scan = 'clean'
      )
    order by s.app, s.channel, s.os, s.arch`
}

type Staging = { percent: number; by_user: string }

/**
 * Delivers the build of each of these platforms to a part of the devices, beside the head. Platforms
 * whose channel has no head, or that build as its head, stay. Returns how many changed. The channels
 * must be locked.
 */
export async function stage(
  tx: Tx,
  { game_uid, app, channel }: ChannelKey,
  releases: readonly Release[],
  { percent, by_user }: Staging,
): Promise<number> {
  let changed = 0
  for (const { os, arch, uid, version } of releases) {
    const key = { game_uid, app, channel, os, arch }
    const head = await readHead(tx, key)
    if (!head || head.uid === uid) continue
    await tx`
      insert into staged_releases ${tx({ ...key, build_uid: uid, percent })}
      on conflict (game_uid, app, channel, os, arch) do update set
        build_uid = excluded.build_uid, percent = excluded.percent, staged_at = now()`
    await recordEvent(tx, key, {
      event: 'stage',
      build_uid: uid,
      version,
      from_build_uid: head.uid,
      by_user,
      percent,
    })
    changed++
  }
  return changed
}

/** Takes a staged build back from the devices that have it. Returns from how many platforms. */
export async function unstage(
  tx: Tx,
  { game_uid, build_uid }: { game_uid: string; build_uid: string },
  place: { app?: string; channel?: string },
  by_user: string | null,
): Promise<number> {
  const { app = null, channel = null } = place
  const ended = await tx<(HeadKey & { version: string })[]>`
    delete from staged_releases s
    using builds b
    where s.game_uid = ${game_uid} and s.build_uid = ${build_uid} and b.uid = s.build_uid
      and (${app}::text is null or s.app = ${app})
      and (${channel}::text is null or s.channel = ${channel})
    returning s.game_uid, s.app, s.channel, s.os, s.arch, b.version`
  for (const { version, ...key } of ended)
    await recordEvent(tx, key, {
      event: 'unstage',
      build_uid,
      version,
      from_build_uid: build_uid,
      by_user,
      percent: 0,
    })
  return ended.length
}
