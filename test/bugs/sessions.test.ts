import assert from 'node:assert/strict'
import { test } from 'node:test'
import { extstoreFixtures, startStore, settings as storeSettings } from '../extstore/fixtures.ts'
import { must, refused } from '../support/builders.ts'
import { GAMES, startBugApp } from './fixtures.ts'

async function withStore(t: Parameters<typeof startBugApp>[0]) {
  const store = await startStore(t)
  const app = await startBugApp(t, storeSettings(store))
  const at_store = extstoreFixtures(app, store)
  /** Creates a game that is linked to the external store, with its reporter on. */
  async function storeGame(change: object = {}) {
    const listing = await app.game()
    await app.configure(listing, { enabled: true, daily_cap: 3, ...change })
    return at_store.game({ ...listing })
  }
  const notices = async (uid: string, token: string) =>
    must(await app.get(`/api/v1/games/${uid}/bugs/notices`, { token })).notices as any[]
  return { ...app, store: at_store, storeGame, notices }
}

test('a player of the external store reports and reads notices without an account', async (t) => {
  const { storeGame, store, send, readTicket, patch, notices, post } = await withStore(t)
  const game = await storeGame()
  const { token, extstore_id } = await store.signIn(game)
  const { bug_uid } = must(await send(game.uid, token))
  const ticket = await readTicket(game.listing, bug_uid)
  assert.deepEqual(ticket.reporter, { user: null, extstore_id })
  must(await patch(`${GAMES}/${game.uid}/bugs/${bug_uid}`, { status: 'fixed' }, game.listing.owner))
  const other = await store.signIn(game)
  assert.deepEqual(await notices(game.uid, other.token), [])
  assert.deepEqual(
    (await notices(game.uid, token)).map((notice) => notice.bug_uid),
    [bug_uid],
  )
  assert.equal(
    must(await post(`/api/v1/games/${game.uid}/bugs/notices/ack`, {}, { token })).acknowledged,
    1,
  )
  assert.deepEqual(await notices(game.uid, token), [])
})

/** The token with another first character in its signature: never the same bytes by chance. */
const withOtherSignature = (token: string) =>
  token.replace(/\.([^.])([^.]*)$/, (_, first, rest) => `.${first === 'A' ? 'B' : 'A'}${rest}`)

test('refuses sessions of another game, revoked ones and those of disabled sign-in', async (t) => {
  const { storeGame, store, send, del } = await withStore(t)
  const [game, other] = [await storeGame(), await storeGame()]
  const { token, session_uid } = await store.signIn(game)
  assert.deepEqual(refused(await send(other.uid, token)), [401, 4248])
  assert.deepEqual(refused(await send(game.uid, withOtherSignature(token))), [401, 4248])
  must(await store.revoke(game, { jti: session_uid }))
  assert.deepEqual(refused(await send(game.uid, token)), [401, 4248])
  const again = await store.signIn(game)
  assert.equal((await send(game.uid, again.token)).status, 201)
  must(await del(`${GAMES}/${game.uid}/steam/auth`, game.listing.owner))
  assert.deepEqual(refused(await send(game.uid, again.token)), [401, 4248])
})

test('linked accounts share one report count and one list of notices', async (t) => {
  const { storeGame, store, send, player, tokenOf, sql, patch, notices, get } = await withStore(t)
  const game = await storeGame({ daily_cap: 3 })
  const account = store.player(game)
  const before = await store.signIn(game, account)
  const early = must(await send(game.uid, before.token))
  const person = await player()
  await sql`update users set extstore_id = ${account} where uid = ${person.uid}`
  const linked = await store.signIn(game, account)
  assert.equal(linked.svc_user_uid, person.uid)
  const own = await tokenOf(game.uid, person)
  const statuses = []
  for (const token of [linked.token, own, linked.token, own, linked.token])
    statuses.push((await send(game.uid, token)).status)
  // The report that was filed before the accounts were linked counts as one of the three.
  assert.deepEqual(statuses, [201, 201, 429, 429, 429])
  // Developers see one account per report: the account here if the player is linked.
  const { items } = must(await get(`${GAMES}/${game.uid}/bugs`, game.listing.owner))
  const user = { uid: person.uid, username: person.username }
  assert.deepEqual(
    items.map(({ reporter }: any) => reporter),
    [
      { user, extstore_id: null },
      { user, extstore_id: null },
      { user: null, extstore_id: account },
    ],
  )
  must(
    await patch(
      `${GAMES}/${game.uid}/bugs/${early.bug_uid}`,
      { status: 'fixed' },
      game.listing.owner,
    ),
  )
  for (const token of [own, linked.token, before.token])
    assert.deepEqual(
      (await notices(game.uid, token)).map((notice) => notice.bug_uid),
      [early.bug_uid],
    )
})
