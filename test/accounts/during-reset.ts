import type { Sql } from '../../src/core/db.ts'
import { eventually } from '../app.ts'

/** Asks something in the very moment in which a new password is set: it was let in before, and has to wait for the account. */
export async function duringReset<T>(sql: Sql, user_uid: string, ask: () => Promise<T>): Promise<T> {
  let answered = false
  const { answer } = await sql.begin(async (tx) => {
    await tx`select from users where uid = ${user_uid} for update`
    await tx`delete from sessions where user_uid = ${user_uid}`
    const answer = ask().finally(() => {
      answered = true
    })
    await eventually('its waiting for the account', async () => {
      const [waits] = await sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      return answered || waits !== undefined
    })
    return { answer }
  })
  return answer
}
