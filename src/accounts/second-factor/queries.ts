import type { Sql, Tx } from '../../core/database/sql.ts'
import type { Sealed } from '../../core/security/secrets.ts'

const TOTP = 'totp'

export type SecondFactors = {
  totp_since: Date | null
  passkeys: number
  /** How many recovery codes are left. */
  recovery_codes: number
}

export async function readSecondFactors(sql: Sql | Tx, user_uid: string): Promise<SecondFactors> {
  const [row] = await sql<SecondFactors[]>`
    select
      (select confirmed_at from totp_factors where user_uid = ${user_uid}) as totp_since,
      (select count(*)::int from passkeys where user_uid = ${user_uid}) as passkeys,
      (select count(*)::int from recovery_codes
        where user_uid = ${user_uid} and used_at is null) as recovery_codes`
  return row!
}

export async function isSecondFactorMissing(sql: Sql, user_uid: string): Promise<boolean> {
  return !(await secondStepsOf(sql, user_uid)).length
}

/** Whether a person became the first operator of the store with a set-up link in the last hour. */
export async function isSettingUp(sql: Sql, user_uid: string): Promise<boolean> {
  const [row] = await sql`
    select
    from operators o
    where o.user_uid = ${user_uid} and o.made_at > now() - interval '1 hour'
      and exists (
        select
        from audit_entries e
        where e.user_uid = o.user_uid and e.action = 'accounts.set-up' and e.at >= o.made_at)`
  return row !== undefined
}

/** When this store was started for the first time. */
export async function readFirstStart(sql: Sql): Promise<Date> {
  const [row] = await sql<{ first_start: Date }[]>`
    select min(applied_at) as first_start from schema_migrations`
  return row!.first_start
}

/** The ways in which a person takes the second step; none without a second factor. */
export type SecondStep = 'passkey' | 'code' | 'recovery_code'

export async function secondStepsOf(sql: Sql | Tx, user_uid: string): Promise<SecondStep[]> {
  const { totp_since, passkeys, recovery_codes } = await readSecondFactors(sql, user_uid)
  if (!totp_since && !passkeys) return []
  return [
    ...(passkeys ? (['passkey'] as const) : []),
    ...(totp_since ? (['code'] as const) : []),
    ...(recovery_codes ? (['recovery_code'] as const) : []),
  ]
}

/** The secret of the authenticator app. */
export async function readTotpSecret(sql: Sql | Tx, user_uid: string): Promise<Sealed | undefined> {
  const [row] = await sql<Sealed[]>`
    select ${totpSecret(sql)}
    where t.user_uid = ${user_uid} and t.confirmed_at is not null`
  return row
}

const totpSecret = (sql: Sql | Tx) => sql`
  s.key_version, s.sealed
  from totp_factors t
  join account_secrets s on s.user_uid = t.user_uid and s.field = ${TOTP}`

type SettingUp = { user_uid: string; session_uid: string }

/** The secret of the authenticator app that a session sets up, if it started lately enough. */
export async function readStartedTotp(
  sql: Sql | Tx,
  { user_uid, session_uid }: SettingUp,
  max_seconds: number,
): Promise<Sealed | undefined> {
  const [row] = await sql<Sealed[]>`
    select ${totpSecret(sql)}
    where t.user_uid = ${user_uid} and t.confirmed_at is null
      and t.session_uid = ${session_uid}
      and t.started_at > now() - ${max_seconds} * interval '1 second'`
  return row
}

/** Starts to set up an authenticator app. False if one is confirmed. */
export async function startTotp(
  tx: Tx,
  { user_uid, session_uid }: SettingUp,
  { key_version, sealed }: Sealed,
): Promise<boolean> {
  const { count } = await tx`
    insert into totp_factors as t (user_uid, session_uid)
    values (${user_uid}, ${session_uid})
    on conflict (user_uid) do update
    set started_at = now(), session_uid = excluded.session_uid
    where t.confirmed_at is null`
  if (count !== 1) return false
  await tx`
    insert into account_secrets (user_uid, field, key_version, sealed)
    values (${user_uid}, ${TOTP}, ${key_version}, ${sealed})
    on conflict (user_uid, field) do update
    set key_version = excluded.key_version, sealed = excluded.sealed, updated_at = now()`
  return true
}

/** False if another request confirmed or removed it. */
export async function confirmTotp(
  tx: Tx,
  { user_uid, session_uid }: SettingUp,
  step: number,
): Promise<boolean> {
  const { count } = await tx`
    update totp_factors
    set confirmed_at = now(), last_step = ${step}
    where user_uid = ${user_uid} and session_uid = ${session_uid} and confirmed_at is null`
  return count === 1
}

/** Takes the time step of a code: of two requests with the same code, one gets false. */
export async function takeTotpStep(
  sql: Sql | Tx,
  user_uid: string,
  step: number,
): Promise<boolean> {
  const { count } = await sql`
    update totp_factors
    set last_step = ${step}
    where user_uid = ${user_uid} and confirmed_at is not null and last_step < ${step}`
  return count === 1
}

/** False if there was none. */
export async function deleteTotp(tx: Tx, user_uid: string): Promise<boolean> {
  await tx`delete from account_secrets where user_uid = ${user_uid} and field = ${TOTP}`
  const { count } = await tx`delete from totp_factors where user_uid = ${user_uid}`
  return count === 1
}

/** Removes every second factor of a person, and returns how many there were. */
export async function deleteSecondFactors(tx: Tx, user_uid: string): Promise<number> {
  const { count: passkeys } = await tx`delete from passkeys where user_uid = ${user_uid}`
  const has_totp = await deleteTotp(tx, user_uid)
  await deleteRecoveryCodes(tx, user_uid)
  return passkeys + Number(has_totp)
}

export async function replaceRecoveryCodes(
  tx: Tx,
  user_uid: string,
  hashes: readonly Buffer[],
): Promise<void> {
  await deleteRecoveryCodes(tx, user_uid)
  for (const code_hash of hashes)
    await tx`insert into recovery_codes ${tx({ user_uid, code_hash })}`
}

export async function deleteRecoveryCodes(tx: Tx, user_uid: string): Promise<void> {
  await tx`delete from recovery_codes where user_uid = ${user_uid}`
}

/** Of two requests with the same code, one gets false. */
export async function takeRecoveryCode(
  sql: Sql | Tx,
  user_uid: string,
  code_hash: Buffer,
): Promise<boolean> {
  const { count } = await sql`
    update recovery_codes
    set used_at = now()
    where user_uid = ${user_uid} and code_hash = ${code_hash} and used_at is null`
  return count === 1
}
