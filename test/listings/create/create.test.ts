import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { must, refused } from '../../support/builders.ts'
import { sharedInFile } from '../../support/shared.ts'
import { GAMES, PAGES } from '../fixtures.ts'

const sharedApp = sharedInFile(startApp)

test('a new listing is a draft that its owner can read by uid and by name', async (t) => {
  const { post, get, a } = await sharedApp(t)
  const owner = await a.developer()
  const made = await post(
    GAMES,
    { name: 'Träume & Schäume', tagline: 'A line', description: '# Hello' },
    owner,
  )
  assert.equal(made.status, 201)
  const { game_uid, vanity_name, visibility } = made.body.data
  assert.deepEqual([vanity_name, visibility], ['traume-schaume', 'draft'])
  for (const id of [game_uid, vanity_name, game_uid.toUpperCase()])
    for (const path of [`${GAMES}/${id}`, `${PAGES}/${id}`]) {
      const listing = must(await get(path, owner))
      assert.deepEqual(
        [
          listing.uid,
          listing.name,
          listing.tagline,
          listing.description,
          listing.visibility,
          listing.asset_type,
          listing.developer,
        ],
        [
          game_uid,
          'Träume & Schäume',
          'A line',
          '# Hello',
          'draft',
          'game',
          { uid: owner.uid, username: owner.username },
        ],
      )
    }
})

test('a draft returns the same 404 as a missing listing', async (t) => {
  const { get, a } = await sharedApp(t)
  const draft = await a.listing()
  const stranger = await a.user()
  for (const who of [{}, stranger]) {
    const missing = await get(`${PAGES}/${randomUUID()}`, who)
    assert.deepEqual(refused(missing), [404, 4040])
    assert.deepEqual(await get(`${PAGES}/${draft.uid}`, who), missing)
    assert.deepEqual(await get(`${PAGES}/${draft.vanity_name}`, who), missing)
  }
  assert.deepEqual(
    await get(`${GAMES}/${draft.uid}`, stranger),
    await get(`${GAMES}/${randomUUID()}`, stranger),
  )
})

test('creating a listing needs developer mode', async (t) => {
  const { post, a } = await sharedApp(t)
  assert.deepEqual(refused(await post(GAMES, { name: 'X' }, await a.user())), [403, 4105])
})

test('rejects a name that is empty, too long or has control characters', async (t) => {
  const { post, a } = await sharedApp(t)
  const owner = await a.developer()
  for (const name of ['', '   ', 'x'.repeat(81), 'a\u0007b'])
    assert.deepEqual(refused(await post(GAMES, { name }, owner)), [400, 4000], JSON.stringify(name))
  assert.equal((await post(GAMES, { name: '界'.repeat(80) }, owner)).status, 201)
})

test('a slug from a taken title gets a number; choosing a taken name is rejected', async (t) => {
  const { post, a } = await sharedApp(t)
  const owner = await a.developer()
  const names = []
  for (let i = 0; i < 3; i++)
    names.push(must(await post(GAMES, { name: 'Same' }, owner)).vanity_name)
  assert.deepEqual(names, ['same', 'same-2', 'same-3'])
  assert.deepEqual(
    refused(await post(GAMES, { name: 'Other', vanity_name: 'same' }, owner)),
    [409, 4090],
  )
  const race = await Promise.all(
    Array.from({ length: 5 }, () => post(GAMES, { name: 'Race', vanity_name: 'race' }, owner)),
  )
  assert.deepEqual(race.map(({ status }) => status).sort(), [201, 409, 409, 409, 409])
})
