import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { addCopy, must, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { GAMES, LIBRARY, startLibraryApp } from './fixtures.ts'

const sharedLibraryApp = sharedInFile(startLibraryApp)

const claim = (uid: string) => `${GAMES}/${uid}/library`
const copies = (uid: string) => `${GAMES}/${uid}/licences`

test('a free game is claimed once, even when requests race', async (t) => {
  const { post, get, sql, game, player } = await sharedLibraryApp(t)
  const { uid, vanity_name } = await game()
  const who = await player()
  const first = await post(claim(vanity_name), undefined, who)
  assert.equal(first.status, 201)
  const { created_at, ...copy } = first.body.data
  assert.deepEqual(copy, { game_uid: uid, source: 'free' })
  const again = await post(claim(uid), undefined, who)
  assert.equal(again.status, 200)
  assert.deepEqual(again.body, first.body)
  const other = await player()
  const race = await Promise.all(
    Array.from({ length: 6 }, () => post(claim(uid), undefined, other)),
  )
  assert.deepEqual(race.map(({ status }) => status).sort(), [200, 200, 200, 200, 200, 201])
  const [counted] = await sql`select count(*)::int as copies from licences where game_uid = ${uid}`
  assert.equal(counted!.copies, 2)
  assert.equal(must(await get(LIBRARY, who)).items[0].created_at, created_at)
})

test('a priced listing must be bought, and a copy claimed before stays', async (t) => {
  const { post, game, player, setPrice, sellEdition, sql } = await sharedLibraryApp(t)
  const priced = await game()
  const sold = await game()
  const retired = await game()
  const early = await player()
  const late = await player()
  must(await post(claim(priced.uid), undefined, early))
  await setPrice(priced.uid, 99)
  await sellEdition(sold.uid)
  await sellEdition(retired.uid, false)
  assert.deepEqual(refused(await post(claim(priced.uid), undefined, late)), [402, 4023])
  assert.deepEqual(refused(await post(claim(sold.uid), undefined, late)), [402, 4023])
  assert.equal((await post(claim(retired.uid), undefined, late)).status, 201)
  assert.equal((await post(claim(priced.uid), undefined, early)).status, 200)
  const [counted] = await sql`
    select count(*)::int as copies
    from licences
    where game_uid in (${priced.uid}, ${sold.uid})`
  assert.equal(counted!.copies, 1)
})

test('only a visible, released listing can be claimed', async (t) => {
  const { post, game, player, show, verify } = await sharedLibraryApp(t)
  const { uid, owner } = await game('draft')
  await verify(owner)
  const stranger = await player()
  const missing = await post(claim(randomUUID()), undefined, stranger)
  assert.deepEqual(refused(missing), [404, 4040])
  for (const visibility of ['draft', 'owner']) {
    await show(uid, visibility)
    assert.deepEqual(await post(claim(uid), undefined, stranger), missing, visibility)
    assert.deepEqual(refused(await post(claim(uid), undefined, owner)), [409, 4090], visibility)
  }
  await show(uid, 'invisible')
  for (const who of [stranger, owner])
    assert.equal((await post(claim(uid), undefined, who)).status, 201)
})

test('claiming a copy needs a verified address', async (t) => {
  const { post, game, a, sql } = await sharedLibraryApp(t)
  const { uid } = await game()
  const who = await a.user()
  assert.deepEqual(refused(await post(claim(uid), undefined, who)), [403, 4096])
  assert.deepEqual(refused(await post(claim(randomUUID()), undefined, who)), [404, 4040])
  assert.equal((await sql`select from licences where user_uid = ${who.uid}`).count, 0)
})

test('only the owner grants copies, including copies of drafts', async (t) => {
  const { post, get, game, player, admin, a } = await sharedLibraryApp(t)
  const { uid, owner, vanity_name } = await game('draft')
  const friend = await a.user()
  const granted = await post(
    copies(vanity_name),
    { username: friend.username.toUpperCase() },
    owner,
  )
  assert.equal(granted.status, 201)
  const { created_at, ...copy } = granted.body.data
  const given_by = { uid: owner.uid, username: owner.username }
  assert.deepEqual(copy, { game_uid: uid, user_uid: friend.uid, source: 'grant', given_by })
  const again = await post(copies(uid), { username: friend.username }, owner)
  assert.deepEqual([again.status, again.body.data], [200, granted.body.data])
  assert.deepEqual(
    must(await get(LIBRARY, friend)).items.map((row: any) => [
      row.game_uid,
      row.source,
      row.created_at,
    ]),
    [[uid, 'grant', created_at]],
  )
  assert.deepEqual(
    refused(await post(copies(uid), { username: friend.username }, await admin(uid))),
    [403, 4034],
  )
  const outsiders = [await player(), await admin(uid, false), friend]
  for (const who of outsiders)
    assert.deepEqual(
      await post(copies(uid), { username: owner.username }, who),
      await post(copies(randomUUID()), { username: owner.username }, who),
    )
  assert.deepEqual(
    refused(await post(copies(uid), { username: owner.username }, outsiders[0])),
    [404, 4040],
  )
})

test('rejects a copy for an unknown user or a mail address', async (t) => {
  const { post, game, a } = await sharedLibraryApp(t)
  const { uid, owner } = await game()
  const { email } = await a.user()
  for (const username of ['nobody-at-all', '', email]) {
    const answer = await post(copies(uid), { username }, owner)
    assert.deepEqual(
      [...refused(answer), answer.body.data],
      [404, 4040, { field: 'username' }],
      username,
    )
  }
  assert.deepEqual(refused(await post(copies(uid), {}, owner)), [400, 4000])
})

test('a grant replaces a free copy, but not a bought one', async (t) => {
  const { post, game, player, claimed, sql } = await sharedLibraryApp(t)
  const { uid, owner } = await game()
  const claimer = await claimed(uid, await player())
  const buyer = await player()
  await addCopy(sql, uid, buyer.uid, 'purchase')
  const granted = await post(copies(uid), { username: claimer.username }, owner)
  assert.deepEqual([granted.status, granted.body.data.source], [201, 'grant'])
  const unchanged = await post(copies(uid), { username: buyer.username }, owner)
  assert.deepEqual([unchanged.status, unchanged.body.data.source], [200, 'purchase'])
})

test('a granted edition stays after its sale ends, and a bundle adds its parts', async (t) => {
  const { post, get, del, game, player } = await sharedLibraryApp(t)
  const { uid, owner } = await game()
  const part = await game('public', owner)
  const foreign = await game()
  const sell = async (slug: string, kind: string, more = {}) =>
    must(
      await post(
        `${GAMES}/${uid}/editions`,
        { slug, name: slug, kind, price_cents: 500, active: true, sort_order: 0, ...more },
        owner,
      ),
    ).uid
  const deluxe = await sell('deluxe', 'deluxe')
  const bundle = await sell('all', 'bundle', { bundle_asset_uids: [part.uid] })
  const who = await player()
  must(await post(copies(uid), { username: who.username }, owner))
  const upgraded = await post(copies(uid), { username: who.username, edition: 'deluxe' }, owner)
  assert.deepEqual(
    [upgraded.status, upgraded.body.data.edition],
    [201, { uid: deluxe, kind: 'deluxe' }],
  )
  assert.equal(
    (await post(copies(uid), { username: who.username, edition: deluxe }, owner)).status,
    200,
  )
  assert.deepEqual(must(await post(copies(uid), { username: who.username }, owner)).edition, {
    uid: deluxe,
    kind: 'deluxe',
  })
  for (const edition of ['none', randomUUID()])
    assert.deepEqual(
      refused(await post(copies(uid), { username: who.username, edition }, owner)),
      [404, 4040],
    )
  assert.deepEqual(
    refused(
      await post(copies(foreign.uid), { username: who.username, edition: deluxe }, foreign.owner),
    ),
    [404, 4040],
  )
  must(await del(`${GAMES}/${uid}/editions/${deluxe}`, owner))
  const other = await player()
  must(await post(copies(uid), { username: other.username, edition: bundle }, owner))
  const libraryOf = async (person: { token: string }) =>
    must(await get(LIBRARY, person)).items.map((row: any) => [row.game_uid, row.edition?.kind])
  assert.deepEqual(await libraryOf(who), [[uid, 'deluxe']])
  assert.deepEqual(
    (await libraryOf(other)).sort(),
    [
      [uid, 'bundle'],
      [part.uid, undefined],
    ].sort(),
  )
})

test('a library lists the copies of its owner, newest first, page by page', async (t) => {
  const { get, game, player, claimed, sql, url } = await sharedLibraryApp(t)
  const who = await player()
  const games = []
  for (let n = 0; n < 3; n++) games.push(await game())
  for (const { uid } of games) await claimed(uid, who, 90)
  const [oldest, , newest] = games
  const image = {
    slot: 'thumbnail',
    sha256: 'ab'.repeat(32),
    type: 'image/png',
    width: 1,
    height: 1,
    size: 1,
  }
  const row = { ...image, uid: randomUUID(), game_uid: newest!.uid }
  await sql`insert into listing_images ${sql(row)}`
  await claimed(oldest!.uid, await player())
  const { items, ...rest } = must(await get(LIBRARY, who))
  assert.deepEqual(rest, {
    total: 3,
    hidden_total: 0,
    adult_gifts_total: 0,
    page: 1,
    page_size: 20,
  })
  assert.deepEqual(
    items.map((row: any) => row.game_uid),
    games.map(({ uid }) => uid).reverse(),
  )
  const { created_at, name, ...first } = items[0]
  assert.ok(name.startsWith('Game ') && Date.parse(created_at))
  assert.deepEqual(first, {
    game_uid: newest!.uid,
    vanity_name: newest!.vanity_name,
    developer: { uid: newest!.owner.uid, username: newest!.owner.username },
    source: 'free',
    play_seconds: 90,
    hidden: false,
    updated_at: null,
    thumbnail: `${url}/media/images/${'ab'.repeat(32)}.png`,
    withdrawn_downloads: [],
  })
  assert.equal(items[1].thumbnail, '')
  const second = must(await get(`${LIBRARY}?page=2&page_size=2`, who))
  assert.deepEqual(
    [second.items.map((row: any) => row.game_uid), second.total, second.page],
    [[oldest!.uid], 3, 2],
  )
})

test('a page size out of range is clamped', async (t) => {
  const { get, player } = await sharedLibraryApp(t)
  const who = await player()
  const sizes = [
    ['0', 1],
    ['1', 1],
    ['50', 50],
    ['51', 50],
    ['-7', 1],
  ] as const
  for (const [requested, size] of sizes) {
    const library = must(await get(`${LIBRARY}?page_size=${requested}`, who))
    assert.equal(library.page_size, size, requested)
  }
  for (const [requested, page] of [
    ['0', 1],
    ['7', 7],
    ['1e30', 1_000_000],
  ] as const)
    assert.equal(must(await get(`${LIBRARY}?page=${requested}`, who)).page, page, requested)
  for (const query of ['page=x', 'page_size=1.5'])
    assert.deepEqual(refused(await get(`${LIBRARY}?${query}`, who)), [400, 4000], query)
})

test('a key may do only what its kind and scopes allow', async (t) => {
  const { post, get, put, del, a, game, player } = await sharedLibraryApp(t)
  const { uid, owner } = await game()
  const who = await player()
  const { key: reader } = await a.key('player', who, ['player:read'])
  const { key: writer } = await a.key('player', who, ['player:write'])
  const { key: agent } = await a.key('agent', owner, ['mcp:write'])
  const { key: readOnlyAgent } = await a.key('agent', owner, ['mcp:read'])
  const { key: otherProject } = await a.key('agent', owner, ['mcp:write'], {
    game_uid: (await game('draft', owner)).uid,
  })
  const writes = [
    (token: string) => post(claim(uid), undefined, { token }),
    (token: string) => post(`${GAMES}/${uid}/play-time`, { seconds: 1 }, { token }),
    (token: string) => put(`${GAMES}/${uid}/tag-suggestions`, { tags: [] }, { token }),
    (token: string) => put(`${GAMES}/${uid}/review`, {}, { token }),
    (token: string) => del(`${GAMES}/${uid}/review`, { token }),
  ]
  for (const write of writes) {
    assert.deepEqual(refused(await write(reader)), [403, 4031])
    assert.deepEqual(refused(await write(agent)), [403, 4033])
    assert.deepEqual(refused(await write('nonsense')), [401, 4010])
  }
  const edits = [
    (token: string) => post(copies(uid), { username: who.username }, { token }),
    (token: string) => put(`${GAMES}/${uid}/community-tags/x`, { hidden: true }, { token }),
    (token: string) =>
      put(`${GAMES}/${uid}/reviews/${randomUUID()}/reply`, { text: '' }, { token }),
  ]
  for (const edit of edits) {
    assert.deepEqual(refused(await edit(writer)), [403, 4033])
    assert.deepEqual(refused(await edit(readOnlyAgent)), [403, 4031])
    assert.deepEqual(refused(await edit(otherProject)), [404, 4040])
  }
  assert.equal((await get(`${GAMES}/${uid}/community-tags`, { token: readOnlyAgent })).status, 200)
  assert.deepEqual(refused(await get(LIBRARY, { token: writer })), [403, 4031])
  assert.deepEqual(refused(await get(LIBRARY)), [401, 4010])
  assert.equal((await post(claim(uid), undefined, { token: writer })).status, 201)
  assert.equal(must(await get(LIBRARY, { token: reader })).total, 1)
  assert.equal((await post(copies(uid), { username: who.username }, { token: agent })).status, 201)
})
