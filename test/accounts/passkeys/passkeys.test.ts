import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { passkeysAvailable } from '../../../src/accounts/passkeys/passkeys.ts'
import { eventually, outbox, startApp } from '../../support/app.ts'
import { must, newAddress, PASSWORD, refused } from '../../support/builders.ts'
import { loopCount } from '../../support/loop-count.ts'
import { sharedInFile } from '../../support/shared.ts'
import { ACCOUNT } from '../second-factor/fixtures.ts'
import { createAuthenticator, strangersKey } from './authenticator.ts'

const PASSKEYS = `${ACCOUNT}/passkeys`
const ORIGIN = 'https://store.example'

const startShared = sharedInFile((t) => startApp(t, { PROXY_HOPS: '1', BASE_URL: ORIGIN }))

async function startPasskeys(t: TestContext) {
  const app = await startShared(t)
  const { post } = app
  const person = await app.a.user()
  const creation = async (token = person.token) =>
    must(await post(`${PASSKEYS}/options`, undefined, { token })).options
  const add = async (authenticator = createAuthenticator(ORIGIN), token = person.token) => {
    const response = authenticator.create(await creation(token))
    const added = must(await post(PASSKEYS, { name: 'My phone', response }, { token }))
    return { authenticator, ...added } as {
      authenticator: typeof authenticator
      uid: string
      recovery_codes: string[]
    }
  }
  const challenge = async (): Promise<{ challenge: string }> =>
    must(await post(`${ACCOUNT}/login/passkey-options`, undefined, { headers: newAddress() }))
      .options
  const signIn = (response: object) =>
    post(`${ACCOUNT}/login/passkey`, { response }, { headers: newAddress() })
  return { ...app, person, creation, add, challenge, signIn }
}

test('a passkey signs in alone, and makes the password need a second step', async (t) => {
  const { add, challenge, signIn, person, post, get, data_dir } = await startPasskeys(t)
  const { authenticator, recovery_codes } = await add()
  assert.equal(recovery_codes.length, 10)
  const { user, session } = must(await signIn(authenticator.answer(await challenge())))
  assert.equal(user.uid, person.uid)
  must(await get(ACCOUNT, { token: session.token }))
  const login = { login: person.username, password: PASSWORD }
  const answer = await post(`${ACCOUNT}/login`, login)
  assert.deepEqual(refused(answer), [401, 4293])
  assert.deepEqual(answer.body.data.methods, ['passkey', 'recovery_code'])
  const { ticket } = answer.body.data
  must(await post(`${ACCOUNT}/login/second-step`, { ticket, code: recovery_codes[0] }))
  await eventually('the mail', () =>
    outbox(data_dir).some(
      ({ to, text }) => to === person.email && text.includes('A passkey was added'),
    ),
  )
})

test('passkeys are listed, renamed and removed by their owner only', async (t) => {
  const { add, person, a, get, patch, del, post, signIn, challenge } = await startPasskeys(t)
  const { uid, authenticator } = await add()
  const stranger = await a.user()
  const at = `${PASSKEYS}/${uid}`
  assert.deepEqual(refused(await patch(at, { name: 'Mine' }, stranger)), [404, 4040])
  assert.deepEqual(refused(await del(at, stranger)), [404, 4040])
  must(await patch(at, { name: 'Key ring' }, person))
  const { passkeys } = must(await get(PASSKEYS, person))
  assert.deepEqual(
    [passkeys.length, passkeys[0].name, passkeys[0].last_used_at],
    [1, 'Key ring', null],
  )
  assert.deepEqual(must(await get(PASSKEYS, stranger)).passkeys, [])
  must(await del(at, person))
  const gone = await signIn(authenticator.answer(await challenge()))
  assert.deepEqual(refused(gone), [401, 4294])
  const state = must(await get(`${ACCOUNT}/second-factor`, person))
  assert.deepEqual([state.passkeys, state.recovery_codes_left], [0, 0])
  must(await post(`${ACCOUNT}/login`, { login: person.username, password: PASSWORD }))
})

