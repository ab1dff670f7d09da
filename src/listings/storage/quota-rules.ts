import { MIB } from '../../core/runtime/units.ts'
import type { StoreSettings } from '../../core/settings/table.ts'

/** The kinds of stored files, and who sends them. An open upload counts with its full size. */
export const storageKinds = {
  builds: 'developers',
  uploads: 'developers',
  symbols: 'developers',
  images: 'developers',
  videos: 'developers',
  patches: 'developers',
  crashes: 'players',
  bug_reports: 'players',
  saves: 'players',
} as const
export type StorageKind = keyof typeof storageKinds
/**
 * Players send crash dumps, logs, screenshots and saves without an account of the developer. They have a
 * share of each quota, so that they cannot use up what the builds need.
 */
export type Sender = (typeof storageKinds)[StorageKind]

export const kindsOf = (sender: Sender): StorageKind[] =>
  (Object.keys(storageKinds) as StorageKind[]).filter((kind) => storageKinds[kind] === sender)

export const quotaLevels = ['listing', 'account', 'service'] as const
export type QuotaLevel = (typeof quotaLevels)[number]

/** What is used at a level, and its quota; null is without a limit. */
export type LevelUse = { used: Record<Sender, number>; quota: number | null }
export type StorageLevels = Partial<Record<QuotaLevel, LevelUse>>

/** The quotas of the settings, in bytes; null is without a limit. */
export function defaultQuotas({
  listing_quota_mib,
  account_quota_mib,
  service_quota_mib,
}: StoreSettings): Record<QuotaLevel, number | null> {
  const bytes = (mib: number) => (mib === 0 ? null : mib * MIB)
  return {
    listing: bytes(listing_quota_mib),
    account: bytes(account_quota_mib),
    service: bytes(service_quota_mib),
  }
}

/** The part of a quota that is for the files of developers, or of players. */
export function shareOf(quota: number, sender: Sender, player_percent: number): number {
  const for_players = Math.floor((quota * player_percent) / 100)
  return sender === 'players' ? for_players : quota - for_players
}

export type NewFiles = { sender: Sender; bytes: number }
export type ExceededQuota = { level: QuotaLevel; used: number; limit: number }

/** The first level whose quota the new files would exceed; undefined if they fit. */
export function exceededQuota(
  levels: StorageLevels,
  { sender, bytes }: NewFiles,
  player_percent: number,
): ExceededQuota | undefined {
  // Whoever stores more than a lowered quota can still change what adds nothing.
  if (bytes <= 0) return undefined
  for (const level of quotaLevels) {
    const { used, quota = null } = levels[level] ?? {}
    if (!used || quota === null) continue
    const limit = shareOf(quota, sender, player_percent)
    if (used[sender] + bytes > limit) return { level, used: used[sender], limit }
  }
  return undefined
}

/** From here on the dashboard warns. */
export const WARNING_SHARE = 0.8

export const isNearlyFull = (used: number, limit: number | null): boolean =>
  limit !== null && used >= limit * WARNING_SHARE
