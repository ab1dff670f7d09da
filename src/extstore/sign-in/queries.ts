import type { Sql, Tx } from '../../core/database/sql.ts'
import { transact } from '../../core/database/transaction.ts'
import { isUuid } from '../../core/security/crypto.ts'
import type { Sealed } from '../../core/security/secrets.ts'
import type { SessionRecord } from './tokens.ts'

/** The fields under which the keys of a game are encrypted. */
export const AUTH_KEY = 'extstore auth key'
export const WEB_API_KEY = 'extstore web api key'

/** A game with sign-in enabled. */
export type SignInGame = {
  game_uid: string
  app_id: number
  generation: string
  auth_key_hash: Buffer
}
export type SealedKeys = { ticket_key: string; auth_key: Sealed; web_api_key: Sealed }

type GameName = { game_uid: string; vanity_name: string }

/** Rows in the order of `refs`, which are uids or vanity names. */
function inOrder<T extends GameName>(refs: string[], rows: T[]): (T | undefined)[] {
  const by_ref = new Map(
    rows.flatMap((row) => [[row.game_uid, row] as const, [row.vanity_name, row] as const]),
  )
  return refs.map((ref) => by_ref.get(isUuid(ref) ? ref.toLowerCase() : ref))
}

/** Matches listings `l` by uid or vanity name. */
const matches = (sql: Sql, refs: string[]) => {
  const names = refs.filter((ref) => !isUuid(ref))
  const uids = sql`l.uid = any(${refs.filter(isUuid)}::uuid[])`
  return names.length ? sql`(${uids} or l.vanity_name = any(${names}))` : uids
}

export async function readSignInGames(
  sql: Sql,
  refs: string[],
): Promise<(SignInGame | undefined)[]> {
  const rows = await sql<(SignInGame & GameName)[]>`
    select l.uid as game_uid, l.vanity_name, k.app_id, s.generation, s.auth_key_hash
    from listings l
    join extstore_links k on k.game_uid = l.uid
    join extstore_sign_in s on s.game_uid = l.uid
    where ${matches(sql, refs)}`
  return inOrder(refs, rows)
}

type KeyColumns = {
  ticket_key: string
  auth_version: number
  auth_sealed: Buffer
  web_api_version: number
  web_api_sealed: Buffer
}

/** Like readSignInGames, with the keys that sign-in needs, still encrypted. */
export async function readGamesWithKeys(
  sql: Sql,
  refs: string[],
): Promise<((SignInGame & SealedKeys) | undefined)[]> {
  const rows = await sql<(SignInGame & GameName & KeyColumns)[]>`
    select l.uid as game_uid, l.vanity_name, k.app_id, s.generation, s.auth_key_hash, s.ticket_key,
      a.key_version as auth_version, a.sealed as auth_sealed,
      w.key_version as web_api_version, w.sealed as web_api_sealed
    from listings l
    join extstore_links k on k.game_uid = l.uid
    join extstore_sign_in s on s.game_uid = l.uid
    join secrets a on a.game_uid = l.uid and a.field = ${AUTH_KEY}
    join secrets w on w.game_uid = l.uid and w.field = ${WEB_API_KEY}
    where ${matches(sql, refs)}`
  const games = rows.map(
    ({ auth_version, auth_sealed, web_api_version, web_api_sealed, ...game }) => ({
      ...game,
      auth_key: { key_version: auth_version, sealed: auth_sealed },
      web_api_key: { key_version: web_api_version, sealed: web_api_sealed },
    }),
  )
  return inOrder(refs, games)
}

/** Which of these tickets were used to sign in. */
export async function findUsedTickets(sql: Sql, hashes: string[]): Promise<boolean[]> {
  const rows = await sql<{ ticket_hash: string }[]>`
    select ticket_hash
    from extstore_sessions
    where ticket_hash = any(${hashes}::uuid[])`
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
  /** In seconds since 1970, as in the token. */
  exp: number
  ticket_hash: string
}
/** The user who linked the account, if any. */
export type InsertedSession = { user_uid: string | null }

/** The result is undefined for a ticket that was used before, also in the same batch. */
export async function insertSessions(
  sql: Sql,
  sessions: NewSession[],
): Promise<(InsertedSession | undefined)[]> {
  const column = <K extends keyof NewSession>(name: K) => sessions.map((session) => session[name])
  const rows = await sql<(InsertedSession & { jti: string })[]>`
    insert into extstore_sessions (jti, game_uid, generation, extstore_id, owner_extstore_id,
      user_uid, ip, expires_at, ticket_hash)
    select n.jti, n.game_uid, n.generation, n.extstore_id, n.owner_extstore_id,
      u.uid, n.ip, to_timestamp(n.exp), n.ticket_hash
    from unnest(
      ${column('jti')}::uuid[], ${column('game_uid')}::uuid[], ${column('generation')}::uuid[],
      ${column('extstore_id')}::text[], ${column('owner_extstore_id')}::text[],
      ${column('ip')}::text[], ${column('exp')}::float8[], ${column('ticket_hash')}::uuid[]
    ) as n (jti, game_uid, generation, extstore_id, owner_extstore_id, ip, exp, ticket_hash)
    left join users u on u.extstore_id = n.extstore_id
    on conflict (ticket_hash) do nothing
    returning jti, user_uid`
  const by_jti = new Map(rows.map((row) => [row.jti, row]))
  return sessions.map(({ jti }) => by_jti.get(jti))
}

