import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS } from '../../src/core/runtime/units.ts'
import { eventually } from '../support/app.ts'
import { refused } from '../support/builders.ts'
import { claimsOf, sharedExtstoreApp } from './fixtures.ts'

const startApp = sharedExtstoreApp()

test('deletes session records in batches exactly 30 days after their token expired', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  const { game, signIn, core, sql, verify, refresh } = await startApp()
  const linkedGame = await game()
  const { token, session_uid } = await signIn(linkedGame)
  const { game_uid, generation } = (
    await sql`select game_uid, generation from extstore_sessions where jti = ${session_uid}`
  )[0]!
  const expiry = claimsOf(token).exp * 1000
  // More than two batches of expired sessions, some of them revoked.
  await sql`
    insert into extstore_sessions
      (jti, game_uid, generation, extstore_id, ip, expires_at, revoked_at)
    select gen_random_uuid(), ${game_uid}, ${generation}, '76561198000000001', '203.0.113.1',
      now() - n * interval '1 minute' - interval '40 days',
      case when n % 2 = 0 then now() end
    from generate_series(1, 11000) n`
  const count = async () =>
    (await sql`select from extstore_sessions where game_uid = ${linkedGame.uid}`).length
  const sweep = async () => {
    const id = await sql.begin((tx) => core.jobs.send(tx, 'extstore.sweep'))
    await eventually(
      'the sweep',
      async () =>
        (await sql`select from pgboss.job where id = ${id} and state = 'completed'`).length === 1,
    )
  }
  await sweep()
  assert.equal(await count(), 1)
  t.mock.timers.setTime(expiry + 30 * DAY_MS)
  await sweep()
  assert.equal(await count(), 1, 'the session was deleted before 30 days')
  t.mock.timers.setTime(expiry + 30 * DAY_MS + 1000)
  await sweep()
  assert.equal(await count(), 0)
  assert.deepEqual((await verify(linkedGame, token)).body.data, {
    valid: false,
    expired: true,
    revoked: true,
  })
  assert.deepEqual(refused(await refresh(linkedGame, token)), [401, 4248])
})
