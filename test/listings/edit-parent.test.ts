import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'
import { addAdmin, makePublic, must, type Person, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { GAMES, PAGES, publicListing } from './fixtures.ts'

const sharedApp = sharedInFile(startApp)

test('a parent is a listing or an external title, and otherwise rejected with 4233', async (t) => {
  const app = await sharedApp(t)
  const { a, patch, post, get } = app
  const game = await a.listing({ name: 'Parent game' })
  const mod = await a.listing({ owner: game.owner, asset_type: 'mod' })
  const asset = await a.listing({ owner: game.owner, asset_type: 'game_asset' })
  const foreign_draft = await a.listing()
  const foreign_public = await publicListing(app)
  const set = (parent: unknown, uid = mod.uid) => patch(`${GAMES}/${uid}`, { parent }, game.owner)

  const parents = ({ parent, parent_game }: any) => ({ parent, parent_game })
  const own = {
    parent: { game: game.uid },
    parent_game: {
      uid: game.uid,
      vanity_name: 'parent-game',
      name: 'Parent game',
      asset_type: 'game',
    },
  }
  assert.deepEqual(parents(must(await set({ game: game.uid }))), own, 'an own draft')
  assert.deepEqual(parents(must(await set({ game: 'parent-game' }))), own, 'an own draft by name')
  assert.deepEqual(
    must(await set({ game: foreign_public.uid })).parent,
    { game: foreign_public.uid },
    'a public game of another developer',
  )
  assert.deepEqual(
    must(await set({ external_name: 'Elsewhere', external_url: 'https://elsewhere.example/game' }))
      .parent,
    {
      external_name: 'Elsewhere',
      external_url: 'https://elsewhere.example/game',
    },
  )
  assert.equal(must(await set(null)).parent, null)

  for (const [why, parent, uid] of [
    ['itself', { game: mod.uid }, mod.uid],
    ['not a game or application', { game: asset.uid }, mod.uid],
    ['missing', { game: randomUUID() }, mod.uid],
    ['a foreign draft', { game: foreign_draft.uid }, mod.uid],
    ['no link', { external_name: 'Elsewhere' }, mod.uid],
    [
      'plain http',
      { external_name: 'Elsewhere', external_url: 'http://elsewhere.example' },
      mod.uid,
    ],
    [
      'both forms',
      { game: game.uid, external_name: 'x', external_url: 'https://x.example' },
      mod.uid,
    ],
    ['neither form', {}, mod.uid],
    ['a string', 'parent-game', mod.uid],
    ['a game has no parent', { game: foreign_public.uid }, game.uid],
    [
      'a game has no external parent',
      { external_name: 'x', external_url: 'https://x.example' },
      game.uid,
    ],
    ['an asset pack has no parent', { game: game.uid }, asset.uid],
  ] as const)
    assert.deepEqual(refused(await set(parent, uid)), [422, 4233], why)
  const missing_uid = randomUUID()
  const missing = JSON.stringify((await set({ game: missing_uid })).body)
  assert.equal(
    JSON.stringify((await set({ game: foreign_draft.uid })).body),
    missing.replaceAll(missing_uid, foreign_draft.uid),
    'a hidden listing differs from a missing one',
  )

  const created = must(
    await post(
      GAMES,
      { name: 'Born with a parent', asset_type: 'tool', parent: { game: game.uid } },
      game.owner,
    ),
  )
  assert.equal(must(await get(`${GAMES}/${created.game_uid}`, game.owner)).parent.game, game.uid)
  assert.deepEqual(
    refused(
      await post(GAMES, { name: 'X', asset_type: 'game', parent: { game: game.uid } }, game.owner),
    ),
    [422, 4233],
  )
})

test('a parent can be sent back as it was read', async (t) => {
  const { a, patch, get } = await sharedApp(t)
  const game = await a.listing({ name: 'Draft of a game' })
  const mod = await a.listing({ owner: game.owner, asset_type: 'mod' })
  const read = async (who: object) => must(await get(`${GAMES}/${mod.uid}`, who))
  const { key: token } = await a.key('agent', game.owner, ['mcp:write'], { game_uid: mod.uid })
  const external = { external_name: 'Elsewhere', external_url: 'https://elsewhere.example/' }
  for (const parent of [{ game: game.vanity_name }, external, null]) {
    must(await patch(`${GAMES}/${mod.uid}`, { parent }, game.owner))
    for (const who of [game.owner, { token }]) {
      const before = await read(who)
      must(await patch(`${GAMES}/${mod.uid}`, { parent: before.parent }, who))
      const after = await read(who)
      assert.deepEqual(
        [after.parent, after.parent_game],
        [before.parent, before.parent_game],
        JSON.stringify(parent),
      )
    }
  }
})

test('a parent that was hidden stays the parent, for those who run the listing', async (t) => {
  const app = await sharedApp(t)
  const { a, patch, get, put, sql } = app
  const game = await publicListing(app, { name: 'Hidden later' })
  const hidden = await a.listing({ owner: game.owner })
  const mod = await publicListing(app, { asset_type: 'mod' })
  const admin = await a.verifiedDeveloper()
  await addAdmin(sql, mod.uid, admin.uid)
  const url = `${GAMES}/${mod.uid}`
  const set = (parent: unknown, who = mod.owner) => patch(url, { parent }, who)
  const parents = async (who?: Person, path = GAMES) => {
    const { parent, parent_game } = must(await get(`${path}/${mod.uid}`, who))
    return [parent, parent_game?.name ?? null]
  }
  const parent = { game: game.uid }
  must(await set(parent))
  for (const visibility of ['draft', 'owner']) {
    must(await patch(`${GAMES}/${game.uid}`, { visibility }, game.owner))
    for (const who of [mod.owner, admin]) {
      for (const path of [GAMES, PAGES])
        assert.deepEqual(await parents(who, path), [parent, null], `${visibility} ${path}`)
      assert.deepEqual(must(await set((await parents(who))[0], who)).parent, parent)
      must(await set({ game: game.uid.toUpperCase() }, who))
      must(await patch(url, { parent, tagline: visibility }, who))
    }
    assert.deepEqual(await parents(game.owner, PAGES), [parent, 'Hidden later'], 'its own owner')
    for (const who of [await a.developer(), undefined])
      assert.deepEqual(await parents(who, PAGES), [null, null], 'a stranger')
    assert.doesNotMatch(JSON.stringify(await get(`${PAGES}/${mod.uid}`)), new RegExp(game.uid))
  }
  const page = must(await get(url, mod.owner))
  must(await put(`${url}/page`, { text: { parent: page.parent } }, mod.owner))
  // Another hidden parent is refused, and the hidden one once it was removed.
  assert.deepEqual(refused(await set({ game: hidden.uid })), [422, 4233])
  assert.deepEqual(refused(await set({ game: game.vanity_name })), [422, 4233])
  assert.deepEqual(await parents(mod.owner), [parent, null])
  assert.deepEqual(
    refused(await patch(url, { parent, asset_type: 'game_asset' }, mod.owner)),
    [422, 4233],
  )
  must(await patch(url, { visibility: 'draft' }, mod.owner))
  assert.equal(must(await set(null)).parent, null)
  assert.deepEqual(refused(await set(parent)), [422, 4233])
})

test('both routes show an own draft and an unlisted parent to those who may see it', async (t) => {
  const app = await sharedApp(t)
  const { a, patch, get, sql } = app
  const game = await a.listing({ name: 'Own game' })
  const mod = await publicListing(app, { owner: game.owner, asset_type: 'mod' })
  const stranger = await a.developer()
  must(await patch(`${GAMES}/${mod.uid}`, { parent: { game: game.uid } }, game.owner))
  const named = async (who?: Person, path = PAGES) => {
    const { parent, parent_game } = must(await get(`${path}/${mod.uid}`, who))
    return [parent?.game, parent_game?.name]
  }
  const both = [game.uid, 'Own game']
  const neither = [undefined, undefined]
  for (const path of [GAMES, PAGES]) assert.deepEqual(await named(game.owner, path), both, path)
  for (const who of [stranger, undefined]) assert.deepEqual(await named(who), neither)
  must(await patch(`${GAMES}/${game.uid}`, { visibility: 'invisible' }, game.owner))
  for (const who of [game.owner, stranger, undefined]) assert.deepEqual(await named(who), both)
  assert.deepEqual(await named(game.owner, GAMES), both)
  // A page for everyone does not name an adult game, except to those who run one of the two.
  await sql`update listings set adult = true where uid = ${game.uid}`
  for (const who of [stranger, undefined]) assert.deepEqual(await named(who), neither)
  for (const path of [GAMES, PAGES]) assert.deepEqual(await named(game.owner, path), both, path)
})

test('a public page names its parent only while visitors may see it', async (t) => {
  const app = await sharedApp(t)
  const { a, patch, get, sql } = app
  const game = await a.listing()
  const mod = await publicListing(app, { owner: game.owner, asset_type: 'mod' })
  must(await patch(`${GAMES}/${mod.uid}`, { parent: { game: game.uid } }, game.owner))
  const parents = async () => {
    const { parent, parent_game } = must(await get(`${PAGES}/${mod.uid}`))
    return [parent, parent_game?.uid]
  }
  assert.deepEqual(await parents(), [null, undefined])
  await makePublic(sql, game.uid)
  assert.deepEqual(await parents(), [{ game: game.uid }, game.uid])
})

test('changing to a type without a parent removes the parent', async (t) => {
  const { a, patch } = await sharedApp(t)
  const game = await a.listing()
  const mod = await a.listing({ owner: game.owner, asset_type: 'mod' })
  must(await patch(`${GAMES}/${mod.uid}`, { parent: { game: game.uid } }, game.owner))
  assert.equal(
    must(await patch(`${GAMES}/${mod.uid}`, { asset_type: 'plugin' }, game.owner)).parent.game,
    game.uid,
    'a plugin lost its parent',
  )
  assert.equal(
    must(await patch(`${GAMES}/${mod.uid}`, { asset_type: 'dev_asset' }, game.owner)).parent,
    null,
  )
  assert.equal(
    must(await patch(`${GAMES}/${mod.uid}`, { asset_type: 'mod' }, game.owner)).parent,
    null,
    'the removed parent came back',
  )
})

test('a listing with children can only be a game or an application', async (t) => {
  const { a, patch } = await sharedApp(t)
  const game = await a.listing()
  const mod = await a.listing({ owner: game.owner, asset_type: 'mod' })
  must(await patch(`${GAMES}/${mod.uid}`, { parent: { game: game.uid } }, game.owner))
  assert.deepEqual(
    refused(await patch(`${GAMES}/${game.uid}`, { asset_type: 'tool' }, game.owner)),
    [409, 4090],
  )
  assert.equal(
    (await patch(`${GAMES}/${game.uid}`, { asset_type: 'application' }, game.owner)).status,
    200,
  )
})
