import type { Sql, Tx } from '../../core/database/sql.ts'

export async function insertLinkState(
  sql: Sql,
  { state, session_uid }: { state: string; session_uid: string },
  expires_at: Date,
): Promise<void> {
  await sql`
    insert into extstore_link_states (state, session_uid, expires_at)
    values (${state}, ${session_uid}, ${expires_at})`
}

/** Uses up a state. Returns false unless it exists, belongs to the session and is not expired. */
export async function useLinkState(
  sql: Sql,
  { state, session_uid }: { state: string; session_uid: string },
  now: Date,
): Promise<boolean> {
  const { count } = await sql`
    delete from extstore_link_states
    where state = ${state} and session_uid = ${session_uid} and expires_at > ${now}`
  return count === 1
}

/** Uses up a nonce. Returns false if it was used before. */
export async function useNonce(sql: Sql, nonce: string, expires_at: Date): Promise<boolean> {
  const { count } = await sql`
    insert into extstore_openid_nonces (nonce, expires_at)
    values (${nonce}, ${expires_at})
    on conflict do nothing`
  return count === 1
}

export async function deleteExpiredLinkStates(tx: Sql | Tx, now: Date): Promise<void> {
  await tx`delete from extstore_link_states where expires_at < ${now}`
  await tx`delete from extstore_openid_nonces where expires_at < ${now}`
}
