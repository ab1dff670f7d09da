import assert from 'node:assert/strict'
import type { Core } from '../../src/core/runtime/core.ts'
import type { Answer } from '../support/app.ts'

/**
 * Sends a request once, and counts what it takes of the limits with this number of points as often
 * as if it had been sent this many times. Sending a request takes a thousand times as long as
 * counting it, so a test reaches a large limit this way and sends the requests around its bound.
 */
export async function repeatUses(
  { limiter }: Core,
  points: number,
  times: number,
  send: () => Promise<Answer>,
): Promise<Answer> {
  const uses: { bucket: string; key: string; seconds: number }[] = []
  const { take } = limiter
  limiter.take = (bucket, key, limit) => {
    if (limit.points === points) uses.push({ bucket, key, seconds: limit.seconds })
    return take(bucket, key, limit)
  }
  const answer = await send().finally(() => {
    limiter.take = take
  })
  assert.notEqual(uses.length, 0, `no limit of ${points} counted the request`)
  for (const { bucket, key, seconds } of uses)
    for (let use = 1; use < times; use++) await limiter.count(bucket, key, seconds)
  return answer
}
