import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { eventually, outbox, startApp } from '../support/app.ts'
import { addCopy, makePublic, must, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { ACTIONS, decision, moderationTeam } from './fixtures.ts'

const PAGES = '/api/v1/public/games'
const GAMES = '/api/v1/private/games'
const STATEMENTS = '/api/v1/private/moderation/statements'
const TEAM = '/api/v1/private/moderation/team'

const startShared = sharedInFile((t) => startApp(t))

test('a decision needs a ground that fits it, and facts', async (t) => {
  const app = await startShared(t)
  const { moderator } = await moderationTeam(app)
  const { uid } = await app.a.listing()
  const send = (more: object) =>
    app.post(ACTIONS, { ...decision('listing', uid, 'take_down'), ...more }, moderator)
  for (const incomplete of [
    { ground: undefined },
    { ground: '' },
    { ground: 'rule-of-thumb' },
    { ground: 'no-violation' },
    { facts: undefined },
    { facts: '   ' },
    { ground: undefined, facts: undefined },
  ])
    assert.deepEqual(refused(await send(incomplete)), [422, 4282], JSON.stringify(incomplete))
  for (const malformed of [
    { facts: 'x'.repeat(4001) },
    { action: 'remove' },
    { action: 'burn' },
    { target_type: 'street' },
  ])
    assert.deepEqual(refused(await send(malformed)), [400, 4000], JSON.stringify(malformed))
  assert.deepEqual(refused(await send({ target_id: randomUUID() })), [404, 4040])
  const stored = await app.sql`select from moderation_actions where target_id = ${uid}`
  assert.deepEqual([...stored], [])
  assert.equal((await send({ facts: 'x'.repeat(4000) })).status, 201)
  assert.deepEqual(refused(await send({})), [409, 4090], 'taken down twice')
})

test('only the moderation team decides, and operators choose who is in it', async (t) => {
  const app = await startApp(t)
  const { operator, moderator, decide } = await moderationTeam(app)
  const person = await app.a.verified()
  const { uid, owner } = await app.a.listing()
  const send = (who?: { token: string }) =>
    app.post(ACTIONS, decision('listing', uid, 'warn'), who ?? {})
  assert.deepEqual(refused(await send()), [401, 4010])
  for (const other of [person, owner]) assert.deepEqual(refused(await send(other)), [403, 4030])
  for (const path of [TEAM, ACTIONS])
    assert.deepEqual(refused(await app.get(path, person)), [403, 4030], path)
  assert.deepEqual(refused(await app.get(TEAM, moderator)), [403, 4030])
  assert.deepEqual(
    refused(await app.put(`${TEAM}/${person.username}`, undefined, moderator)),
    [403, 4030],
  )
  must(await app.put(`${TEAM}/${person.username}`, undefined, operator))
  assert.deepEqual(
    must(await app.get(TEAM, operator)).items.map(({ username, role }: any) => [username, role]),
    [
      [operator.username, 'operator'],
      [moderator.username, 'moderator'],
      [person.username, 'moderator'],
    ],
  )
  assert.equal((await send(person)).status, 201)
  must(await app.del(`${TEAM}/${person.username}`, operator))
  assert.deepEqual(refused(await send(person)), [403, 4030])
  assert.deepEqual(refused(await app.del(`${TEAM}/nobody-here`, operator)), [404, 4040])
  const suspension = { scope: 'everything', days: null }
  const against = (target: string, who: { token: string }) =>
    app.post(ACTIONS, decision('person', target, 'suspend', { suspension }), who)
  assert.deepEqual(refused(await against(moderator.username, moderator)), [403, 4030])
  assert.deepEqual(refused(await against(operator.username, moderator)), [403, 4030])
  await decide('person', moderator.uid, 'suspend', { suspension }, operator)
  assert.deepEqual(refused(await app.get(ACTIONS, moderator)), [403, 4284])
})

test('a decision, its log and its statement of reasons are stored together and mailed', async (t) => {
  const app = await startShared(t)
  const { moderator, decide } = await moderationTeam(app)
  const { uid, owner, vanity_name } = await app.a.listing({ name: 'Lantern' })
  const facts = 'The trailer shows another game'
  const { action_uid, statement_uid } = await decide('listing', vanity_name, 'take_down', {
    facts,
    ground: 'rule-false-label',
  })
  const { items } = must(await app.get(STATEMENTS, owner))
  const { created_at, appeal_until, ...statement } = items[0]
  assert.deepEqual(statement, {
    uid: statement_uid,
    target_type: 'listing',
    target_id: uid,
    target_name: 'Lantern',
    action: 'take_down',
    ground: 'rule-false-label',
    facts,
    statement: 'Your page is not about a game.',
    in_force: true,
    undone: false,
    origin: 'own_initiative',
    labels: null,
    suspension: null,
    may_appeal: true,
    appeal: null,
  })
  const log = must(await app.get(`${ACTIONS}?target_type=listing&target_id=${uid}`, moderator))
  assert.deepEqual(
    log.items.map((item: any) => [item.uid, item.action, item.moderator]),
    [[action_uid, 'take_down', moderator.username]],
  )
  const mail = await eventually('the statement of reasons', () =>
    outbox(app.data_dir).find(({ to, subject }) => to === owner.email && /Lantern/.test(subject)),
  )
  for (const part of [facts, 'Your page is not about a game.', 'Taken down', 'Store rule'])
    assert.ok(mail.text.includes(part), part)
  const dashboard = await app.get('/dashboard', {
    headers: { cookie: `svc_session=${owner.token}`, accept: 'text/html' },
  })
  assert.match(dashboard.body, /Listing “Lantern”/)
  assert.match(dashboard.body, /Your page is not about a game\./)
  await decide('listing', uid, 'restore')
  assert.equal(must(await app.get(STATEMENTS, owner)).items.at(-1).in_force, false)
})

test('the statement and the effect are stored together or not at all', async (t) => {
  const app = await startApp(t)
  const { moderator } = await moderationTeam(app)
  const { uid, owner } = await app.a.listing()
  await app.sql`
    create function fail() returns trigger language plpgsql as
    $$ begin raise exception 'no mail'; end $$`
  await app.sql`
    create trigger fail before insert on moderation_statements
    for each row execute function fail()`
  const answer = await app.post(ACTIONS, decision('listing', uid, 'take_down'), moderator)
  assert.equal(answer.status, 500)
  assert.equal((await app.get(`${GAMES}/${uid}`, owner)).status, 200)
  assert.deepEqual([...(await app.sql`select from moderation_actions`)], [])
})

test('the log of decisions cannot be changed', async (t) => {
  const app = await startShared(t)
  const { decide } = await moderationTeam(app)
  const { uid } = await app.a.listing()
  await decide('listing', uid, 'warn')
  for (const statement of [
    `update moderation_actions set facts = 'other'`,
    'delete from moderation_actions',
    'truncate moderation_actions cascade',
  ])
    await assert.rejects(app.sql.unsafe(statement), /never changed/, statement)
})

test('of two moderators who decide the same at once, one decision counts', async (t) => {
  const app = await startShared(t)
  const { operator, moderator } = await moderationTeam(app)
  for (let round = 0; round < 5; round++) {
    const { uid } = await app.a.listing()
    const body = decision('listing', uid, 'take_down')
    const answers = await Promise.all(
      [operator, moderator, moderator].map((who) => app.post(ACTIONS, body, who)),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409])
    const rows = await app.sql`select from moderation_actions where target_id = ${uid}`
    assert.equal(rows.length, 1)
  }
})

