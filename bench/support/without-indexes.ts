import type { Tx } from '../../src/core/database/sql.ts'

/**
 * Fills tables without their indexes and creates those again: sorting a million rows once is
 * several times as fast as inserting each into every index. Those that constraints need stay.
 */
export async function withoutIndexes(
  tx: Tx,
  tables: readonly string[],
  fill: () => Promise<unknown>,
): Promise<void> {
  const indexes = await tx<{ name: string; definition: string }[]>`
    select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
    from pg_index i
    where i.indrelid = any(${[...tables]}::text[]::regclass[])
      and not i.indisunique
      and not exists (select from pg_constraint c where c.conindid = i.indexrelid)`
  for (const { name } of indexes) await tx`drop index ${tx(name)}`
  await fill()
  await tx`set local maintenance_work_mem = '256MB'`
  for (const { definition } of indexes) await tx.unsafe(definition)
}
