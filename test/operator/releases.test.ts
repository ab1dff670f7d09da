import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { connect } from '../agents/mcp-client.ts'
import { eventually, outbox } from '../support/app.ts'
import { must, type Person, refused } from '../support/builders.ts'
import { taxonomy } from '../web/fixtures.ts'
import { OPERATIONS, sharedConsole } from './fixtures.ts'

const GAMES = '/api/v1/private/games'
const PAGES = '/api/v1/public/games'
const RELEASES = `${OPERATIONS}/releases`
const PAGE = '/operator/approvals'
const startShared = sharedConsole()
type Store = Awaited<ReturnType<typeof startShared>>

/** A store that reviews first releases, and holds none. */
async function startReviewing(t: TestContext): Promise<Store> {
  const store = await startShared(t)
  await store.sql`delete from held_releases`
  await store.set({ review_first_release: true })
  return store
}

/** A draft that passes the listing check. */
async function readyDraft({ a, put }: Store, name?: string) {
  const owner = await a.verifiedDeveloper()
  const listing = await a.listing({ owner, ...(name && { name }) })
  await a.images(listing)
  await a.cleanBuild(listing)
  must(await put(`${GAMES}/${listing.uid}/taxonomy`, taxonomy, owner))
  return listing
}
const publish = ({ patch }: Store, uid: string, who: Person, more: object = {}) =>
  patch(`${GAMES}/${uid}`, { visibility: 'public', ...more }, who)
const decide = ({ post, operator }: Store, uid: string, body: object) =>
  post(`${RELEASES}/${uid}`, body, operator)
const mailTo = ({ data_dir }: Store, { email }: Person, pattern: RegExp) =>
  eventually(`a mail about ${pattern}`, () =>
    outbox(data_dir).find(({ to, subject }) => to === email && pattern.test(subject)),
  )

test('the first release waits until an operator approves it', async (t) => {
  const store = await startReviewing(t)
  const { get, operator, patch, signedIn } = store
  const { uid, owner, vanity_name } = await readyDraft(store, 'Tide Bell')
  const publication = async () => must(await get(`${GAMES}/${uid}`, owner)).publication
  assert.equal((await publication()).review, 'needed')
  const browser = signedIn(owner)
  assert.match(
    (await browser.open(`/dashboard/${vanity_name}/overview`)).body,
    /Hand in for review/,
  )
  const held = await publish(store, uid, owner, { tagline: 'Saved with the request' })
  assert.equal(held.status, 202)
  assert.deepEqual(
    [held.body.data.visibility, held.body.data.tagline],
    ['draft', 'Saved with the request'],
  )
  assert.equal((await publication()).review, 'waiting')
  assert.equal((await get(`${PAGES}/${uid}`)).status, 404)
  const again = await publish(store, uid, owner, { tagline: 'Not saved' })
  assert.deepEqual(refused(again), [409, 4265])
  assert.equal(again.body.data.state, 'waiting')
  assert.equal(must(await get(`${GAMES}/${uid}`, owner)).tagline, 'Saved with the request')
  assert.match(
    (await browser.open(`/dashboard/${vanity_name}/overview`)).body,
    /Your first release waits for a review/,
  )
  await mailTo(store, operator, /Tide Bell waits for a review/)

  const { items } = must(await get(RELEASES, operator))
  assert.deepEqual(
    items.map(({ game_uid }: any) => game_uid),
    [uid],
  )
  const release = must(await get(`${RELEASES}/${uid}`, operator))
  assert.equal(release.page.tagline, 'Saved with the request')
  assert.equal(release.page.files.length, 1)
  must(await decide(store, uid, { decision: 'approve', version: release.version }))
  assert.equal(must(await get(`${PAGES}/${uid}`)).visibility, 'public')
  await mailTo(store, owner, /Tide Bell is public/)
  assert.deepEqual(refused(await decide(store, uid, { decision: 'approve' })), [409, 4090])

  must(await patch(`${GAMES}/${uid}`, { visibility: 'draft' }, owner))
  assert.equal((await publish(store, uid, owner)).status, 200)
})

test('a declined release names the reason, and can be handed in again', async (t) => {
  const store = await startShared(t)
  const { set, get, signedIn } = store
  await set({ review_first_release: true })
  const { uid, owner, vanity_name } = await readyDraft(store)
  assert.equal((await publish(store, uid, owner)).status, 202)
  assert.deepEqual(refused(await decide(store, uid, { decision: 'decline' })), [400, 4000])
  must(await decide(store, uid, { decision: 'decline', reason: 'The cover is not yours' }))
  const mail = await mailTo(store, owner, /The release of/)
  assert.match(mail.text, /The cover is not yours/)
  const { publication } = must(await get(`${GAMES}/${uid}`, owner))
  assert.deepEqual(
    [publication.review, publication.review_reason],
    ['declined', 'The cover is not yours'],
  )
  const page = await signedIn(owner).open(`/dashboard/${vanity_name}/overview`)
  assert.match(page.body, /Your first release was declined: .*The cover is not yours/)
  const sent = await signedIn(owner).send(`/dashboard/${vanity_name}/visibility`, {
    visibility: 'public',
  })
  assert.equal(sent.status, 303)
  must(await decide(store, uid, { decision: 'approve' }))
  assert.equal((await get(`${PAGES}/${uid}`)).status, 200)
})

