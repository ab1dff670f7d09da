import assert from 'node:assert/strict'
import { test } from 'node:test'
import { browserName, systemName } from '../../src/accounts/devices/user-agent.ts'
import { networkOf } from '../../src/core/security/client-address.ts'
import { eventually, outbox, startApp } from '../support/app.ts'
import { must, PASSWORD } from '../support/builders.ts'

const ACCOUNT = '/api/v1/private/account'
const LOGIN = `${ACCOUNT}/login`
const MOZILLA = 'Mozilla/5.0'
const agents = {
  firefox: `${MOZILLA} (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0`,
  chrome:
    `${MOZILLA} (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) ` +
    'Chrome/139.0.0.0 Safari/537.36',
  edge:
    `${MOZILLA} (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) ` +
    'Chrome/139.0.0.0 Safari/537.36 Edg/139.0.0.0',
  safari:
    `${MOZILLA} (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) ` +
    'Version/18.5 Safari/605.1.15',
  iphone:
    `${MOZILLA} (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 ` +
    '(KHTML, like Gecko) CriOS/139.0 Mobile/15E148 Safari/604.1',
  samsung:
    `${MOZILLA} (Linux; Android 15; SM-S921B) AppleWebKit/537.36 (KHTML, like Gecko) ` +
    'SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36',
}

test('the usual browsers and systems are named, and programs by their first word', () => {
  const names = Object.values(agents).map((agent) => [browserName(agent), systemName(agent)])
  assert.deepEqual(names, [
    ['Firefox', 'Linux'],
    ['Chrome', 'Windows'],
    ['Edge', 'Windows'],
    ['Safari', 'macOS'],
    ['Chrome', 'iOS'],
    ['Samsung Internet', 'Android'],
  ])
  assert.deepEqual([browserName('curl/8.5.0'), systemName('curl/8.5.0')], ['curl', null])
  assert.deepEqual([browserName('node'), systemName('')], ['node', null])
  for (const agent of ['', '<b>/1', `${'x'.repeat(32)}/1`]) assert.equal(browserName(agent), null)
})

test('a network is the /24 of an IPv4 address and the /48 of an IPv6 address', () => {
  assert.equal(networkOf('203.0.113.77'), '203.0.113.0/24')
  assert.equal(networkOf('2001:db8:1:2:3:4:5:6'), '2001:db8:1::/48')
  assert.equal(networkOf('2001:db8::7'), '2001:db8:0::/48')
})

test('a device gets a cookie for a year when somebody signs in, and keeps it', async (t) => {
  const { url, sql, a } = await startApp(t, { PROXY_HOPS: '1' })
  const signIn = async (login: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(new URL(LOGIN, url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ login, password: PASSWORD }),
    })
    assert.equal(answer.status, 200)
    return answer.headers.getSetCookie().find((cookie) => cookie.startsWith('svc_device='))!
  }
  const first = await a.user()
  const second = await a.user()
  const set = await signIn(first.username, {
    'user-agent': agents.firefox,
    'x-forwarded-for': '8.8.8.8',
  })
  const attributes = /^svc_device=svc_dev_\w+; Max-Age=31536000; Path=\/; HttpOnly; SameSite=Lax$/
  assert.match(set, attributes)
  const [session] = await sql`
    select browser, system, country, network
    from sessions
    where user_uid = ${first.uid} and browser is not null`
  assert.deepEqual(
    { ...session },
    { browser: 'Firefox', system: 'Linux', country: 'US', network: '8.8.8.0/24' },
  )
  const cookie = set.split(';')[0]!
  assert.equal(await signIn(first.username, { cookie }), set)
  assert.equal(await signIn(second.username, { cookie }), set)
  assert.notEqual(await signIn(second.username, { cookie: `${cookie}x` }), set)
  const rows = await sql`select user_uid, device_hash from known_devices`
  const devices = (uid: string) =>
    rows.filter(({ user_uid }) => user_uid === uid).map(({ device_hash }) => String(device_hash))
  assert.deepEqual([devices(first.uid).length, devices(second.uid).length], [1, 2])
  assert.ok(!devices(second.uid).includes(devices(first.uid)[0]!), 'hashes are per account')
})

test('a sign-in on a new device is mailed, unless it is the first', async (t) => {
  const { get, post, del, a, data_dir, url } = await startApp(t, { PROXY_HOPS: '1' })
  const person = await a.user()
  const signIn = async (agent: string, cookie = '') => {
    const answer = await fetch(new URL(LOGIN, url), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': agent,
        'x-forwarded-for': '8.8.8.8',
        ...(cookie && { cookie }),
      },
      body: JSON.stringify({ login: person.username, password: PASSWORD }),
    })
    const cookies = answer.headers.getSetCookie().map((value) => value.split(';')[0]!)
    const { data } = (await answer.json()) as { data: { session: { token: string } } }
    const { token } = data.session
    return { token, cookie: cookies.find((value) => /^svc_device/.test(value))! }
  }
  const mails = () => outbox(data_dir).filter(({ subject }) => subject.startsWith('New sign-in'))
  const first = await signIn(agents.firefox)
  await signIn(agents.firefox, first.cookie)
  const second = await signIn(agents.chrome)
  const mail = await eventually('the mail', () => mails()[0])
  assert.equal(mail.to, person.email)
  assert.match(mail.text, /Device: Chrome on Windows\nCountry: United States\nTime: .+ UTC/)
  assert.match(mail.text, /\/account\/sessions$/m)
  assert.ok(mail.text.includes(person.username))
  // A device is forgotten with its session, but not by signing out.
  must(await post(`${ACCOUNT}/logout`, undefined, second))
  const third = await signIn(agents.chrome, second.cookie)
  const { sessions } = must(await get(`${ACCOUNT}/sessions`, first))
  for (const { uid, browser } of sessions)
    if (browser === 'Chrome') must(await del(`${ACCOUNT}/sessions/${uid}`, first))
  await signIn(agents.chrome, third.cookie)
  await eventually('the second mail', () => mails().length >= 2)
  await signIn(agents.firefox, first.cookie)
  assert.equal(mails().length, 2)
})
