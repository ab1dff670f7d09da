import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { escapeChatText } from '../../src/bugs/deliveries/chat-text.ts'
import {
  type FailureStreak,
  isExhausted,
  MAX_RETRY_SECONDS,
  nextAttemptAt,
  readAttemptResult,
} from '../../src/bugs/deliveries/retry-schedule.ts'
import { webhookRules } from '../../src/bugs/deliveries/webhook-url.ts'
import { readImageHeader } from '../../src/bugs/reports/image-header.ts'
import { readConfig } from '../../src/core/runtime/config.ts'
import { picture } from '../support/images.ts'
import { fc } from '../support/property.ts'

const TURNING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
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
  throw new Error('it never ends')
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
      (asked, spread) => {
        const times = tries(spread, (nth) => asked[nth % asked.length] ?? null)
        for (const [index, time] of times.slice(1).entries()) {
          // Times are whole milliseconds, so a difference in seconds may have a rounding error.
          const wait = Math.round((time - times[index]!) * 1000) / 1000
          const wanted = asked[(index + 1) % asked.length]
          assert.ok(wait > 0)
          if (wanted !== null && wanted !== undefined && time < MAX_RETRY_SECONDS)
            assert.ok(wait >= Math.min(wanted, MAX_RETRY_AFTER))
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

test('only a 2xx status counts as delivered', () => {
  for (const status of [200, 201, 204, 299])
    assert.equal(readAttemptResult(status, {}, start).delivered, true)
  for (const status of [101, 199, 300, 302, 304, 400, 404, 410, 429, 500, 503])
    assert.equal(readAttemptResult(status, {}, start).delivered, false)
})

test('Retry-After is read as seconds or a date, and ignored otherwise', () => {
  const read = (header: string | undefined) => {
    const result = readAttemptResult(503, { 'retry-after': header }, start)
    return result.delivered ? undefined : result.retry_after
  }
  assert.deepEqual(['120', ' 7 ', '0.3', '0'].map(read), [120, 7, 1, 0])
  assert.equal(read(at(90).toUTCString()), 90)
  assert.equal(read(at(-90).toUTCString()), 0)
  for (const junk of [undefined, '', '-1', 'soon', '1e9', '12 s', 'Sun, junk'])
    assert.equal(read(junk), null, junk)
})

test('reads the same image type and size as a decoder', async () => {
  for (const format of ['png', 'jpeg', 'webp'] as const)
    for (const [width, height] of [
      [1, 1],
      [33, 7],
      [640, 480],
      [1, 3000],
    ] as const) {
      const bytes = await picture(width, height, { format })
      assert.deepEqual(readImageHeader(bytes), { type: `image/${format}`, width, height })
    }
  const blank = sharp({ create: { width: 35, height: 21, channels: 4, background: '#12345678' } })
  const variants = [
    await blank.webp({ lossless: true }).toBuffer(),
    await blank.webp({ quality: 50 }).toBuffer(),
    await blank
      .withMetadata({ exif: { IFD0: { Copyright: 'x'.repeat(40_000) } } })
      .jpeg({ progressive: true })
      .toBuffer(),
    await blank.withMetadata().webp({ quality: 50 }).toBuffer(),
  ]
  for (const bytes of variants)
    assert.deepEqual([readImageHeader(bytes)?.width, readImageHeader(bytes)?.height], [35, 21])
})

test('rejects a JPEG whose markers a decoder would skip differently', async () => {
  const bomb = (await picture(40, 30, { format: 'jpeg' })).subarray(2)
  // If the marker is skipped as if it had a length, a 1x1 frame follows that no decoder sees.
  const frame = Buffer.from('ffc0000b080001000101011100', 'hex')
  for (const marker of [0x00, 0x01, 0xd0, 0xd4, 0xd7, 0xd8, 0xd9, 0xda]) {
    const hidden = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, marker, 0, 2]), frame, bomb])
    assert.equal(readImageHeader(hidden), null, marker.toString(16))
  }
  const comment = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xfe, 0, 2]), bomb])
  assert.deepEqual(readImageHeader(comment), { type: 'image/jpeg', width: 40, height: 30 })
})

test('reading the header of corrupt or truncated images never throws', async () => {
  const whole = await Promise.all(
    (['png', 'jpeg', 'webp'] as const).map((format) => picture(40, 30, { format })),
  )
  fc.assert(
    fc.property(
      fc.constantFrom(...whole),
      fc.nat(400),
      fc.uint8Array({ maxLength: 40 }),
      fc.nat(60),
      (bytes, length, noise, where) => {
        const cut = readImageHeader(bytes.subarray(0, length))
        if (cut) assert.deepEqual(cut, readImageHeader(bytes))
        const broken = Buffer.from(bytes)
        broken.set(noise.subarray(0, Math.max(0, broken.length - where)), where)
        readImageHeader(broken)
      },
    ),
  )
})

test('chat text is escaped, stays within its length and loses only direction marks', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 80 }),
      fc.integer({ min: 2, max: 100 }),
      (text, max) => {
        const escaped = escapeChatText(text, max)
        assert.ok(escaped.length <= max)
        assert.doesNotMatch(escaped, /@(?!\u200b)|<(?!\u200b)|(?<!\\)(?:\\\\)*[*_~`|>#[\]()]/)
        const readable = escaped
          .replace(/…$/, '')
          .replaceAll(/\\(.)/g, '$1')
          .replaceAll(/([@<])\u200b/g, '$1')
        assert.ok(text.replaceAll(TURNING, '').startsWith(readable) || text.endsWith('…'))
      },
    ),
  )
  for (const turn of '\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069')
    assert.equal(escapeChatText(`a${turn}b`, 9), 'ab')
})

test('the ports of every configured server are refused as webhooks', () => {
  const given = {
    DATABASE_URL: 'postgres://localhost:5001/slipway',
    DATABASE_REPLICA_URL: 'postgresql://127.0.0.1/slipway',
    S3_URL: 'http://key:secret@127.0.0.1:9000/bucket',
    S3_PUBLIC_URL: 'http://localhost:9001',
    REDIS_URL: 'rediss://127.0.0.1',
    CLAMD_URL: 'tcp://127.0.0.1',
    SMTP_URL: 'smtps://127.0.0.1',
  }
  const { own_ports } = webhookRules({ config: readConfig(given), addresses: {} as never })
  for (const port of [5001, 5432, 9000, 9001, 6379, 3310, 465])
    assert.ok(own_ports.has(port), String(port))
})
