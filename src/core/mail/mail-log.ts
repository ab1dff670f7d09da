import type { Sql, Tx } from '../database/sql.ts'
import { runningJob } from '../jobs/running-job.ts'
import type { Log } from '../runtime/log.ts'
import { uuidv7 } from '../security/crypto.ts'
import type { Mail, Message } from './mail.ts'

const MAX_ERROR = 500
const SHOWN_CHARACTERS = 2

export type MailState = 'sent' | 'failed' | 'bounced'

/** What an operator needs to recognize an address. */
export function shortAddress(address: string): string {
  const at = Math.max(0, address.lastIndexOf('@'))
  const start = [...address.slice(0, at)].slice(0, SHOWN_CHARACTERS).join('')
  return `${start}…${address.slice(at)}`
}

const hashOf = (sql: Sql | Tx, address: string | ReturnType<Sql>) =>
  sql`sha256(convert_to(lower(${address}), 'UTF8'))`

/** How many mails to an address the mail server refused for good. */
export const bouncesOf = (sql: Sql | Tx, address: ReturnType<Sql>) => sql`
  (
    select count(*)::int
    from mails
    where state = 'bounced' and recipient_hash = ${hashOf(sql, address)}
  )`

type SmtpError = Error & { responseCode?: number; command?: string }

/**
 * A permanent refusal of the recipient or of the message. Others, such as a wrong password, concern
 * all mails and are for the operator to solve.
 */
export function isBounce(cause: unknown): boolean {
  const { responseCode = 0, command = '' } = (cause ?? {}) as SmtpError
  return responseCode >= 500 && responseCode < 600 && /^(RCPT TO|DATA)/.test(command)
}

async function recordMail(
  sql: Sql,
  { id, to }: Message,
  { state, error }: { state: MailState; error: string },
): Promise<void> {
  const job = runningJob()
  await sql`
    insert into mails (
      uid, message_id, recipient, recipient_hash, kind, job_id, job_data, state, error
    )
    values (
      ${uuidv7()}, ${id.toLowerCase()}, ${shortAddress(to)}, ${hashOf(sql, to)},
      ${job?.name ?? 'operator.test-mail'}, ${job?.id ?? null},
      ${job ? sql.json(job.data as never) : null}, ${state}, ${error}
    )
    on conflict (message_id, recipient_hash) do update
    set state = excluded.state, error = excluded.error, attempts = mails.attempts + 1,
      job_id = excluded.job_id, changed_at = now()`
}

/** Records what becomes of every mail. A mail whose record fails is sent all the same. */
export function recordMails(mail: Mail, sql: Sql, log: Log): Mail {
  const record = (message: Message, state: MailState, error = '') =>
    recordMail(sql, message, { state, error: error.slice(0, MAX_ERROR) }).catch((cause) =>
      log.warn({ error: cause.message }, 'a mail could not be recorded in the outbox'),
    )
  return {
    async send(message) {
      try {
        await mail.send(message)
      } catch (cause) {
        const error = String((cause as Error)?.message ?? cause)
        await record(message, isBounce(cause) ? 'bounced' : 'failed', error)
        throw cause
      }
      await record(message, 'sent')
    },
  }
}

export async function sweepMails(tx: Tx, keep_days: number): Promise<void> {
  await tx`delete from mails where created_at < now() - ${keep_days} * interval '1 day'`
}

/** For the deletion of an account. */
export async function forgetMails(tx: Tx, address: string): Promise<void> {
  await tx`delete from mails where recipient_hash = ${hashOf(tx, address)}`
}

/** For the export of an account. */
export const mailsTo = (sql: Sql, address: string) => sql<{ row: Record<string, unknown> }[]>`
  select to_jsonb(m) - '{recipient_hash,job_data}'::text[] as row
  from mails m
  where recipient_hash = ${hashOf(sql, address)}
  order by created_at, uid`