test('a hidden listing opens by link and is in no list, whatever its owner does', async (t) => {
  const app = await startShared(t)
  const { decide } = await moderationTeam(app)
  const { uid, owner } = await app.a.listing({ name: 'Quiet Harbor' })
  await makePublic(app.sql, uid)
  const isListed = async () => {
    const { items } = must(await app.get('/api/v1/public/search?q=Quiet%20Harbor'))
    return items.some((item: { uid: string }) => item.uid === uid)
  }
  await eventually('the listing in search', isListed)
  await decide('listing', uid, 'hide')
  await eventually('no listing in search', async () => !(await isListed()))
  assert.equal((await app.get(`${PAGES}/${uid}`)).status, 200)
  assert.doesNotMatch(JSON.stringify(await app.get(`/${owner.username}`)), /Quiet Harbor/)
  const publish = await app.patch(`${GAMES}/${uid}`, { visibility: 'public' }, owner)
  assert.deepEqual(refused(publish), [403, 4030])
  await app.sql`update listings set visibility = 'public' where uid = ${uid}`
  assert.equal(must(await app.get(`${GAMES}/${uid}`, owner)).visibility, 'invisible')
  await decide('listing', uid, 'restore')
  assert.equal(must(await app.get(`${GAMES}/${uid}`, owner)).visibility, 'public')
  await eventually('the listing in search again', isListed)
})

test('a hidden page that its owner withdraws stays withdrawn after a restore', async (t) => {
  const app = await startShared(t)
  const { decide } = await moderationTeam(app)
  const { uid, owner } = await app.a.listing()
  await makePublic(app.sql, uid)
  await decide('listing', uid, 'hide')
  must(await app.patch(`${GAMES}/${uid}`, { visibility: 'draft' }, owner))
  await decide('listing', uid, 'restore')
  assert.equal(must(await app.get(`${GAMES}/${uid}`, owner)).visibility, 'draft')
})

