import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { eventually, outbox } from '../support/app.ts'
import { addAdmin, must, type Person, refused } from '../support/builders.ts'
import { OPERATIONS, sharedConsole } from './fixtures.ts'

const GAMES = '/api/v1/private/games'
const ACCESS = '/api/v1/private/account/publishing'
const PUBLISHERS = `${OPERATIONS}/publishers`
const startShared = sharedConsole()
type Store = Awaited<ReturnType<typeof startShared>>

/** A store in which nobody has asked for the right to publish. */
async function startStore(t: TestContext): Promise<Store> {
  const store = await startShared(t)
  await store.sql`delete from publisher_approvals`
  return store
}

/** A store in which publishing needs approval. */
async function startApproving(t: TestContext): Promise<Store> {
  const store = await startStore(t)
  await store.set({ publishing: 'approval' })
  return store
}

/** A listing that can be published, of a developer whom nobody approved. */
async function readyListing({ published, patch, a }: Store) {
  const owner = await a.verifiedDeveloper()
  const listing = await published({ owner })
  must(await patch(`${GAMES}/${listing.uid}`, { visibility: 'draft' }, owner))
  return { ...listing, owner }
}
const publish = ({ patch }: Store, uid: string, who: Person) =>
  patch(`${GAMES}/${uid}`, { visibility: 'public' }, who)
const mailTo = ({ data_dir }: Store, { email }: Person, pattern: RegExp) =>
  eventually(`a mail about ${pattern}`, () =>
    outbox(data_dir).find(({ to, subject }) => to === email && pattern.test(subject)),
  )

test('a developer publishes after an operator approved, with mails both ways', async (t) => {
  const store = await startStore(t)
  const { set, get, post, operator, signedIn } = store
  const { owner, uid, vanity_name } = await readyListing(store)
  await set({ publishing: 'approval' })
  const refusedAnswer = await publish(store, uid, owner)
  assert.deepEqual(refused(refusedAnswer), [403, 4264])
  assert.equal(refusedAnswer.body.data.state, 'none')
  const browser = signedIn(owner)
  assert.match((await browser.open('/dashboard')).body, /publishing needs approval/)
  const project = await browser.open(`/dashboard/${vanity_name}/settings`)
  assert.match(project.body, /publishing needs approval/)
  assert.doesNotMatch(project.body, /<button[^>]*>\s*Publish\s*<\/button>/)

  const access = must(await post(ACCESS, { text: ' I make tide games. ' }, owner))
  assert.deepEqual(
    [access.state, access.request, access.may_publish],
    ['requested', 'I make tide games.', false],
  )
  assert.equal((await publish(store, uid, owner)).body.data.state, 'requested')
  assert.deepEqual(refused(await post(ACCESS, { text: 'Again' }, owner)), [409, 4090])
  assert.match((await browser.open('/dashboard')).body, /waits for an answer/)
  const mail = await mailTo(store, operator, /wants to publish/)
  assert.match(mail.text, /I make tide games\./)

  const { items } = must(await get(PUBLISHERS, operator))
  assert.deepEqual(
    items.map(({ username, request }: any) => [username, request]),
    [[owner.username, 'I make tide games.']],
  )
  const decided = must(
    await post(`${PUBLISHERS}/${owner.username}`, { decision: 'approve' }, operator),
  )
  assert.deepEqual([decided.state, decided.decided_by], ['approved', operator.username])
  await mailTo(store, owner, /You may publish/)
  must(await publish(store, uid, owner))
  assert.deepEqual(refused(await post(ACCESS, { text: 'Again' }, owner)), [409, 4090])
})

