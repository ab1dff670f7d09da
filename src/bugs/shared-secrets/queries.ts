import type { Sql, Tx } from '../../core/database/sql.ts'

export type Exposure = {
  /** Null after the account was deleted. */
  username: string | null
  at: Date
}
export type ExposedSecrets = { people: Exposure[]; fields: string[] }

/** Whether a secret `s` was made before the exposure `e`. */
const isExposed = (sql: Sql | Tx, fields: readonly string[]) => sql`
  s.game_uid = e.game_uid and s.field = any(${fields as string[]}) and s.updated_at <= e.at`

/** Who could read secrets of a listing that were not replaced since, and which these are. */
export async function findExposed(
  sql: Sql | Tx,
  game_uid: string,
  fields: readonly string[],
): Promise<ExposedSecrets> {
  const people = await sql<Exposure[]>`
    select u.username, e.at
    from secret_exposures e
    left join users u on u.uid = e.user_uid
    where e.game_uid = ${game_uid} and e.resolved_at is null
      and exists (select from secrets s where ${isExposed(sql, fields)})
    order by e.at desc, e.uid
    limit 100`
  const exposed = await sql<{ field: string }[]>`
    select distinct s.field
    from secret_exposures e
    join secrets s on ${isExposed(sql, fields)}
    where e.game_uid = ${game_uid} and e.resolved_at is null`
  return { people, fields: exposed.map(({ field }) => field) }
}

/** The owner says that the secrets were replaced. */
export async function resolveExposures(tx: Tx, game_uid: string): Promise<void> {
  await tx`
    update secret_exposures
    set resolved_at = now()
    where game_uid = ${game_uid} and resolved_at is null`
}
