import { randomUUID } from 'node:crypto'
import { takeReset } from '../../src/accounts/credentials/reset-queries.ts'
import type { Sql, Tx } from '../../src/core/database/sql.ts'
import { eventually } from '../support/app.ts'

/** Resets the password as the link of a mail does. */
export async function resetPassword(tx: Tx, user_uid: string) {
  const nonce = randomUUID()
  await tx`
    insert into password_resets (user_uid, nonce, sent_at, expires_at)
    values (${user_uid}, ${nonce}, now(), now() + interval '1 hour')
    on conflict (user_uid) do update
    set nonce = excluded.nonce, expires_at = excluded.expires_at`
  const [user] = await tx<{ password_hash: string }[]>`
    select password_hash from users where uid = ${user_uid}`
  await takeReset(tx, nonce, user!.password_hash)
}

/**
 * Sends a request while a transaction holds a lock that the request needs, and returns once the
 * request waits for that lock.
 */
export async function whileBlocked<T>(
  tx: Tx,
  send: () => Promise<T>,
): Promise<{ answer: Promise<T> }> {
  let answered = false
  const answer = send().finally(() => {
    answered = true
  })
  await eventually('the request to wait for the lock', async () => {
    // By the connection that holds the lock: the pool may be full of statements that wait for it.
    const [blocked] = await tx`
      select from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`
    return answered || blocked !== undefined
  })
  return { answer }
}

/** Sends a request that was authenticated before a concurrent password reset commits. */
export async function duringReset<T>(
  sql: Sql,
  user_uid: string,
  send: () => Promise<T>,
): Promise<T> {
  const { answer } = await sql.begin(async (tx) => {
    await resetPassword(tx, user_uid)
    return whileBlocked(tx, send)
  })
  return answer
}
