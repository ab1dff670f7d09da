import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { createKey, keyProblem, readKey, spellKey } from '../../src/library/keys/redeem-key.ts'
import { eventually, outbox, startApp } from '../support/app.ts'
import { addAdmin, makePublic, must, newAddress, refused } from '../support/builders.ts'
import { fc } from '../support/property.ts'

const GAMES = '/api/v1/private/games'
const REDEEM = '/api/v1/private/redeem'
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()

const key = fc.array(fc.constantFrom(...ALPHABET), { minLength: 18, maxLength: 18 })

test('a key is read however it is typed, and never with one wrong or two swapped characters', () => {
  const made = Array.from({ length: 200 }, createKey)
  for (const text of made) {
    assert.match(spellKey(text), /^(?:[0-9A-HJKMNP-TV-Z]{5}-){3}[0-9A-HJKMNP-TV-Z]{5}$/)
    assert.equal(readKey(spellKey(text)), text)
    assert.equal(readKey(` ${spellKey(text).toLowerCase().replaceAll('-', ' – ')} `), text)
    assert.equal(readKey(text.replaceAll('0', 'o').replaceAll('1', 'l')), text)
  }
  assert.equal(new Set(made).size, made.length)
  const position = fc.integer({ min: 0, max: 19 })
  fc.assert(
    fc.property(
      fc.constantFrom(...made),
      position,
      fc.constantFrom(...ALPHABET),
      (text, i, letter) => {
        const changed = `${text.slice(0, i)}${letter}${text.slice(i + 1)}`
        assert.equal(readKey(changed), letter === text[i] ? text : null)
      },
    ),
  )
  const inRandomPart = fc.integer({ min: 0, max: 17 })
  fc.assert(
    fc.property(fc.constantFrom(...made), inRandomPart, inRandomPart, (text, i, j) => {
      const letters = [...text]
      ;[letters[i], letters[j]] = [letters[j]!, letters[i]!]
      const swapped = letters.join('')
      assert.equal(readKey(swapped), swapped === text ? text : null)
    }),
  )
  for (const bad of ['', 'ABCDE', `${made[0]}0`, made[0]!.replace(/.$/, 'U')])
    assert.equal(readKey(bad), null)
})

test('random texts are keys once in a thousand times at most', () => {
  let valid = 0
  const check = fc.tuple(key, fc.constantFrom(...ALPHABET), fc.constantFrom(...ALPHABET))
  for (const [letters, a, b] of fc.sample(check, 20_000))
    if (readKey([...letters, a, b].join(''))) valid++
  assert.ok(valid < 60, `${valid} of 20,000`)
})

test('a key has one reason not to be redeemed', () => {
  const open = { redeemed_at: null, expires_at: new Date(2000), revoked_at: null }
  assert.equal(keyProblem(open, new Date(1999)), null)
  assert.equal(keyProblem(open, new Date(2000)), 'expired')
  assert.equal(keyProblem({ ...open, revoked_at: new Date(1) }, new Date(5)), 'revoked')
  assert.equal(keyProblem({ ...open, redeemed_at: new Date(1) }, new Date(5)), 'redeemed')
})

async function startWithKeys(t: Parameters<typeof startApp>[0]) {
  const app = await startApp(t, { PROXY_HOPS: '1' })
  const { a, post, get } = app
  const listing = await a.listing()
  const { uid, owner } = listing
  const url = `${GAMES}/${uid}/key-batches`
  const make = (body: object = {}) => post(url, { label: 'Reviewers', size: 3, ...body }, owner)
  const redeem = (text: string, person: { token: string }, headers = newAddress()) =>
    post(REDEEM, { key: text }, { token: person.token, headers })
  const state = (answer: { body: any }) => answer.body.data?.state
  const libraryOf = async (person: { token: string }) =>
    must(await get('/api/v1/private/library', person)).items as any[]
  const batches = async () => must(await get(url, owner)).batches as any[]
  return { ...app, listing, uid, owner, url, make, redeem, state, libraryOf, batches }
}

