import type { Sql, Tx } from '../../core/database/sql.ts'
import type { EventActor, EventKind } from './kinds.ts'

type NewEvent = {
  uid: string
  kind: EventKind
  user_uid: string | null
  game_uid: string | null
  actor_uid: string | null
  actor: EventActor
  network: string | null
  browser: string | null
  system: string | null
  request_id: string | null
}

export async function insertEvent(
  sql: Sql | Tx,
  event: NewEvent,
  detail: Record<string, string | number | boolean>,
): Promise<void> {
  await sql`
    insert into security_events ${sql({ ...event, detail: sql.json(detail) as never })}`
}

export type EventRow = {
  uid: string
  at: Date
  kind: EventKind
  user_uid: string | null
  username: string | null
  game_uid: string | null
  actor: EventActor
  actor_uid: string | null
  actor_name: string | null
  network: string | null
  browser: string | null
  system: string | null
  request_id: string | null
  detail: Record<string, string | number | boolean>
}

export type EventFilter = {
  user_uid?: string | undefined
  game_uid?: string | undefined
  kinds?: readonly EventKind[] | undefined
  since?: Date | undefined
  until?: Date | undefined
}

type Window = { limit: number; offset: number }

/** Newest first. */
export async function findEvents(
  sql: Sql,
  { user_uid, game_uid, kinds, since, until }: EventFilter,
  { limit, offset }: Window,
): Promise<{ rows: EventRow[]; total: number }> {
  const matching = sql`
    true
      ${user_uid ? sql`and e.user_uid = ${user_uid}` : sql``}
      ${game_uid ? sql`and e.game_uid = ${game_uid}` : sql``}
      ${kinds ? sql`and e.kind = any(${kinds as string[]})` : sql``}
      ${since ? sql`and e.at >= ${since}` : sql``}
      ${until ? sql`and e.at < ${until}` : sql``}`
  const rows = await sql<EventRow[]>`
    select e.uid, e.at, e.kind, e.user_uid, u.username, e.game_uid,
      e.actor, e.actor_uid, a.username as actor_name,
      e.network, e.browser, e.system, e.request_id, e.detail
    from security_events e
    left join users u on u.uid = e.user_uid
    left join users a on a.uid = e.actor_uid
    where ${matching}
    order by e.at desc, e.uid desc
    limit ${limit} offset ${offset}`
  const [count] = await sql<{ total: number }[]>`
    select count(*)::int as total
    from security_events e
    where ${matching}`
  return { rows, total: count!.total }
}

/** What a person may see of where somebody else acted from: nothing. */
const ownOrigin = (sql: Sql | Tx) => sql`
  case when e.actor_uid is null or e.actor_uid = e.user_uid
    then '{}'::text[]
    else array['network', 'browser', 'system', 'request_id'] end`

/** The events of a person as rows for an export. */
export async function exportEvents(
  sql: Sql,
  user_uid: string,
): Promise<{ row: Record<string, unknown> }[]> {
  return sql`
    select to_jsonb(e) - ${ownOrigin(sql)} - 'actor_uid' as row
    from security_events e
    where e.user_uid = ${user_uid}
    order by e.at, e.uid`
}

/** Deletes events that are older; the trigger of the table refuses it outside of this. */
export async function sweepEvents(tx: Tx, days: number): Promise<void> {
  await tx`select set_config('slipway.security_event_sweep', 'on', true)`
  await tx`delete from security_events where at < now() - ${days} * interval '1 day'`
  await tx`select set_config('slipway.security_event_sweep', 'off', true)`
}
