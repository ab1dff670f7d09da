import type { Sql } from '../../core/database/sql.ts'
import { groupByChannel, type HeadRow, readHeads } from './queries.ts'
import { isSamePlace, readStaged, type StagedRelease } from './staged-queries.ts'

type BuildRef = { build_id: string; version: string }
type HeadState = BuildRef & {
  os: string
  arch: string
  staged: (BuildRef & { percent: number }) | null
}
export type ChannelState = BuildRef & {
  channel: string
  app: string
  expired: boolean
  heads: HeadState[]
}

const buildOf = ({ uid: build_id, version }: HeadRow) => ({ build_id, version })
const stagedOf = ({ build_uid: build_id, version, percent }: StagedRelease) => ({
  build_id,
  version,
  percent,
})

/**
 * Each channel of each app: its newest build, the build that it has on each platform, and the one
 * that it stages there.
 */
export async function readChannels(sql: Sql, game_uid: string): Promise<ChannelState[]> {
  const [all_heads, all_staged] = await Promise.all([
    readHeads(sql, game_uid),
    readStaged(sql, game_uid),
  ])
  return groupByChannel(all_heads).map(({ channel, app, newest, heads }) => ({
    channel,
    app,
    ...buildOf(newest),
    expired: newest.expired,
    heads: heads.map((head) => {
      const staged = all_staged.find((release) => isSamePlace(release, head))
      const { os, arch } = head
      return { os, arch, ...buildOf(head), staged: staged ? stagedOf(staged) : null }
    }),
  }))
}
