import type { Sql } from '../../core/database/sql.ts'

/** Those of these uids and vanity names that no listing has, in their order. */
export async function findUnknownListings(sql: Sql, refs: readonly string[]): Promise<string[]> {
  const rows = await sql<{ ref: string }[]>`
    select ref
    from unnest(${[...refs]}::text[]) with ordinality as named (ref, position)
    where not exists (
      select
      from listings l
      where l.uid::text = lower(ref) or l.vanity_name = ref
    )
    order by position`
  return rows.map(({ ref }) => ref)
}