test('an authenticator is registered once, and an answer adds one passkey', async (t) => {
  const { add, creation, person, post, a } = await startPasskeys(t)
  const { authenticator } = await add()
  const { excludeCredentials, authenticatorSelection } = await creation()
  assert.deepEqual(excludeCredentials, [{ id: authenticator.id, type: 'public-key' }])
  assert.equal(authenticatorSelection.residentKey, 'required')
  const repeated = { name: 'Again', response: authenticator.create(await creation()) }
  assert.deepEqual(refused(await post(PASSKEYS, repeated, person)), [409, 4090])
  const other = createAuthenticator(ORIGIN)
  const body = { name: 'Other', response: other.create(await creation()) }
  const stranger = await a.user()
  assert.deepEqual(refused(await post(PASSKEYS, body, stranger)), [401, 4294], 'of another person')
  must(await post(PASSKEYS, body, person))
  assert.deepEqual(refused(await post(PASSKEYS, body, person)), [401, 4294], 'sent twice')
})

test('forged and replayed answers are refused', async (t) => {
  const { add, challenge, signIn, creation, post, person } = await startPasskeys(t)
  const { authenticator } = await add()
  const options = await challenge()
  const forged = [
    { origin: 'https://evil.example' },
    { rp_id: 'evil.example' },
    { user_verified: false },
    { type: 'webauthn.create' },
    { private_key: strangersKey() },
    { challenge: Buffer.alloc(48).toString('base64url') },
    { challenge: (await creation()).challenge },
  ]
  for (const over of forged)
    assert.deepEqual(
      refused(await signIn(authenticator.answer(options, over))),
      [401, 4294],
      JSON.stringify(over),
    )
  for (const response of [{}, { id: 5 }, { id: authenticator.id }, { id: 'x', response: null }])
    assert.deepEqual(refused(await signIn(response)), [401, 4294])
  const stranger = createAuthenticator(ORIGIN)
  const as_other = { ...stranger.answer(options), id: authenticator.id, rawId: authenticator.id }
  assert.deepEqual(refused(await signIn(as_other)), [401, 4294])
  const answer = authenticator.answer(options)
  const answers = await Promise.all(Array.from({ length: 8 }, () => signIn(answer)))
  assert.deepEqual(
    answers.map(({ status }) => status).sort(),
    [200, 401, 401, 401, 401, 401, 401, 401],
  )
  assert.deepEqual(refused(await signIn(answer)), [401, 4294])
  for (const over of [{ origin: 'https://evil.example' }, { user_verified: false }]) {
    const response = createAuthenticator(ORIGIN).create(await creation(), over)
    const refusal = await post(PASSKEYS, { name: 'Forged', response }, person)
    assert.deepEqual(refused(refusal), [401, 4294])
  }
})

const ANSWERS = loopCount({ short: 200, full: 1000 })

test(`of ${ANSWERS} forged and replayed answers none is accepted`, async (t) => {
  const { add, challenge, signIn } = await startPasskeys(t)
  const { authenticator } = await add()
  const options = await challenge()
  const used = authenticator.answer(options)
  must(await signIn(used))
  const private_key = strangersKey()
  for (let sent = 0; sent < ANSWERS; sent += 50) {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        signIn(i % 2 ? used : authenticator.answer(options, { private_key })),
      ),
    )
    assert.ok(answers.every(({ status }) => status === 401 || status === 429))
  }
})

test('a passkey is a fresh proof for the session of its owner only', async (t) => {
  const { add, challenge, person, a, post, sql } = await startPasskeys(t)
  const { authenticator } = await add()
  const stranger = await a.user()
  await sql`update sessions set created_at = now() - interval '11 minutes'`
  const confirm = async (token: string) => {
    const response = authenticator.answer(await challenge())
    return post(`${ACCOUNT}/confirm-passkey`, { response }, { token })
  }
  const start = (token: string) => post(`${PASSKEYS}/options`, undefined, { token })
  assert.deepEqual(refused(await start(person.token)), [403, 4032])
  assert.deepEqual(refused(await confirm(stranger.token)), [401, 4294])
  assert.deepEqual(refused(await start(stranger.token)), [403, 4032])
  const failures = await sql`
    select detail from security_events
    where kind = 'step_up_failed' and user_uid = ${stranger.uid}`
  assert.deepEqual(
    failures.map(({ detail }) => detail),
    [{ method: 'passkey' }],
  )
  must(await confirm(person.token))
  must(await start(person.token))
})

test('passkeys need a site with a name', async (t) => {
  const { core } = await startApp(t)
  assert.equal(passkeysAvailable(core), false)
  const named = { ...core, addresses: { ...core.addresses, web_url: 'http://localhost:3000' } }
  assert.equal(passkeysAvailable(named), true)
})
