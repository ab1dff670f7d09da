import type { Sql, Tx } from '../../core/database/sql.ts'

export async function startLink(
  sql: Sql,
  state: string,
  session_uid: string,
  expires_at: Date,
): Promise<void> {
  await sql`insert into extstore_link_states (state, session_uid, expires_at) values (${state}, ${session_uid}, ${expires_at})`
}

/** Whether this session began this way and has not walked it yet; now it has. */
export async function endLink(
  sql: Sql,
  state: string,
  session_uid: string,
  now: Date,
): Promise<boolean> {
  const { count } =
    await sql`delete from extstore_link_states where state = ${state} and session_uid = ${session_uid} and expires_at > ${now}`
  return count === 1
}

/** False for a nonce that was seen before. */
export async function takeNonce(sql: Sql, nonce: string, expires_at: Date): Promise<boolean> {
  const { count } =
    await sql`insert into extstore_openid_nonces (nonce, expires_at) values (${nonce}, ${expires_at}) on conflict do nothing`
  return count === 1
}

export async function sweepLinks(tx: Sql | Tx, now: Date): Promise<void> {
  await tx`delete from extstore_link_states where expires_at < ${now}`
  await tx`delete from extstore_openid_nonces where expires_at < ${now}`
}
