import type { JSONValue } from 'postgres'
import { projectExists } from '../../accounts/keys/queries.ts'
import { allowsAgents, isEditor, isVerified } from '../../accounts/people/role-queries.ts'
import type { Sql, Tx } from '../../core/database/sql.ts'

export type RecordRow = {
  kind: string
  id_hash: Buffer
  uid: string
  payload: Record<string, unknown>
  grant_hash: Buffer | null
  user_uid: string | null
  client_id: string | null
  audience: 'player' | 'agent' | null
  secret_version: number | null
  secret_sealed: Buffer | null
  user_code_hash: Buffer | null
  expires_at: Date | null
}

export async function saveRecord(sql: Sql, { payload, ...row }: RecordRow): Promise<void> {
  const json = sql.json(payload as JSONValue) as unknown as string
  await sql`
    insert into oauth_records ${sql({ ...row, payload: json })}
    on conflict (kind, id_hash) do update
    set payload = excluded.payload, expires_at = excluded.expires_at`
}

export type FoundRecord = Pick<RecordRow, 'payload' | 'secret_version' | 'secret_sealed'> & {
  consumed_at: Date | null
}

/** The code of a device stays for a while after its end, so that the device learns why it ended. */
export async function findRecord(
  sql: Sql,
  kind: string,
  id_hash: Buffer,
): Promise<FoundRecord | undefined> {
  const [row] = await sql<FoundRecord[]>`
    select payload, secret_version, secret_sealed, consumed_at
    from oauth_records
    where kind = ${kind}
      and id_hash = ${id_hash}
      and (expires_at is null or expires_at > now() or kind = 'DeviceCode')`
  return row
}

export async function findSessionRecord(sql: Sql, uid: string): Promise<FoundRecord | undefined> {
  const [row] = await sql<FoundRecord[]>`
    select payload, secret_version, secret_sealed, consumed_at
    from oauth_records
    where kind = 'Session' and payload ->> 'uid' = ${uid} and expires_at > now()`
  return row
}

/** Marks a record as used. False if it was used before. */
export async function consumeRecord(sql: Sql, kind: string, id_hash: Buffer): Promise<boolean> {
  const { count } = await sql`
    update oauth_records
    set consumed_at = now()
    where kind = ${kind} and id_hash = ${id_hash} and consumed_at is null`
  return count === 1
}

export async function deleteRecord(sql: Sql, kind: string, id_hash: Buffer): Promise<void> {
  await sql`delete from oauth_records where kind = ${kind} and id_hash = ${id_hash}`
}

/** A device that a person has not answered yet. */
const isPendingDevice = (sql: Sql | Tx) => sql`
  (
    kind = 'DeviceCode'
    and user_uid is null
    and payload -> 'error' is null
    and consumed_at is null
    and expires_at > now()
  )`

export type DeviceCodeRow = {
  id_hash: Buffer
  payload: { params?: { device_name?: unknown; device_network?: unknown } }
}

export async function findDeviceCode(
  sql: Sql,
  user_code_hash: Buffer,
): Promise<DeviceCodeRow | undefined> {
  const [row] = await sql<DeviceCodeRow[]>`
    select id_hash, payload
    from oauth_records
    where user_code_hash = ${user_code_hash} and ${isPendingDevice(sql)}`
  return row
}

type DeviceAnswer = {
  payload: Record<string, string>
  user_uid?: string
  grant_hash?: Buffer
}

/** Stores the answer of a person. False if there is one already, or the code has expired. */
export async function decideDeviceCode(
  sql: Sql | Tx,
  id_hash: Buffer,
  { payload, user_uid, grant_hash }: DeviceAnswer,
): Promise<boolean> {
  const { count } = await sql`
    update oauth_records
    set payload = payload || ${sql.json(payload)},
      user_uid = ${user_uid ?? null},
      grant_hash = ${grant_hash ?? null}
    where id_hash = ${id_hash} and ${isPendingDevice(sql)}`
  return count === 1
}

/**
 * Records that a device asks for the answer. Returns whether it came too early: it then has to wait
 * longer between all further requests (RFC 8628, 3.5). A second is allowed for the network.
 */