test('a key gives one person a copy, once', async (t) => {
  const { make, redeem, state, libraryOf, batches, a, uid, sql } = await startWithKeys(t)
  const { keys, batch } = must(await make())
  assert.deepEqual([keys.length, new Set(keys).size, batch.size, batch.redeemed], [3, 3, 3, 0])
  const reader = await a.verified()
  const { game_uid } = must(await redeem(keys[0].toLowerCase(), reader))
  assert.equal(game_uid, uid)
  const [copy] = await libraryOf(reader)
  assert.deepEqual([copy.game_uid, copy.source, copy.given_by], [uid, 'key', undefined])
  const other = await a.verified()
  const again = await redeem(keys[0], other)
  assert.deepEqual([...refused(again), state(again)], [409, 4257, 'redeemed'])
  assert.deepEqual(await libraryOf(other), [])
  // Whoever has a copy does not use up a key.
  assert.deepEqual(refused(await redeem(keys[1], reader)), [409, 4090])
  must(await redeem(keys[1], other))
  assert.deepEqual(refused(await redeem(keys[2], await a.user())), [403, 4096])
  const [listed] = await batches()
  assert.deepEqual([listed.redeemed, listed.state], [2, 'open'])
  assert.ok(listed.last_redeemed_at)
  // Nothing in the database is a key.
  const [{ text }] = await sql<any[]>`
    select string_agg(k::text, ' ') || (select string_agg(b::text, ' ') from key_batches b) as text
    from redeem_keys k`
  for (const secret of keys as string[]) {
    const plain = secret.replaceAll('-', '')
    assert.ok(!text.includes(plain) && !text.includes(Buffer.from(plain).toString('hex')))
  }
})

test('of many who redeem a key at the same time, one gets the copy', async (t) => {
  const { make, redeem, a, sql, uid, batches } = await startWithKeys(t)
  const { keys } = must(await make({ size: 5 }))
  const people = await Promise.all(Array.from({ length: 6 }, () => a.verified()))
  for (const text of keys) {
    const answers = await Promise.all(people.map((person) => redeem(text, person)))
    const accepted = answers.filter(({ status }) => status === 200)
    assert.equal(accepted.length, 1)
  }
  const [row] = await sql<any[]>`
    select count(*)::int as copies from licences where game_uid = ${uid} and source = 'key'`
  assert.equal(row.copies, 5)
  assert.equal((await batches())[0].redeemed, 5)
})

test('revoked and expired keys are refused, copies stay', async (t) => {
  const { make, redeem, state, a, url, del, owner, batches, sql, libraryOf } =
    await startWithKeys(t)
  const revoked = must(await make())
  const expired = must(await make({ expires_at: inHours(1) }))
  const person = await a.verified()
  must(await redeem(revoked.keys[0], person))
  must(await del(`${url}/${revoked.batch.uid}`, owner))
  await sql`update key_batches set expires_at = now() where uid = ${expired.batch.uid}`
  const other = await a.verified()
  assert.equal(state(await redeem(revoked.keys[1], other)), 'revoked')
  assert.equal(state(await redeem(expired.keys[0], other)), 'expired')
  assert.equal(state(await redeem(spellKey(createKey()), other)), 'unknown')
  assert.equal(state(await redeem('not a key', other)), 'mistyped')
  assert.deepEqual(
    (await batches()).map((batch) => batch.state),
    ['expired', 'revoked'],
  )
  assert.equal((await libraryOf(person)).length, 1)
  for (const uid of [revoked.batch.uid, randomUUID(), 'x'])
    assert.deepEqual(refused(await del(`${url}/${uid}`, owner)), [404, 4040])
})

test('guessing keys is limited by account and by address', async (t) => {
  const { redeem, a } = await startWithKeys(t)
  const person = await a.verified()
  for (let i = 0; i < 10; i++)
    assert.deepEqual(refused(await redeem(spellKey(createKey()), person)), [409, 4257])
  assert.deepEqual(refused(await redeem(spellKey(createKey()), person))[0], 429)
  const address = newAddress()
  for (let i = 0; i < 10; i++)
    assert.equal((await redeem('x', await a.verified(), address)).status, 409)
  assert.equal((await redeem('x', await a.verified(), address)).status, 429)
})

