import type { Sql, Tx } from '../../core/database/sql.ts'

export type Passkey = {
  uid: string
  name: string
  created_at: Date
  last_used_at: Date | null
}
export type StoredPasskey = {
  uid: string
  user_uid: string
  credential_id: string
  public_key: Buffer
  counter: number
}
export type NewPasskey = StoredPasskey & { name: string }

export async function listPasskeys(sql: Sql | Tx, user_uid: string): Promise<Passkey[]> {
  return sql<Passkey[]>`
    select uid, name, created_at, last_used_at
    from passkeys
    where user_uid = ${user_uid}
    order by uid`
}

export async function listCredentialIds(sql: Sql, user_uid: string): Promise<string[]> {
  const rows = await sql<{ credential_id: string }[]>`
    select credential_id from passkeys where user_uid = ${user_uid}`
  return rows.map(({ credential_id }) => credential_id)
}

export async function findPasskey(
  sql: Sql,
  credential_id: string,
): Promise<StoredPasskey | undefined> {
  const [row] = await sql<StoredPasskey[]>`
    select uid, user_uid, credential_id, public_key, counter::float8 as counter
    from passkeys
    where credential_id = ${credential_id}`
  return row
}

/** False if the person has as many as allowed, or the authenticator is registered. */
export async function insertPasskey(tx: Tx, passkey: NewPasskey, max: number): Promise<boolean> {
  const { uid, user_uid, credential_id, public_key, counter, name } = passkey
  const { count } = await tx`
    insert into passkeys (uid, user_uid, credential_id, public_key, counter, name)
    select ${uid}::uuid, ${user_uid}::uuid, ${credential_id}, ${public_key}::bytea,
      ${counter}::bigint, ${name}
    where (select count(*) from passkeys where user_uid = ${user_uid}) < ${max}
    on conflict (credential_id) do nothing`
  return count === 1
}

type Owned = { uid: string; user_uid: string }

export async function renamePasskey(sql: Sql, { uid, user_uid }: Owned, name: string) {
  const { count } = await sql`
    update passkeys
    set name = ${name}
    where uid = ${uid} and user_uid = ${user_uid}`
  return count === 1
}

export async function deletePasskey(tx: Tx, { uid, user_uid }: Owned): Promise<boolean> {
  const { count } = await tx`
    delete from passkeys
    where uid = ${uid} and user_uid = ${user_uid}`
  return count === 1
}

/** Of two answers to one challenge, one gets false. */
export async function takeChallenge(
  sql: Sql | Tx,
  nonce: string,
  seconds: number,
): Promise<boolean> {
  const { count } = await sql`
    insert into used_challenges (nonce, expires_at)
    values (${nonce}, now() + ${seconds} * interval '1 second')
    on conflict do nothing`
  return count === 1
}

export async function recordUse(sql: Sql, uid: string, counter: number): Promise<void> {
  await sql`
    update passkeys
    set counter = greatest(counter, ${counter}), last_used_at = now()
    where uid = ${uid}`
}

export async function sweepChallenges(tx: Tx): Promise<void> {
  await tx`delete from used_challenges where expires_at < now()`
}
