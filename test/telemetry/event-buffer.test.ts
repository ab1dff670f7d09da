import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Core } from '../../src/core/runtime/core.ts'
import type { StoredEvent } from '../../src/telemetry/events/aggregate.ts'
import { storeEvents } from '../../src/telemetry/events/event-buffer.ts'

const tick = (fields: Partial<StoredEvent> = {}): StoredEvent => ({
  build_uid: '00000000-0000-7000-8000-000000000001',
  key: undefined,
  event: 'tick',
  at_us: Date.now() * 1000,
  device: undefined,
  session: undefined,
  sender: { network: null, signed: false },
  value: null,
  metadata: null,
  ...fields,
})

type Query = { text: string; values: unknown[] }
/** A core whose database is a stub: `answer` gets each query and its number. */
function stubCore(answer: (query: Query, nth: number) => unknown) {
  const queries: Query[] = []
  const sql = async (strings: string[], ...values: unknown[]) => {
    const query = { text: strings.join('?'), values }
    if (query.text.startsWith('set local')) return []
    queries.push(query)
    return answer(query, queries.length)
  }
  const begin = (run: (tx: typeof sql) => Promise<unknown>) => run(sql)
  const events = Object.assign(sql, { begin, options: { max: 3 } })
  return { core: { events } as unknown as Core, queries }
}
const written = [{ repeated_keys: [], health_changed: false }]
const fail = (code: string) => {
  throw Object.assign(new Error(code), { code })
}
const statuses = async (writes: Promise<void>[]) =>
  (await Promise.allSettled(writes)).map(({ status }) => status)
const createsDays = ({ text }: Query) => text.includes('make_event_days')

test('does not repeat a write that may have been committed', async () => {
  for (const code of [
    'CONNECTION_CLOSED',
    'CONNECTION_ENDED',
    'ECONNRESET',
    '57P01',
    '08006',
    '40003',
    '',
  ]) {
    const { core, queries } = stubCore(() => fail(code))
    assert.deepEqual(
      await statuses([storeEvents(core, [tick()]), storeEvents(core, [tick()])]),
      ['rejected', 'rejected'],
      code,
    )
    assert.equal(queries.length, 1, code)
  }
})

test('writes the requests of a rejected batch one by one', async () => {
  for (const code of ['22000', '23502', '42703', '54000']) {
    const { core, queries } = stubCore((_, nth) => (nth === 1 ? fail(code) : written))
    assert.deepEqual(
      await statuses([storeEvents(core, [tick()]), storeEvents(core, [tick()])]),
      ['fulfilled', 'fulfilled'],
      code,
    )
    assert.equal(queries.length, 3, code)
  }
})

test('retries when another writer creates a missing day at the same moment', async () => {
  for (const code of ['42P07', '23505', '40P01']) {
    const { core, queries } = stubCore((query, nth) => {
      if (nth === 1) return fail('42P01')
      return createsDays(query) ? fail(code) : written
    })
    await storeEvents(core, [tick()])
    assert.deepEqual(queries.map(createsDays), [false, true, false], code)
  }
})

test('fails when a missing day cannot be created', async () => {
  const { core } = stubCore((query) => fail(createsDays(query) ? '53100' : '42P01'))
  await assert.rejects(storeEvents(core, [tick()]), { code: '53100' })
})

test('buffers at most 64 MiB and writes at most 8 MiB at a time', async () => {
  const release = Promise.withResolvers<typeof written>()
  const { core, queries } = stubCore(() => release.promise)
  const metadata = JSON.stringify({ text: 'x'.repeat(10_000) })
  const batch = Array.from({ length: 100 }, () => tick({ metadata }))
  const capacity = Math.floor((64 * 1024 * 1024) / (100 * (metadata.length + 200)))
  const writes = Array.from({ length: capacity }, () => storeEvents(core, batch))
  assert.throws(() => storeEvents(core, batch), { refusal: 'UNAVAILABLE' })
  // A small request still fits, because the refused one is not counted.
  writes.push(storeEvents(core, [tick()]))
  release.resolve(written)
  assert.deepEqual(new Set(await statuses(writes)), new Set(['fulfilled']))
  const lengths = queries.flatMap(({ values }) =>
    values.map((value) => (typeof value === 'string' ? value.length : 0)),
  )
  const longest = Math.max(...lengths)
  assert.ok(longest > 7 * 1024 * 1024 && longest < 8 * 1024 * 1024, String(longest))
  await Promise.all(Array.from({ length: capacity }, () => storeEvents(core, batch)))
})
