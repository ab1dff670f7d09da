import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KIB, MIB } from '../../../src/core/runtime/units.ts'
import { must, refused } from '../../support/builders.ts'
import { picture } from '../../support/images.ts'
import { sharedInFile } from '../../support/shared.ts'
import { GAMES, report, startBugApp } from '../fixtures.ts'

const sharedBugApp = sharedInFile(startBugApp)

test('a player with a copy can report from the store while the reporter is off', async (t) => {
  const { game, fan, player, sendFromStore, call, readTicket, show } = await sharedBugApp(t)
  const off = await game()
  const [holder, stranger] = [await fan(off.uid), await player()]
  const url = `${GAMES}/${off.uid}/bug-reports`
  const filed = must(
    await sendFromStore(
      off.uid,
      holder,
      report({}, { log: 'l', screenshot: await picture(32, 32) }),
    ),
  )
  const ticket = await readTicket(off, filed.bug_uid)
  assert.deepEqual([ticket.source, ticket.has_log, ticket.has_screenshot], ['store', true, true])
  const json = must(
    await call('POST', url, {
      body: { message: 'From the page', os: 'linux', log: 'x' },
      token: holder.token,
    }),
  )
  assert.deepEqual(
    [(await readTicket(off, json.bug_uid)).message, json.status],
    ['From the page', 'open'],
  )
  const anonymous = await call('POST', url, { body: { message: 'x' } })
  assert.deepEqual(refused(anonymous), [401, 4010])
  assert.deepEqual(
    refused(await call('POST', url, { body: { message: 'x' }, token: stranger.token })),
    [403, 4076],
  )
  assert.deepEqual(
    refused(await call('POST', url, { body: { message: 'x' }, token: off.owner.token })),
    [403, 4076],
  )
  await show(off.uid, 'draft')
  assert.deepEqual(
    refused(await call('POST', url, { body: { message: 'x' }, token: stranger.token })),
    [404, 4040],
  )
  assert.equal(
    (
      await call('POST', url, {
        body: { message: 'A copy outlives its page' },
        token: holder.token,
      })
    ).status,
    201,
  )
})

test('JSON reports from the store follow the same rules', async (t) => {
  const { game, fan, call, a } = await sharedBugApp(t)
  const { uid, owner } = await game()
  const holder = await fan(uid)
  const sendRaw = (raw: string, token = holder.token) =>
    call('POST', `${GAMES}/${uid}/bug-reports`, {
      raw,
      token,
      headers: { 'content-type': 'application/json; charset=utf-8' },
    })
  const text = (fields: object) => JSON.stringify({ message: 'x', ...fields })
  for (const bad of [
    '',
    '{',
    '[]',
    '"x"',
    'null',
    '{}',
    text({ message: 7 }),
    text({ log: 7 }),
    text({ screenshot: 'x' }),
    text({ os: 7 }),
    '{"message":"x","__proto__":{}}',
    '{"message":"\\u0000"}',
  ])
    assert.deepEqual(refused(await sendRaw(bad)), [400, 4000], bad)
  assert.equal((await sendRaw(text({ log: '"'.repeat(512 * KIB) }))).status, 201)
  assert.deepEqual(refused(await sendRaw(text({ log: '"'.repeat(512 * KIB + 1) }))), [413, 4130])
  assert.deepEqual(refused(await sendRaw(`{"message":"x"${' '.repeat(4 * MIB)}}`)), [413, 4130])
  assert.deepEqual(
    refused(await sendRaw(text({}), (await a.key('agent', owner, ['mcp:bugs.write'])).key)),
    [403, 4033],
  )
  assert.deepEqual(
    refused(await sendRaw(text({}), (await a.key('player', holder, ['player:read'])).key)),
    [403, 4031],
  )
  assert.equal(
    (await sendRaw(text({}), (await a.key('player', holder, ['player:write'])).key)).status,
    201,
  )
})
