import type { Sql, Tx } from '../../core/database/sql.ts'

export const requestKinds = ['press', 'creator'] as const
export type RequestKind = (typeof requestKinds)[number]
export const requestStates = ['waiting', 'approved', 'declined'] as const
export type RequestState = (typeof requestStates)[number]

/** Whether journalists and creators can ask for a copy of a listing. */
export async function takesRequests(sql: Sql | Tx, game_uid: string): Promise<boolean> {
  const rows = await sql`select from open_key_requests where game_uid = ${game_uid}`
  return rows.length > 0
}

export async function setTakesRequests(tx: Tx, game_uid: string, open: boolean): Promise<void> {
  await (open
    ? tx`insert into open_key_requests (game_uid) values (${game_uid}) on conflict do nothing`
    : tx`delete from open_key_requests where game_uid = ${game_uid}`)
}

export type NewRequest = {
  uid: string
  game_uid: string
  user_uid: string
  kind: RequestKind
  outlet: string
  url: string
  message: string
}

/** False if the person asked before, or the listing takes no requests. */
export async function insertRequest(sql: Sql | Tx, request: NewRequest): Promise<boolean> {
  const { uid, game_uid, user_uid, kind, outlet, url, message } = request
  const { count } = await sql`
    insert into key_requests (uid, game_uid, user_uid, kind, outlet, url, message)
    select ${uid}, o.game_uid, ${user_uid}, ${kind}, ${outlet}, ${url}, ${message}
    from open_key_requests o
    where o.game_uid = ${game_uid}
    on conflict (game_uid, user_uid) do nothing`
  return count === 1
}

export type RequestRow = Omit<NewRequest, 'game_uid' | 'user_uid'> & {
  username: string
  state: RequestState
  created_at: Date
  decided_at: Date | null
}

/** The requests of a listing: those that wait first, then the newest. */
export async function readRequests(sql: Sql | Tx, game_uid: string): Promise<RequestRow[]> {
  return sql<RequestRow[]>`
    select r.uid, u.username, r.kind, r.outlet, r.url, r.message, r.state, r.created_at,
      r.decided_at
    from key_requests r
    join users u on u.uid = r.user_uid
    where r.game_uid = ${game_uid}
    order by r.state = 'waiting' desc, r.uid desc
    limit 500`
}

/** The person whose request was decided; undefined if there is none that waits. */
export async function decideRequest(
  tx: Tx,
  game_uid: string,
  uid: string,
  state: RequestState,
): Promise<{ user_uid: string } | undefined> {
  const [row] = await tx<{ user_uid: string }[]>`
    update key_requests
    set state = ${state}, decided_at = now()
    where uid = ${uid} and game_uid = ${game_uid} and state = 'waiting'
    returning user_uid`
  return row
}

export type DecidedRequest = {
  user_uid: string
  state: RequestState
  name: string
  vanity_name: string
  username: string
}

export async function findRequest(sql: Sql, uid: string): Promise<DecidedRequest | undefined> {
  const [row] = await sql<DecidedRequest[]>`
    select r.user_uid, r.state, l.name, l.vanity_name, u.username
    from key_requests r
    join listings l on l.uid = r.game_uid
    join users u on u.uid = l.owner_uid
    where r.uid = ${uid}`
  return row
}
