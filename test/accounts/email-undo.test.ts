import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, outbox, startApp } from '../support/app.ts'
import { codeIn, must, PASSWORD, type Person, refused } from '../support/builders.ts'
import { browser } from '../web/browser.ts'
import { enrollTotp, totpCode } from './second-factor/fixtures.ts'

const ACCOUNT = '/api/v1/private/account'
const CHANGE = `${ACCOUNT}/email-change`
const UNDO = `${CHANGE}/undo`
const LOGIN = `${ACCOUNT}/login`
const REGISTER = `${ACCOUNT}/register`
const NEW_PASSWORD = 'a whole new sentence'

test('a change of the email address', async (t) => {
  const app = await startApp(t)
  const { a, get, post, sql, data_dir } = app

  const mailTo = (address: string, pattern: RegExp) =>
    eventually(`a mail to ${address}`, async () =>
      outbox(data_dir).findLast(({ to, text }) => to === address && pattern.test(text)),
    )
  const changeTo = async (person: Person, email: string) => {
    await sql`update email_changes set sent_at = sent_at - interval '1 minute'`
    must(await post(CHANGE, { email, password: PASSWORD }, person))
    const { text } = (await mailTo(email, /Your code is/))!
    must(await post(`${CHANGE}/confirm`, { code: codeIn(text) }, person))
  }
  const undoLink = async (address: string) => {
    const { text } = (await mailTo(address, /undo/))!
    return new URL(text.match(/https?:\S+\/account\/email\/undo\S+/)![0])
  }
  const undoToken = async (address: string) => (await undoLink(address)).searchParams.get('token')!

  await t.test('is undone with the link to the old address, once', async () => {
    const person = await a.verified()
    await changeTo(person, 'thief@example.com')
    const thief = must(await post(LOGIN, { login: 'thief@example.com', password: PASSWORD }))
    const { key } = await a.key('player', person, ['player:read'])
    must(await post(`${ACCOUNT}/forgot-password`, { login: 'thief@example.com' }))
    const stolen = (await mailTo('thief@example.com', /password\/new/))!
    const token = await undoToken(person.email)
    assert.deepEqual(refused(await post(UNDO, { token: `${token}x` })), [400, 4216])
    assert.deepEqual(must(await post(UNDO, { token })), {})
    for (const ended of [person.token, thief.session.token, key])
      assert.deepEqual(refused(await get(ACCOUNT, { token: ended })), [401, 4010])
    assert.deepEqual(refused(await post(UNDO, { token })), [400, 4216], 'it works once')
    for (const login of [person.email, 'thief@example.com', person.username])
      assert.deepEqual(refused(await post(LOGIN, { login, password: PASSWORD })), [401, 4010])
    const resetWith = (text: string, password: string) =>
      post(`${ACCOUNT}/reset-password`, { token: text.match(/token=(\S+)/)![1], password })
    assert.deepEqual(refused(await resetWith(stolen.text, NEW_PASSWORD)), [400, 4216])
    const reset = (await mailTo(person.email, /password\/new/))!
    must(await resetWith(reset.text, NEW_PASSWORD))
    const back = must(await post(LOGIN, { login: person.email, password: NEW_PASSWORD }))
    assert.deepEqual([back.user.uid, back.user.email_verified], [person.uid, true])
  })

  await t.test('is undone with what was issued since, and what was before stays', async () => {
    const person = await a.verifiedDeveloper()
    const accomplice = await a.verifiedDeveloper()
    const friend = await a.verifiedDeveloper()
    const before = await a.listing({ owner: person })
    const since = await a.listing({ owner: person })
    const GAMES = '/api/v1/private/games'
    const join = async ({ username, token }: Person, { uid }: { uid: string }) => {
      must(await post(`${GAMES}/${uid}/admins`, { username }, person))
      must(await post(`/api/v1/private/invites/${uid}/accept`, undefined, { token }))
    }
    const { secret, recovery_codes } = await enrollTotp(app, person)
    const old_key = await a.deployer(before)
    await join(friend, before)
    await changeTo(person, 'shipper@example.com')
    const new_key = await a.deployer(since)
    await join(accomplice, since)
    const their_key = await a.deployer({ ...since, owner: accomplice })
    const replaced = must(await post(`${ACCOUNT}/recovery-codes`, undefined, person))
    must(await post(UNDO, { token: await undoToken(person.email) }))

    const works = async (key: { headers: Record<string, string> }) =>
      (await get('/api/v1/tool/builds', key)).status
    assert.deepEqual(
      [await works(old_key), await works(new_key), await works(their_key)],
      [200, 401, 401],
    )
    const runs = async ({ token }: Person, { uid }: { uid: string }) =>
      (await get(`${GAMES}/${uid}/admins`, { token })).status
    assert.deepEqual([await runs(friend, before), await runs(accomplice, since)], [200, 404])
    const events = await sql<{ kind: string }[]>`
      select kind from security_events where game_uid = ${since.uid}`
    const kinds = new Set(events.map(({ kind }) => kind))
    assert.ok(kinds.has('deploy_key_revoked') && kinds.has('admin_removed'))

    const reset = (await mailTo(person.email, /password\/new/))!
    const token = reset.text.match(/token=(\S+)/)![1]
    must(await post(`${ACCOUNT}/reset-password`, { token, password: NEW_PASSWORD }))
    const first = await post(LOGIN, { login: person.email, password: NEW_PASSWORD })
    const { ticket } = first.body.data
    const finish = (code: string) => post(`${LOGIN}/second-step`, { ticket, code })
    for (const code of [replaced.recovery_codes[0], recovery_codes[0]!])
      assert.deepEqual(refused(await finish(code)), [401, 4294])
    must(await finish(totpCode(secret)))
  })

  await t.test('is not confirmed by a session that has ended meanwhile', async () => {
    const person = await a.verified()
    must(await post(CHANGE, { email: 'late@example.com', password: PASSWORD }, person))
    const { text } = (await mailTo('late@example.com', /Your code is/))!
    must(await get(ACCOUNT, person))
    // Another process knows the session for up to a second after it has ended.
    await sql`delete from sessions where user_uid = ${person.uid}`
    const confirmed = await post(`${CHANGE}/confirm`, { code: codeIn(text) }, person)
    assert.deepEqual(refused(confirmed), [401, 4010])
    const [row] = await sql`select email from users where uid = ${person.uid}`
    assert.equal(row!.email, person.email)
  })

  await t.test('can be undone for seven days', async () => {
    const person = await a.verified()
    await changeTo(person, 'week@example.com')
    const token = await undoToken(person.email)
    const [left] = await sql`
      select extract(epoch from expires_at - now())::int as seconds
      from email_undos
      where user_uid = ${person.uid}`
    assert.ok(left!.seconds > 7 * 86_400 - 600 && left!.seconds <= 7 * 86_400)
    await sql`update email_undos set expires_at = now() where user_uid = ${person.uid}`
    assert.deepEqual(refused(await post(UNDO, { token })), [400, 4216])
    assert.equal(must(await get(ACCOUNT, person)).email, 'week@example.com')
  })

  await t.test('is undone by the oldest address after several changes', async () => {
    const person = await a.verified()
    await changeTo(person, 'second@example.com')
    await changeTo(person, 'third@example.com')
    const later = await undoToken('second@example.com')
    must(await post(UNDO, { token: await undoToken(person.email) }))
    assert.deepEqual(refused(await post(UNDO, { token: later })), [400, 4216])
    const [row] = await sql`select email from users where uid = ${person.uid}`
    assert.equal(row!.email, person.email)
  })

  await t.test('reserves the old address until it can no longer be undone', async () => {
    const person = await a.verified()
    await changeTo(person, 'moved@example.com')
    const account = { username: 'squatter', email: person.email.toUpperCase(), password: PASSWORD }
    const taken = await post(REGISTER, account)
    assert.deepEqual([...refused(taken), taken.body.data.field], [409, 4090, 'email'])
    await sql`update email_undos set expires_at = now() where user_uid = ${person.uid}`
    must(await post(REGISTER, account))
  })

  await t.test('of an address that was never verified has no link', async () => {
    const person = await a.user()
    await changeTo(person, 'right@example.com')
    const notice = (await mailTo(person.email, /new email address/))!
    assert.doesNotMatch(notice.text, /undo/)
    const rows = await sql`select from email_undos where user_uid = ${person.uid}`
    assert.equal(rows.length, 0)
  })

  await t.test('is undone on a page with a button, without signing in', async () => {
    const person = await a.verified()
    await changeTo(person, 'page@example.com')
    const { pathname, search, searchParams } = await undoLink(person.email)
    const visitor = browser(app)
    const opened = await visitor.open(pathname + search)
    assert.match(opened.headers['cache-control']!, /no-store/)
    assert.match(opened.body, /Undo the change/)
    assert.equal(must(await get(ACCOUNT, person)).email, 'page@example.com', 'not by opening it')
    const token = searchParams.get('token')!
    const done = await visitor.submit(pathname, { token })
    assert.match(done.body, /Your email address is restored/)
    const used = await visitor.send(pathname, { token })
    assert.equal(used.status, 400)
    assert.match(used.body, /This link was used or has expired/)
  })
})
