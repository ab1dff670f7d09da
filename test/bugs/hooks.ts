import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import type { Sql } from '../../src/core/database/sql.ts'
import type { Hook } from './receivers.ts'

/** Computes the HMAC with openssl, as a check that is independent of our code. */
export function opensslHmac(
  key: string,
  text: string,
  encoding: 'hex' | 'base64',
  hash: 'sha1' | 'sha256' = 'sha1',
): string {
  const digest = execFileSync(
    'openssl',
    ['dgst', `-${hash}`, '-mac', 'HMAC', '-macopt', `key:${key}`, '-binary'],
    { input: text },
  )
  return digest.toString(encoding)
}

/** Checks the header with the time, which signs the body as it arrived; returns the time. */
export function checkTimedSignature(hook: Hook, key: string): number {
  const header = String(hook.headers['x-delivery-signature'])
  const [, time, signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header) ?? []
  assert.ok(time && signature, header)
  assert.equal(signature, opensslHmac(key, `${time}.${hook.body}`, 'hex', 'sha256'))
  return Number(time)
}

/** The signed text, which a receiver restores by cutting off the last key, and its signature. */
export function unsigned(body: string): { text: string; signature: string } {
  const [, before, signature] = /^(.*),"signature":"([0-9a-f]{40})"\}$/s.exec(body) ?? []
  if (!before || !signature) throw new Error('the body does not end with a signature')
  return { text: `${before}}`, signature }
}

/**
 * Makes every pending delivery due now; `hours` also makes its failures that much older. The update
 * of `bug_receivers` locks every row first, because a worker that is just finishing would otherwise
 * write the old time back and schedule its next job after our update of the jobs.
 */
export async function makeDeliveriesDue(sql: Sql, hours = 0) {
  await sql.begin(async (tx) => {
    await tx`
      update bug_receivers set
        resume_at = case when resume_at is not null then now() end,
        wake_at = case when wake_at is not null then now() end,
        failing_since = failing_since - make_interval(hours => ${hours})`
    await tx`
      update bug_deliveries set
        next_attempt_at = case when aside then now() end,
        first_attempt_at = first_attempt_at - make_interval(hours => ${hours})
      where status = 'pending'`
    await tx`
      update pgboss.job set start_after = now()
      where name in ('bugs.deliver', 'bugs.retry') and state in ('created', 'retry')`
    // Notify the workers as the queue does, so that they do not wait for their next poll.
    for (const name of ['bugs.deliver', 'bugs.retry'])
      await tx`
        select pg_notify(
          'pgboss_' || left(encode(sha224('pgboss'::bytea), 'hex'), 24),
          ${name}
        )`
  })
}
