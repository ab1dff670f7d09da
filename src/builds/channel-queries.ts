import type { Sql, Tx } from '../core/db.ts'
import { compareBuilds, type Ordered } from './channels.ts'

const MOST_PREVIOUS = 50

export type Spot = { game_uid: string; app: string; channel: string; os: string; arch: string }
type Head = Ordered & { previous: string[] }

/** Every change of channels holds the listing's row, so that of two moves each sees what the other left. */
export async function lockGame(tx: Tx, game_uid: string): Promise<void> {
  await tx`select from listings where uid = ${game_uid} for update`
}

/** A file passed its scan: the channel moves to its build, if that is newer than what it points at. The game must be locked. */
export async function moveHeadForward(tx: Tx, spot: Spot, build: Ordered, file_uid: string): Promise<boolean> {
  const head = await readHead(tx, spot)
  if (head && compareBuilds(build, head) <= 0) return false
  await setHead(tx, spot, build.uid, head ? [...head.previous, head.uid] : [])
  await tell(tx, spot, { event: 'upload', build_uid: build.uid, version: build.version, from_build_uid: head?.uid ?? null, file_uid })
  return true
}

async function readHead(tx: Tx, { game_uid, app, channel, os, arch }: Spot): Promise<Head | undefined> {
  const [head] = await tx<Head[]>`
    select b.uid, b.version, b.created_at, h.previous from channel_heads h join builds b on b.uid = h.build_uid
    where h.game_uid = ${game_uid} and h.app = ${app} and h.channel = ${channel} and h.os = ${os} and h.arch = ${arch}`
  return head
}

async function setHead(tx: Tx, spot: Spot, build_uid: string, previous: string[]): Promise<void> {
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

async function tell(tx: Tx, spot: Spot, told: Told): Promise<void> {
  await tx`insert into channel_history ${tx({ ...spot, ...told })}`
}

/** What each channel of each app points at now: the newest of its heads. */
export async function readChannels(
  sql: Sql,
  game_uid: string,
): Promise<{ channel: string; app: string; build_id: string; version: string }[]> {
  const heads = await sql<(Ordered & { channel: string; app: string })[]>`
    select h.channel, h.app, b.uid, b.version, b.created_at from channel_heads h join builds b on b.uid = h.build_uid
    where h.game_uid = ${game_uid} order by h.app, h.channel`
  return [...Map.groupBy(heads, ({ app, channel }) => `${app} ${channel}`).values()].map((group) => {
    const { uid: build_id, channel, app, version } = group.toSorted(compareBuilds).at(-1)!
    return { channel, app, build_id, version }
  })
}
