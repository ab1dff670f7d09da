import type { Sql } from '../../core/database/sql.ts'

export const mailStates = ['queued', 'sent', 'failed', 'bounced'] as const
export type OutboxState = (typeof mailStates)[number]

export type OutboxRow = {
  uid: string
  kind: string
  state: OutboxState
  recipient: string | null
  recipient_bounces: number
  error: string
  attempts: number
  created_at: Date
  changed_at: Date
}

/** The jobs that send mails, by their names. */
const isMailJob = (sql: Sql) => sql`(j.name like '%.mail-%' or j.name = 'telemetry.warn')`
const isWaiting = (sql: Sql) => sql`j.state < 'completed'`

/**
 * A mail that failed is queued while its job has attempts left. A job that was not attempted yet
 * has no recipient, because the job looks it up.
 */
const outbox = (sql: Sql) => sql`
  (
    select m.uid, m.kind, m.recipient, m.recipient_hash, m.error, m.attempts,
      m.created_at, m.changed_at,
      case
        when m.state = 'failed' and exists (
          select
          from pgboss.job j
          where j.name = m.kind and ${isWaiting(sql)}
            and coalesce(j.source_root_id, j.id) = m.job_id
        ) then 'queued'
        else m.state
      end as state
    from mails m
    union all
    select j.id, j.name, null, null, '', j.retry_count, j.created_on, j.created_on, 'queued'
    from pgboss.job j
    where ${isMailJob(sql)} and ${isWaiting(sql)}
      and not exists (
        select
        from mails m
        where m.kind = j.name and m.job_id = coalesce(j.source_root_id, j.id)
          and m.state <> 'sent'
      )
  )`

export async function readOutbox(
  sql: Sql,
  state: OutboxState | undefined,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: OutboxRow[]; total: number; counts: Record<OutboxState, number> }> {
  const [rows, counted] = await Promise.all([
    sql<OutboxRow[]>`
      select o.uid, o.kind, o.state, o.recipient, o.error, o.attempts, o.created_at, o.changed_at,
        (
          select count(*)::int
          from mails b
          where b.state = 'bounced' and b.recipient_hash = o.recipient_hash
        ) as recipient_bounces
      from ${outbox(sql)} o
      ${state ? sql`where o.state = ${state}` : sql``}
      order by o.created_at desc, o.uid desc
      limit ${limit}
      offset ${offset}`,
    sql<{ state: OutboxState; count: number }[]>`
      select o.state, count(*)::int as count
      from ${outbox(sql)} o
      group by o.state`,
  ])
  const counts = { queued: 0, sent: 0, failed: 0, bounced: 0 }
  for (const row of counted) counts[row.state] = row.count
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
  return { rows: [...rows], total: state ? counts[state] : all, counts }
}

export type StoredMail = {
  kind: string
  state: OutboxState
  job_data: Record<string, unknown> | null
  /** The failed job, while the queue has it. */
  dead_id: string | null
}

export async function findMail(sql: Sql, uid: string): Promise<StoredMail | undefined> {
  const [mail] = await sql<StoredMail[]>`
    select o.kind, o.state, m.job_data,
      (
        select d.id
        from pgboss.job d
        where d.name = 'dead' and d.state = 'created' and d.source_name = o.kind
          and coalesce(d.source_root_id, d.source_id) = m.job_id
        limit 1
      ) as dead_id
    from ${outbox(sql)} o
    left join mails m on m.uid = o.uid
    where o.uid = ${uid}`
  return mail
}

export type FailingMails = { count: number; error: string | null }

/** Mails of the last days whose last attempt failed, and why the newest did. */
export async function readFailingMails(sql: Sql, days: number): Promise<FailingMails> {
  const [row] = await sql<FailingMails[]>`
    select count(*)::int as count, (array_agg(error order by changed_at desc))[1] as error
    from mails
    where state = 'failed' and created_at > now() - ${days} * interval '1 day'`
  return row!
}

/** Mails that the mail server refused for good in the last days. */
export async function countBounces(sql: Sql, days: number): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count
    from mails
    where state = 'bounced' and created_at > now() - ${days} * interval '1 day'`
  return row!.count
}
