import { randomUUID } from 'node:crypto'
import { takeReset } from '../../src/accounts/credentials/reset-queries.ts'
import type { Sql, Tx } from '../../src/core/database/sql.ts'
import { eventually } from '../support/app.ts'

/** As the link in a mail does it. */
export async function reset(tx: Tx, user_uid: string) {
  const nonce = randomUUID()
  await tx`
    insert into password_resets (user_uid, nonce, sent_at, expires_at) values (${user_uid}, ${nonce}, now(), now() + interval '1 hour')
    on conflict (user_uid) do update set nonce = excluded.nonce, expires_at = excluded.expires_at`
  const [user] = await tx<
    { password_hash: string }[]
  >`select password_hash from users where uid = ${user_uid}`
  await takeReset(tx, nonce, user!.password_hash)
}

/** Asks while a transaction holds what the asking has to wait for. Returns once it waits. */
export async function whileWaiting<T>(
  sql: Sql,
  tx: Tx,
  ask: () => Promise<T>,
): Promise<{ answer: Promise<T> }> {
  let answered = false
  const [own] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`
  const answer = ask().finally(() => {
    answered = true
  })
  await eventually('its waiting', async () => {
    const [waits] =
      await sql`select from pg_stat_activity where ${own!.pid}::int = any(pg_blocking_pids(pid))`
    return answered || waits !== undefined
  })
  return { answer }
}

/** Asks something in the very moment in which a new password is set: it was let in before, and has to wait for the account. */
export async function duringReset<T>(
  sql: Sql,
  user_uid: string,
  ask: () => Promise<T>,
): Promise<T> {
  const { answer } = await sql.begin(async (tx) => {
    await reset(tx, user_uid)
    return whileWaiting(sql, tx, ask)
  })
  return answer
}
