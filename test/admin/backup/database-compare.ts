import type { TestContext } from 'node:test'
import {
  quoted,
  quoteName,
  readForeignKeys,
  readSequences,
  readTables,
  readTriggers,
} from '../../../src/core/database/dump/catalog.ts'
import { openPool } from '../../../src/core/database/sql.ts'
import { cleanup } from '../../support/cleanup.ts'

/** A digest of every table and a description of the schema, to compare two databases. */
export async function describeDatabase(t: TestContext, url: string, leave_out: string[] = []) {
  const sql = openPool(url, 1, 'test')
  cleanup(t, () => sql.end())
  const tables: Record<string, string> = {}
  for (const table of await readTables(sql)) {
    if (leave_out.includes(table.name)) continue
    const columns = table.columns.map(quoteName).join(', ')
    const [row] = await sql.unsafe(`
      select count(*) || ' rows ' || coalesce(md5(string_agg(digest, '' order by digest)), '')
        as content
      from (select md5(row(${columns})::text) as digest from ${quoted(table)}) rows`)
    tables[quoted(table)] = row!.content
  }
  const indexes = await sql`
    select schemaname || '.' || indexname as name, indexdef
    from pg_indexes
    where schemaname in ('public', 'pgboss')
      and (tablename !~ '_\\d{8}$' or tablename ~ '_20200229$')
    order by 1`
  return {
    tables,
    sequences: await readSequences(sql),
    foreign_keys: await readForeignKeys(sql),
    triggers: await readTriggers(sql),
    indexes: [...indexes],
  }
}
