import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  delayAfter,
  MAX_DELAY,
  SLOW_AFTER,
  withGuessingLimits,
} from '../../src/accounts/credentials/guessing-limits.ts'
import { limitConcurrency } from '../../src/core/runtime/concurrency.ts'
import { eventually, outbox, startApp } from '../support/app.ts'
import { must, PASSWORD } from '../support/builders.ts'
import { loopCount } from '../support/loop-count.ts'
import { fc } from '../support/property.ts'
import { sharedInFile } from '../support/shared.ts'
import { ACCOUNT, enrollTotp, totpCode } from './second-factor/fixtures.ts'

const startShared = sharedInFile((t) => startApp(t, { PROXY_HOPS: '1' }))

/** An address in a network of its own. */
const from = (network: number, host = 1) => ({
  headers: { 'x-forwarded-for': `10.${network >> 8}.${network & 255}.${host}` },
})

test('the delay is nothing below 100 failures, never falls, and stays below its maximum', () => {
  assert.deepEqual([99, 100, 109, 110, 119, 120].map(delayAfter), [0, 1, 1, 2, 2, 4])
  fc.assert(
    fc.property(fc.nat(5000), fc.nat(5000), (a, b) => {
      const [less, more] = [Math.min(a, b), Math.max(a, b)]
      assert.ok(delayAfter(less) <= delayAfter(more))
      assert.ok(delayAfter(more) <= MAX_DELAY)
      assert.equal(delayAfter(a) > 0, a >= SLOW_AFTER)
    }),
  )
})

test('ten failures lock the account in that network only', async (t) => {
  const { a, post } = await startShared(t)
  const person = await a.user()
  const other = await a.user()
  const logIn = (password: string, network: number, host: number, { username } = person) =>
    post(`${ACCOUNT}/login`, { login: username, password }, from(network, host))
  for (let host = 1; host <= 10; host++) assert.equal((await logIn('wrong', 1, host)).status, 401)
  const locked = await logIn(PASSWORD, 1, 11)
  assert.equal(locked.status, 429)
  assert.ok(Number(locked.headers['retry-after']) > 800)
  must(await logIn(PASSWORD, 1, 11, other))
  must(await logIn(PASSWORD, 2, 1))
  // An IPv6 network is a /48.
  const six = (address: string, password: string) => {
    const headers = { 'x-forwarded-for': address }
    return post(`${ACCOUNT}/login`, { login: person.username, password }, { headers })
  }
  for (let i = 1; i <= 10; i++) assert.equal((await six(`2001:db8:1:${i}::1`, 'wrong')).status, 401)
  assert.equal((await six('2001:db8:1:99::1', PASSWORD)).status, 429)
  must(await six('2001:db8:2::1', PASSWORD))
})

test('failures of others do not lock a device on which the account has signed in', async (t) => {
  const { a, call } = await startShared(t)
  const { username } = await a.user()
  const logIn = (password: string, cookie?: string) => {
    const headers = { ...from(1).headers, ...(cookie && { cookie }) }
    return call('POST', `${ACCOUNT}/login`, { body: { login: username, password }, headers })
  }
  const cookie = (await logIn(PASSWORD)).headers['set-cookie']!.match(/svc_device=[^;]+/)![0]
  for (let i = 0; i < 10; i++) assert.equal((await logIn('wrong')).status, 401)
  assert.equal((await logIn(PASSWORD)).status, 429)
  must(await logIn(PASSWORD, cookie))
  for (let i = 0; i < 10; i++) assert.equal((await logIn('wrong', cookie)).status, 401)
  assert.equal((await logIn(PASSWORD, cookie)).status, 429, 'its own failures count')
})

