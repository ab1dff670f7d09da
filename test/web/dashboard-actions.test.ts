import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyForm, selectField } from '../../src/web/components/form.ts'
import { startBugApp } from '../bugs/fixtures.ts'
import { startReceiver } from '../bugs/receivers.ts'
import { sharedImportApp } from '../extstore/import/fixtures.ts'
import { startLibraryApp } from '../library/fixtures.ts'
import { eventually } from '../support/app.ts'
import { must } from '../support/builders.ts'
import { signedIn } from './dashboard-fixtures.ts'

const GAMES = '/api/v1/private/games'
const startStore = sharedImportApp()

/** Whether a page has a form with that target; an action without a form is out of reach. */
const hasForm = (body: string, action: string) => body.includes(`action="${action}"`)

test('the owner removes an admin, and an admin leaves the project', async (t) => {
  const { a, url, post, get } = await startLibraryApp(t)
  const listing = await a.listing({ owner: await a.verifiedDeveloper() })
  const removed = await a.verifiedDeveloper()
  const leaving = await a.verifiedDeveloper()
  const base = `/dashboard/${listing.vanity_name}/people`
  const admins = async () =>
    must(await get(`${GAMES}/${listing.uid}/admins`, listing.owner)).admins.map(
      ({ username }: { username: string }) => username,
    )
  for (const { username, token } of [removed, leaving]) {
    must(await post(`${GAMES}/${listing.uid}/admins`, { username }, listing.owner))
    const [invite] = must(await get('/api/v1/private/invites', { token })).invites
    must(await post(`/api/v1/private/invites/${invite.uid}/accept`, undefined, { token }))
  }
  assert.deepEqual((await admins()).sort(), [removed.username, leaving.username].sort())
  const owner = signedIn({ url }, listing.owner)
  assert.ok(hasForm((await owner.open(base)).body, `${base}/${removed.uid}/remove`))
  await owner.submit(`${base}/${removed.uid}/remove`)
  assert.deepEqual(await admins(), [leaving.username])
  assert.equal((await signedIn({ url }, removed).open(base)).status, 404)
  const admin = signedIn({ url }, leaving)
  assert.ok(hasForm((await admin.open(base)).body, `${base}/${leaving.uid}/remove`))
  const answer = await admin.send(`${base}/${leaving.uid}/remove`)
  assert.deepEqual([answer.status, answer.headers.location], [303, '/dashboard'])
  assert.deepEqual(await admins(), [])
})

test('a community tag is hidden from the page and shown again', async (t) => {
  const { url, put, get, game, fan } = await startLibraryApp(t)
  const listing = await game()
  for (let i = 0; i < 3; i++)
    must(
      await put(
        `${GAMES}/${listing.uid}/tag-suggestions`,
        { tags: ['turn-based'] },
        await fan(listing.uid),
      ),
    )
  const owner = signedIn({ url }, listing.owner)
  const base = `/dashboard/${listing.vanity_name}/reviews`
  const tag = async () =>
    must(await get(`${GAMES}/${listing.uid}/community-tags`, listing.owner)).tags[0]
  assert.deepEqual([(await tag()).hidden, (await tag()).shown], [false, true])
  assert.ok(hasForm((await owner.open(base)).body, `${base}/tags/turn-based/hide`))
  await owner.submit(`${base}/tags/turn-based/hide`)
  assert.deepEqual([(await tag()).hidden, (await tag()).shown], [true, false])
  assert.ok(hasForm((await owner.open(base)).body, `${base}/tags/turn-based/show`))
  await owner.submit(`${base}/tags/turn-based/show`)
  assert.deepEqual([(await tag()).hidden, (await tag()).shown], [false, true])
})

test('a webhook delivery is sent again from the dashboard', async (t) => {
  const app = await startBugApp(t)
  const receiver = await startReceiver(t)
  const game = await app.buggyGame({ webhook_urls: [receiver.url] })
  await app.ticket(game)
  const [delivery] = await app.settled(game)
  const owner = signedIn(app, game.owner)
  const base = `/dashboard/${game.vanity_name}/bugs`
  assert.ok(hasForm((await owner.open(base)).body, `${base}/deliveries/${delivery.uid}/replay`))
  await owner.submit(`${base}/deliveries/${delivery.uid}/replay`)
  await eventually('the repeat', () => receiver.received.length === 2)
  assert.equal(receiver.received[1]!.body, receiver.received[0]!.body)
})

