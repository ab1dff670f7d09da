import type { Sql, Tx } from '../../core/database/sql.ts'
import { transact } from '../../core/database/transaction.ts'
import { isUuid } from '../../core/security/crypto.ts'
import type { Sealed } from '../../core/security/secrets.ts'
import type { SessionRecord } from './tokens.ts'

/** The names under which the keys of a game are sealed. */
export const AUTH_KEY = 'extstore auth key'
export const WEB_API_KEY = 'extstore web api key'

/** A game whose sign-in is on. */
export type SignInGame = {
  game_uid: string
  app_id: number
  generation: string
  auth_key_hash: Buffer
}
export type SealedKeys = { ticket_key: string; auth_key: Sealed; web_api_key: Sealed }

type Named = { game_uid: string; vanity_name: string }

/** In the order of `refs`, which are uids or vanity names. */
function inOrder<T extends Named>(refs: string[], rows: T[]): (T | undefined)[] {
  const byName = new Map(
    rows.flatMap((row) => [[row.game_uid, row] as const, [row.vanity_name, row] as const]),
  )
  return refs.map((ref) => byName.get(isUuid(ref) ? ref.toLowerCase() : ref))
}

const isNamed = (sql: Sql, refs: string[]) => {
  const names = refs.filter((ref) => !isUuid(ref))
  const uids = sql`l.uid = any(${refs.filter(isUuid)}::uuid[])`
  return names.length ? sql`(${uids} or l.vanity_name = any(${names}))` : uids
}

export async function readSignInGames(
  sql: Sql,
  refs: string[],
): Promise<(SignInGame | undefined)[]> {
  const rows = await sql<(SignInGame & Named)[]>`
    select l.uid as game_uid, l.vanity_name, k.app_id, s.generation, s.auth_key_hash
    from listings l join extstore_links k on k.game_uid = l.uid join extstore_sign_in s on s.game_uid = l.uid
    where ${isNamed(sql, refs)}`
  return inOrder(refs, rows)
}

/** The same with the keys that talking to the store and signing need, still sealed. */
export async function readGamesWithKeys(
  sql: Sql,
  refs: string[],
): Promise<((SignInGame & SealedKeys) | undefined)[]> {
  const rows = await sql<
    (SignInGame &
      Named &
      Record<'a_version' | 'w_version', number> &
      Record<'a_sealed' | 'w_sealed', Buffer> & { ticket_key: string })[]
  >`
    select l.uid as game_uid, l.vanity_name, k.app_id, s.generation, s.auth_key_hash, s.ticket_key,
      a.key_version as a_version, a.sealed as a_sealed, w.key_version as w_version, w.sealed as w_sealed
    from listings l join extstore_links k on k.game_uid = l.uid join extstore_sign_in s on s.game_uid = l.uid
      join secrets a on a.game_uid = l.uid and a.field = ${AUTH_KEY}
      join secrets w on w.game_uid = l.uid and w.field = ${WEB_API_KEY}
    where ${isNamed(sql, refs)}`
  const games = rows.map(({ a_version, a_sealed, w_version, w_sealed, ...game }) => ({
    ...game,
    auth_key: { key_version: a_version, sealed: a_sealed },
    web_api_key: { key_version: w_version, sealed: w_sealed },
  }))
  return inOrder(refs, games)
}

/** Which of these tickets have signed somebody in. */
export async function findUsedTickets(sql: Sql, hashes: string[]): Promise<boolean[]> {
  const rows = await sql<
    { ticket_hash: string }[]
  >`select ticket_hash from extstore_sessions where ticket_hash = any(${hashes}::uuid[])`
  const used = new Set(rows.map(({ ticket_hash }) => ticket_hash))
  return hashes.map((hash) => used.has(hash))
}

export type NewSession = {
  jti: string
  game_uid: string
  generation: string
  extstore_id: string
  owner_extstore_id: string | null
  ip: string
  /** Seconds since 1970, as tokens have it. */
  exp: number
  ticket_hash: string
}
/** The person here who linked the account, if any did. */
export type Recorded = { user_uid: string | null }

