import assert from 'node:assert/strict'
import { test } from 'node:test'
import { must, newAddress, PASSWORD, refused } from '../support/builders.ts'
import { OPERATIONS, sharedConsole, startConsole } from './fixtures.ts'

const startShared = sharedConsole()

const REGISTER = '/api/v1/private/account/register'
const INVITATIONS = `${OPERATIONS}/invitations`
const MISSING = '00000000-0000-4000-8000-000000000000'
type Store = Awaited<ReturnType<typeof startConsole>>

let made = 0
const person = (more: object = {}) => {
  const username = `guest-${++made}`
  return { username, email: `${username}@example.com`, password: PASSWORD, ...more }
}
const join = ({ call }: Store, more: object = {}) =>
  call('POST', REGISTER, { body: person(more), headers: newAddress() })
const tokenOf = (url: string) => new URL(url).searchParams.get('invitation')!

async function invite({ post, operator }: Store, body: object = {}) {
  const data = must(await post(INVITATIONS, body, operator))
  return { ...data, invitation: tokenOf(data.url) }
}

test('nobody can sign up in a closed store, and its page says so', async (t) => {
  const store = await startShared(t)
  const { set, visitor, get } = store
  const { invitation } = await invite(store)
  const invites = async (path: string) =>
    /href="\/signup/.test((await visitor().open(path)).body as string)
  for (const path of ['/', '/login']) assert.equal(await invites(path), true, path)
  await set({ registration: 'closed', contact: 'hello@harbor.example' })
  for (const path of ['/', '/login']) assert.equal(await invites(path), false, path)
  assert.equal(must(await get('/api/v1/public/store-rules')).registration, 'closed')
  assert.deepEqual(refused(await join(store)), [403, 4262])
  assert.deepEqual(refused(await join(store, { invitation })), [403, 4262])
  const page = await visitor().open('/signup')
  assert.match(page.body, /This store does not take new accounts/)
  assert.match(page.body, /href="mailto:hello@harbor\.example">Contact the people/)
  assert.doesNotMatch(page.body, /name="username"/)
  await set({ registration: 'open' })
  must(await join(store))
})

test('people sign up with an invitation where one is needed', async (t) => {
  const store = await startShared(t)
  const { set, visitor, get, operator } = store
  await set({ registration: 'invitation' })
  const missing = await join(store)
  assert.deepEqual(refused(missing), [403, 4263])
  assert.equal(missing.body.data.state, 'missing')
  const { invitation, uid, url } = await invite(store, { note: 'For the press', max_uses: 2 })
  assert.match(url, /\/signup\?invitation=svc_inv_\w{49}$/)
  for (const wrong of ['', 'svc_inv_short', `${invitation}x`, invitation.replace(/.$/, '-')]) {
    const answer = await join(store, { invitation: wrong })
    assert.deepEqual(refused(answer), [403, 4263], wrong)
    assert.equal(answer.body.data.state, wrong ? 'unknown' : 'missing')
  }
  const closed = await visitor().open('/signup')
  assert.match(closed.body, /You need an invitation to sign up here/)
  assert.doesNotMatch(closed.body, /name="username"/)

  const guest = visitor()
  const path = `/signup?invitation=${invitation}`
  const opened = await guest.open(path)
  assert.match(opened.body, /You were invited to this store/)
  const { password, ...fields } = person()
  const sent = await guest.send(path, { ...fields, password })
  assert.equal(sent.status, 303)
  must(await join(store, { invitation }))
  const used = await join(store, { invitation })
  assert.deepEqual(refused(used), [403, 4263])
  assert.equal(used.body.data.state, 'used')
  assert.match((await visitor().open(path)).body, /This invitation was used up/)
  const { items } = must(await get(INVITATIONS, operator))
  assert.deepEqual(
    [items[0].uid, items[0].uses, items[0].state, items[0].usernames[0], items[0].created_by],
    [uid, 2, 'used', fields.username, operator.username],
  )
  assert.equal('url' in items[0], false)
})

