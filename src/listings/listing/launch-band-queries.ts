import type { Sql, Tx } from '../../core/database/sql.ts'
import { UNRATED } from '../fields/launch-bands.ts'

/** The launch-health band of a listing `l`, which is that of its newest stable build. */
export const launchBandOf = (sql: Sql | Tx) =>
  sql`coalesce((select h.band from listing_health h where h.game_uid = l.uid), ${UNRATED})`
