import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../../src/core/runtime/config.ts'
import { listSettingChanges, writeSetting } from '../../../src/core/settings/queries.ts'
import { defaultSettings, type SettingName } from '../../../src/core/settings/table.ts'
import { eventually, startApp } from '../../support/app.ts'

/** What the environment of the tests sets. */
const fixed = { require_mfa: 'off' }

type App = Awaited<ReturnType<typeof startApp>>

const change = ({ sql }: App, name: SettingName, value: unknown, user_uid: string | null = null) =>
  sql.begin((tx) => writeSetting(tx, { name, value, user_uid }))

test('a setting that one process changes is in force in all others', async (t) => {
  const app = await startApp(t)
  const other = await startApp(t, { DATABASE_URL: app.settings.DATABASE_URL })
  assert.deepEqual(other.core.settings.current, { ...defaultSettings, ...fixed })
  const { version } = other.core.settings
  await change(app, 'editions_max', 3)
  await eventually('the new number', () => other.core.settings.current.editions_max === 3)
  assert.notEqual(other.core.settings.version, version)
  const rules = await other.get('/api/v1/public/store-rules')
  assert.equal(rules.body.data.editions_max, 3)
  await change(app, 'editions_max', null)
  await eventually('the default', () => other.core.settings.current.editions_max === 8)
})

test('a setting of the environment wins over a stored one', async (t) => {
  const app = await startApp(t, { STORE_NAME: 'Harbor', EDITIONS_MAX: '2' })
  await change(app, 'store_name', 'Another')
  await change(app, 'min_price_cents', 200)
  await eventually('the new price', () => app.core.settings.current.min_price_cents === 200)
  const { store_name, editions_max } = app.core.settings.current
  assert.deepEqual([store_name, editions_max], ['Harbor', 2])
})

test('settings that a newer version stored are ignored', async (t) => {
  const app = await startApp(t)
  await change(app, 'color_of_the_sea' as never, 'blue')
  await change(app, 'editions_max', 3)
  await eventually('the new number', () => app.core.settings.current.editions_max === 3)
  assert.deepEqual(app.core.settings.current, { ...defaultSettings, ...fixed, editions_max: 3 })
})

test('every change is recorded once, with who made it', async (t) => {
  const app = await startApp(t)
  const person = await app.a.verified()
  const [user] = await app.sql`select uid from users where username = ${person.username}`
  assert.equal(await change(app, 'editions_max', 3, user!.uid), true)
  assert.equal(await change(app, 'editions_max', 3, user!.uid), false)
  assert.equal(await change(app, 'editions_max', null), true)
  assert.equal(await change(app, 'editions_max', null), false)
  const changes = await listSettingChanges(app.sql, 10)
  assert.deepEqual(
    changes.map(({ name, old_value, new_value, username }) => [
      name,
      old_value,
      new_value,
      username,
    ]),
    [
      ['editions_max', 3, null, null],
      ['editions_max', null, 3, person.username],
    ],
  )
})

test('two changes at once are both recorded with the value before them', async (t) => {
  const app = await startApp(t)
  await change(app, 'editions_max', 1)
  await Promise.all([2, 3, 4, 5].map((value) => change(app, 'editions_max', value)))
  const changes = (await listSettingChanges(app.sql, 10)).toReversed()
  const values = changes.map(({ new_value }) => new_value)
  assert.deepEqual([...values].sort(), [1, 2, 3, 4, 5])
  const [last] = await app.sql`select value from store_settings`
  // Each change starts from the value that another one left.
  const before = changes.map(({ old_value }) => old_value)
  assert.deepEqual(new Set([...before.slice(1), last!.value]), new Set(values))
})

test('the name of the store is one line of 60 characters', () => {
  assert.equal(readConfig({ STORE_NAME: 'x'.repeat(60) }).fixed_settings.store_name?.length, 60)
  for (const STORE_NAME of ['x'.repeat(61), 'two\nlines', 'bell\u0007'])
    assert.throws(() => readConfig({ STORE_NAME }), /STORE_NAME must be one line of at most 60/)
})
