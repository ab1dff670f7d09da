import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readData } from '../../cli/http/api.ts'
import { type RetryContext, withRetries } from '../../cli/http/retry.ts'

/** Requests that are all refused with 429; the signal ends the first wait at once. */
async function rateLimited(retry_after: string) {
  const signal = AbortSignal.abort()
  const notes: string[] = []
  const context = {
    settings: { retry_seconds: 1 },
    ui: { note: (text: string) => notes.push(text) },
  }
  const envelope = { success: false, error: { code: 4291, message: 'Too many uploads' } }
  const answer = {
    status: 429,
    headers: { 'retry-after': retry_after },
    body: Buffer.from(JSON.stringify(envelope)),
  }
  const error = await withRetries({ ...context, signal } as unknown as RetryContext, async () =>
    readData(answer as never, 'http://127.0.0.1:9/api/v1'),
  ).catch((error) => error)
  return { error, waits: notes.length }
}

test('a rate limit that outlasts all retries ends at once and names the time', async () => {
  const times = {
    121: '3 minutes',
    2641: '45 minutes',
    7201: '3 hours',
    86400: '24 hours',
    259200: '3 days',
  }
  for (const [seconds, time] of Object.entries(times)) {
    const { error, waits } = await rateLimited(seconds)
    assert.deepEqual([error.exit_code, error.code, waits], [2, 4291, 0], seconds)
    assert.equal(
      error.message,
      `Too many uploads; the server accepts the next request in about ${time}`,
    )
  }
  const { error, waits } = await rateLimited('120')
  assert.deepEqual([error.name, waits], ['AbortError', 1], 'did not wait')
})
