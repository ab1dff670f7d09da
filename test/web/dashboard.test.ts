import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { rooms } from '../../src/web/dashboard/project-page.ts'
import { startApp } from '../support/app.ts'
import { type Listing, must } from '../support/builders.ts'
import { browser, errorsOf } from './browser.ts'

const NASTY = `"><script>alert(1)</script><img src=x onerror=alert(2)> ' & {{7*7}}`
const SHOWN = '&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;'

async function stage(t: TestContext) {
  const app = await startApp(t)
  const listing = await app.a.listing({
    owner: await app.a.verifiedDeveloper(),
    name: 'Night Boat',
  })
  const owner = browser(app)
  owner.as(listing.owner.token)
  const api = (part = '') => app.get(`/api/v1/private/games/${listing.uid}${part}`, listing.owner)
  return {
    ...app,
    listing,
    owner,
    api,
    at: (part: string) => `/dashboard/${listing.vanity_name}/${part}`,
  }
}
const pagesOf = ({ vanity_name }: Listing) => [
  `/dashboard/${vanity_name}`,
  ...rooms.map(([slug]) => `/dashboard/${vanity_name}/${slug}`),
  `/dashboard/${vanity_name}/check`,
  `/dashboard/${vanity_name}/settings/editions/new`,
]

test('only who runs a project opens its rooms: others are told there is no such page, and nobody is sent to log in', async (t) => {
  const { a, url, listing, owner, patch } = await stage(t)
  const [stranger, admin, nobody] = [browser({ url }), browser({ url }), browser({ url })]
  stranger.as((await a.verifiedDeveloper()).token)
  const helper = await a.verifiedDeveloper()
  admin.as(helper.token)
  await owner.submit(`/dashboard/${listing.vanity_name}/people/invite`, {
    username: helper.username,
  })
  for (const path of pagesOf(listing).slice(1)) {
    assert.equal((await stranger.open(path)).status, 404, path)
    assert.equal((await admin.open(path)).status, 404, `${path} before the invite is accepted`)
    const { status, headers } = await nobody.open(path)
    assert.deepEqual([status, headers.location], [303, `/login?next=${encodeURIComponent(path)}`])
    const own = await owner.open(path)
    assert.equal(own.status, 200, `${path}: ${own.body}`)
    assert.match(own.headers['x-robots-tag']!, /noindex/)
  }
  const [, uid] = (await admin.open('/dashboard')).body.match(
    /\/dashboard\/invites\/([\w-]+)\/accept/,
  )!
  await admin.submit(`/dashboard/invites/${uid}/accept`)
  for (const path of pagesOf(listing).slice(1))
    assert.equal((await admin.open(path)).status, 200, path)
  assert.doesNotMatch(
    (await admin.open(`/dashboard/${listing.vanity_name}/settings`)).body,
    /Delete the project/,
  )
  const leads = async (person: typeof owner) =>
    (await person.open(`/dashboard/${listing.vanity_name}/page`)).body.includes('Open the page')
  assert.deepEqual([await leads(owner), await leads(admin)], [true, true])
  must(await patch(`/api/v1/private/games/${listing.uid}`, { visibility: 'owner' }, listing.owner))
  assert.deepEqual(
    [await leads(owner), await leads(admin)],
    [true, false],
    'no link to a page that is not there for them',
  )
})