test('an invitation ends at its time, or when an operator ends it', async (t) => {
  const store = await startConsole(t)
  const { set, sql, call, operator, get } = store
  await set({ registration: 'invitation' })
  const late = await invite(store, { expires_in_days: 1 })
  await sql`update invitations set expires_at = now() - interval '1 second'`
  const { invitation, uid } = await invite(store, { expires_in_days: 365, max_uses: 1000 })
  const expired = await join(store, { invitation: late.invitation })
  assert.deepEqual([...refused(expired), expired.body.data.state], [403, 4263, 'expired'])
  must(await join(store, { invitation }))
  const end = (id: string) => call('DELETE', `${INVITATIONS}/${id}`, operator)
  assert.equal(must(await end(uid)).state, 'expired')
  assert.equal(must(await end(uid)).uses, 1)
  assert.deepEqual(refused(await join(store, { invitation })), [403, 4263])
  assert.deepEqual(refused(await end(MISSING)), [404, 4040])
  assert.deepEqual(refused(await end('nonsense')), [404, 4040])
  assert.equal(must(await get(INVITATIONS, operator)).total, 2)
})

test('only one of two people signs up with an invitation for one', async (t) => {
  const store = await startShared(t)
  await store.set({ registration: 'invitation' })
  for (let round = 0; round < 3; round++) {
    const { invitation } = await invite(store)
    const answers = await Promise.all([1, 2, 3].map(() => join(store, { invitation })))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 403, 403], `round ${round}`)
  }
})

test('a sign-up that is refused for another reason does not use the invitation', async (t) => {
  const store = await startShared(t)
  await store.set({ registration: 'invitation' })
  const { invitation } = await invite(store)
  const taken = { username: store.operator.username }
  assert.deepEqual(refused(await join(store, { invitation, ...taken })), [409, 4090])
  assert.deepEqual(refused(await join(store, { invitation, password: 'short' })), [400, 4000])
  must(await join(store, { invitation }))
})

test('an invitation gives the right to publish if it says so', async (t) => {
  const store = await startShared(t)
  await store.set({ publishing: 'invited' })
  const accessWith = async (body: object) => {
    const { invitation } = await invite(store, body)
    const { session } = must(await join(store, { invitation }))
    return must(await store.get('/api/v1/private/account/publishing', { token: session.token }))
  }
  const guest = await accessWith({})
  assert.deepEqual([guest.may_publish, guest.state, guest.mode], [false, 'none', 'invited'])
  const publisher = await accessWith({ may_publish: true })
  assert.deepEqual([publisher.may_publish, publisher.state], [true, 'approved'])
})

test('invitations are checked, hashed and for operators only', async (t) => {
  const store = await startShared(t)
  const { post, get, call, operator, a, sql } = store
  for (const wrong of [
    { max_uses: 0 },
    { max_uses: 1001 },
    { expires_in_days: 0 },
    { expires_in_days: 366 },
    { note: 'x'.repeat(201) },
    { unknown: 1 },
  ])
    assert.deepEqual(refused(await post(INVITATIONS, wrong, operator)), [400, 4000])
  const { invitation, uid } = await invite(store, { note: 'x'.repeat(200) })
  const rows = await sql`select i::text as text from invitations i`
  assert.equal(
    rows.some(({ text }) => text.includes(invitation)),
    false,
  )
  const member = await a.verified()
  assert.deepEqual(refused(await get(INVITATIONS, member)), [403, 4030])
  assert.deepEqual(refused(await post(INVITATIONS, {}, member)), [403, 4030])
  assert.deepEqual(refused(await call('DELETE', `${INVITATIONS}/${uid}`, member)), [403, 4030])
  assert.deepEqual(refused(await get(INVITATIONS)), [401, 4010])
})

test('an operator makes and ends an invitation in the console', async (t) => {
  const store = await startShared(t)
  const { console: browser, set, visitor } = store
  await set({ registration: 'invitation' })
  const PAGE = '/operator/invitations'
  const refusedForm = await browser.send(PAGE, { max_uses: '0', expires_in_days: '14' })
  assert.equal(refusedForm.status, 400)
  const answer = await browser.send(PAGE, {
    note: 'For <b>Ada</b>',
    max_uses: '1',
    expires_in_days: '14',
    may_publish: 'yes',
  })
  assert.equal(answer.status, 200)
  const [, path] = answer.body.match(/(\/signup\?invitation=svc_inv_\w+)/)!
  assert.match((await visitor().open(path!)).body, /You were invited/)
  const list = await browser.open(PAGE)
  assert.doesNotMatch(list.body, /svc_inv_/)
  assert.match(list.body, /For &lt;b&gt;Ada/)
  const [, action] = list.body.match(/action="(\/operator\/invitations\/[\w-]+\/end)"/)!
  assert.equal((await browser.send(action!, {})).status, 303)
  assert.match((await visitor().open(path!)).body, /This invitation has expired/)
})
