import type { Tx } from '../../core/database/sql.ts'
import { retention } from '../../core/runtime/retention.ts'

export async function sweepChanges(tx: Tx): Promise<void> {
  await tx`
    delete from listing_changes
    where at < now() - ${retention.listing_change_days} * interval '1 day'`
}

/** Replaces the changes of each listing with more than `max_changes` of them by a new one. */
export async function joinChanges(tx: Tx, max_changes: number): Promise<void> {
  await tx`
    with crowded as (
      select game_uid
      from listing_changes
      group by game_uid
      having count(*) > ${max_changes}
    ),
    gone as (
      delete from listing_changes c
      using crowded
      where c.game_uid = crowded.game_uid
    )
    insert into listing_changes (game_uid)
    select game_uid
    from crowded`
}