test('a declined developer reads why and can ask again', async (t) => {
  const store = await startApproving(t)
  const { post, operator, a, signedIn } = store
  const owner = await a.verifiedDeveloper()
  must(await post(ACCESS, { text: 'Please' }, owner))
  const decide = (body: object) => post(`${PUBLISHERS}/${owner.username}`, body, operator)
  assert.deepEqual(refused(await decide({ decision: 'decline' })), [400, 4000])
  assert.deepEqual(refused(await decide({ decision: 'decline', reason: ' ' })), [400, 4000])
  assert.deepEqual(
    refused(await decide({ decision: 'decline', reason: 'x'.repeat(1001) })),
    [400, 4000],
  )
  must(await decide({ decision: 'decline', reason: 'Tell us who you are' }))
  const mail = await mailTo(store, owner, /Your request to publish/)
  assert.match(mail.text, /Tell us who you are/)
  const page = await signedIn(owner).open('/settings/publishing')
  assert.match(page.body, /Your request was declined: .*Tell us who you are/)
  const sent = await signedIn(owner).send('/settings/publishing', { text: 'I am Ada' })
  assert.equal(sent.status, 303)
  assert.match((await signedIn(owner).open('/settings/publishing')).body, /I am Ada/)
  assert.deepEqual(
    refused(await post(`${PUBLISHERS}/nobody-here`, { decision: 'approve' }, operator)),
    [404, 4040],
  )
})

test('the right is that of the owner, and public listings stay when it is taken back', async (t) => {
  const store = await startStore(t)
  const { set, post, get, operator, a, sql } = store
  const { owner, uid } = await readyListing(store)
  const admin = await a.verifiedDeveloper()
  await addAdmin(sql, uid, admin.uid)
  await set({ publishing: 'approval' })
  const decide = (who: Person, decision: string) =>
    post(`${PUBLISHERS}/${who.username}`, { decision, reason: 'Because' }, operator)
  must(await decide(admin, 'approve'))
  assert.deepEqual(refused(await publish(store, uid, admin)), [403, 4264])
  must(await decide(owner, 'approve'))
  must(await publish(store, uid, admin))
  must(await decide(owner, 'decline'))
  assert.equal(must(await get(`/api/v1/public/games/${uid}`)).visibility, 'public')
  must(await store.patch(`${GAMES}/${uid}`, { tagline: 'Edits go on' }, owner))
})

test('in a store of invited publishers nobody can ask, and operators may publish', async (t) => {
  const store = await startStore(t)
  const { set, post, sql, signedIn } = store
  const { owner, uid } = await readyListing(store)
  await set({ publishing: 'invited' })
  assert.deepEqual(refused(await publish(store, uid, owner)), [403, 4264])
  assert.deepEqual(refused(await post(ACCESS, { text: 'Please' }, owner)), [403, 4264])
  const page = await signedIn(owner).open('/settings/publishing')
  assert.match(page.body, /Only people whom this store invited may publish/)
  assert.doesNotMatch(page.body, /<textarea/)
  await sql`insert into operators (user_uid) values (${owner.uid})`
  must(await publish(store, uid, owner))
})

test('requests need a text and a verified address', async (t) => {
  const { post, a } = await startApproving(t)
  const owner = await a.developer()
  assert.deepEqual(refused(await post(ACCESS, { text: 'Please' }, owner)), [403, 4096])
  const verified = await a.verifiedDeveloper()
  for (const text of ['', 'x'.repeat(2001)])
    assert.deepEqual(refused(await post(ACCESS, { text }, verified)), [400, 4000])
  must(await post(ACCESS, { text: 'x'.repeat(2000) }, verified))
})

test('an operator decides about requests in the console', async (t) => {
  const store = await startApproving(t)
  const { post, get, a, console: browser } = store
  const owner = await a.verifiedDeveloper()
  const other = await a.verifiedDeveloper()
  must(await post(ACCESS, { text: 'I make <b>tide</b> games' }, owner))
  const PAGE = '/operator/approvals'
  assert.match((await browser.open(PAGE)).body, /I make &lt;b&gt;tide/)
  const decide = (who: Person, fields: Record<string, string>) =>
    browser.send(`${PAGE}/people/${who.username}`, fields)
  const refusedForm = await decide(owner, { decision: 'decline', reason: '' })
  assert.equal(refusedForm.status, 400)
  assert.match(refusedForm.body, /role="alert"/)
  assert.equal((await decide(owner, { decision: 'approve', reason: '' })).status, 303)
  assert.equal(must(await get(ACCESS, owner)).may_publish, true)
  const direct = { username: other.username, decision: 'approve', reason: '' }
  assert.equal((await browser.send(`${PAGE}/people`, direct)).status, 303)
  assert.equal(must(await get(ACCESS, other)).may_publish, true)
  const unknown = await browser.send(`${PAGE}/people`, { ...direct, username: 'nobody-here' })
  assert.equal(unknown.status, 404)
})
