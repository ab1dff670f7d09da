import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Cut, lossyDatabase } from '../../../sim/lossy-database.ts'
import { eventually, startApp } from '../../support/app.ts'
import { must, refused } from '../../support/builders.ts'
import { cleanup } from '../../support/cleanup.ts'
import { freshDatabase } from '../../support/database.ts'
import { sharedInFile } from '../../support/shared.ts'
import { GAMES } from '../fixtures.ts'

const sharedApp = sharedInFile(startApp)

const withKey = (who: { token: string }, key: string) => ({
  token: who.token,
  headers: { 'idempotency-key': key },
})

test('a listing with the same key and body is created once, whatever the order', async (t) => {
  const { post, get, a } = await sharedApp(t)
  const owner = await a.developer()
  const first = await post(GAMES, { name: 'A', tagline: 'B' }, withKey(owner, 'k'))
  const again = await post(GAMES, { tagline: 'B', name: 'A' }, withKey(owner, 'k'))
  assert.deepEqual([again.status, again.body], [201, first.body])
  const other = await post(GAMES, { name: 'A', tagline: 'C' }, withKey(owner, 'k'))
  assert.deepEqual(refused(other), [409, 4095])
  assert.deepEqual(refused(await post(GAMES, { name: 'A' }, withKey(owner, ' k k '))), [400, 4000])
  must(await post(GAMES, { name: 'A', tagline: 'B' }, withKey(owner, 'k2')))
  must(await post(GAMES, { name: 'A', tagline: 'B' }, withKey(await a.developer(), 'k')))
  assert.equal(must(await get(GAMES, owner)).total, 2)
})

test('requests with the same key at the same time create one listing', async (t) => {
  const { post, get, a } = await sharedApp(t)
  const owner = await a.developer()
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => post(GAMES, { name: 'Twin' }, withKey(owner, 'k'))),
  )
  assert.equal(new Set(answers.map((answer) => must(answer).game_uid)).size, 1)
  assert.equal(must(await get(GAMES, owner)).total, 1)
})

test('a listing whose commit was cut is created once when it is repeated', async (t) => {
  const database = await lossyDatabase(await freshDatabase(t))
  cleanup(t, () => database.close())
  const { post, get, a } = await startApp(t, { DATABASE_URL: database.url })
  const owner = await a.developer()
  let refusals = 0
  let created = 0
  for (const cut of ['before', 'after'] satisfies Cut[])
    for (let round = 0; round < 5; round++) {
      const send = () => post(GAMES, { name: `${cut} ${round}` }, withKey(owner, `${cut}-${round}`))
      database.cutNext(cut)
      if ((await send()).status !== 201) refusals++
      database.cutNext(undefined)
      await eventually('the listing', async () => (await send()).status === 201)
      created++
      assert.equal(must(await get(GAMES, owner)).total, created, `${cut} ${round}`)
    }
  assert.ok(refusals > 0, 'the cuts did not reach the requests')
})