/** Nothing for a ticket that was used before, in this batch or at any other time. */
export async function insertSessions(
  sql: Sql,
  sessions: NewSession[],
): Promise<(Recorded | undefined)[]> {
  const all = <K extends keyof NewSession>(name: K) => sessions.map((session) => session[name])
  const rows = await sql<(Recorded & { jti: string })[]>`
    insert into extstore_sessions (jti, game_uid, generation, extstore_id, owner_extstore_id, user_uid, ip, expires_at, ticket_hash)
    select n.jti, n.game_uid, n.generation, n.extstore_id, n.owner_extstore_id, u.uid, n.ip, to_timestamp(n.exp), n.ticket_hash
    from unnest(
      ${all('jti')}::uuid[], ${all('game_uid')}::uuid[], ${all('generation')}::uuid[], ${all('extstore_id')}::text[],
      ${all('owner_extstore_id')}::text[], ${all('ip')}::text[], ${all('exp')}::float8[], ${all('ticket_hash')}::uuid[]
    ) as n (jti, game_uid, generation, extstore_id, owner_extstore_id, ip, exp, ticket_hash)
    left join users u on u.extstore_id = n.extstore_id
    on conflict (ticket_hash) do nothing returning jti, user_uid`
  const byId = new Map(rows.map((row) => [row.jti, row]))
  return sessions.map(({ jti }) => byId.get(jti))
}

export type Found = SessionRecord & { svc_user: { uid: string; username: string } | null }

/** One indexed read, whatever the number of sessions. The linked person is who it is now, not who it was. */
export async function findSessions(sql: Sql, jtis: string[]): Promise<(Found | undefined)[]> {
  const rows = await sql<
    (SessionRecord & { jti: string; user_uid: string | null; username: string })[]
  >`
    select s.jti, s.generation, s.revoked_at is not null as revoked, s.extstore_id, s.owner_extstore_id,
      extract(epoch from s.expires_at)::float8 as exp, u.uid as user_uid, u.username
    from extstore_sessions s left join users u on u.extstore_id = s.extstore_id where s.jti = any(${jtis.filter(isUuid)}::uuid[])`
  const byId = new Map(
    rows.map(({ jti, user_uid, username, ...record }) => [
      jti,
      { ...record, svc_user: user_uid === null ? null : { uid: user_uid, username } },
    ]),
  )
  return jtis.map((jti) => byId.get(jti))
}

/** One after the other: a revocation that began beside a refresh would not see the token that is just being made. */
async function oneAtATime<T>(
  sql: Sql,
  game_uid: string,
  extstore_id: string,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  return transact(sql, async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtextextended(${`${game_uid} ${extstore_id}`}, 0))`
    return work(tx)
  })
}

/** The old token ends and the new one begins in one statement: of two who try only one finds the old one still standing. */
export const replaceSession = (
  sql: Sql,
  old_jti: string,
  session: Omit<NewSession, 'ticket_hash'>,
): Promise<Recorded | undefined> =>
  oneAtATime(sql, session.game_uid, session.extstore_id, (tx) =>
    insertInPlaceOf(tx, old_jti, session),
  )

async function insertInPlaceOf(
  tx: Tx,
  old_jti: string,
  session: Omit<NewSession, 'ticket_hash'>,
): Promise<Recorded | undefined> {
  const { jti, game_uid, generation, extstore_id, owner_extstore_id, ip, exp } = session
  const [row] = await tx<Recorded[]>`
    with old as (
      update extstore_sessions set revoked_at = now()
      where jti = ${old_jti} and generation = ${generation} and revoked_at is null
      returning jti
    )
    insert into extstore_sessions (jti, game_uid, generation, extstore_id, owner_extstore_id, user_uid, ip, expires_at)
    select ${jti}, ${game_uid}, ${generation}, ${extstore_id}, ${owner_extstore_id},
      (select uid from users where extstore_id = ${extstore_id}), ${ip}, to_timestamp(${exp}::float8) from old
    returning user_uid`
  return row
}

/** Counts the tokens that stood until now: none or one. */
export async function revokeSession(
  sql: Sql,
  { generation }: SignInGame,
  jti: string,
): Promise<number> {
  const { count } = await sql`
    update extstore_sessions set revoked_at = now() where jti = ${jti} and generation = ${generation} and revoked_at is null`
  return count
}

/** The same for every token of a player. */
export const revokePlayer = (
  sql: Sql,
  { game_uid, generation }: SignInGame,
  extstore_id: string,
): Promise<number> =>
  oneAtATime(sql, game_uid, extstore_id, async (tx) => {
    const { count } = await tx`
      update extstore_sessions set revoked_at = now()
      where game_uid = ${game_uid} and extstore_id = ${extstore_id} and generation = ${generation} and revoked_at is null`
    return count
  })

/** The oldest first, a batch at a time; the count says whether there may be more. */
export async function deleteOldSessions(
  sql: Sql | Tx,
  expired_before: Date,
  batch: number,
): Promise<number> {
  const { count } = await sql`
    delete from extstore_sessions where jti in (
      select jti from extstore_sessions where expires_at < ${expired_before} order by expires_at limit ${batch} for update skip locked)`
  return count
}

/** What the record says about a person, when the accounts are no longer linked. */
export async function forgetUser(sql: Sql | Tx, user_uid: string): Promise<void> {
  await sql`update extstore_sessions set user_uid = null where user_uid = ${user_uid}`
}
