import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseForm } from '../../src/core/http/text-input.ts'
import { startApp } from '../support/app.ts'
import { PASSWORD } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { browser, errorsOf } from './browser.ts'

const sharedApp = sharedInFile(startApp)

test('pages forbid inline script and framing, and load nothing from other hosts', async (t) => {
  const app = await sharedApp(t)
  const { headers, body } = await browser(app).open('/login')
  const policy = headers['content-security-policy']!
  for (const rule of [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "object-src 'none'",
  ])
    assert.ok(policy.split('; ').includes(rule), rule)
  assert.doesNotMatch(policy, /unsafe/)
  assert.doesNotMatch(
    body,
    /<style|<script(?! type="(module|application\/ld\+json)")| style="| on\w+="/,
  )
  const hosts = [...body.matchAll(/(?:src|href|action)="(https?:\/\/[^/"]+)/g)].map(
    (match) => match[1],
  )
  assert.deepEqual(new Set(hosts.filter((host) => host !== app.url)), new Set())
})

test('password fields are masked, and named for password managers', async (t) => {
  const app = await sharedApp(t)
  for (const [path, names] of Object.entries({
    '/login': ['current-password'],
    '/signup': ['new-password'],
  })) {
    const { body } = await browser(app).open(path)
    const fields = [...body.matchAll(/<input[^>]*name="password"[^>]*>/g)].map(([field]) => field)
    assert.equal(fields.length, names.length, path)
    for (const [index, field] of fields.entries()) {
      assert.match(field, /type="password"/)
      assert.match(field, new RegExp(`autocomplete="${names[index]}"`))
    }
  }
})

