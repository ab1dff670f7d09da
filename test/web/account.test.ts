import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agentScopes, describeScope } from '../../src/accounts/keys/scopes.ts'
import { eventually, outbox } from '../support/app.ts'
import { codeIn, must, PASSWORD, wrongCode } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { errorsOf, filledForm } from './browser.ts'
import { startStore as startOwnStore } from './fixtures.ts'

const startStore = sharedInFile(startOwnStore)

const sharedStore = sharedInFile(startStore)

test('a new user signs up, verifies their email and becomes a developer', async (t) => {
  const { visitor, url, data_dir } = await sharedStore(t)
  const newcomer = visitor()
  const signup = { username: 'new-comer', email: 'new@example.com', password: PASSWORD }
  const first = await newcomer.submit('/signup?next=%2Fsearch', signup)
  assert.match(first.body, /Welcome aboard, new-comer/)
  assert.match(first.body, /a six-digit code to <strong>new@example\.com<\/strong>/)
  assert.match(first.body, /Wrong address\? <a href="\/settings\/email">/)
  const mail = await eventually('the mail', () =>
    outbox(data_dir).find(({ to }) => to === signup.email),
  )
  const link = mail.text.match(/http\S+\/settings\/verify\?code=\d{6}/)![0]
  assert.ok(link.startsWith(url))
  const { body } = await newcomer.open(link.slice(url.length))
  const code = body.match(/name="code"[^>]* value="(\d{6})"/)![1]!
  const rejected = await newcomer.send('/settings/verify', { code: wrongCode(code) })
  assert.equal(rejected.status, 400)
  assert.match(errorsOf(rejected.body).join(), /This code is wrong/)
  const proven = await newcomer.send('/settings/verify?next=%2Fsearch', { code })
  assert.deepEqual([proven.status, proven.headers.location], [303, '/search'])
  const unsure = await newcomer.send('/settings/developer')
  assert.equal(unsure.status, 400)
  assert.match(errorsOf(unsure.body).join(), /Accept the developer terms/)
  const made = await newcomer.send('/settings/developer', { accept_terms: 'yes' })
  assert.deepEqual([made.status, made.headers.location], [303, '/dashboard'])
  assert.match((await newcomer.open('/settings')).body, /Developer mode is on/)
  const ended = await newcomer.send('/logout')
  assert.equal(ended.headers['clear-site-data'], '"cache", "storage"')
  const out = await newcomer.submit('/logout')
  assert.match(out.body, /Sign in/)
  assert.equal((await newcomer.open('/settings')).headers.location, '/login?next=%2Fsettings')
})

test('a forgotten password is reset by the link in a mail, without script', async (t) => {
  const { visitor, a, url, data_dir } = await sharedStore(t)
  const person = await a.user()
  const lost = visitor()
  assert.match((await lost.open('/login')).body, /href="\/password\/forgot"/)
  const answers = await Promise.all(
    [person.email, 'nobody@example.com'].map((login) => lost.send('/password/forgot', { login })),
  )
  assert.equal(answers[0]!.status, 200)
  assert.equal(answers[0]!.body, answers[1]!.body)
  const nothing = await lost.send('/password/forgot', { login: '' })
  assert.equal(nothing.status, 400)
  assert.match(nothing.body, /id="f-login"[^>]*aria-invalid/)
  const mail = await eventually('the mail', () =>
    outbox(data_dir).find(({ to }) => to === person.email),
  )
  const link = mail.text.match(/http\S+\/password\/new\?token=\S+/)![0]
  assert.ok(link.startsWith(url))
  const form = await lost.open(link.slice(url.length))
  assert.match(form.headers['cache-control']!, /no-store/)
  assert.match(form.headers['referrer-policy']!, /same-origin|no-referrer/)
  const token = form.body.match(/name="token" value="([^"]+)"/)![1]!
  const weak = await lost.send('/password/new', { token, password: 'short' })
  assert.match(weak.body, /id="f-password"[^>]*aria-invalid/)
  assert.ok(weak.body.includes(token) && !weak.body.includes('value="short"'))
  const done = await lost.submit('/password/new', { token, password: 'a whole new sentence' })
  assert.match(done.body, /Your password is changed/)
  assert.match(
    (await lost.submit('/login', { login: person.username, password: 'a whole new sentence' }))
      .body,
    /Welcome back/,
  )
  const again = await lost.send('/password/new', { token, password: 'a whole new sentence' })
  assert.deepEqual(
    [again.status, errorsOf(again.body)],
    [400, ['This link was used or has expired. Request a new one.']],
  )
})