test('a release with errors in the listing check is neither handed in nor approved', async (t) => {
  const store = await startReviewing(t)
  const { a, get, put, operator } = store
  const empty = await a.listing({ owner: await a.verifiedDeveloper() })
  assert.deepEqual(refused(await publish(store, empty.uid, empty.owner)), [422, 4225])
  assert.deepEqual(must(await get(RELEASES, operator)).items, [])
  assert.deepEqual(refused(await get(`${RELEASES}/${empty.uid}`, operator)), [404, 4040])
  assert.deepEqual(refused(await decide(store, empty.uid, { decision: 'approve' })), [404, 4040])

  const { uid, owner } = await readyDraft(store)
  assert.equal((await publish(store, uid, owner)).status, 202)
  must(await put(`${GAMES}/${uid}/taxonomy`, { ...taxonomy, genres: [] }, owner))
  assert.deepEqual(refused(await decide(store, uid, { decision: 'approve' })), [422, 4225])
  assert.equal(must(await get(`${RELEASES}/${uid}`, operator)).state, 'waiting')
})

test('an operator does not publish what changed after they looked', async (t) => {
  const store = await startReviewing(t)
  const { get, patch, operator } = store
  const { uid, owner } = await readyDraft(store)
  assert.equal((await publish(store, uid, owner)).status, 202)
  const { version } = must(await get(`${RELEASES}/${uid}`, operator))
  must(await patch(`${GAMES}/${uid}`, { tagline: 'Something else' }, owner))
  assert.deepEqual(refused(await decide(store, uid, { decision: 'approve', version })), [409, 4090])
  const { version: current } = must(await get(`${RELEASES}/${uid}`, operator))
  must(await decide(store, uid, { decision: 'approve', version: current }))
})

test('of several requests and decisions at once, one counts', async (t) => {
  const store = await startReviewing(t)
  const { uid, owner } = await readyDraft(store)
  const requests = await Promise.all([1, 2, 3].map(() => publish(store, uid, owner)))
  assert.deepEqual(requests.map(({ status }) => status).sort(), [202, 409, 409])
  const decisions = await Promise.all(
    ['approve', 'decline', 'approve', 'decline'].map((decision) =>
      decide(store, uid, { decision, reason: 'So be it' }),
    ),
  )
  assert.deepEqual(decisions.map(({ status }) => status).sort(), [200, 409, 409, 409])
  const first = decisions.find(({ status }) => status === 200)!
  const { state } = must(first)
  const { visibility } = must(await store.get(`${GAMES}/${uid}`, owner))
  assert.equal(visibility, state === 'approved' ? 'public' : 'draft')
})

test('rules that changed while a release waited apply when it is approved', async (t) => {
  const store = await startReviewing(t)
  const { set, patch } = store
  const { uid, owner } = await readyDraft(store)
  must(await patch(`${GAMES}/${uid}`, { price_cents: 500 }, owner))
  assert.equal((await publish(store, uid, owner)).status, 202)
  const approve = () => decide(store, uid, { decision: 'approve' })
  await set({ paid_listings: false })
  assert.deepEqual(refused(await approve()), [422, 4267])
  await set({ paid_listings: true, publishing: 'approval' })
  assert.deepEqual(refused(await approve()), [403, 4264])
  await set({ publishing: 'open' })
  must(await approve())
})

test('listings that were public before the setting are not held', async (t) => {
  const store = await startShared(t)
  const { set, patch, published } = store
  const listing = await published()
  must(await patch(`${GAMES}/${listing.uid}`, { visibility: 'invisible' }, listing.owner))
  await set({ review_first_release: true })
  assert.equal((await publish(store, listing.uid, listing.owner)).status, 200)
})

test('an agent learns that its release is held', async (t) => {
  const store = await startReviewing(t)
  const { a, url } = store
  const { uid, owner } = await readyDraft(store)
  const { key } = await a.key('agent', owner, ['mcp:catalog.write', 'mcp:read'])
  const { call } = await connect(t, url, '/mcp', key)
  const first = await call('update_game', { uid, visibility: 'public' })
  assert.equal(first.data.visibility, 'draft')
  const second = await call('update_game', { uid, visibility: 'public' })
  assert.equal(second.refused?.code, 4265)
  const { data } = await call('get_game', { uid })
  assert.equal(data.publication.review, 'waiting')
})

test('an operator reviews a release in the console, and nobody else can', async (t) => {
  const store = await startReviewing(t)
  const { get, post, console: browser, a } = store
  const { uid, owner } = await readyDraft(store, 'Tide <b>Bell')
  assert.equal((await publish(store, uid, owner)).status, 202)
  assert.match((await browser.open(PAGE)).body, /Tide &lt;b&gt;Bell/)
  const review = await browser.open(`${PAGE}/releases/${uid}`)
  assert.match(review.body, /Review of Tide &lt;b&gt;Bell/)
  const version = review.body.match(/name="version" value="(\d+)"/)![1]!
  const send = (fields: Record<string, string>) =>
    browser.send(`${PAGE}/releases/${uid}`, { version, reason: '', ...fields })
  assert.equal((await send({ decision: 'decline' })).status, 400)
  assert.equal((await send({ decision: 'approve' })).status, 303)
  assert.equal((await get(`${PAGES}/${uid}`)).status, 200)
  const member = await a.verified()
  assert.deepEqual(refused(await get(RELEASES, member)), [403, 4030])
  assert.deepEqual(refused(await get(`${RELEASES}/${uid}`, owner)), [403, 4030])
  assert.deepEqual(
    refused(await post(`${RELEASES}/${uid}`, { decision: 'approve' }, owner)),
    [403, 4030],
  )
})
