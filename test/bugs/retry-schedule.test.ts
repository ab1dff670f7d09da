import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deliveryErrorText } from '../../src/bugs/deliveries/error-text.ts'
import {
  type FailureStreak,
  isExhausted,
  MAX_RETRY_SECONDS,
  nextAttemptAt,
  readAttemptResult,
} from '../../src/bugs/deliveries/retry-schedule.ts'
import { writeText } from '../../src/core/text/text.ts'
import { fc } from '../support/property.ts'

const start = new Date('2026-11-15T00:00:00Z')
const at = (seconds: number) => new Date(start.getTime() + seconds * 1000)
const seconds = (date: Date) => (date.getTime() - start.getTime()) / 1000

/**
 * The times at which a receiver that never responds is tried, until its deliveries are given up.
 */
function tries(spread: number, retry_after: (nth: number) => number | null = () => null): number[] {
  const times = [0]
  for (let failures = 1; failures < 1000; failures++) {
    const now = at(times.at(-1)!)
    const streak: FailureStreak = { failures, since: start, retry_after: retry_after(failures) }
    if (isExhausted(streak, now)) return times
    times.push(seconds(nextAttemptAt(streak, now, spread)))
  }
  throw new Error('the retries do not end')
}

test('retries start within two minutes, slow down, and end after ten hours', () => {
  for (const spread of [0, 0.5, 1]) {
    const times = tries(spread)
    assert.ok(times[1]! > 0 && times[1]! <= 120)
    assert.equal(times.at(-1), MAX_RETRY_SECONDS)
    assert.ok(times.length >= 10 && times.length <= 16, String(times))
    const waits = times.slice(1).map((time, index) => time - times[index]!)
    assert.ok(waits.every((wait) => wait <= 2.4 * 3600))
    for (const [index, wait] of waits.slice(1, -1).entries())
      assert.ok(wait >= waits[index]!, String(waits))
  }
})

test('a Retry-After of years leaves four attempts within the ten hours', () => {
  assert.deepEqual(
    tries(1, () => 999_999_999),
    [0, 12_000, 24_000, MAX_RETRY_SECONDS],
  )
})

/** At most a third of the whole time, so that at least four attempts are made. */
const MAX_RETRY_AFTER = MAX_RETRY_SECONDS / 3

test('attempts never come before Retry-After, and always end', () => {
  fc.assert(
    fc.property(
      fc.array(fc.option(fc.nat(200_000)), { minLength: 1 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (retryAfters, spread) => {
        const times = tries(spread, (nth) => retryAfters[nth % retryAfters.length] ?? null)
        for (const [index, time] of times.slice(1).entries()) {
          // Times are whole milliseconds, so a difference in seconds may have a rounding error.
          const wait = Math.round((time - times[index]!) * 1000) / 1000
          const requested = retryAfters[(index + 1) % retryAfters.length]
          assert.ok(wait > 0)
          if (requested !== null && requested !== undefined && time < MAX_RETRY_SECONDS)
            assert.ok(wait >= Math.min(requested, MAX_RETRY_AFTER))
        }
        assert.ok(times.length <= 64)
      },
    ),
  )
})

test('honors Retry-After, with growing waits for a receiver that always sends 0', () => {
  const wait = (failures: number, retry_after: number) =>
    seconds(nextAttemptAt({ failures, since: start, retry_after }, start, 1))
  assert.deepEqual(
    [wait(1, 5), wait(1, 3600), wait(1, 0), wait(2, 0), wait(8, 0)],
    [5, 3600, 1, 2, 128],
  )
})

test('gives a receiver up only after four attempts, even after days of downtime', () => {
  assert.equal(isExhausted({ failures: 3, since: start, retry_after: null }, at(5 * 86_400)), false)
  assert.equal(isExhausted({ failures: 4, since: start, retry_after: null }, at(5 * 86_400)), true)
  assert.equal(
    isExhausted({ failures: 50, since: start, retry_after: null }, at(MAX_RETRY_SECONDS - 1)),
    false,
  )
})

const answering = (status: number, retry_after?: string, text = '') => ({
  status,
  headers: retry_after === undefined ? {} : { 'retry-after': retry_after },
  body: Buffer.from(text),
})

test('only a 2xx status counts as delivered', () => {
  for (const status of [200, 201, 204, 299])
    assert.equal(readAttemptResult(answering(status), 'json', start).delivered, true)
  for (const status of [101, 199, 300, 302, 304, 400, 404, 410, 429, 500, 503])
    assert.equal(readAttemptResult(answering(status), 'json', start).delivered, false)
})

test('Retry-After is read as seconds or a date, and ignored otherwise', () => {
  const read = (header: string | undefined) => {
    const result = readAttemptResult(answering(503, header), 'json', start)
    return result.delivered ? undefined : result.retry_after
  }
  assert.deepEqual(['120', ' 7 ', '0.3', '0'].map(read), [120, 7, 1, 0])
  assert.equal(read(at(90).toUTCString()), 90)
  assert.equal(read(at(-90).toUTCString()), 0)
  for (const junk of [undefined, '', '-1', 'soon', '1e9', '12 s', 'Sun, junk'])
    assert.equal(read(junk), null, junk)
})

test('the retry_after of a 429 body of the chat service counts, or a longer Retry-After', () => {
  type Options = { kind?: 'chat' | 'json'; status?: number; header?: string }
  const read = (text: string, { kind = 'chat', status = 429, header }: Options = {}) => {
    const result = readAttemptResult(answering(status, header, text), kind, start)
    return result.delivered ? undefined : result.retry_after
  }
  assert.equal(read('{"retry_after":64.57}'), 65)
  assert.equal(read('{"retry_after":0}'), 0)
  assert.equal(read('{"retry_after":0.3,"global":true}'), 1)
  assert.equal(read('{"retry_after":5}', { header: '7' }), 7)
  assert.equal(read('{"retry_after":9.1}', { header: '7' }), 10)
  assert.equal(read('{"retry_after":9}', { status: 503 }), null)
  assert.equal(read('{"retry_after":9}', { kind: 'json' }), null)
  for (const junk of ['', '{', 'null', '[]', '{"retry_after":"9"}', '{"retry_after":-1}', '1e9'])
    assert.deepEqual([read(junk), read(junk, { header: '3' })], [null, 3], junk)
  assert.equal(read('{"retry_after":1e99}'), null)
})

test('the errors of deliveries are written in the language of the reader', () => {
  const outcomes: [error: string, german: RegExp][] = [
    ['It answered 500', /^Die Antwort war 500$/],
    ['It answered 302; redirects are not followed, so save the final address', /Weiterleitungen/],
    ['It answered 404; the webhook was deleted in the chat service', /im Chatdienst gelöscht/],
    ['No complete answer within 10000 ms', /^Keine .* 10 Sekunden$/],
    ['The host of https://a.example has no address', /^Der Host von https:\/\/a\.example hat/],
    ['https://a.example has an address that is not public', /nicht öffentlich ist$/],
    ['The exchange with https://a.example failed (ECONNRESET)', /\(ECONNRESET\)$/],
    ['The URL was disabled', /^Die Adresse wurde abgeschaltet$/],
  ]
  for (const [error, german] of outcomes) {
    assert.match(writeText(deliveryErrorText(error), 'de'), german)
    const english = writeText(deliveryErrorText(error), 'en')
    assert.equal(english.replace('10 seconds', '10000 ms'), error)
  }
  assert.equal(deliveryErrorText('Something else'), 'Something else')
})