test('a removed review is gone for everyone, and cannot be written again', async (t) => {
  const app = await startShared(t)
  const { decide } = await moderationTeam(app)
  const { uid } = await app.a.listing()
  await makePublic(app.sql, uid)
  const player = await app.a.verified()
  await addCopy(app.sql, uid, player.uid, 'free')
  await app.sql`
    insert into play_time (user_uid, game_uid, seconds, last_beat_at)
    values (${player.uid}, ${uid}, 7200, now())`
  const review = { enjoyed: true, quality: 5, text: 'Buy my pills' }
  const write = () => app.put(`${GAMES}/${uid}/review`, review, player)
  const { uid: review_uid } = must(await write())
  const count = async () => must(await app.get(`${PAGES}/${uid}/reviews`)).summary.count
  assert.equal(await count(), 1)
  await decide('review', review_uid, 'remove')
  assert.equal(await count(), 0)
  assert.deepEqual(refused(await write()), [403, 4030])
  const { items } = must(await app.get(STATEMENTS, player))
  assert.equal(items[0].target_type, 'review')
  await decide('review', review_uid, 'restore')
  assert.equal(await count(), 1)
  must(await write())
})

test('a removed community tag is not shown, and keeps its votes', async (t) => {
  const app = await startShared(t)
  const { decide } = await moderationTeam(app)
  const { uid } = await app.a.listing()
  await makePublic(app.sql, uid)
  for (let i = 0; i < 3; i++) {
    const player = await app.a.user()
    await addCopy(app.sql, uid, player.uid, 'free')
    await app.sql`
      insert into tag_suggestions (game_uid, user_uid, tag) values (${uid}, ${player.uid}, 'cozy')`
  }
  const tags = async () => must(await app.get(`${PAGES}/${uid}`)).community_tags
  assert.deepEqual(await tags(), ['cozy'])
  const { statement_uid } = await decide('community_tag', `${uid}:cozy`, 'remove')
  assert.equal(statement_uid, null, 'many players suggested it')
  assert.deepEqual(await tags(), [])
  await decide('community_tag', `${uid}:cozy`, 'restore')
  assert.deepEqual(await tags(), ['cozy'])
})

test('a removed image is not served, and comes back where it was', async (t) => {
  const app = await startShared(t)
  const { decide } = await moderationTeam(app)
  const listing = await app.a.listing()
  const { cover, gallery } = await app.a.images(listing)
  await makePublic(app.sql, listing.uid)
  const [row] = await app.sql`
    select uid from listing_images where game_uid = ${listing.uid} and slot = 'cover'`
  const served = async (url: string) => (await app.get(new URL(url).pathname)).status
  const before = must(await app.get(`${PAGES}/${listing.uid}`))
  for (const [image, url] of [
    [row!.uid, cover],
    [gallery.at(-1)!.uid, gallery.at(-1)!.url],
  ]) {
    assert.equal(await served(url), 200)
    await decide('image', image, 'remove')
    assert.equal(await served(url), 404)
    await decide('image', image, 'restore')
    assert.equal(await served(url), 200)
  }
  const after = must(await app.get(`${PAGES}/${listing.uid}`))
  assert.deepEqual(after.media, before.media)
  assert.deepEqual(after.cover, before.cover)
})

test('a quarantined file or build is downloaded nowhere, by links given out before', async (t) => {
  const app = await startShared(t)
  const { decide } = await moderationTeam(app)
  const owner = await app.a.verifiedDeveloper()
  const listing = await app.a.listing({ owner })
  const { build_id, file_uid, ci } = await app.a.cleanBuild(listing)
  await makePublic(app.sql, listing.uid)
  await app.sql`update listings set anonymous_downloads = true where uid = ${listing.uid}`
  const link = must(await app.get(`/api/v1/public/downloads/${file_uid}`)).url as string
  const signed = link.slice(app.url.length)
  const provenance = `${PAGES}/${listing.uid}/files/${file_uid}/provenance`
  const answers = async () => [
    (await app.get(signed)).status,
    (await app.get(`/api/v1/public/downloads/${file_uid}`)).status,
    (await app.get(provenance)).status,
    must(await app.get(`${PAGES}/${listing.uid}`)).files.length,
  ]
  assert.deepEqual(await answers(), [200, 200, 200, 1])
  for (const [type, uid] of [
    ['file', file_uid],
    ['build', build_id],
  ] as const) {
    await decide(type, uid, 'quarantine')
    assert.deepEqual(await answers(), [404, 404, 404, 0], type)
    const { builds } = must(await app.get('/api/v1/tool/builds', ci))
    assert.equal(builds[0].files[0].scan, 'quarantined', 'the owner sees why')
    await decide(type, uid, 'restore')
    assert.deepEqual(await answers(), [200, 200, 200, 1], type)
  }
})