test('a new key is shown once on an uncacheable page and stops working when revoked', async (t) => {
  const { signedIn, a, get } = await sharedStore(t)
  const person = await a.developer()
  const own = signedIn(person)
  const empty = await own.send('/account/keys/player', { name: 'My <launcher>' })
  assert.equal(empty.status, 400)
  assert.match(empty.body, /value="My &lt;launcher&gt;"/)
  assert.match(empty.body, /id="f-scopes"[^>]*>[\s\S]*?class="error-text"/)
  const made = await own.send('/account/keys/player', {
    name: 'My <launcher>',
    scopes: ['player:read', 'player:write'],
  })
  assert.equal(made.status, 200)
  assert.match(made.headers['cache-control']!, /no-store/)
  const key = made.body.match(/svc_play_\w{20,}/)![0]
  assert.equal((await get('/api/v1/private/library', { token: key })).status, 200)
  const list = (await own.open('/account/keys')).body
  assert.ok(!list.includes(key) && list.includes(key.slice(0, 17)))
  for (const scope of agentScopes)
    assert.ok(list.includes(describeScope(scope)), `the page describes ${scope}`)
  for (const scope of [
    'mcp:catalog.write',
    'mcp:build.write',
    'mcp:money',
    'mcp:write',
    'mcp:keys.manage',
  ])
    assert.match(
      describeScope(scope),
      /\bsee\b/i,
      `the description of ${scope} says that it includes reading`,
    )
  const uid = list.match(/\/account\/keys\/player\/([\w-]+)\/delete/)![1]
  await own.submit(`/account/keys/player/${uid}/delete`)
  assert.equal((await get('/api/v1/private/library', { token: key })).status, 401)
  assert.equal((await own.send('/account/keys/other', { name: 'x' })).status, 404)
  const agent = await own.send('/account/keys/agent', { name: 'ci', scopes: 'mcp:read' })
  assert.match(agent.body, /svc_mcp_\w{20,}/)
})

test('account forms reject submissions from other sites', async (t) => {
  const { signedIn, a } = await sharedStore(t)
  const own = signedIn(await a.developer())
  const elsewhere = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
  const uid = crypto.randomUUID()
  const paths = [
    '/logout',
    '/settings/developer',
    '/settings/adult',
    '/settings/unlink',
    '/account/keys/player',
    '/settings/verify',
    '/password/forgot',
    '/password/new',
    '/library/notices',
  ]
  for (const path of [
    ...paths,
    `/games/${uid}/claim`,
    `/games/${uid}/review`,
    `/account/keys/player/${uid}/delete`,
  ])
    assert.equal((await own.send(path, { off: 'yes' }, elsewhere)).status, 403, path)
  assert.match((await own.open('/settings')).body, /Developer mode is on/)
})

