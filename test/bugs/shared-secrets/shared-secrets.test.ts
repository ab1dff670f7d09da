import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startListing } from '../../accounts/revocation/fixtures.ts'
import { eventually, outbox } from '../../support/app.ts'
import { must, refused } from '../../support/builders.ts'
import { browser } from '../../web/browser.ts'

const AUTH_KEY = 'extstore auth key'
const WEB_API_KEY = 'extstore web api key'

test('secrets that a former admin could read', async (t) => {
  const app = await startListing(t)
  const { a, get, post, put, del, core, sql, GAME, owner, listing, data_dir } = app
  const SECRETS = `${GAME}/shared-secrets`
  const REPLACE = `${SECRETS}/replace`
  const read = async () => must(await get(SECRETS, owner))
  const names = async () => (await read()).secrets.map(({ name }: { name: string }) => name)
  const secretOf = (field: string) => core.secrets.get(sql, listing.uid, field)
  const site = browser(app)
  site.as(owner.token)
  const pages = ['people', 'overview'].map((page) => `/dashboard/${listing.vanity_name}/${page}`)
  const leaves = async () => {
    const person = await a.verifiedDeveloper()
    await app.join(person)
    await app.remove(person)
    return person
  }
  const NONE = { people: [], secrets: [] }

  await t.test('are none while the listing has no secrets', async () => {
    await leaves()
    assert.deepEqual(await read(), NONE)
    for (const page of pages) assert.doesNotMatch((await site.open(page)).body, /shared-secrets/)
  })

  await t.test('are none for who was only invited', async () => {
    must(await put(`${GAME}/bug-reporter`, { enabled: true }, owner))
    const person = await a.verifiedDeveloper()
    must(await post(`${GAME}/admins`, { username: person.username }, owner))
    await app.remove(person)
    assert.deepEqual(await read(), NONE)
  })

  await t.test('are named to the owner by mail and on the dashboard, and replaced', async () => {
    const signing_key = await secretOf('bug_signing_key')
    await core.secrets.put(sql, listing.uid, AUTH_KEY, 'old auth key')
    await core.secrets.put(sql, listing.uid, WEB_API_KEY, 'web api key')
    const person = await leaves()
    const { people, secrets } = await read()
    assert.equal(people[0].username, person.username)
    assert.deepEqual(secrets, [
      { name: 'signing_key', replaceable: true },
      { name: 'auth_key', replaceable: true },
      { name: 'web_api_key', replaceable: false },
    ])
    const { text } = await eventually('the mail', () =>
      outbox(data_dir).find(({ to, text }) => to === owner.email && /read secrets/.test(text)),
    )
    assert.match(text, new RegExp(`${person.username} can no longer work on`))
    assert.match(text, new RegExp(`${pages[0]}\\s`))
    for (const page of pages) {
      const { body } = await site.open(page)
      assert.match(body, new RegExp(`id="shared-secrets".*${person.username}`, 's'), page)
      assert.match(body, /Replace all of them.*Web API key of the external store/s, page)
    }
    const done = await site.submit(`${pages[0]}/shared-secrets/replace`)
    assert.match(done.body, /The secrets are replaced/)
    assert.deepEqual(await names(), ['web_api_key'])
    assert.notEqual(await secretOf('bug_signing_key'), signing_key)
    assert.notEqual(await secretOf(AUTH_KEY), 'old auth key')
    assert.equal(await secretOf(WEB_API_KEY), 'web api key')
    const again = await secretOf('bug_signing_key')
    assert.equal(must(await post(REPLACE, undefined, owner)).secrets.length, 1)
    assert.equal(await secretOf('bug_signing_key'), again, 'only what is still exposed')
    await site.submit(`${pages[0]}/shared-secrets/resolve`)
    assert.deepEqual(await read(), NONE)
    const actions = await sql<{ action: string }[]>`
      select action from audit_entries where action like '%shared-secrets' order by uid`
    assert.deepEqual(
      actions.map(({ action }) => action),
      ['replace', 'replace', 'resolve'].map((verb) => `bugs.${verb}-shared-secrets`),
    )
  })

  await t.test('are safe again once each is replaced', async () => {
    const person = await a.verifiedDeveloper()
    await app.join(person)
    await app.deleteAccount(person)
    assert.equal((await read()).people[0].username, null)
    assert.match((await site.open(pages[0]!)).body, /a deleted account/)
    must(await post(`${GAME}/bug-reporter/signing-key`, undefined, owner))
    assert.deepEqual(await names(), ['auth_key', 'web_api_key'])
    await core.secrets.put(sql, listing.uid, AUTH_KEY, 'new')
    await core.secrets.put(sql, listing.uid, WEB_API_KEY, 'new')
    assert.deepEqual(await read(), NONE)
  })

  await t.test('are for the owner only', async () => {
    const person = await leaves()
    const admin = await a.verifiedDeveloper()
    await app.join(admin)
    for (const [who, expected] of [
      [admin, 403],
      [person, 404],
    ] as const) {
      const { status } = await get(SECRETS, who)
      assert.equal(status, expected)
      assert.equal((await post(REPLACE, undefined, who)).status, status)
      assert.equal((await del(SECRETS, who)).status, status)
    }
    assert.deepEqual(refused(await get(SECRETS, person)), [404, 4040])
    assert.ok((await names()).length > 0, 'still exposed')
    const visitor = browser(app)
    visitor.as(admin.token)
    assert.doesNotMatch((await visitor.open(pages[0]!)).body, /id="shared-secrets"/)
  })
})