test('a session has ten guesses from all networks together, and its owner has others', async (t) => {
  const { a, post } = await startShared(t)
  const person = await a.user()
  const { secret } = await enrollTotp({ post } as never, person)
  const login = { login: person.username, password: PASSWORD }
  const { ticket } = (await post(`${ACCOUNT}/login`, login, from(500))).body.data
  const step = { ticket, code: totpCode(secret) }
  const other = must(await post(`${ACCOUNT}/login/second-step`, step, from(500))).session.token
  const guesses: [string, object][] = [
    ['confirm-password', { password: 'wrong' }],
    ['confirm-code', { code: '000000' }],
  ]
  for (const [path, body] of guesses) {
    const send = (network: number, token: string) =>
      post(`${ACCOUNT}/${path}`, body, { token, ...from(network) })
    for (let network = 1; network <= 10; network++)
      assert.equal((await send(network, person.token)).status, 401, `${path} ${network}`)
    assert.equal((await send(11, person.token)).status, 429, path)
    assert.equal((await send(1, other)).status, 401, path)
  }
})

test('requests for a reset by others do not refuse a known device', async (t) => {
  const { a, call, data_dir } = await startShared(t)
  const { username, email } = await a.user()
  const send = (path: string, body: object, network: number, cookie?: string) => {
    const headers = { ...from(network).headers, ...(cookie && { cookie }) }
    return call('POST', `${ACCOUNT}/${path}`, { body, headers })
  }
  const signed_in = await send('login', { login: username, password: PASSWORD }, 1)
  const cookie = signed_in.headers['set-cookie']!.match(/svc_device=[^;]+/)![0]
  const forgot = (network: number, known?: string, login = username) =>
    send('forgot-password', { login }, network, known)
  for (let i = 0; i < 10; i++) assert.equal((await forgot(1)).status, 202)
  assert.equal((await forgot(1)).status, 429)
  assert.equal(
    (await forgot(1, undefined, email)).status,
    202,
    'the name does not show the address',
  )
  assert.equal((await forgot(1, cookie)).status, 202)
  await eventually('the mail', () => outbox(data_dir).some(({ to }) => to === email))
})

test('a hundred failures from everywhere slow the account down', async (t) => {
  const { core } = await startApp(t)
  const attempt = (network: number, known_device?: string) =>
    withGuessingLimits(
      core,
      { secret: 'login', account: 'ada', ip: `10.1.${network}.1`, known_device },
      async () => assert.fail('wrong'),
    ).then(
      () => 'right',
      (error) => error.refusal ?? error.message,
    )
  for (let network = 0; network < 101; network++) assert.equal(await attempt(network), 'wrong')
  assert.equal(await attempt(102), 'TOO_MANY_REQUESTS')
  // Another account and a known device are not slowed down.
  assert.equal(await attempt(103, 'svc_dev_1'), 'wrong')
  const other = { secret: 'login', account: 'bob', ip: '10.1.104.1' } as const
  assert.equal(await withGuessingLimits(core, other, async () => 'right'), 'right')
})

const GUESSES = loopCount({ short: 300, full: 1000 })

test(`${GUESSES} codes at once from as many networks are refused past the limit`, async (t) => {
  const app = await startApp(t, { PROXY_HOPS: '1' })
  const person = await app.a.user()
  const { secret } = await enrollTotp(app, person)
  const answer = await app.post(`${ACCOUNT}/login`, {
    login: person.username,
    password: PASSWORD,
  })
  const { ticket } = answer.body.data
  const guess = async (code: string, network: number) => {
    const path = `${ACCOUNT}/login/second-step`
    return (await app.post(path, { ticket, code }, from(network))).status
  }
  const valid = new Set([-2, -1, 0, 1, 2, 3].map((step) => totpCode(secret, step)))
  const wrong = Array.from({ length: 2000 }, (_, i) => `${100_000 + i}`)
    .filter((code) => !valid.has(code))
    .slice(0, GUESSES)
  // With a thousand connections at once a busy machine closes some that wait too long.
  const limited = limitConcurrency(200)
  const statuses = await Promise.all(
    wrong.map((code, network) => limited(() => guess(code, network))),
  )
  const checked = statuses.filter((status) => status === 401).length
  assert.ok(checked >= SLOW_AFTER && checked <= SLOW_AFTER + 30, `${checked} were checked`)
  assert.equal(statuses.filter((status) => status === 429).length, GUESSES - checked)
})