test('the external store forms sync, replace keys, turn off sign-in and unlink', async () => {
  const store = await startStore()
  const { url, app, control, imported, developer, get, signIn, auth, ticket, player } = store
  const who = await developer()
  const { app_id, web_api_key } = app({ short_description: 'The first line' })
  const made = must(
    await imported(who, { app_id, web_api_key, groups: ['text'], enable_auth: true }),
  )
  const owner = signedIn({ url }, who)
  const base = `/dashboard/${made.vanity_name}/external-store`
  const page = async () => must(await get(`${GAMES}/${made.game_uid}`, who))
  const settings = () => get(`${GAMES}/${made.game_uid}/steam`, who)
  assert.equal((await page()).tagline, 'The first line')

  control.page({ app_id, data: { short_description: 'The second line' } })
  const preview = await owner.send(`${base}/import`, { groups: 'text', do: 'preview' })
  assert.match(preview.body, /The second line/)
  assert.equal((await page()).tagline, 'The first line', 'a preview changes nothing')
  assert.equal((await owner.send(`${base}/import`, { groups: 'text', do: 'import' })).status, 200)
  assert.equal((await page()).tagline, 'The second line')

  const { ticket_key } = must(await settings()).auth
  const revealed = await owner.send(`${base}/auth-key/reveal`)
  const auth_key = must(await get(`${GAMES}/${made.game_uid}/steam/auth-key`, who)).auth_key
  assert.ok(revealed.body.includes(auth_key))
  const game = { uid: made.game_uid, app_id, auth_key, ticket_key, web_api_key, listing: made }
  assert.ok((await signIn(game)).token)
  const replaced = await owner.send(`${base}/auth-key`)
  const next = must(await get(`${GAMES}/${made.game_uid}/steam/auth-key`, who)).auth_key
  assert.ok(next !== auth_key && replaced.body.includes(next))
  await owner.send(`${base}/ticket-key`)
  assert.notEqual(must(await settings()).auth.ticket_key, ticket_key)
  assert.equal((await owner.send(`${base}/web-api-key`, { web_api_key: 'nonsense' })).status, 400)
  await owner.submit(`${base}/web-api-key`, { web_api_key: control.key({ apps: [app_id] }).key })

  assert.ok(hasForm((await owner.open(base)).body, `${base}/sign-in/off`))
  await owner.submit(`${base}/sign-in/off`)
  const off = must(await settings()).auth
  assert.deepEqual([off.enabled, off.web_api_key_set], [false, false])
  assert.equal((await auth(game, ticket(game, player(game)))).status, 404)
  await owner.submit(`${base}/sign-in`, { web_api_key })
  assert.equal(must(await settings()).auth.enabled, true)
  assert.ok(hasForm((await owner.open(base)).body, `${base}/unlink`))
  await owner.submit(`${base}/unlink`)
  assert.equal((await settings()).body.error.code, 4244)
  assert.equal((await page()).tagline, 'The second line', 'imported content stays')
})

test('a user unlinks their external store account', async () => {
  const { url, a, sql, get } = await startStore()
  const person = await a.user()
  await sql`update users set extstore_id = '76561190000000001' where uid = ${person.uid}`
  const own = signedIn({ url }, person)
  assert.ok(hasForm((await own.open('/settings')).body, '/settings/unlink'))
  await own.submit('/settings/unlink')
  assert.equal(must(await get('/api/v1/private/account', person)).extstore_id, undefined)
  assert.ok(!hasForm((await own.open('/settings')).body, '/settings/unlink'))
})

test('a required select with an empty option is not enforced by the browser', () => {
  const select = (required: boolean, first: string) =>
    selectField(emptyForm, {
      name: 'n',
      label: 'L',
      required,
      options: [
        { value: first, label: 'All' },
        { value: 'b', label: 'B' },
      ],
    }).write()
  assert.match(select(true, 'a'), /<select[^>]* required/)
  assert.doesNotMatch(select(true, ''), /<select[^>]* required/)
  assert.doesNotMatch(select(true, ''), /optional/)
  assert.match(select(false, ''), /optional/)
})
