import { execFileSync } from 'node:child_process'
import type { Sql } from '../../src/core/database/sql.ts'

/** What openssl, which shares nothing with us, makes of a text and a key. */
export function opensslHmac(key: string, text: string, encoding: 'hex' | 'base64'): string {
  const digest = execFileSync(
    'openssl',
    ['dgst', '-sha1', '-mac', 'HMAC', '-macopt', `key:${key}`, '-binary'],
    { input: text },
  )
  return digest.toString(encoding)
}

/** The text that was signed, as a receiver gets it back: everything before the last key. */
export function unsigned(body: string): { text: string; signature: string } {
  const [, before, signature] = /^(.*),"signature":"([0-9a-f]{40})"\}$/s.exec(body) ?? []
  if (!before || !signature) throw new Error('there is no signature at the end')
  return { text: `${before}}`, signature }
}

/**
 * As if the time had come that deliveries wait for; `hours` also makes their troubles so much older. Every receiver is locked first, as a worker does
 * that is just putting its work down: otherwise it might go by the time of before, and its next job come after we looked at the jobs.
 */
export async function hurry(sql: Sql, hours = 0) {
  await sql.begin(async (tx) => {
    await tx`
      update bug_receivers set resume_at = case when resume_at is not null then now() end, wake_at = case when wake_at is not null then now() end,
        failing_since = failing_since - make_interval(hours => ${hours})`
    await tx`
      update bug_deliveries set next_attempt_at = case when aside then now() end, first_attempt_at = first_attempt_at - make_interval(hours => ${hours})
      where status = 'pending'`
    await tx`update pgboss.job set start_after = now() where name in ('bugs.deliver', 'bugs.retry') and state in ('created', 'retry')`
    // As the queue itself announces a job, so that nobody has to wait for a worker's next look.
    for (const name of ['bugs.deliver', 'bugs.retry'])
      await tx`select pg_notify('pgboss_' || left(encode(sha224('pgboss'::bytea), 'hex'), 24), ${name})`
  })
}