test('keys of an edition give the edition, with what a bundle contains', async (t) => {
  const { make, redeem, a, owner, uid, post, libraryOf } = await startWithKeys(t)
  const other = await a.listing({ owner })
  const bundle = {
    slug: 'all',
    name: 'All',
    kind: 'bundle',
    price_cents: 3000,
    bundle_asset_uids: [other.uid],
  }
  const edition = must(await post(`${GAMES}/${uid}/editions`, bundle, owner))
  const { keys } = must(await make({ edition: 'all' }))
  const person = await a.verified()
  must(await redeem(keys[0], person))
  const library = await libraryOf(person)
  assert.deepEqual(
    library.map(({ game_uid, source }) => [game_uid, source]).sort(),
    [
      [uid, 'key'],
      [other.uid, 'key'],
    ].sort(),
  )
  assert.equal(library.find(({ game_uid }) => game_uid === uid).edition.uid, edition.uid)
})

test('only owners make keys, up to 10,000 at once', async (t) => {
  const { make, a, uid, url, post, get, sql, owner } = await startWithKeys(t)
  for (const bad of [
    { label: ' ' },
    { label: 'x'.repeat(81) },
    { size: 0 },
    { size: 10_001 },
    { size: 1.5 },
    { edition: 'none' },
    { expires_at: inHours(-1) },
  ])
    assert.deepEqual(refused(await make(bad)), [422, 4256], JSON.stringify(bad))
  const { keys } = must(await make({ size: 10_000 }))
  assert.equal(new Set(keys).size, 10_000)
  const admin = await a.developer()
  await addAdmin(sql, uid, admin.uid)
  const body = { label: 'Mine', size: 1 }
  assert.deepEqual(refused(await post(url, body, admin)), [403, 4034])
  assert.deepEqual(refused(await get(url, await a.developer())), [404, 4040])
  const { key: agent } = await a.key('agent', owner, ['mcp:read', 'mcp:money'])
  assert.equal((await get(url, { token: agent })).status, 403)
})

test('press and creators ask for a copy where the owner lets them, and get it once approved', async (t) => {
  const { a, uid, owner, put, post, get, libraryOf, sql, data_dir } = await startWithKeys(t)
  await makePublic(sql, uid)
  const url = `${GAMES}/${uid}/key-requests`
  const body = {
    kind: 'press',
    outlet: 'The Tide Table',
    url: 'https://tide.example/',
    message: 'Hi',
  }
  const person = await a.verified()
  const ask = (who: { token: string }, changes = {}) => post(url, { ...body, ...changes }, who)
  assert.deepEqual(refused(await ask(person)), [409, 4258])
  must(await put(url, { open: true }, owner))
  for (const bad of [
    { kind: 'friend' },
    { outlet: ' ' },
    { url: 'http://x' },
    { message: 'x'.repeat(2001) },
  ])
    assert.deepEqual(refused(await ask(person, bad)), [422, 4259], JSON.stringify(bad))
  must(await ask(person))
  assert.deepEqual(refused(await ask(person)), [409, 4090])
  const other = await a.verified()
  must(await ask(other, { kind: 'creator' }))
  const { open, requests } = must(await get(url, owner))
  assert.deepEqual([open, requests.length], [true, 2])
  const requestOf = (name: string) => requests.find((item: any) => item.username === name)
  const decide = (name: string, decision: string) =>
    post(`${url}/${requestOf(name).uid}`, { decision }, owner)
  must(await decide(person.username, 'approve'))
  must(await decide(other.username, 'decline'))
  assert.deepEqual(refused(await decide(other.username, 'approve')), [404, 4040])
  assert.deepEqual(
    (await libraryOf(person)).map(({ game_uid, source }) => [game_uid, source]),
    [[uid, 'key']],
  )
  assert.deepEqual(await libraryOf(other), [])
  assert.deepEqual(refused(await get(url, person)), [404, 4040])
  await eventually('both are mailed', () => {
    const subjects = outbox(data_dir).map(({ subject }) => subject)
    return (
      subjects.some((text) => /^Your copy of/.test(text)) &&
      subjects.some((text) => /^Your request for/.test(text))
    )
  })
})
