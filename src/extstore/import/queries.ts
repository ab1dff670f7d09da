import type { Sql, Tx } from '../../core/database/sql.ts'
import type { PressCredit } from '../../press/kit-rules.ts'
import type { Fingerprints } from './plan.ts'

/** What the last import of an app wrote into a listing. */
export type LastImport = { marks: Fingerprints; credits: PressCredit[] }

export async function readLastImport(
  sql: Sql | Tx,
  game_uid: string,
  app_id: number,
): Promise<LastImport | undefined> {
  const [row] = await sql<LastImport[]>`
    select marks, credits
    from extstore_imports
    where game_uid = ${game_uid} and coalesce(app_id, ${app_id}) = ${app_id}`
  return row
}

export async function saveLastImport(
  tx: Tx,
  game_uid: string,
  app_id: number,
  { marks, credits }: LastImport,
): Promise<void> {
  await tx`
    insert into extstore_imports (game_uid, app_id, marks, credits)
    values (${game_uid}, ${app_id}, ${tx.json(marks)}, ${tx.json(credits)})
    on conflict (game_uid) do update
    set app_id = excluded.app_id, marks = excluded.marks, credits = excluded.credits,
      updated_at = now()`
}

export async function findLinkedListing(sql: Sql, app_id: number): Promise<string | undefined> {
  const [row] = await sql<{ game_uid: string }[]>`
    select game_uid
    from extstore_links
    where app_id = ${app_id}`
  return row?.game_uid
}
