import type { Sql, Tx } from '../../core/database/sql.ts'
import { retention } from '../../core/runtime/retention.ts'
import { whereReleased } from './visibility-queries.ts'

/** More changes of address than this forget the oldest, so that nobody reserves names in bulk. */
const MAX_FORMER_NAMES = 10

/** Whether a name led to another listing within the retention time. */
export async function isFormerName(
  sql: Sql | Tx,
  name: string,
  listing_uid: string | null,
): Promise<boolean> {
  const rows = await sql`
    select
    from former_names f
    where f.name = ${name}
      and f.listing_uid is distinct from ${listing_uid}
      and ${isKept(sql)}`
  return rows.length > 0
}

/** Records the change of a published listing's name. */
export async function keepFormerName(
  tx: Tx,
  listing_uid: string,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await tx`delete from former_names where name = ${to}`
  await tx`
    insert into former_names (name, listing_uid)
    values (${from}, ${listing_uid})
    on conflict (name) do update
    set listing_uid = excluded.listing_uid, changed_at = excluded.changed_at`
  await tx`
    delete from former_names
    where name in (
      select name
      from former_names
      where listing_uid = ${listing_uid}
      order by changed_at desc, name
      offset ${MAX_FORMER_NAMES})`
}

/** The path of the page that had this address, if everyone with its address may open it. */
export async function findMovedPage(
  sql: Sql,
  username: string,
  name: string,
): Promise<string | undefined> {
  const [row] = await sql<{ path: string }[]>`
    select '/' || u.username || '/' || l.vanity_name as path
    from former_names f
    join listings l on l.uid = f.listing_uid
    join users u on u.uid = l.owner_uid
    where f.name = ${name.toLowerCase()}
      and lower(u.username) = lower(${username})
      and ${whereReleased(sql)}
      and ${isKept(sql)}`
  return row?.path
}

export async function sweepFormerNames(tx: Tx): Promise<void> {
  await tx`delete from former_names f where not (${isKept(tx)})`
}

const isKept = (sql: Sql | Tx) =>
  sql`f.changed_at > now() - ${retention.former_name_days} * interval '1 day'`
