import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { must, PASSWORD } from '../../support/builders.ts'

const SITE = 'https://store.example'
const ATTRIBUTES = /; Path=\/; HttpOnly; SameSite=Lax; Secure$/

test('every cookie of an https site is for this host and https only', async (t) => {
  const app = await startApp(t, { BASE_URL: SITE })
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
      // Removes a cookie of an earlier version.
      'svc_session',
    ]),
  )
  for (const text of sent) {
    assert.match(text, ATTRIBUTES)
    if (text.startsWith('svc_')) assert.match(text, /^svc_session=; Max-Age=0;/)
  }
  // The stricter name wins over one that was left by an earlier version.
  const { body } = await request('/', undefined, `svc_theme=light; ${theme}; ${language}`)
  assert.match(body, /<html[^>]* lang="de"/)
  assert.match(body, /<html[^>]* data-theme="dark"/)
  const { body: before } = await request('/', undefined, 'svc_theme=light; svc_language=de')
  assert.match(before, /<html[^>]* data-theme="light"/)
})

test('a device is known by the cookie of an earlier version', async (t) => {
  const app = await startApp(t, { BASE_URL: SITE })
  const { username } = await app.a.user()
  const logIn = async (cookie: string) => {
    const answer = await app.post(
      '/api/v1/private/account/login',
      { login: username, password: PASSWORD },
      { headers: { cookie } },
    )
    must(answer)
    return answer.headers['set-cookie']!.match(/svc_device=(\w+)/)![1]!
  }
  const device = await logIn('')
  assert.equal(await logIn(`svc_device=${device}`), device)
  assert.equal(await logIn(`svc_device=svc_dev_other; __Host-svc_device=${device}`), device)
  assert.notEqual(await logIn(''), device)
})
