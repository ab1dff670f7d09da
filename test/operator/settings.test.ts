import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Environment } from '../../src/core/runtime/config.ts'
import { eventually, startApp } from '../support/app.ts'
import { must, refused } from '../support/builders.ts'

const SETTINGS = '/api/v1/private/operations/settings'

async function startWithOperator(t: Parameters<typeof startApp>[0], env: Environment = {}) {
  const app = await startApp(t, env)
  const operator = await app.a.verified()
  await app.sql`insert into operators (user_uid) values (${operator.uid})`
  return { ...app, operator }
}

test('an operator changes settings, and every process follows', async (t) => {
  const { operator, get, patch, settings } = await startWithOperator(t)
  const other = await startApp(t, { DATABASE_URL: settings.DATABASE_URL })
  const change = { store_name: 'Harbor', editions_max: 3 }
  const data = must(await patch(SETTINGS, change, operator))
  assert.deepEqual([data.settings.store_name, data.settings.editions_max], ['Harbor', 3])
  assert.equal(must(await get('/api/v1/public/store-rules')).editions_max, 3)
  await eventually('the name', async () => /Harbor/.test((await other.get('/')).body))
  assert.deepEqual(
    data.changes.map(({ name, old_value, new_value, username }: Record<string, string>) => [
      name,
      old_value,
      new_value,
      username,
    ]),
    [
      ['editions_max', null, '3', operator.username],
      ['store_name', null, '"Harbor"', operator.username],
    ],
  )
  for (const store_name of ['', '   ', 'a\nb'])
    assert.deepEqual(refused(await patch(SETTINGS, { store_name }, operator)), [400, 4000])
  const again = must(await patch(SETTINGS, { store_name: null }, operator))
  assert.equal(again.settings.store_name, 'Slipway')
  assert.deepEqual(must(await get(SETTINGS, operator)), again)
})

test('only operators read and change settings, until they are removed', async (t) => {
  const { a, operator, get, patch, sql } = await startWithOperator(t)
  const person = await a.verified()
  assert.deepEqual(refused(await get(SETTINGS, person)), [403, 4030])
  assert.deepEqual(refused(await patch(SETTINGS, { store_name: 'Mine' }, person)), [403, 4030])
  assert.deepEqual(refused(await get(SETTINGS)), [401, 4010])
  must(await get(SETTINGS, operator))
  await sql`delete from operators`
  assert.deepEqual(refused(await get(SETTINGS, operator)), [403, 4030])
})

test('a setting of the environment is named as fixed and cannot be changed', async (t) => {
  const { operator, get, patch } = await startWithOperator(t, { STORE_NAME: 'Harbor' })
  const answer = await patch(SETTINGS, { editions_max: 3, store_name: 'Other' }, operator)
  assert.deepEqual(refused(answer), [409, 4260])
  assert.match(answer.body.error.message, /^STORE_NAME is set in the environment/)
  const { settings, fixed, changes } = must(await get(SETTINGS, operator))
  assert.deepEqual([settings.store_name, settings.editions_max], ['Harbor', 8])
  assert.deepEqual([fixed, changes], [['store_name', 'require_mfa'], []])
})

test('invalid settings are refused, and none of the request is stored', async (t) => {
  const { operator, get, patch } = await startWithOperator(t)
  for (const wrong of [
    { store_name: '' },
    { store_name: 'x'.repeat(61) },
    { store_name: 'two\nlines' },
    { store_name: 7 },
    { powered_by: 'on' },
    { editions_max: 0 },
    { editions_max: 101 },
    { sale_fee_percent: 101 },
    { min_price_cents: 60_000 },
    { max_price_cents: 98 },
    { min_price_cents: 200, max_price_cents: 199 },
    { unknown: 1 },
  ]) {
    const answer = await patch(SETTINGS, { refund_window_hours: 1, ...wrong }, operator)
    assert.deepEqual(refused(answer), [400, 4000], JSON.stringify(wrong))
  }
  const { settings, changes } = must(await get(SETTINGS, operator))
  assert.deepEqual([settings.refund_window_hours, changes], [168, []])
  for (const right of [
    { store_name: 'x'.repeat(60) },
    { store_name: '灯台 & <b>' },
    { editions_max: 1 },
    { editions_max: 100 },
    { min_price_cents: 200, max_price_cents: 200 },
    {},
  ])
    must(await patch(SETTINGS, right, operator))
})
