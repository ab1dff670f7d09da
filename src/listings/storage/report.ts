import type { Sql } from '../../core/database/sql.ts'
import type { Core } from '../../core/runtime/core.ts'
import { readAccountUse, readKinds, readManyUses } from './queries.ts'
import { readStorageLevels } from './quota.ts'
import { defaultQuotas, isNearlyFull, type LevelUse, type Sender, shareOf } from './quota-rules.ts'

type Part = { used_bytes: number; limit_bytes: number | null }
type Parts = Record<Sender, Part>

function partsOf({ settings }: Core, { used, quota }: LevelUse): Parts {
  const { player_files_percent } = settings.current
  const part = (sender: Sender) => ({
    used_bytes: used[sender],
    limit_bytes: quota === null ? null : shareOf(quota, sender, player_files_percent),
  })
  return { developers: part('developers'), players: part('players') }
}

const hasWarning = (...levels: Parts[]): boolean =>
  levels
    .flatMap(({ developers, players }) => [developers, players])
    .some(({ used_bytes, limit_bytes }) => isNearlyFull(used_bytes, limit_bytes))

const nothing: LevelUse = { used: { developers: 0, players: 0 }, quota: null }

/** What a listing stores and may store, for those who run it. */
export async function readStorage(core: Core, sql: Sql, game_uid: string) {
  const [kinds, levels] = await Promise.all([
    readKinds(sql, { game_uid }),
    readStorageLevels(core, sql, game_uid),
  ])
  const listing = partsOf(core, levels.listing ?? nothing)
  const account = partsOf(core, levels.account ?? nothing)
  const { contact } = core.settings.current
  return { kinds, ...listing, account, warning: hasWarning(listing, account), contact }
}

/** What all listings of a person store and may store. */
export async function readOwnStorage(core: Core, sql: Sql, owner_uid: string) {
  const [kinds, { used, quota, is_exception }] = await Promise.all([
    readKinds(sql, { owner_uid }),
    readAccountUse(sql, owner_uid),
  ])
  const fallback = defaultQuotas(core.settings.current).account
  const parts = partsOf(core, { used, quota: is_exception ? quota : fallback })
  return { kinds, ...parts, warning: hasWarning(parts), contact: core.settings.current.contact }
}

/** Those of the listings that use 80 % of their own quota. */
export async function findNearlyFull(core: Core, uids: readonly string[]): Promise<Set<string>> {
  const fallback = defaultQuotas(core.settings.current).listing
  const uses = await readManyUses(core.sql, uids)
  const full = uses.filter(({ used, quota, is_exception }) =>
    hasWarning(partsOf(core, { used, quota: is_exception ? quota : fallback })),
  )
  return new Set(full.map(({ uid }) => uid))
}