export async function recordPoll(
  sql: Sql,
  id_hash: Buffer,
  wait_seconds: number,
): Promise<boolean> {
  const [row] = await sql<{ is_early: boolean }[]>`
    with pending as (
      select id_hash, poll_seconds,
        coalesce(polled_at > now() - (poll_seconds - 1) * interval '1 second', false) as is_early
      from (
        select id_hash, polled_at, coalesce(poll_seconds, ${wait_seconds}) as poll_seconds
        from oauth_records
        where id_hash = ${id_hash} and ${isPendingDevice(sql)}
        for update
      ) locked
    )
    update oauth_records r
    set polled_at = now(),
      poll_seconds = p.poll_seconds + case when p.is_early then ${wait_seconds}::int else 0 end
    from pending p
    where r.kind = 'DeviceCode' and r.id_hash = p.id_hash
    returning p.is_early`
  return row?.is_early ?? false
}

/** Deletes a grant and every record that was issued under it. */
export async function endGrant(sql: Sql | Tx, grant_hash: Buffer): Promise<void> {
  await sql`
    delete from oauth_records
    where grant_hash = ${grant_hash} or (kind = 'Grant' and id_hash = ${grant_hash})`
}

export async function endGrantOfRecord(sql: Sql, kind: string, id_hash: Buffer): Promise<void> {
  const [row] = await sql<{ grant_hash: Buffer | null }[]>`
    select grant_hash
    from oauth_records
    where kind = ${kind} and id_hash = ${id_hash}`
  if (row?.grant_hash) await endGrant(sql, row.grant_hash)
}

/** Stores the choices of the person that are not part of OAuth. */
export async function describeGrant(
  sql: Sql | Tx,
  id_hash: Buffer,
  chosen: { client_name: string; game_uid: string | null },
): Promise<void> {
  await sql`update oauth_records set ${sql(chosen)} where kind = 'Grant' and id_hash = ${id_hash}`
}

export type GrantRow = {
  uid: string
  client_id: string
  client_name: string | null
  game_uid: string | null
  payload: { resources?: Record<string, string> }
  created_at: Date
  expires_at: Date
}

export async function listGrants(sql: Sql, user_uid: string): Promise<GrantRow[]> {
  return sql<GrantRow[]>`
    select uid, client_id, client_name, game_uid, payload, created_at, expires_at
    from oauth_records g
    where kind = 'Grant' and user_uid = ${user_uid} and expires_at > now()
      and ${projectExists(sql, 'g')}
    order by created_at desc, uid desc`
}

export async function findGrantHash(
  sql: Sql,
  user_uid: string,
  uid: string,
): Promise<Buffer | undefined> {
  const [row] = await sql<{ id_hash: Buffer }[]>`
    select id_hash
    from oauth_records g
    where kind = 'Grant' and user_uid = ${user_uid} and uid = ${uid}
      and ${projectExists(sql, 'g')}`
  return row?.id_hash
}

/** Counts everything that gives access to an account. */
export async function countCredentials(sql: Sql, user_uid: string) {
  const [row] = await sql<
    {
      email_verified: boolean
      sessions: number
      player_keys: number
      agent_keys: number
      apps: number
    }[]
  >`
    select ${isVerified(sql)} as email_verified,
      (
        select count(*)::int
        from sessions s
        where s.user_uid = u.uid and s.expires_at > now()
      ) as sessions,
      (
        select count(*)::int
        from access_keys k
        where k.user_uid = u.uid and k.kind = 'player'
      ) as player_keys,
      (
        select count(*)::int
        from access_keys k
        where k.user_uid = u.uid and k.kind = 'agent' and ${projectExists(sql, 'k')}
      ) as agent_keys,
      (
        select count(*)::int
        from oauth_records g
        where g.user_uid = u.uid and g.kind = 'Grant' and g.expires_at > now()
          and ${projectExists(sql, 'g')}
      ) as apps
    from users u
    where u.uid = ${user_uid}`
  return row!
}

/** The listings that a grant can be limited to. */
export async function managedListings(
  sql: Sql,
  user_uid: string,
): Promise<{ uid: string; name: string }[]> {
  return sql<{ uid: string; name: string }[]>`
    select l.uid, l.name
    from listings l
    where ${isEditor(sql, user_uid)} and ${allowsAgents(sql, user_uid)}
    order by lower(l.name), l.uid
    limit 200`
}

/** Deletes expired records, and clients without a grant for that many days. */
export async function sweepRecords(tx: Tx, client_days: number): Promise<void> {
  await tx`
    delete from oauth_records
    where expires_at < now() - case when kind = 'DeviceCode' then 1 else 0 end * interval '1 hour'`
  await tx`
    delete from oauth_records c
    where c.kind = 'Client'
      and c.created_at < now() - ${client_days} * interval '1 day'
      and not exists (
        select from oauth_records g
        where g.kind = 'Grant' and g.client_id = c.client_id
      )`
}