test('a form is taken from our own pages only, and a stranger changes nothing', async (t) => {
  const { a, url, owner, api, at } = await stage(t)
  const stranger = browser({ url })
  stranger.as((await a.verifiedDeveloper()).token)
  assert.equal((await stranger.send(at('page/words'), { name: 'Mine now' })).status, 404)
  assert.equal(
    (
      await owner.send(
        at('page/words'),
        { name: 'Mine now' },
        { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
      )
    ).status,
    403,
  )
  assert.equal((await stranger.send(at('delete'))).status, 404)
  assert.equal(must(await api()).name, 'Night Boat')
})

test('what was typed stays, what is wrong is said beside its field, and nothing typed becomes markup', async (t) => {
  const { owner, at, api } = await stage(t)
  const long = 'x'.repeat(300)
  const words = await owner.send(at('page/words'), {
    name: NASTY,
    tagline: long,
    description: `${NASTY}\nsecond`,
    status: 'prototype',
    demo_url: '',
  })
  assert.equal(words.status, 400)
  assert.ok(words.body.includes(SHOWN) && words.body.includes(long))
  assert.match(words.body, /<option value="prototype" selected>/)
  assert.match(
    words.body,
    /id="f-tagline"[^>]*aria-describedby="f-tagline-hint f-tagline-error"[^>]*aria-invalid="true"/,
  )
  assert.doesNotMatch(words.body, /<script>alert|<img src=x/)
  const found = await owner.send(at('page/taxonomy'), {
    tags: 'one\ntwo',
    players_min: '9',
    players_max: '3',
    genres: ['rpg', 'card'],
  })
  assert.equal(found.status, 422)
  assert.ok(errorsOf(found.body).some((error) => error.includes('3 to 20')))
  assert.match(found.body, /name="genres" value="rpg" checked/)
  assert.match(found.body, /name="players_min"[^>]*value="9"/)
  assert.deepEqual(must(await api()).genres, [])
  const links = await owner.send(at('links'), {
    store_02: 'https://www.gog.com/game/x',
    store_04: 'https://evil.example/x',
  })
  assert.match(links.body, /id="f-store_04"[^>]*aria-invalid="true"/)
  assert.doesNotMatch(links.body, /id="f-store_02"[^>]*aria-invalid/)
  const press = await owner.send(at('press'), { press_email: 'nobody', links: NASTY })
  assert.ok(press.body.includes(SHOWN))
  assert.match(press.body, /id="f-press_email"[^>]*aria-invalid="true"/)
})

test('what is saved and shown again is text, in every room', async (t) => {
  const { owner, at, listing, api } = await stage(t)
  const good = NASTY.slice(0, 90)
  await owner.submit(at('page/words'), {
    name: good,
    tagline: NASTY,
    description: NASTY,
    status: 'released',
    demo_url: '',
  })
  await owner.submit(at('press'), { history: NASTY, features: NASTY, credits: `${good} | ${good}` })
  await owner.submit(at('settings/editions/new'), {
    slug: 'a',
    name: 'A <b>',
    kind: 'standard',
    price_cents: '4.99',
    active: 'yes',
    description: NASTY,
  })
  await owner.submit(at('builds/register'), {
    version: '1<i>',
    os: 'linux',
    arch: 'x86_64',
    channel: 'stable',
    title: NASTY,
    changelog: NASTY,
  })
  const { builds } = must(await api('/builds'))
  for (const path of [
    ...pagesOf(listing).slice(1),
    '/dashboard',
    at(`builds/${builds[0].build_id}`),
  ]) {
    const { body, status } = await owner.open(path)
    assert.equal(status, 200, path)
    assert.doesNotMatch(body, /<script>alert|<img src=x|<b>|<i>| onerror="| style="/, path)
  }
  assert.equal(must(await api()).description, NASTY)
  assert.deepEqual(must(await api('/editions')).editions[0].price_cents, 499)
})

test('the check is beside every room with its count, and each thing to fix links to a field that is there', async (t) => {
  const { owner, at } = await stage(t)
  const { body } = await owner.open(at('health'))
  const items = [...body.matchAll(/class="check-(?:bad|warn)">.*?<a href="([^"]+)"/gs)].map(
    (match) => match[1]!,
  )
  assert.ok(items.length >= 8)
  assert.match(body, /class="desk-check[^>]*>10 things to fix/)
  for (const link of items) {
    const [path, anchor] = link.split('#')
    assert.match((await owner.open(path!)).body, new RegExp(`id="${anchor}"`), link)
  }
  assert.ok(!body.includes('<button class="button button-primary">Publish'))
  const refused = await owner.send(at('visibility'), { visibility: 'public' })
  assert.equal(refused.status, 422)
  assert.match(errorsOf(refused.body).join(' '), /Add at least 3 tags/)
})

test('a key is shown on the page that answers, once, and no cache keeps it', async (t) => {
  const { owner, at, call } = await stage(t)
  const made = await owner.send(at('settings/deploy-keys'))
  assert.equal(made.status, 200)
  assert.match(made.headers['cache-control']!, /no-store/)
  const secret = made.body.match(/svc_dsk_\w+/)![0]
  assert.doesNotMatch((await owner.open(at('settings'))).body, /svc_dsk_/)
  const headers = {
    'x-access-token': made.body.match(/svc_dat_\w{20,}/)![0],
    'x-secret-key': secret,
  }
  assert.equal((await call('GET', '/api/v1/tool/info', { headers })).status, 200)
  await owner.submit(at('settings/deploy-keys/revoke'))
  assert.equal((await call('GET', '/api/v1/tool/info', { headers })).status, 401)
  await owner.submit(at('bugs/reporter'), { enabled: 'yes', daily_cap: '5', webhook_urls: '' })
  assert.doesNotMatch((await owner.open(at('bugs'))).body, /<copy-text class="key">/)
  const revealed = await owner.send(at('bugs/signing-key/reveal'))
  const key = revealed.body.match(/<copy-text class="key"><code>([^<]+)/)![1]
  assert.match(revealed.headers['cache-control']!, /no-store/)
  const typed = `SECRET${'0'.repeat(20)}`
  for (const form of ['/dashboard/import', at('external-store/import')]) {
    const { status, body } = await owner.send(form, {
      app_id: '480',
      import_key: typed,
      do: 'preview',
    })
    assert.ok(
      status >= 400 && body.includes('name="import_key"') && !body.includes(typed),
      'a key that was refused is not sent back',
    )
  }
  const replaced = (await owner.send(at('bugs/signing-key'))).body.match(
    /<copy-text class="key"><code>([^<]+)/,
  )![1]
  assert.notEqual(replaced, key)
})