export type StoredSession = SessionRecord & {
  /** The user who has linked the account now. */
  svc_user: { uid: string; username: string } | null
}

export async function findSessions(
  sql: Sql,
  jtis: string[],
): Promise<(StoredSession | undefined)[]> {
  type Row = SessionRecord & { jti: string; user_uid: string | null; username: string }
  const rows = await sql<Row[]>`
    select s.jti, s.generation, s.revoked_at is not null as revoked,
      s.extstore_id, s.owner_extstore_id,
      extract(epoch from s.expires_at)::float8 as exp, u.uid as user_uid, u.username
    from extstore_sessions s
    left join users u on u.extstore_id = s.extstore_id
    where s.jti = any(${jtis.filter(isUuid)}::uuid[])`
  const by_jti = new Map(
    rows.map(({ jti, user_uid, username, ...record }) => [
      jti,
      { ...record, svc_user: user_uid === null ? null : { uid: user_uid, username } },
    ]),
  )
  return jtis.map((jti) => by_jti.get(jti))
}

/**
 * Serializes refreshes and revocations of a player. Otherwise a revocation would miss a token that
 * a concurrent refresh is inserting.
 */
async function withPlayerLock<T>(
  sql: Sql,
  game_uid: string,
  extstore_id: string,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  return transact(sql, async (tx) => {
    const player = `${game_uid} ${extstore_id}`
    await tx`select pg_advisory_xact_lock(hashtextextended(${player}, 0))`
    return work(tx)
  })
}

/** Revokes the old session and inserts the new one. Of two concurrent calls, one succeeds. */
export const replaceSession = (
  sql: Sql,
  old_jti: string,
  session: Omit<NewSession, 'ticket_hash'>,
): Promise<InsertedSession | undefined> =>
  withPlayerLock(sql, session.game_uid, session.extstore_id, (tx) =>
    insertReplacement(tx, old_jti, session),
  )

async function insertReplacement(
  tx: Tx,
  old_jti: string,
  session: Omit<NewSession, 'ticket_hash'>,
): Promise<InsertedSession | undefined> {
  const { jti, game_uid, generation, extstore_id, owner_extstore_id, ip, exp } = session
  const [row] = await tx<InsertedSession[]>`
    with old as (
      update extstore_sessions
      set revoked_at = now()
      where jti = ${old_jti} and generation = ${generation} and revoked_at is null
      returning jti
    )
    insert into extstore_sessions (jti, game_uid, generation, extstore_id, owner_extstore_id,
      user_uid, ip, expires_at)
    select ${jti}, ${game_uid}, ${generation}, ${extstore_id}, ${owner_extstore_id},
      (select uid from users where extstore_id = ${extstore_id}),
      ${ip}, to_timestamp(${exp}::float8)
    from old
    returning user_uid`
  return row
}

/** Returns how many tokens were revoked: 0 or 1. */
export async function revokeSession(
  sql: Sql,
  { generation }: SignInGame,
  jti: string,
): Promise<number> {
  const { count } = await sql`
    update extstore_sessions
    set revoked_at = now()
    where jti = ${jti} and generation = ${generation} and revoked_at is null`
  return count
}

/** Revokes all tokens of a player. Returns how many there were. */
export const revokePlayer = (
  sql: Sql,
  { game_uid, generation }: SignInGame,
  extstore_id: string,
): Promise<number> =>
  withPlayerLock(sql, game_uid, extstore_id, async (tx) => {
    const { count } = await tx`
      update extstore_sessions
      set revoked_at = now()
      where game_uid = ${game_uid}
        and extstore_id = ${extstore_id}
        and generation = ${generation}
        and revoked_at is null`
    return count
  })

/** Deletes a batch, oldest first. Returns how many were deleted. */
export async function deleteOldSessions(
  sql: Sql | Tx,
  expired_before: Date,
  batch: number,
): Promise<number> {
  const { count } = await sql`
    delete from extstore_sessions
    where jti in (
      select jti
      from extstore_sessions
      where expires_at < ${expired_before}
      order by expires_at
      limit ${batch}
      for update skip locked)`
  return count
}

/** Removes a user from the sessions after they unlinked their account. */
export async function forgetUser(sql: Sql | Tx, user_uid: string): Promise<void> {
  await sql`update extstore_sessions set user_uid = null where user_uid = ${user_uid}`
}
