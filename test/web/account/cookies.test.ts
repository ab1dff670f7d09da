import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { must, PASSWORD, refused } from '../../support/builders.ts'
import { sharedInFile } from '../../support/shared.ts'

const SITE = 'https://store.example'
const sharedApp = sharedInFile((t) => startApp(t, { BASE_URL: SITE }))
const ATTRIBUTES = /; Path=\/; HttpOnly; SameSite=Lax; Secure$/

test('every cookie of an https site is for this host and https only', async (t) => {
  const app = await sharedApp(t)
  const { username } = await app.a.user()
  const sent: string[] = []
  const request = async (path: string, fields?: Record<string, string>, cookie = '') => {
    const response = await fetch(new URL(path, app.url), {
      method: fields ? 'POST' : 'GET',
      redirect: 'manual',
      headers: { accept: 'text/html', cookie, origin: SITE, 'sec-fetch-site': 'same-origin' },
      body: fields && new URLSearchParams(fields),
    })
    assert.ok(response.status < 400, `${path}: ${response.status}`)
    sent.push(...response.headers.getSetCookie())
    return { body: await response.text(), cookies: response.headers.getSetCookie() }
  }
  const cookieOf = (cookies: string[], name: string) =>
    cookies.find((text) => text.startsWith(`__Host-${name}=`))!.split(';')[0]!

  const { cookies } = await request('/login', { login: username, password: PASSWORD })
  const session = cookieOf(cookies, 'svc_session')
  const theme = cookieOf((await request('/settings/theme', { theme: 'dark' })).cookies, 'svc_theme')
  const { cookies: chosen } = await request('/settings/language', { language: 'de' })
  const language = cookieOf(chosen, 'svc_language')
  await request('/settings/announcement', { closed: '0123456789ab' })
  const out = await request('/logout', {}, session)
  const notice = cookieOf(out.cookies, 'svc_notice')
  await request('/', undefined, notice)

  assert.deepEqual(
    new Set(sent.map((text) => text.split('=')[0])),
    new Set([
      ...['session', 'device', 'theme', 'language', 'announcement', 'notice'].map(
        (name) => `__Host-svc_${name}`,
      ),
      // Removes one that a subdomain may have set.
      'svc_session',
    ]),
  )
  for (const text of sent) {
    assert.match(text, ATTRIBUTES)
    if (text.startsWith('svc_')) assert.match(text, /^svc_session=; Max-Age=0;/)
  }
  const { body } = await request('/', undefined, `svc_theme=light; ${theme}; ${language}`)
  assert.match(body, /<html[^>]* lang="de"/)
  assert.match(body, /<html[^>]* data-theme="dark"/)
})

/** A subdomain, and whoever answers a request over plain http, can set these. */
test('a cookie without the prefix counts for nothing on an https site', async (t) => {
  const app = await sharedApp(t)
  const { username, token } = await app.a.user()
  const open = (cookie: string) =>
    app.get('/', { headers: { cookie, accept: 'text/html', 'accept-language': 'en' } })
  const plain = await open('')
  const planted = [
    `svc_session=${token}`,
    'svc_theme=dark',
    'svc_language=de',
    'svc_notice=Your%20account%20is%20locked',
  ]
  for (const cookie of [...planted, planted.join('; ')]) {
    const { body, headers } = await open(cookie)
    assert.equal(body, plain.body, cookie)
    assert.equal(headers['set-cookie'], undefined, cookie)
  }
  const account = '/api/v1/private/account'
  const read = await app.get(account, { headers: { cookie: `svc_session=${token}` } })
  assert.deepEqual(refused(read), [401, 4010])

  const logIn = async (cookie: string) => {
    const login = { login: username, password: PASSWORD }
    const answer = await app.post(`${account}/login`, login, { headers: { cookie } })
    must(answer)
    return answer.headers['set-cookie']!.match(/__Host-svc_device=(\w+)/)![1]!
  }
  const device = await logIn('')
  assert.equal(await logIn(`__Host-svc_device=${device}`), device)
  assert.notEqual(await logIn(`svc_device=${device}`), device, 'a planted device is not known')
})
