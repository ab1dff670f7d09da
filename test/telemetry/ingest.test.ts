import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Core } from '../../src/core/runtime/core.ts'
import type { KeptEvent } from '../../src/telemetry/events/aggregate.ts'
import { keepEvents } from '../../src/telemetry/events/event-buffer.ts'

const tick = (more: Partial<KeptEvent> = {}): KeptEvent => ({
  ...{
    build_uid: '00000000-0000-7000-8000-000000000001',
    key: undefined,
    event: 'tick',
    at_us: Date.now() * 1000,
  },
  ...{ device: undefined, session: undefined, value: null, metadata: null },
  ...more,
})

type Told = { asked: string; values: unknown[] }
/** A desk in front of a database that answers as it is told to. */
function desk(answer: (told: Told, nth: number) => unknown) {
  const told: Told[] = []
  const sql = async (strings: string[], ...values: unknown[]) => {
    told.push({ asked: strings.join('?'), values })
    return answer(told.at(-1)!, told.length)
  }
  return { core: { events: Object.assign(sql, { options: { max: 3 } }) } as unknown as Core, told }
}
const written = [{ known: [], news: false }]
const failure = (code: string) => Object.assign(new Error(code), { code })
const fail = (code: string) => {
  throw failure(code)
}
const states = async (kept: Promise<void>[]) =>
  (await Promise.allSettled(kept)).map(({ status }) => status)

test('what may have been written is not written again; what was refused together is tried one by one', async () => {
  for (const code of [
    'CONNECTION_CLOSED',
    'CONNECTION_ENDED',
    'ECONNRESET',
    '57P01',
    '08006',
    '40003',
    '',
  ]) {
    const { core, told } = desk(() => fail(code))
    assert.deepEqual(
      await states([keepEvents(core, [tick()]), keepEvents(core, [tick()])]),
      ['rejected', 'rejected'],
      code,
    )
    assert.equal(told.length, 1, code)
  }
  for (const code of ['22000', '23502', '42703', '54000']) {
    const { core, told } = desk((_, nth) => (nth === 1 ? fail(code) : written))
    assert.deepEqual(
      await states([keepEvents(core, [tick()]), keepEvents(core, [tick()])]),
      ['fulfilled', 'fulfilled'],
      code,
    )
    assert.equal(told.length, 3, code)
  }
})

test('of two who miss the table of a day, the one who comes second to make it writes all the same', async () => {
  for (const code of ['42P07', '23505', '40P01']) {
    const { core, told } = desk(({ asked }, nth) =>
      nth === 1 ? fail('42P01') : asked.includes('make_event_days') ? fail(code) : written,
    )
    await keepEvents(core, [tick()])
    assert.deepEqual(
      told.map(({ asked }) => asked.includes('make_event_days')),
      [false, true, false],
      code,
    )
  }
  const { core } = desk(({ asked }) => fail(asked.includes('make_event_days') ? '53100' : '42P01'))
  await assert.rejects(keepEvents(core, [tick()]), { code: '53100' })
})

test('what waits is bounded in bytes as well: 64 MiB, written 8 MiB at a time', async () => {
  const hold = Promise.withResolvers<typeof written>()
  const { core, told } = desk(() => hold.promise)
  const metadata = JSON.stringify({ text: 'x'.repeat(10_000) })
  const batch = Array.from({ length: 100 }, () => tick({ metadata }))
  const fits = Math.floor((64 * 1024 * 1024) / (100 * (metadata.length + 200)))
  const kept = Array.from({ length: fits }, () => keepEvents(core, batch))
  assert.throws(() => keepEvents(core, batch), { refusal: 'UNAVAILABLE' })
  // A little still fits, and nothing of what was refused stays counted.
  kept.push(keepEvents(core, [tick()]))
  hold.resolve(written)
  assert.deepEqual(new Set(await states(kept)), new Set(['fulfilled']))
  const most = Math.max(
    ...told.flatMap(({ values }) =>
      values.map((value) => (typeof value === 'string' ? value.length : 0)),
    ),
  )
  assert.ok(most > 7 * 1024 * 1024 && most < 8 * 1024 * 1024, String(most))
  await Promise.all(Array.from({ length: fits }, () => keepEvents(core, batch)))
})
