import type { Sql, Tx } from '../../core/database/sql.ts'
import { type LaunchBand, UNRATED } from '../fields/launch-bands.ts'
import { newestStableBuild } from './newest-build-queries.ts'

/** The launch-health band of a listing `l`, which is that of its newest stable build. */
export const launchBandOf = (sql: Sql | Tx) => sql`
  coalesce((
    select h.band
    from build_health h
    where h.build_uid = ${newestStableBuild(sql, sql`l.uid`)}
  ), ${UNRATED})`

/** The band that the public sees. */
export async function readLaunchBand(sql: Sql, uid: string): Promise<LaunchBand> {
  const [row] = await sql<{ band: LaunchBand }[]>`
    select ${launchBandOf(sql)} as band
    from listings l
    where l.uid = ${uid}`
  return row?.band ?? UNRATED
}
