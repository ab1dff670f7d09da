import type { Tx } from '../../core/database/sql.ts'
import type { VersionedBuild } from './build-order.ts'
import {
  findLastUsable,
  type HeadKey,
  movesHead,
  readHead,
  readHeads,
  readStack,
  recordEvent,
  setHead,
} from './queries.ts'
import { unstage } from './staged-queries.ts'

/**
 * Called after the files of a build were withdrawn: moves heads that point at it back to the last
 * usable build before it. Where there is none, the channel has no build. The channels must be
 * locked.
 */
export async function withdrawHeads(
  tx: Tx,
  game_uid: string,
  build_uid: string,
  by_user: string | null,
): Promise<void> {
  await unstage(tx, { game_uid, build_uid }, {}, by_user)
  const heads = await readHeads(tx, game_uid)
  for (const head of heads.filter(({ uid }) => uid === build_uid)) {
    const { app, channel, os, arch } = head
    const key = { game_uid, app, channel, os, arch }
    const stack = (await readStack(tx, key)) ?? [...head.previous, head.uid]
    const build = await findLastUsable(tx, stack.slice(0, stack.lastIndexOf(build_uid)), key)
    if (build) await setHead(tx, key, build.uid, stack.slice(0, stack.lastIndexOf(build.uid)))
    else await deleteHead(tx, key)
    await recordEvent(tx, key, {
      event: 'withdraw',
      build_uid: build?.uid ?? null,
      version: build?.version ?? null,
      from_build_uid: build_uid,
      by_user,
      stack,
    })
  }
}

async function deleteHead(tx: Tx, { game_uid, app, channel, os, arch }: HeadKey): Promise<void> {
  await tx`
    delete from channel_heads
    where game_uid = ${game_uid} and app = ${app} and channel = ${channel}
      and os = ${os} and arch = ${arch}`
}

/**
 * Called after the files of a withdrawn build were restored: heads that withdrawals moved return to
 * it, unless something else has moved them since or they returned to a later build. The channels
 * must be locked.
 */
export async function restoreHeads(
  tx: Tx,
  game_uid: string,
  build: VersionedBuild,
  by_user: string | null,
): Promise<void> {
  const last_events = await tx<(Omit<HeadKey, 'game_uid'> & { stack: string[] | null })[]>`
    select distinct on (app, channel, os, arch) app, channel, os, arch, stack
    from channel_history
    where game_uid = ${game_uid} and ${movesHead(tx)}
    order by app, channel, os, arch, seq desc`
  for (const { stack, ...platform } of last_events) {
    const position = stack?.lastIndexOf(build.uid) ?? -1
    if (!stack || position < 0) continue
    const key = { game_uid, ...platform }
    const head = await readHead(tx, key)
    if (head && stack.lastIndexOf(head.uid) >= position) continue
    if (!(await findLastUsable(tx, [build.uid], key))) continue
    await setHead(tx, key, build.uid, stack.slice(0, position))
    await recordEvent(tx, key, {
      event: 'restore',
      build_uid: build.uid,
      version: build.version,
      from_build_uid: head?.uid ?? null,
      by_user,
      stack,
    })
  }
}
