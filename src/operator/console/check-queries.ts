import type { Sql } from '../../core/database/sql.ts'
import { countReported } from '../../moderation/queue/queries.ts'
import { countAttention } from '../../payments/operations/queries.ts'

/** What the daily check found; a check that never succeeded has no result. */
export type StoreChecks = {
  certificate?: { expires_at: string }
  /** Headings of the changelog for newer versions. */
  update?: { headings: string[] }
}

export async function saveStoreCheck<Name extends keyof StoreChecks>(
  sql: Sql,
  name: Name,
  result: NonNullable<StoreChecks[Name]>,
): Promise<void> {
  await sql`
    insert into store_checks (name, result)
    values (${name}, ${sql.json(result)})
    on conflict (name) do update
    set result = excluded.result, checked_at = now()`
}

export async function readStoreChecks(sql: Sql): Promise<StoreChecks> {
  const rows = await sql<{ name: string; result: object }[]>`select name, result from store_checks`
  return Object.fromEntries(rows.map(({ name, result }) => [name, result]))
}

export type Waiting = {
  reports: number
  appeals: number
  releases: number
  publishers: number
  orders: number
}

/** Decisions that somebody waits for. */
export async function readWaiting(sql: Sql): Promise<Waiting> {
  const [waiting] = await sql<Waiting[]>`
    select
      (${countReported(sql)}) as reports,
      (select count(*)::int from appeals where decided_at is null) as appeals,
      (select count(*)::int from held_releases where state = 'waiting') as releases,
      (select count(*)::int from publisher_approvals where state = 'requested') as publishers,
      (${countAttention(sql)}) as orders`
  return waiting!
}