test('a player claims a game, reviews it, reports a bug and is notified of the fix', async (t) => {
  const { published, signedIn, visitor, a, get, patch } = await sharedStore(t)
  const listing = await published()
  const player = signedIn(await a.verified({ username: 'the-player' }))
  const game = `/games/${listing.uid}`
  const early = await player.send(`${game}/review`, { enjoyed: 'yes', quality: '5' })
  assert.equal(early.status, 403)
  assert.match(errorsOf(early.body).join(), /You need a copy/)
  const claimed = await player.send(`${game}/claim`)
  assert.deepEqual([claimed.status, claimed.headers.location], [303, game])
  assert.match((await player.open(listing.path)).body, /In your library/)
  const half = await player.send(`${game}/review`, {
    enjoyed: 'yes',
    text: 'I <i>loved</i> it\r\nso much',
  })
  assert.equal(half.status, 422)
  assert.match(half.body, /<textarea[^>]*>\nI &lt;i&gt;loved&lt;\/i&gt; it\nso much<\/textarea>/)
  assert.match(half.body, /name="enjoyed" value="yes" checked/)
  await player.send(`${game}/review`, { enjoyed: 'yes', quality: '4', text: 'I <i>loved</i> it' })
  assert.match((await visitor().open(listing.path)).body, /I &lt;i&gt;loved&lt;\/i&gt; it/)
  const silent = await player.send(`${game}/bug`, { message: '', os: 'linux' })
  assert.equal(silent.status, 400)
  assert.match(silent.body, /value="linux"/)
  assert.equal((await player.send(`${game}/bug`, { message: 'It <sinks>' })).status, 303)
  const { items } = must(await get(`/api/v1/private/games/${listing.uid}/bugs`, listing.owner))
  must(
    await patch(
      `/api/v1/private/games/${listing.uid}/bugs/${items[0].bug_uid}`,
      { status: 'fixed' },
      listing.owner,
    ),
  )
  const library = (await player.open('/library')).body
  assert.match(library, /It &lt;sinks&gt;/)
  const [, notice] = library.match(/name="notice" value="([\w-]+)"/)!
  const stranger = signedIn(await a.verified())
  await stranger.send('/library/notices', { game: listing.uid, notice: notice! })
  assert.match(
    (await player.open('/library')).body,
    /It &lt;sinks&gt;/,
    'only the reporter can dismiss the notice',
  )
  assert.doesNotMatch(
    (await player.submit('/library/notices', { game: listing.uid, notice: notice! })).body,
    /sinks/,
  )
  await player.send(`${game}/review/delete`, { sure: 'yes' })
  assert.doesNotMatch((await visitor().open(listing.path)).body, /loved/)
})

test('a wrong, an expired and a missing code are told apart', async (t) => {
  const { a, signedIn, sql, data_dir } = await sharedStore(t)
  const person = await a.user()
  const account = signedIn(person)
  const errorOf = async (code: string) =>
    errorsOf((await account.send('/settings/verify', { code })).body)[0]
  assert.match((await errorOf('123456'))!, /No code is waiting/)
  await account.submit('/settings/verify/mail')
  const mail = await eventually('the mail', () =>
    outbox(data_dir).find(({ to }) => to === person.email),
  )
  const code = codeIn(mail.text)
  for (let i = 0; i < 5; i++) assert.match((await errorOf(wrongCode(code)))!, /This code is wrong/)
  assert.match((await errorOf(code))!, /Too many wrong codes/)
  await sql`update mail_codes set tries = 0, expires_at = now() where user_uid = ${person.uid}`
  assert.match((await errorOf(code))!, /has expired/)
})

test('a page tells an unverified account what it can download', async (t) => {
  const { a, published, put, signedIn } = await sharedStore(t)
  const listing = await published()
  const account = signedIn(await a.user())
  assert.match((await account.open(listing.path)).body, /Verify your email address<\/a>\s*to downl/)
  const url = `/api/v1/private/games/${listing.uid}/anonymous-downloads`
  must(await put(url, { enabled: true, confirm_no_license: true }, listing.owner))
  assert.match((await account.open(listing.path)).body, /You can download this now/)
  assert.equal((await account.open(`/download/${listing.file_uid}`)).status, 302)
})

test('the review form opens with your review, and offers to delete it only then', async (t) => {
  const { a, published, signedIn } = await sharedStore(t)
  const listing = await published()
  const account = signedIn(await a.verified())
  const form = `/games/${listing.uid}/review`
  await account.submit(`/games/${listing.uid}/claim`)
  const empty = (await account.open(form)).body
  assert.doesNotMatch(empty, /Delete your review/)
  assert.match((await account.open(listing.path)).body, /Write a review/)
  const refused = await account.send(form, { text: 'Kept' })
  assert.equal(errorsOf(refused.body).length, 3, 'both questions at once, and the summary')
  const review = { enjoyed: 'no', quality: '2', would_play_with_friends: 'yes', text: 'Too wet' }
  await account.submit(form, review)
  const { body } = await account.open(form)
  assert.deepEqual(filledForm(body, form, {}), {
    enjoyed: ['no'],
    quality: ['2'],
    would_play_with_friends: ['yes'],
    text: ['Too wet'],
  })
  assert.match(body, /Delete your review/)
  assert.match((await account.open(listing.path)).body, /Edit your review/)
})
