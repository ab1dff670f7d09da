import type { Sql } from '../../core/database/sql.ts'
import { purgeTime } from '../../listings/deleted/queries.ts'
import type { Target } from './queries.ts'
import {
  buildStates,
  fileStates,
  inheritedStates,
  type ListingTimes,
  listingStates,
  personStates,
  removableStates,
  type StateName,
  type SuspensionRow,
  type TargetState,
} from './states.ts'

export const listingTimes = (sql: Sql) => sql`
  l.visibility, l.deleted_at, ${purgeTime(sql)} as purge_at, l.taken_down_at, l.hidden_at`

async function readListingTimes(sql: Sql, uid: string): Promise<ListingTimes | undefined> {
  const [row] = await sql<ListingTimes[]>`
    select ${listingTimes(sql)}
    from all_listings l
    where l.uid = ${uid}`
  return row
}

type Removable = { removed_at: Date | null; is_shown: boolean }

const removables = {
  review: (sql: Sql, { id }: Target) => sql<Removable[]>`
    select removed_at, true as is_shown
    from all_reviews
    where uid = ${id}`,
  community_tag: (sql: Sql, { game_uid, name }: Target) => sql<Removable[]>`
    select c.removed_at, exists (
      select
      from shown_community_tags s
      where s.game_uid = c.game_uid and s.tag = c.tag) as is_shown
    from community_tags c
    where c.game_uid = ${game_uid} and c.tag = ${name}`,
  image: (sql: Sql, { id }: Target) => sql<Removable[]>`
    select max(removed_at) as removed_at, true as is_shown
    from removed_images
    where uid = ${id}`,
}

/** The states of a target itself, without those of its listing. */
async function readOwnStates(sql: Sql, target: Target): Promise<TargetState[]> {
  const { type, id } = target
  switch (type) {
    case 'listing': {
      const times = await readListingTimes(sql, id)
      return times ? listingStates(times) : []
    }
    case 'file': {
      const rows = await sql<{ scan: StateName }[]>`select scan from files where uid = ${id}`
      return rows.flatMap(fileStates)
    }
    case 'build': {
      const rows = await sql<{ quarantined_at: Date | null; withdrawn_at: Date | null }[]>`
        select quarantined_at, withdrawn_at from builds where uid = ${id}`
      return rows.flatMap(buildStates)
    }
    case 'person': {
      const rows = await sql<SuspensionRow[]>`
        select suspension, suspended_until from users where uid = ${id}`
      return rows.flatMap((row) => personStates(row, new Date()))
    }
    case 'bug_message':
      return []
    default:
      return (await removables[type](sql, target)).flatMap(removableStates)
  }
}

/** What a target is at the moment, also because of the listing that it belongs to. */
export async function readTargetStates(sql: Sql, target: Target): Promise<TargetState[]> {
  const { type, game_uid } = target
  const [own, listing] = await Promise.all([
    readOwnStates(sql, target),
    type !== 'listing' && game_uid ? readListingTimes(sql, game_uid) : undefined,
  ])
  return [...own, ...inheritedStates(listing)]
}
