import type { ISql } from 'postgres'
import { counted } from '../text/counted.ts'
import { type SealedColumn, sealedColumns } from './sealed-columns.ts'
import type { Sealed, Secrets } from './secrets.ts'

type Row = Sealed & { owner_uid: string; field: string }
type RotateOptions = {
  batch?: number
  on_progress?: (done: number) => void
  signal?: AbortSignal
}

/**
 * Encrypts every value that does not use the current key again, and counts them. It can be stopped
 * and repeated: each batch commits on its own, and a value that changed since it was read keeps its
 * change. Values that do not decrypt are skipped and reported at the end.
 */
export async function rotateSecrets(
  sql: ISql,
  secrets: Secrets,
  options: RotateOptions = {},
): Promise<number> {
  let done = 0
  const unreadable: string[] = []
  for (const column of sealedColumns) {
    const on_progress = (count: number) => options.on_progress?.(done + count)
    const result = await rotateColumn(sql, secrets, column, { ...options, on_progress })
    done += result.done
    unreadable.push(
      ...result.unreadable.map(({ field, owner_uid }) => `${field} of ${column.noun} ${owner_uid}`),
    )
  }
  const [first] = unreadable
  if (first)
    throw new Error(
      `${counted(unreadable.length, 'secret does', 'secrets do')} not open, such as ${first}; ` +
        `${counted(done, 'was', 'were')} encrypted again`,
    )
  return done
}

async function rotateColumn(
  sql: ISql,
  secrets: Secrets,
  column: SealedColumn,
  { batch = 500, on_progress, signal }: RotateOptions,
): Promise<{ done: number; unreadable: Row[] }> {
  const owner = sql(column.owner)
  const field = 'name' in column.field ? sql`${column.field.name}::text` : sql(column.field.column)
  let after = { owner_uid: '00000000-0000-0000-0000-000000000000', field: '' }
  let done = 0
  const unreadable: Row[] = []
  for (;;) {
    signal?.throwIfAborted()
    const rows = await sql<Row[]>`
      select
        ${owner} as owner_uid,
        ${field} as field,
        ${sql(column.key_version)} as key_version,
        ${sql(column.sealed)} as sealed
      from ${sql(column.table)}
      where ${sql(column.sealed)} is not null
        and ${sql(column.key_version)} <> ${secrets.current_version()}
        and (${owner}, ${field}) > (${after.owner_uid}, ${after.field})
      order by ${owner}, ${field}
      limit ${batch}`
    if (!rows.length) return { done, unreadable }
    after = rows.at(-1)!
    const { fresh, closed } = sealAgain(secrets, rows)
    unreadable.push(...closed)
    done += await storeSealed(sql, column, fresh)
    on_progress?.(done)
  }
}

type FreshRow = Row & { next: Sealed }

/** Those that open, sealed with the current key, and those that do not. */
function sealAgain(secrets: Secrets, rows: Row[]): { fresh: FreshRow[]; closed: Row[] } {
  const closed: Row[] = []
  const fresh = rows.flatMap((row) => {
    try {
      const text = secrets.open(row.owner_uid, row.field, row)
      return [{ ...row, next: secrets.seal(row.owner_uid, row.field, text) }]
    } catch {
      closed.push(row)
      return []
    }
  })
  return { fresh, closed }
}

async function storeSealed(sql: ISql, column: SealedColumn, fresh: FreshRow[]): Promise<number> {
  // The driver does not support arrays of bytea, so the values are sent as base64.
  const { count } = await sql`
    update ${sql(column.table)} stored
    set ${sql(column.key_version)} = fresh.key_version,
      ${sql(column.sealed)} = decode(fresh.sealed, 'base64')
    from unnest(
      ${fresh.map((row) => row.owner_uid)}::${sql(column.owner_type)}[],
      ${fresh.map((row) => row.sealed.toString('base64'))}::text[],
      ${fresh.map((row) => row.next.key_version)}::int[],
      ${fresh.map((row) => row.next.sealed.toString('base64'))}::text[]
    ) as fresh (owner_uid, was, key_version, sealed)
    where stored.${sql(column.owner)} = fresh.owner_uid
      and stored.${sql(column.sealed)} = decode(fresh.was, 'base64')`
  return count
}
