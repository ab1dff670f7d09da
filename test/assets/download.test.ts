import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Answer } from '../support/app.ts'
import { startAssetApp } from './fixtures.ts'
import { refused } from '../support/builders.ts'

const follow = async (answer: Answer) =>
  Buffer.from(await (await fetch(answer.headers.location!)).arrayBuffer())

async function doors(t: TestContext) {
  const app = await startAssetApp(t)
  const kit = await app.publish()
  const attempts = async () =>
    (
      await app.sql`select outcome, access, source, client, client_version, user_uid, licence_granted, channel from download_attempts order by seq`
    ).map((row) => ({ ...row }))
  return {
    ...app,
    kit,
    attempts,
    set: (fields: object) =>
      app.sql`update listings set ${app.sql(fields as never)} where uid = ${kit.uid}`,
    get_it: (call = {}) => app.get(`${kit.path}/download`, call),
  }
}

test('a download is open to everyone, to signed-in users or to buyers, as the listing is configured', async (t) => {
  const app = await doors(t)
  const { kit, get_it, set } = app
  const player = await app.a.verified()
  const browse_url = `${app.url}/${kit.owner.username}/${kit.vanity_name}`
  const open = await get_it(app.editor('3.2.3'))
  assert.equal(open.status, 302)
  assert.deepEqual(
    [open.headers['cache-control'], open.headers['access-control-allow-origin']],
    ['private, no-store', '*'],
  )
  assert.deepEqual(await follow(open), kit.bytes)
  assert.equal((await app.sql`select from licences`).length, 0, 'no licence without an account')

  await set({ anonymous_downloads: false })
  const closed = await get_it()
  assert.deepEqual(refused(closed), [401, 4001])
  assert.deepEqual(closed.body.data, {
    browse_url,
    game_uid: kit.uid,
    price_cents: 0,
    currency: 'USD',
  })
  assert.equal((await get_it(player)).status, 302)
  assert.deepEqual(
    (await app.sql`select source from licences where user_uid = ${player.uid}`).map(
      ({ source }) => source,
    ),
    ['free'],
  )

  const other = await app.a.verified()
  await set({ price_cents: 500 })
  assert.deepEqual(refused(await get_it()), [401, 4001])
  const buy = await get_it(other)
  assert.deepEqual(refused(buy), [402, 4023])
  assert.deepEqual(buy.body.data, {
    browse_url,
    game_uid: kit.uid,
    price_cents: 500,
    currency: 'USD',
  })
  assert.equal((await get_it(player)).status, 302, 'who has a copy keeps it')
  assert.equal((await get_it(kit.owner)).status, 302)
  assert.deepEqual(refused(await get_it(await app.a.user())), [403, 4096])
  assert.deepEqual(
    (await app.attempts()).map((row) => [
      row.outcome,
      row.access,
      row.licence_granted,
      row.user_uid !== null,
    ]),
    [
      ['ok', 'anonymous', false, false],
      ['sign_in_required', 'anonymous', false, false],
      ['ok', 'free', true, true],
      ['payment_required', 'anonymous', false, false],
      ['payment_required', 'purchase', false, true],
      ['ok', 'free', false, true],
      ['ok', 'owner', false, true],
    ],
  )
  const [first] = await app.attempts()
  assert.deepEqual(
    [first!.source, first!.client, first!.client_version, first!.channel],
    ['asset_library', 'third_party_editor', '3.2.3', 'stable'],
  )
})

test('a package tells each caller in advance what a download requires', async (t) => {
  const app = await doors(t)
  const { kit, set } = app
  const player = await app.a.verified()
  const told = async (call = {}) => {
    const { download_requires, anonymous_download, price_cents, description } = (
      await app.get(kit.path, call)
    ).body
    return [
      download_requires,
      anonymous_download,
      price_cents,
      description.includes(`/${kit.vanity_name}`),
    ]
  }
  assert.deepEqual(await told(), ['none', true, 0, false])
  await set({ anonymous_downloads: false })
  assert.deepEqual(await told(), ['sign_in', false, 0, true])
  assert.deepEqual(await told(player), ['none', false, 0, false])
  await set({ price_cents: 250 })
  assert.deepEqual(await told(), ['purchase', false, 250, true])
  assert.deepEqual(await told(player), ['purchase', false, 250, true])
  assert.deepEqual(await told(kit.owner), ['none', false, 250, false])
  await app.sql`insert into licences (user_uid, game_uid, source) values (${player.uid}, ${kit.uid}, 'purchase')`
  assert.deepEqual(await told(player), ['none', false, 250, false])
})

test('returns 4099 while the first zip is scanned, and 5030 when the link cannot be signed', async (t) => {
  const app = await doors(t)
  const { kit, get_it } = app
  await app.sql`update files set scan = 'scanning'`
  await app.sql`delete from channel_heads`
  assert.deepEqual(refused(await app.get(kit.path)), [404, 4040])
  assert.deepEqual(refused(await get_it()), [409, 4099])
  assert.deepEqual(refused(await get_it(kit.owner)), [409, 4099])
  await app.sql`update files set scan = 'infected'`
  assert.deepEqual(refused(await get_it()), [404, 4040])
  await app.sql`update files set scan = 'scanning'`
  await app.sql`update listings set visibility = 'draft'`
  assert.deepEqual(refused(await get_it()), [404, 4040])
  const fresh = await app.publish()
  app.core.secrets.mac = () => {
    throw new Error('no key')
  }
  assert.deepEqual(refused(await app.get(`${fresh.path}/download`)), [503, 5030])
  assert.equal((await app.attempts()).at(-1)!.outcome, 'unavailable')
})
