import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { addCopy, refused } from '../support/builders.ts'
import { follow, startAssetApp } from './fixtures.ts'

async function startDownloadApp(t: TestContext) {
  const app = await startAssetApp(t)
  const kit = await app.publish()
  const attempts = async () => {
    const rows = await app.sql`
      select
        outcome, access, source, client, client_version,
        user_uid, licence_granted, channel
      from download_attempts
      order by seq`
    return rows.map((row) => ({ ...row }))
  }
  return {
    ...app,
    kit,
    attempts,
    set: (fields: object) => app.update(kit.uid, fields),
    download: (call = {}) => app.get(`${kit.path}/download`, call),
  }
}

test('a listing opens its download to everyone, signed-in users or buyers', async (t) => {
  const app = await startDownloadApp(t)
  const { kit, download, set } = app
  const player = await app.a.verified()
  const browse_url = `${app.url}/${kit.owner.username}/${kit.vanity_name}`
  const open = await download(app.editor('3.2.3'))
  assert.equal(open.status, 302)
  assert.deepEqual(
    [open.headers['cache-control'], open.headers['access-control-allow-origin']],
    ['private, no-store', '*'],
  )
  assert.deepEqual(await follow(open), kit.bytes)
  assert.equal(
    (await app.sql`select from licences`).length,
    0,
    'a copy was created without an account',
  )

  await set({ anonymous_downloads: false })
  const closed = await download()
  assert.deepEqual(refused(closed), [401, 4001])
  assert.deepEqual(closed.body.data, {
    browse_url,
    game_uid: kit.uid,
    price_cents: 0,
    currency: 'USD',
  })
  assert.equal((await download(player)).status, 302)
  assert.deepEqual(
    (await app.sql`select source from licences where user_uid = ${player.uid}`).map(
      ({ source }) => source,
    ),
    ['free'],
  )

  const other = await app.a.verified()
  await set({ price_cents: 500 })
  assert.deepEqual(refused(await download()), [401, 4001])
  const buy = await download(other)
  assert.deepEqual(refused(buy), [402, 4023])
  assert.deepEqual(buy.body.data, {
    browse_url,
    game_uid: kit.uid,
    price_cents: 500,
    currency: 'USD',
  })
  assert.equal((await download(player)).status, 302, 'a player with a copy was refused')
  assert.equal((await download(kit.owner)).status, 302)
  assert.deepEqual(refused(await download(await app.a.user())), [403, 4096])
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
  const app = await startDownloadApp(t)
  const { kit, set } = app
  const player = await app.a.verified()
  const requirements = async (call = {}) => {
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
  assert.deepEqual(await requirements(), ['none', true, 0, false])
  await set({ anonymous_downloads: false })
  assert.deepEqual(await requirements(), ['sign_in', false, 0, true])
  assert.deepEqual(await requirements(player), ['none', false, 0, false])
  await set({ price_cents: 250 })
  assert.deepEqual(await requirements(), ['purchase', false, 250, true])
  assert.deepEqual(await requirements(player), ['purchase', false, 250, true])
  assert.deepEqual(await requirements(kit.owner), ['none', false, 250, false])
  await addCopy(app.sql, kit.uid, player.uid, 'purchase')
  assert.deepEqual(await requirements(player), ['none', false, 250, false])
})

test('returns 4099 while the first zip is scanned, and 5030 without a signed link', async (t) => {
  const app = await startDownloadApp(t)
  const { kit, download } = app
  await app.sql`update files set scan = 'scanning'`
  await app.sql`delete from channel_heads`
  assert.deepEqual(refused(await app.get(kit.path)), [404, 4040])
  assert.deepEqual(refused(await download()), [409, 4099])
  assert.deepEqual(refused(await download(kit.owner)), [409, 4099])
  await app.sql`update files set scan = 'infected'`
  assert.deepEqual(refused(await download()), [404, 4040])
  await app.sql`update files set scan = 'scanning'`
  await app.sql`update listings set visibility = 'draft'`
  assert.deepEqual(refused(await download()), [404, 4040])
  const fresh = await app.publish()
  app.core.secrets.mac = () => {
    throw new Error('no key')
  }
  assert.deepEqual(refused(await app.get(`${fresh.path}/download`)), [503, 5030])
  assert.equal((await app.attempts()).at(-1)!.outcome, 'unavailable')
})
