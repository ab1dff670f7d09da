import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer } from '../support/app.ts'
import { must, newAddress, refused } from '../support/builders.ts'
import { sharedExtstoreApp } from './fixtures.ts'
import { repeatUses } from './repeat-uses.ts'

const startApp = sharedExtstoreApp()

/**
 * Sends requests in concurrent batches and returns how many were accepted. All others must be 4290
 * with Retry-After.
 */
async function countAccepted(times: number, send: () => Promise<Answer>): Promise<number> {
  let accepted = 0
  for (let done = 0; done < times; done += 50) {
    const answers = await Promise.all(Array.from({ length: Math.min(50, times - done) }, send))
    for (const answer of answers) {
      if (answer.status !== 429) accepted++
      else assert.ok(answer.body.error.code === 4290 && Number(answer.headers['retry-after']) >= 1)
    }
  }
  return accepted
}

test('limits sign-in and refresh together to 60 a minute per IP address', async () => {
  const { game, auth, refresh } = await startApp()
  const [linkedGame, other] = [await game(), await game()]
  const headers = newAddress()
  assert.equal(await countAccepted(30, () => auth(linkedGame, 'zz', headers)), 30)
  assert.equal(await countAccepted(29, () => refresh(other, 'zz', headers)), 29)
  assert.equal((await auth(other, 'zz', headers)).status, 400, 'the 60th request was limited')
  assert.deepEqual(refused(await auth(linkedGame, 'zz', headers)), [429, 4290])
  assert.deepEqual(refused(await refresh(linkedGame, 'zz', headers)), [429, 4290])
  assert.equal((await auth(linkedGame, 'zz')).status, 400, 'another address was limited')
})

test('limits sign-in and refresh to 1,200 a minute per game, by uid and name alike', async () => {
  const { game, auth, refresh, signIn, core } = await startApp()
  const [linkedGame, other] = [await game(), await game()]
  const named = { uid: linkedGame.listing.vanity_name }
  const { token } = await signIn(linkedGame)
  must(await repeatUses(core, 1200, 100, () => refresh(named, token)))
  const ticket = await repeatUses(core, 1200, 1098, () => auth(linkedGame, 'ab'))
  assert.deepEqual(refused(ticket), [401, 4246])
  assert.equal(
    (await auth({ uid: linkedGame.uid.toUpperCase() }, 'ab')).status,
    401,
    'the 1,200th request was limited',
  )
  assert.deepEqual(refused(await auth(named, 'ab')), [429, 4290])
  assert.deepEqual(refused(await refresh(named, token)), [429, 4290])
  assert.equal((await auth(other, 'ab')).status, 401, 'another game was limited')
})

test('malformed tickets and forged tokens do not use up the limit of a game', async () => {
  const { game, auth, refresh, signIn, player, core } = await startApp()
  const linkedGame = await game()
  const { token } = await signIn(linkedGame)
  const forged = `${token.slice(0, -5)}AAAAA`
  await repeatUses(core, 1200, 1198, () => auth(linkedGame, 'ab'))
  // All but one sign-in of this minute are used.
  assert.equal(await countAccepted(20, () => auth(linkedGame, 'zz')), 20)
  assert.equal(await countAccepted(20, () => refresh(linkedGame, forged)), 20)
  assert.ok((await signIn(linkedGame, player(linkedGame))).token, 'players are refused')
  assert.deepEqual(refused(await auth(linkedGame, 'ab')), [429, 4290])
})

test('limits server routes together to 1,200 a minute per game', async () => {
  const { game, verify, revoke, get, core } = await startApp()
  const [linkedGame, other] = [await game(), await game()]
  const verified = await repeatUses(core, 1200, 700, () => verify(linkedGame, 'zz'))
  assert.deepEqual(refused(verified), [422, 4248])
  const revoked = await repeatUses(core, 1200, 499, () => revoke(linkedGame, {}))
  assert.deepEqual(refused(revoked), [400, 4240])
  const ownership = () =>
    get(`/api/v1/extstore/${linkedGame.uid}/server/ownership/1`, {
      token: linkedGame.auth_key,
      headers: newAddress(),
    })
  assert.equal((await ownership()).status, 400, 'the 1,200th request was limited')
  for (const answer of [
    await ownership(),
    await verify(linkedGame, 'zz'),
    await revoke(linkedGame, {}),
  ])
    assert.deepEqual(refused(answer), [429, 4290])
  assert.equal((await verify(other, 'zz')).status, 422, 'another game was limited')
})

test('limits wrong auth keys to 30 a minute per IP address, and never the right key', async () => {
  const { game, post } = await startApp()
  const [linkedGame, other] = [await game(), await game()]
  const headers = newAddress()
  const verify = (uid: string, token: string) =>
    post(`/api/v1/extstore/${uid}/server/verify`, { token: 'zz' }, { token, headers })
  assert.equal(await countAccepted(40, () => verify(linkedGame.uid, linkedGame.auth_key)), 40)
  for (let i = 1; i <= 29; i++)
    assert.deepEqual(
      refused(await verify(i % 2 ? linkedGame.uid : other.uid, 'wrong')),
      [401, 4249],
    )
  assert.deepEqual(
    refused(await verify(other.uid, linkedGame.auth_key)),
    [401, 4249],
    'the 30th wrong key was limited',
  )
  assert.deepEqual(refused(await verify(linkedGame.uid, 'wrong')), [429, 4290])
  assert.deepEqual(refused(await verify(linkedGame.uid, linkedGame.auth_key)), [422, 4248])
  assert.equal(
    (
      await post(
        `/api/v1/extstore/${linkedGame.uid}/server/verify`,
        { token: 'zz' },
        { token: 'wrong', headers: newAddress() },
      )
    ).status,
    401,
  )
})

test('wrong keys do not use up the limit of the game’s own servers', async () => {
  const { game, verify, core } = await startApp()
  const linkedGame = await game()
  await repeatUses(core, 1200, 1199, () => verify(linkedGame, 'zz'))
  // All but one request of this minute are used.
  const wrong = () => verify({ ...linkedGame, auth_key: 'wrong' }, 'zz')
  assert.equal(await countAccepted(40, wrong), 40)
  assert.deepEqual(refused(await verify(linkedGame, 'zz')), [422, 4248])
  assert.deepEqual(refused(await verify(linkedGame, 'zz')), [429, 4290])
})
