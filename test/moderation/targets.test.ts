import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { candidatesOf } from '../../src/web/operator/moderation/find.ts'
import { startApp } from '../support/app.ts'
import { addCopy, makePublic, must, type Person, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { needs } from '../support/system-packages.ts'
import { openTab, startChromium } from '../web/chromium.ts'
import { layoutProblems } from '../web/layouts.ts'
import { browserHeaders, decision, moderationTeam, sendForm } from './fixtures.ts'

const TARGETS = '/api/v1/private/moderation/targets'
const APPEALS = '/api/v1/private/moderation/appeals'
const PAGES = '/operator/moderation'
const textOf = (body: string) => body.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')

type Part = { target_type: string; target_id: string; name: string; state: string }

type StartApp = (t: TestContext) => ReturnType<typeof startApp>
const startShared = sharedInFile((t) => startApp(t))

/** A public listing with a build, images, a review and a tag, none of which anybody reported. */
async function startUnreported(t: TestContext, start: StartApp = startShared) {
  const app = await start(t)
  const team = await moderationTeam(app)
  const owner = await app.a.verifiedDeveloper()
  const listing = await app.a.listing({ owner, name: 'Pill Harbor' })
  await app.a.images(listing)
  await app.a.cleanBuild(listing)
  await makePublic(app.sql, listing.uid)
  const player = await app.a.verified()
  await addCopy(app.sql, listing.uid, player.uid, 'grant')
  const review = { enjoyed: false, quality: 1, text: 'Only pills' }
  must(await app.put(`/api/v1/private/games/${listing.uid}/review`, review, player))
  await app.sql`
    insert into tag_suggestions (game_uid, user_uid, tag)
    values (${listing.uid}, ${player.uid}, 'pills')`
  const open = (path: string, who: Person = team.moderator) =>
    app.get(path, { headers: browserHeaders(app, who) })
  const read = async (type: string, id: string, who: Person = team.moderator) =>
    must(await app.get(`${TARGETS}/${type}/${encodeURIComponent(id)}`, who))
  const parts = async (type: string, of = `listing/${listing.uid}`): Promise<Part[]> =>
    must(await app.get(`${TARGETS}/${of}/parts?type=${type}`, team.moderator)).items
  return { ...app, ...team, owner, listing, player, open, read, parts }
}

const statesOf = ({ states }: { states: { state: string }[] }) => states.map(({ state }) => state)

test('moderators reach every part of a listing and a person that nobody reported', async (t) => {
  const app = await startUnreported(t)
  const { listing, owner, player, moderator, operator, open, read, parts, decide, get } = app
  const { parts: types } = await read('listing', listing.uid)
  assert.deepEqual(types, ['build', 'file', 'image', 'review', 'community_tag'])
  const page = await open(`${PAGES}/listing/${listing.uid}`)
  const actions: Record<string, string> = {
    build: 'quarantine',
    file: 'quarantine',
    image: 'remove',
    review: 'remove',
    community_tag: 'remove',
  }
  for (const type of types) {
    const [part] = await parts(type)
    assert.ok(part, type)
    const path = `${PAGES}/${type}/${encodeURIComponent(part.target_id)}`
    assert.match(page.body, new RegExp(`href="${path}"`), type)
    assert.equal((await open(path)).status, 200, type)
    const { listing: parent } = await read(type, part.target_id)
    assert.equal(parent.uid, listing.uid, type)
    if (type === 'file') continue // The decision about its build includes it.
    await decide(type, part.target_id, actions[type]!)
    const states = await read(type, part.target_id)
    const expected = actions[type] === 'remove' ? 'removed' : 'quarantined'
    assert.deepEqual(statesOf(states), [expected], type)
    const [after] = (await parts(type)).filter(({ target_id }) => target_id === part.target_id)
    assert.equal(after!.state, expected, `${type} is still listed`)
  }
  assert.deepEqual(statesOf(await read('file', (await parts('file'))[0]!.target_id)), [
    'quarantined',
  ])
  const owned = await parts('listing', `person/${owner.username}`)
  assert.deepEqual(
    owned.map(({ target_id }) => target_id),
    [listing.uid],
  )
  const written = await parts('review', `person/${player.uid}`)
  assert.deepEqual(
    written.map(({ name, state }) => [name, state]),
    [['Pill Harbor', 'removed']],
  )
  const sha256 = (await get(`${TARGETS}/listing/${listing.uid}/parts?type=image`, moderator)).body
    .data.items[0].sha256
  const image = `${PAGES}/images/${sha256}`
  assert.equal((await open(image)).status, 200, 'also after it was removed')
  assert.equal((await open(image, owner)).status, 404)
  const links = [
    ['/operator/listings', `listing/${listing.uid}`],
    ['/operator/files', `file/${(await parts('file'))[0]!.target_id}`],
    [`/operator/people/${owner.uid}`, `person/${owner.uid}`],
  ] as const
  for (const [path, target] of links)
    assert.match((await open(path, operator)).body, new RegExp(`href="${PAGES}/${target}"`), path)
})

test('the page of a listing, a profile and a file link to their target for the team only', async (t) => {
  const { listing, owner, player, moderator, operator, open, parts } = await startUnreported(t)
  const [file] = await parts('file')
  const pages = [
    [`/${owner.username}/${listing.vanity_name}`, `listing/${listing.uid}`],
    [`/${owner.username}`, `person/${owner.username}`],
    [`/games/${listing.uid}/files/${file!.target_id}`, `file/${file!.target_id}`],
  ]
  for (const [path, target] of pages) {
    const link = new RegExp(`href="${PAGES}/${target}"`)
    for (const member of [moderator, operator])
      assert.match((await open(path!, member)).body, link, path)
    assert.doesNotMatch((await open(path!, player)).body, /\/operator\//, path)
  }
})

test('the parts of drafts are for operators only, and parts have a target that has them', async (t) => {
  const app = await startUnreported(t)
  const { listing, owner, moderator, operator, get, a, parts } = app
  const draft = await a.listing({ owner, name: 'Secret Draft' })
  const url = (of: string, type: string) => `${TARGETS}/${of}/parts?type=${type}`
  const of_draft = url(`listing/${draft.uid}`, 'image')
  assert.deepEqual(refused(await get(of_draft, moderator)), [404, 4040])
  must(await get(of_draft, operator))
  must(await get(`${TARGETS}/listing/${draft.uid}`, operator))
  const names = (list: Part[]) => list.map(({ name }) => name).sort()
  assert.deepEqual(names(await parts('listing', `person/${owner.uid}`)), ['Pill Harbor'])
  assert.deepEqual(names(must(await get(url(`person/${owner.uid}`, 'listing'), operator)).items), [
    'Pill Harbor',
    'Secret Draft',
  ])
  const missing = [
    url(`listing/${listing.uid}`, 'listing'),
    url(`person/${owner.uid}`, 'build'),
    url('listing/no-such-listing', 'build'),
  ]
  for (const path of missing) assert.deepEqual(refused(await get(path, moderator)), [404, 4040])
  for (const type of ['', 'street'])
    assert.deepEqual(
      refused(await get(url(`listing/${listing.uid}`, type), moderator)),
      [400, 4000],
    )
  assert.deepEqual(refused(await get(url(`listing/${listing.uid}`, 'build'), owner)), [403, 4030])
})

test('the page of a target says what it is now', async (t) => {
  const { listing, owner, player, open, read, decide, sql, parts } = await startUnreported(t)
  const now = async () => statesOf(await read('listing', listing.uid))
  assert.deepEqual(await now(), ['public'])
  await decide('listing', listing.uid, 'hide')
  assert.deepEqual(await now(), ['hidden'])
  await decide('listing', listing.uid, 'take_down')
  assert.deepEqual(await now(), ['taken_down', 'hidden'])
  assert.match(
    textOf((await open(`${PAGES}/listing/${listing.uid}`)).body),
    /State Taken down since \w+ \d+/,
  )
  const [build] = await parts('build')
  assert.deepEqual(statesOf(await read('build', build!.target_id)), ['clean', 'listing_taken_down'])
  await decide('listing', listing.uid, 'restore')
  await sql`update all_listings set deleted_at = now() where uid = ${listing.uid}`
  const [deleted] = (await read('listing', listing.uid)).states
  assert.equal(deleted.state, 'deleted')
  assert.equal(Date.parse(deleted.until) - Date.parse(deleted.since), 7 * 86_400_000)

  assert.deepEqual(statesOf(await read('person', owner.uid)), ['active'])
  const suspend = (scope: string, days: number | null) =>
    decide('person', player.uid, 'suspend', { suspension: { scope, days } })
  await suspend('publishing', 7)
  const [suspension] = (await read('person', player.uid)).states
  assert.equal(suspension.state, 'suspended_publishing')
  assert.ok(Date.parse(suspension.until) > Date.now() + 6 * 86_400_000)
  assert.match(
    textOf((await open(`${PAGES}/person/${player.uid}`)).body),
    /Suspended from publishing until \w+ \d+/,
  )
  await suspend('everything', null)
  assert.deepEqual((await read('person', player.uid)).states, [
    { state: 'suspended_everything', since: null, until: null },
  ])
  await sql`update users set suspended_until = now() where uid = ${player.uid}`
  assert.deepEqual(statesOf(await read('person', player.uid)), ['active'])
})

test('open reports come before decided ones, which name their decision', async (t) => {
  const app = await startUnreported(t)
  const { listing, open, read, decide, post, a } = app
  const report = async (text: string) =>
    must(
      await post(
        '/api/v1/public/reports',
        {
          ...{ target_type: 'listing', target_id: listing.uid },
          kind: 'spam',
          text,
          good_faith: true,
        },
        await a.verified(),
      ),
    )
  await report('An old report')
  const { action_uid } = await decide('listing', listing.uid, 'warn')
  await report('A new report')
  const { reports } = await read('listing', listing.uid)
  assert.deepEqual(
    reports.map((row: any) => [row.text, row.action_uid, row.action]),
    [
      ['A new report', null, null],
      ['An old report', action_uid, 'warn'],
    ],
  )
  assert.equal(reports[0].files.length, 1)
  assert.ok(reports[0].files[0].size > 0)
  const page = (await open(`${PAGES}/listing/${listing.uid}`)).body
  const text = textOf(page)
  const order = ['Open reports', 'A new report', 'Decided reports', 'An old report']
  const positions = order.map((part) => text.indexOf(part))
  assert.deepEqual(
    positions,
    [...positions].sort((left, right) => left - right),
  )
  assert.ok(!positions.includes(-1), String(positions))
  assert.match(page, new RegExp(`href="${PAGES}/decisions/${action_uid}"`))
  for (const raw of ['price_cents', 'filename:', 'sha256:', '>adult<', '>owner<', '>tagline<'])
    assert.ok(!page.includes(raw), raw)
  assert.match(text, /Publisher .* Adult content No Price/)
})

test('who may not decide an appeal or on a target reads who does instead of a form', async (t) => {
  const app = await startUnreported(t, startApp)
  const { listing, owner, operator, moderator, decide, post, get, open, sql, a } = app
  const { statement_uid } = await decide('listing', listing.uid, 'warn')
  const path = `/api/v1/public/statements/${statement_uid}/appeal`
  const { appeal_uid } = must(await post(path, { text: 'It is a game' }, owner))
  const appealFor = async (who: Person) => must(await get(APPEALS, who)).items[0]
  const own = await appealFor(moderator)
  assert.deepEqual([own.may_decide, own.deciders], [false, [operator.username]])
  assert.equal((await appealFor(operator)).may_decide, true)
  const page = `${PAGES}/appeals/${appeal_uid}`
  const refusal = await open(page)
  assert.match(
    textOf(refusal.body),
    new RegExp(`your own decision, so somebody else decides on it: ${operator.username}\\.`),
  )
  assert.doesNotMatch(refusal.body, /name="outcome"/)
  assert.match((await open(page, operator)).body, /name="outcome"/)

  // The person concerned joins the team: only operators decide, and never that person.
  await sql`insert into moderators (user_uid) values (${owner.uid})`
  const second = await a.verified()
  await sql`insert into moderators (user_uid) values (${second.uid})`
  for (const member of [owner, second]) {
    const appeal = await appealFor(member)
    assert.deepEqual([appeal.may_decide, appeal.deciders], [false, [operator.username]])
    assert.match(textOf((await open(page, member)).body), /These people may: /)
    const sent = await post(`${APPEALS}/${appeal_uid}/decision`, decided, member)
    assert.deepEqual(refused(sent), [403, 4030])
  }
  const target = `${PAGES}/listing/${listing.uid}`
  assert.match(textOf((await open(target, owner)).body), /This concerns you\./)
  assert.match(textOf((await open(target, second)).body), /Only operators decide on it/)
  for (const member of [owner, second])
    assert.doesNotMatch((await open(target, member)).body, /name="ground"/)
  assert.match((await open(target, operator)).body, /name="ground"/)

  // Without anybody else, the moderator who decided may.
  await sql`delete from moderators where user_uid = any(${[owner.uid, second.uid]}::uuid[])`
  await sql`delete from operators`
  const alone = await appealFor(moderator)
  assert.deepEqual([alone.may_decide, alone.deciders], [true, [moderator.username]])
  const fields = { outcome: 'upheld', reasons: 'As before' }
  const sent = await sendForm(app, `${page}/decision`, { fields, who: moderator })
  assert.equal(sent.status, 303)
})

const decided = { outcome: 'upheld', reasons: 'As before' }

test('moderators find a target by name, uid or the address of its page', async (t) => {
  const { listing, owner, player, url, open, parts, a } = await startUnreported(t)
  const [file] = await parts('file')
  const draft = await a.listing({ owner })
  const led = async (q: string, who?: Person) =>
    (await open(`${PAGES}/find?q=${encodeURIComponent(q)}`, who)).headers.location
  const of_listing = `${PAGES}/listing/${listing.uid}`
  const page = `${url}/${owner.username}/${listing.vanity_name}`
  for (const q of [page, `${page}/reviews?page=2`, listing.vanity_name, ` ${listing.uid} `])
    assert.equal(await led(q), of_listing, q)
  const file_page = `${url}/games/${listing.uid}/files/${file!.target_id}`
  assert.equal(await led(file_page), `${PAGES}/file/${file!.target_id}`)
  for (const q of [player.username, `/${player.username}`, player.uid])
    assert.equal(await led(q), `${PAGES}/person/${player.uid}`, q)
  for (const q of ['', '/', 'no-such-name', draft.uid, draft.vanity_name, 'https://', '%'])
    assert.equal(await led(q), PAGES, q)
  assert.equal((await open(`${PAGES}/find?q=x`, owner)).status, 404)
  assert.deepEqual(candidatesOf('https://store.example/ada/lantern?x=1#y'), [
    { target_type: 'listing', target_id: 'lantern' },
    { target_type: 'listing', target_id: 'ada' },
    { target_type: 'person', target_id: 'ada' },
  ])
})

test('pages of targets are accessible and fit a phone', async (t) => {
  if (!needs(t, 'chromium-headless-shell')) return
  const { listing, owner, url, post, a, moderator, parts, decide } = await startUnreported(t)
  const report = { ...decision('listing', listing.uid, ''), kind: 'spam', text: 'Pills' }
  const { target_type, target_id, kind, text } = report
  const body = { target_type, target_id, kind, text, good_faith: true }
  must(await post('/api/v1/public/reports', body, await a.verified()))
  await decide('listing', listing.uid, 'warn')
  must(await post('/api/v1/public/reports', body, await a.verified()))
  const [image] = await parts('image')
  const browser = await startChromium(t)
  const { page, problems } = await openTab(browser, url, { token: moderator.token })
  const checks = { opens_details: true, rules: ['landmark-unique'] }
  for (const path of [
    `listing/${listing.uid}`,
    `listing/${listing.uid}/parts/image`,
    `image/${image!.target_id}`,
    `person/${owner.username}`,
  ])
    assert.deepEqual(await layoutProblems(page, `${PAGES}/${path}`, checks), [])
  assert.deepEqual(problems, [])
})
