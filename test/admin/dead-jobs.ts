import { randomUUID } from 'node:crypto'
import type { Sql } from '../../src/core/database/sql.ts'

/** Inserts a job in the state in which the queue leaves it after its last attempt. */
export async function insertDeadJob(sql: Sql) {
  await sql`
    insert into pgboss.job (
      id, name, data,
      source_name, source_id, source_created_on, source_retry_count, source_output
    )
    values (
      ${randomUUID()}, 'dead', '{}',
      'accounts.sweep', ${randomUUID()}, now(), 12, '{"message": "it broke"}'
    )`
}
