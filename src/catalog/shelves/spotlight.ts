import type { Core } from '../../core/runtime/core.ts'
import { sha256 } from '../../core/security/crypto.ts'
import type { CardRow } from '../cards/queries.ts'
import { dateOf } from './daily-order.ts'
import { findNewest, findPopular, readShelf } from './queries.ts'
import { spotlightRule } from './shelf-rules.ts'
import type { RuleQuery } from './shelves.ts'

/** So many listings take turns. */
const SPOTLIGHT_SIZE = 7

/** Why a listing is shown large: its downloads, or in a store without any, its age. */
export type SpotlightReason = 'popular' | 'new'
export type Spotlight = { reason: SpotlightReason; rows: CardRow[] }

/**
 * The seven most popular games of the last 30 days that have a cover and do not fail to start, in
 * the order of the day. A store without downloads has its newest games instead.
 */
export async function loadSpotlight(core: Core, now: Date): Promise<Spotlight> {
  const query: RuleQuery = {
    rule: spotlightRule,
    os: null,
    now,
    house_engine: core.config.house_engine,
  }
  const popular = await core.read((sql) => findPopular(sql, query, SPOTLIGHT_SIZE))
  const reason = popular.length ? 'popular' : 'new'
  const rows = await core.read(async (sql) => {
    const uids = popular.length ? popular : await findNewest(sql, query, SPOTLIGHT_SIZE)
    return readShelf(sql, query, uids, SPOTLIGHT_SIZE)
  })
  const date = dateOf(now)
  const position = ({ uid }: CardRow) => sha256(`${date} ${uid}`).toString('hex')
  return { reason, rows: rows.toSorted((a, b) => (position(a) < position(b) ? -1 : 1)) }
}
