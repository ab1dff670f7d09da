import type { Sql, Tx } from '../core/db.ts'
import type { Marks } from './plan.ts'

export async function readMarks(sql: Sql | Tx, game_uid: string): Promise<Marks | undefined> {
  const [row] = await sql<{ marks: Marks }[]>`select marks from extstore_imports where game_uid = ${game_uid}`
  return row?.marks
}

export async function saveMarks(tx: Tx, game_uid: string, marks: Marks): Promise<void> {
  await tx`
    insert into extstore_imports (game_uid, marks) values (${game_uid}, ${tx.json(marks)})
    on conflict (game_uid) do update set marks = excluded.marks, updated_at = now()`
}

export async function findLinkedListing(sql: Sql, app_id: number): Promise<string | undefined> {
  const [row] = await sql<{ game_uid: string }[]>`select game_uid from extstore_links where app_id = ${app_id}`
  return row?.game_uid
}
