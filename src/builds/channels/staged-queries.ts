import type { Sql, Tx } from '../../core/database/sql.ts'
import { compareBuilds, type VersionedBuild } from './build-order.ts'
import {
  advanceHead,
  buildsBefore,
  type ChannelKey,
  type HeadKey,
  type Release,
  readHead,
  recordEvent,
  setHead,
} from './queries.ts'

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

type Place = { app: string; channel: string; os: string; arch: string }
export const isSamePlace = (a: Place, b: Place) =>
  a.app === b.app && a.channel === b.channel && a.os === b.os && a.arch === b.arch

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
    await saveStaged(tx, key, uid, percent)
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

async function saveStaged(tx: Tx, key: HeadKey, build_uid: string, percent: number) {
  await tx`
    insert into staged_releases ${tx({ ...key, build_uid, percent })}
    on conflict (game_uid, app, channel, os, arch) do update set
      build_uid = excluded.build_uid, percent = excluded.percent, staged_at = now()`
}

async function readStagedBuild(
  tx: Tx,
  { game_uid, app, channel, os, arch }: HeadKey,
): Promise<VersionedBuild | undefined> {
  const [build] = await tx<VersionedBuild[]>`
    select b.uid, b.version, b.created_at
    from staged_releases s
    join builds b on b.uid = s.build_uid
    where s.game_uid = ${game_uid} and s.app = ${app} and s.channel = ${channel}
      and s.os = ${os} and s.arch = ${arch}`
  return build
}

/** A file, and the part of the devices that it was uploaded for; null for all. */
export type ReleasedFile = { file_uid: string; release_percent: number | null }

/**
 * Called when a file has passed its scan: moves the head to its build, or stages the build, if it
 * is newer than what the channel has. What cannot be staged, because there is no head any more, is
 * not released: a person decides. The channels must be locked.
 */
export async function releaseFile(
  tx: Tx,
  key: HeadKey,
  build: VersionedBuild,
  { file_uid, release_percent }: ReleasedFile,
): Promise<void> {
  const percent = release_percent ?? 100
  if (percent === 100) {
    await advanceHead(tx, key, build, file_uid)
    return
  }
  const head = await readHead(tx, key)
  if (!head || compareBuilds(build, head) <= 0) return
  const staged = await readStagedBuild(tx, key)
  if (staged && compareBuilds(build, staged) < 0) return
  await saveStaged(tx, key, build.uid, percent)
  await recordEvent(tx, key, {
    event: 'stage',
    build_uid: build.uid,
    version: build.version,
    from_build_uid: head.uid,
    file_uid,
    percent,
  })
}

/**
 * Called when a clean file was uploaded again for another part of the devices: stages its build, or
 * releases it to all if it is staged. The channels must be locked.
 */
export async function releaseFileAgain(
  tx: Tx,
  key: HeadKey,
  build: VersionedBuild,
  file: ReleasedFile & { release_percent: number; by_user: string | null },
): Promise<void> {
  if (file.release_percent < 100) return releaseFile(tx, key, build, file)
  const staged = await readStagedBuild(tx, key)
  if (staged?.uid !== build.uid) return
  const head = await readHead(tx, key)
  await setHead(tx, key, build.uid, await buildsBefore(tx, key, head, build.uid))
  await recordEvent(tx, key, {
    event: 'promote',
    build_uid: build.uid,
    version: build.version,
    from_build_uid: head?.uid ?? null,
    by_user: file.by_user,
  })
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
