import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer } from '../support/app.ts'
import { code, from, sharedExtstoreApp } from './fixtures.ts'

const startApp = sharedExtstoreApp()

/**
 * Sends requests in concurrent batches and returns how many were accepted. All others must be 4290
 * with Retry-After.
 */
async function letThrough(times: number, ask: () => Promise<Answer>): Promise<number> {
  let through = 0
  for (let done = 0; done < times; done += 50) {
    const answers = await Promise.all(Array.from({ length: Math.min(50, times - done) }, ask))
    for (const answer of answers) {
      if (answer.status !== 429) through++
      else assert.ok(answer.body.error.code === 4290 && Number(answer.headers['retry-after']) >= 1)
    }
  }
  return through
}

test('limits sign-in and refresh together to 60 a minute per IP address', async () => {
  const { game, auth, refresh } = await startApp()
  const [keep, other] = [await game(), await game()]
  const here = from()
  assert.equal(await letThrough(30, () => auth(keep, 'zz', here)), 30)
  assert.equal(await letThrough(29, () => refresh(other, 'zz', here)), 29)
  assert.equal((await auth(other, 'zz', here)).status, 400, 'the 60th')
  assert.deepEqual(code(await auth(keep, 'zz', here)), [429, 4290])
  assert.deepEqual(code(await refresh(keep, 'zz', here)), [429, 4290])
  assert.equal((await auth(keep, 'zz')).status, 400, 'another address')
})

test('limits sign-in and refresh together to 1,200 a minute per game, by uid and name alike', async () => {
  const { game, auth, refresh } = await startApp()
  const [keep, other] = [await game(), await game()]
  const named = { uid: keep.listing.vanity_name }
  assert.equal(await letThrough(600, () => auth(keep, 'zz')), 600)
  assert.equal(await letThrough(599, () => refresh(named, 'zz')), 599)
  assert.equal((await auth({ uid: keep.uid.toUpperCase() }, 'zz')).status, 400, 'the 1,200th')
  assert.deepEqual(code(await auth(keep, 'zz')), [429, 4290])
  assert.deepEqual(code(await refresh(named, 'zz')), [429, 4290])
  assert.equal((await auth(other, 'zz')).status, 400, 'another game')
})

test('limits server routes together to 1,200 a minute per game', async () => {
  const { game, verify, revoke, get } = await startApp()
  const [keep, other] = [await game(), await game()]
  assert.equal(await letThrough(700, () => verify(keep, 'zz')), 700)
  assert.equal(await letThrough(499, () => revoke(keep, {})), 499)
  const ownership = () =>
    get(`/api/v1/extstore/${keep.uid}/server/ownership/1`, {
      token: keep.auth_key,
      headers: from(),
    })
  assert.equal((await ownership()).status, 400, 'the 1,200th')
  for (const answer of [await ownership(), await verify(keep, 'zz'), await revoke(keep, {})])
    assert.deepEqual(code(answer), [429, 4290])
  assert.equal((await verify(other, 'zz')).status, 422, 'another game')
})

test('limits wrong auth keys to 30 a minute per IP address, and never limits the right key', async () => {
  const { game, post } = await startApp()
  const [keep, other] = [await game(), await game()]
  const here = from()
  const verify = (uid: string, token: string) =>
    post(`/api/v1/extstore/${uid}/server/verify`, { token: 'zz' }, { token, headers: here })
  assert.equal(await letThrough(40, () => verify(keep.uid, keep.auth_key)), 40)
  for (let i = 1; i <= 29; i++)
    assert.deepEqual(code(await verify(i % 2 ? keep.uid : other.uid, 'wrong')), [401, 4249])
  assert.deepEqual(code(await verify(other.uid, keep.auth_key)), [401, 4249], 'the 30th')
  assert.deepEqual(code(await verify(keep.uid, 'wrong')), [429, 4290])
  assert.deepEqual(code(await verify(keep.uid, keep.auth_key)), [422, 4248])
  assert.equal(
    (
      await post(
        `/api/v1/extstore/${keep.uid}/server/verify`,
        { token: 'zz' },
        { token: 'wrong', headers: from() },
      )
    ).status,
    401,
  )
})

test('wrong keys do not use up the limit of the game’s own servers', async () => {
  const { game, verify } = await startApp()
  const keep = await game()
  await letThrough(100, () => verify({ ...keep, auth_key: 'wrong' }, 'zz'))
  assert.equal(await letThrough(1200, () => verify(keep, 'zz')), 1200)
})