test('assets have hashed names, are cached forever, and are served compressed', async (t) => {
  const app = await sharedApp(t)
  const { body } = await browser(app).open('/login')
  const urls = [...body.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map((match) => match[1]!)
  assert.ok(urls.some((url) => url.endsWith('.css')) && urls.some((url) => url.endsWith('.woff2')))
  for (const url of urls) {
    const { status, headers } = await app.get(url, { headers: { 'accept-encoding': 'br' } })
    assert.equal(status, 200, url)
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
    if (url.endsWith('.css')) assert.equal(headers['content-encoding'], 'br')
  }
  const sheet = await app.get(urls.find((url) => url.endsWith('.css'))!)
  for (const [, inner] of sheet.body.matchAll(/url\("\.\/([^"]+)"\)/g))
    assert.equal((await app.get(`/assets/${inner}`)).status, 200, inner)
  assert.equal((await app.get(urls[0]!.replace(/-\w+\./, '-0000000000.'))).status, 404)
})

test('a missing page is HTML for browsers and JSON for API clients', async (t) => {
  const app = await sharedApp(t)
  const person = await browser(app).open('/no/such/page/here')
  assert.equal(person.status, 404)
  assert.match(person.headers['content-type']!, /^text\/html/)
  assert.match(person.body, /<h1>/)
  assert.match(person.body, /noindex/)
  assert.equal((await app.get('/no/such/page/here')).body.error.code, 4040)
  assert.equal((await browser(app).open('/api/v1/public/nothing')).body.error.code, 4040)
})

test('a rejected form keeps all values but passwords and shows the error', async (t) => {
  const app = await sharedApp(t)
  const visitor = browser(app)
  const typed = { username: 'nobody-<b>', email: 'new"comer@example.com', password: PASSWORD }
  const { status, body } = await visitor.send('/signup', typed)
  assert.equal(status, 400)
  assert.match(body, /value="nobody-&lt;b&gt;"/)
  assert.match(body, /value="new&quot;comer@example.com"/)
  assert.ok(!body.includes(PASSWORD))
  assert.match(body, /id="f-username"[^>]*aria-invalid="true"/)
  assert.ok(errorsOf(body).some((error) => error.startsWith('4 to 32 letters')))
  assert.equal(visitor.jar.size, 0)
})

test('a rejected form names everything that is wrong with it at once', async (t) => {
  const app = await sharedApp(t)
  const visitor = browser(app)
  const signup = await visitor.send('/signup', { username: 'x', email: 'y', password: 'z' })
  assert.equal(signup.status, 400)
  for (const name of ['username', 'email', 'password'])
    assert.match(signup.body, new RegExp(`id="f-${name}"[^>]*aria-invalid="true"`), name)
  const keys = browser(app)
  keys.as((await app.a.user()).token)
  const key = await keys.send('/account/keys/player', { name: '' })
  assert.deepEqual(
    errorsOf(key.body).slice(-2),
    ['Fill in this field.', 'Choose at least one.'],
    'each error is beside its field',
  )
})

test('signing in returns to the requested page, never to another site', async (t) => {
  const app = await sharedApp(t)
  const person = await app.a.user()
  const login = { login: person.username, password: PASSWORD }
  for (const [next, location] of [
    ['/settings?tab=1', '/settings?tab=1'],
    ['https://evil.example/', '/library'],
    ['//evil.example', '/library'],
    ['/\\evil.example', '/library'],
    ['/x/..//evil.example', '/library'],
    ['/login?next=/login', '/library'],
  ] as const) {
    const visitor = browser(app)
    const answer = await visitor.send(`/login?next=${encodeURIComponent(next)}`, login)
    assert.deepEqual([answer.status, answer.headers.location], [303, location], next)
    assert.ok(visitor.jar.has('svc_session'))
  }
})

test('the forms to sign in, out and up reject submissions from other sites', async (t) => {
  const app = await sharedApp(t)
  const person = await app.a.user()
  const elsewhere = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
  const visitor = browser(app)
  for (const path of ['/login', '/signup', '/logout']) {
    const answer = await visitor.send(
      path,
      { login: person.username, password: PASSWORD },
      elsewhere,
    )
    assert.equal(answer.status, 403, path)
    assert.equal(visitor.jar.size, 0, path)
  }
  const silent = await app.post('/login', undefined, {
    raw: `login=${person.username}&password=${encodeURIComponent(PASSWORD)}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  assert.equal(silent.status, 403)
})

test('pages accept only forms, and API routes accept none', async (t) => {
  const app = await sharedApp(t)
  const same = { 'sec-fetch-site': 'same-origin' }
  assert.equal(
    (await app.post('/login', { login: 'x', password: 'y' }, { headers: same })).status,
    415,
  )
  const form = await app.post('/api/v1/private/account/login', undefined, {
    raw: 'login=x&password=y',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  assert.equal(form.status, 415)
})

test('a process with only the web role serves the pages and the routes they call', async (t) => {
  const app = await startApp(t, { SLIPWAY_ROLES: 'web' })
  const visitor = browser(app)
  await visitor.send('/signup', {
    username: 'web-only',
    email: 'web@example.com',
    password: PASSWORD,
  })
  assert.ok(visitor.jar.has('svc_session'))
})

test('a flash message is shown once, as text', async (t) => {
  const app = await sharedApp(t)
  const visitor = browser(app)
  visitor.jar.set('svc_notice', encodeURIComponent('<b>Saved</b>'))
  assert.match((await visitor.open('/login')).body, /role="status">&lt;b&gt;Saved&lt;\/b&gt;</)
  assert.doesNotMatch((await visitor.open('/login')).body, /role="status"/)
  visitor.jar.set('svc_notice', '%E0%A4')
  assert.equal((await visitor.open('/login')).status, 200)
})

test('a form has at most 2,000 fields, and a repeated name becomes a list in order', () => {
  const many = (count: number) =>
    Buffer.from(Array.from({ length: count }, (_, nth) => `a=${nth}`).join('&'))
  assert.deepEqual(parseForm(Buffer.from('a=1&b=x%0D%0Ay&a=2&a=3')), {
    __proto__: null,
    a: ['1', '2', '3'],
    b: 'x\ny',
  })
  assert.equal(parseForm(many(2000)).a!.length, 2000)
  assert.throws(() => parseForm(many(2001)), /at most 2000 fields/)
})
