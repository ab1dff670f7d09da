import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sections } from '../../src/web/dashboard/project-page.ts'
import { type Listing, must } from '../support/builders.ts'
import { browser, errorsOf } from './browser.ts'
import { signedIn, startDashboard } from './dashboard-fixtures.ts'

const MARKUP = `"><script>alert(1)</script><img src=x onerror=alert(2)> ' & {{7*7}}`
const ESCAPED = '&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;'

const start = (t: TestContext) => startDashboard(t, { name: 'Night Boat' })
const pagesOf = ({ vanity_name }: Listing) => [
  `/dashboard/${vanity_name}`,
  ...sections.map(([slug]) => `/dashboard/${vanity_name}/${slug}`),
  `/dashboard/${vanity_name}/check`,
  `/dashboard/${vanity_name}/settings/editions/new`,
]

test('only the owner and accepted admins can open a project; others get a 404', async (t) => {
  const { a, url, listing, owner, patch } = await start(t)
  const visitor = browser({ url })
  const stranger = signedIn({ url }, await a.verifiedDeveloper())
  const helper = await a.verifiedDeveloper()
  const admin = signedIn({ url }, helper)
  await owner.submit(`/dashboard/${listing.vanity_name}/people/invite`, {
    username: helper.username,
  })
  for (const path of pagesOf(listing).slice(1)) {
    assert.equal((await stranger.open(path)).status, 404, path)
    assert.equal((await admin.open(path)).status, 404, `${path} before the invitation is accepted`)
    const { status, headers } = await visitor.open(path)
    assert.deepEqual([status, headers.location], [303, `/login?next=${encodeURIComponent(path)}`])
    const answer = await owner.open(path)
    assert.equal(answer.status, 200, `${path}: ${answer.body}`)
    assert.match(answer.headers['x-robots-tag']!, /noindex/)
  }
  const [, uid] = (await admin.open('/dashboard')).body.match(
    /\/dashboard\/invites\/([\w-]+)\/accept/,
  )!
  await admin.submit(`/dashboard/invites/${uid}/accept`)
  for (const path of pagesOf(listing).slice(1))
    assert.equal((await admin.open(path)).status, 200, path)
  assert.doesNotMatch(
    (await admin.open(`/dashboard/${listing.vanity_name}/settings`)).body,
    /Delete project/,
  )
  const hasPageLink = async (person: typeof owner) =>
    (await person.open(`/dashboard/${listing.vanity_name}/page`)).body.includes('View page')
  assert.deepEqual([await hasPageLink(owner), await hasPageLink(admin)], [true, true])
  must(await patch(`/api/v1/private/games/${listing.uid}`, { visibility: 'owner' }, listing.owner))
  assert.deepEqual(
    [await hasPageLink(owner), await hasPageLink(admin)],
    [true, false],
    'an admin gets no link to a page that only the owner can open',
  )
})

test('a form from another site or from a stranger is refused and changes nothing', async (t) => {
  const { a, url, owner, read, at } = await start(t)
  const stranger = signedIn({ url }, await a.verifiedDeveloper())
  assert.equal((await stranger.send(at('page'), { name: 'Stolen' })).status, 404)
  assert.equal(
    (
      await owner.send(
        at('page'),
        { name: 'Stolen' },
        { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
      )
    ).status,
    403,
  )
  assert.equal((await stranger.send(at('delete'))).status, 404)
  assert.equal((await read()).name, 'Night Boat')
})

test('a refused form keeps the input, marks the field and escapes all markup', async (t) => {
  const { owner, at, read, pageForm } = await start(t)
  const long = 'x'.repeat(300)
  const changes = {
    name: MARKUP,
    tagline: long,
    description: `${MARKUP}\nsecond`,
    status: 'prototype',
    tags: 'one\ntwo',
    players_min: '9',
    players_max: '3',
    genres: ['rpg', 'card'],
  }
  const text = await owner.send(at('page'), await pageForm(changes))
  assert.equal(text.status, 400)
  assert.ok(text.body.includes(ESCAPED) && text.body.includes(long))
  assert.match(text.body, /<option value="prototype" selected>/)
  assert.match(
    text.body,
    /id="f-tagline"[^>]*aria-describedby="f-tagline-hint f-tagline-error"[^>]*aria-invalid="true"/,
  )
  assert.doesNotMatch(text.body, /<script>alert|<img src=x/)
  assert.ok(errorsOf(text.body).some((error) => error.includes('3 to 20')))
  assert.match(text.body, /name="genres" value="rpg" checked/)
  assert.match(text.body, /name="players_min"[^>]*value="9"/)
  assert.deepEqual((await read()).genres, [])
  const links = await owner.send(at('links'), {
    store_02: 'https://www.gog.com/game/x',
    store_04: 'https://evil.example/x',
  })
  assert.match(links.body, /id="f-store_04"[^>]*aria-invalid="true"/)
  assert.doesNotMatch(links.body, /id="f-store_02"[^>]*aria-invalid/)
  const press = await owner.send(at('press'), { press_email: 'nobody', links: MARKUP })
  assert.ok(press.body.includes(ESCAPED))
  assert.match(press.body, /id="f-press_email"[^>]*aria-invalid="true"/)
})

test('saved values are escaped in every section', async (t) => {
  const { owner, at, listing, read, pageForm } = await start(t)
  const short = MARKUP.slice(0, 90)
  await owner.submit(
    at('page'),
    await pageForm({ name: short, tagline: MARKUP, description: MARKUP }),
  )
  await owner.submit(at('press'), {
    history: MARKUP,
    features: MARKUP,
    credits: `${short} | ${short}`,
  })
  await owner.submit(at('settings/editions/new'), {
    slug: 'a',
    name: 'A <b>',
    kind: 'standard',
    price_cents: '4.99',
    active: 'yes',
    description: MARKUP,
  })
  await owner.submit(at('builds/register'), {
    version: '1<i>',
    os: 'linux',
    arch: 'x86_64',
    channel: 'stable',
    title: MARKUP,
    changelog: MARKUP,
  })
  const { builds } = await read('/builds')
  for (const path of [
    ...pagesOf(listing).slice(1),
    '/dashboard',
    at(`builds/${builds[0].build_id}`),
  ]) {
    const { body, status } = await owner.open(path)
    assert.equal(status, 200, path)
    assert.doesNotMatch(body, /<script>alert|<img src=x|<b>|<i>| onerror="| style="/, path)
  }
  assert.equal((await read()).description, MARKUP)
  assert.deepEqual((await read('/editions')).editions[0].price_cents, 499)
})

test('the listing check shows its count and links each issue to an existing field', async (t) => {
  const { owner, at } = await start(t)
  const { body } = await owner.open(at('health'))
  const items = [...body.matchAll(/class="check-(?:bad|warn)">.*?<a href="([^"]+)"/gs)].map(
    (match) => match[1]!,
  )
  assert.ok(items.length >= 8)
  assert.match(body, /class="project-check[^>]*>\s*10 issues to fix/)
  for (const link of items) {
    const [path, anchor] = link.split('#')
    assert.match((await owner.open(path!)).body, new RegExp(`id="${anchor}"`), link)
  }
  assert.ok(!body.includes('<button class="button button-primary">Publish'))
  const rejected = await owner.send(at('visibility'), { visibility: 'public' })
  assert.equal(rejected.status, 422)
  assert.match(errorsOf(rejected.body).join(' '), /Add at least 3 tags/)
})

test('a new key is shown once, on an answer that is not cached', async (t) => {
  const { owner, at, call } = await start(t)
  const created = await owner.send(at('deploy-keys'))
  assert.equal(created.status, 200)
  assert.match(created.headers['cache-control']!, /no-store/)
  const secret = created.body.match(/svc_dsk_\w+/)![0]
  assert.doesNotMatch((await owner.open(at('deploy-keys'))).body, /svc_dsk_/)
  const headers = {
    'x-access-token': created.body.match(/svc_dat_\w{20,}/)![0],
    'x-secret-key': secret,
  }
  assert.equal((await call('GET', '/api/v1/tool/info', { headers })).status, 200)
  await owner.submit(at('deploy-keys/revoke'))
  assert.equal((await call('GET', '/api/v1/tool/info', { headers })).status, 401)
  await owner.submit(at('bugs/reporter'), { enabled: 'yes', daily_cap: '5', webhook_urls: '' })
  assert.doesNotMatch((await owner.open(at('bugs'))).body, /<copy-text class="key"[^>]*>/)
  const revealed = await owner.send(at('bugs/signing-key/reveal'))
  const key = revealed.body.match(/<copy-text class="key"[^>]*>\s*<code>([^<]+)/)![1]
  assert.match(revealed.headers['cache-control']!, /no-store/)
  const refused_key = `SECRET${'0'.repeat(20)}`
  for (const form of ['/dashboard/import', at('external-store/import')]) {
    const { status, body } = await owner.send(form, {
      app_id: '480',
      import_key: refused_key,
      do: 'preview',
    })
    assert.ok(
      status >= 400 && body.includes('name="import_key"') && !body.includes(refused_key),
      'a refused key is not sent back',
    )
  }
  const replaced = (await owner.send(at('bugs/signing-key'))).body.match(
    /<copy-text class="key"[^>]*>\s*<code>([^<]+)/,
  )![1]
  assert.notEqual(replaced, key)
})
