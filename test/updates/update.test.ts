import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'
import { must, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { addGame, startUpdates } from './fixtures.ts'

const sharedApp = sharedInFile((t) => startApp(t))

test('an update is offered until the build of the channel is installed', async (t) => {
  const { get, path, build_id, a, game, url } = await addGame(await sharedApp(t))
  assert.equal((await get(`${path}/update?build=${build_id}`)).status, 204)
  assert.equal((await get(`${path}/update?build=${build_id.toUpperCase()}`)).status, 204)
  const next = await a.cleanBuild(game, {
    version: '2.0',
    title: 'Harbor',
    changelog_items: [{ title: 'A new map', description: 'By the sea' }],
  })
  const offer = must(await get(`${path}/update?build=${build_id}&os=linux&arch=x86_64`))
  assert.deepEqual(
    [offer.build_id, offer.version, offer.channel, offer.file_uid, offer.withdrawn],
    [next.build_id, '2.0', 'stable', next.file_uid, null],
  )
  assert.equal(offer.notes.title, 'Harbor')
  assert.equal(offer.notes.changelog_items[0].title, 'A new map')
  const { manifest } = must(await get(offer.manifest_url))
  assert.ok(offer.manifest_url.startsWith(url))
  assert.equal(manifest.build_id, next.build_id)
  assert.equal((await get(`${path}/update?build=${next.build_id}`)).status, 204)
  assert.equal(must(await get(`${path}/update`)).build_id, next.build_id, 'nothing is installed')
})

test('after a rollback or a withdrawal the build before is offered, with the reason', async (t) => {
  const { get, put, path, build_id, a, game } = await addGame(await sharedApp(t))
  const next = await a.cleanBuild(game, { version: '2.0' })
  const own = `/api/v1/private/games/${game.uid}`
  must(
    await put(
      `${own}/builds/${next.build_id}/withdrawal`,
      { reason: 'It loses saves' },
      game.owner,
    ),
  )
  const offer = must(await get(`${path}/update?build=${next.build_id}`))
  assert.equal(offer.build_id, build_id)
  assert.equal(offer.withdrawn.reason, 'It loses saves')
  assert.deepEqual(refused(await get(`${path}/builds/${next.build_id}/manifest`)), [410, 4286])
})

test('a build that a newer one replaced has its manifest until it is withdrawn', async (t) => {
  const { get, put, path, build_id, a, game } = await addGame(await sharedApp(t))
  await a.cleanBuild(game, { version: '2.0' })
  await a.cleanBuild(game, { version: '3.0' })
  const manifest = `${path}/builds/${build_id}/manifest`
  assert.equal(must(await get(manifest)).manifest.build_id, build_id)
  const beta = await a.cleanBuild(game, { version: '4.0', channel: 'beta' })
  await a.cleanBuild(game, { version: '5.0', channel: 'beta' })
  assert.deepEqual(refused(await get(`${path}/builds/${beta.build_id}/manifest`)), [404, 4040])
  const withdrawal = `/api/v1/private/games/${game.uid}/builds/${build_id}/withdrawal`
  must(await put(withdrawal, { reason: 'It loses saves' }, game.owner))
  assert.deepEqual(refused(await get(manifest)), [410, 4286])
})

test('an update is cached by everyone only where anyone may download', async (t) => {
  const { get, path, build_id, sql, game } = await addGame(await sharedApp(t))
  const update = `${path}/update?build=${build_id}`
  assert.equal((await get(update)).headers['cache-control'], 'public, max-age=60')
  const owner = await get(update, game.owner)
  assert.deepEqual([owner.status, owner.headers['cache-control']], [204, 'private, no-cache'])
  await sql`update listings set anonymous_downloads = false where uid = ${game.uid}`
  assert.equal((await get(update, game.owner)).headers['cache-control'], 'private, no-cache')
})

test('manifests and updates are for those who may download', async (t) => {
  const { get, post, path, build_id, sql, a, game } = await startUpdates(t)
  const addresses = [`${path}/manifest`, `${path}/update`, `${path}/builds/${build_id}/manifest`]
  const person = await a.verified()
  const unverified = await a.user()
  const expect = async (
    why: string,
    answers: { none?: [number, number]; person?: [number, number] },
  ) => {
    for (const address of addresses) {
      const results = { none: await get(address), person: await get(address, person) }
      for (const who of ['none', 'person'] as const)
        assert.deepEqual(
          answers[who] ?? 200,
          answers[who] ? refused(results[who]) : results[who].status,
          `${why}: ${who} at ${address}`,
        )
      assert.equal((await get(address, game.owner)).status, 200, `${why}: owner at ${address}`)
    }
  }
  await expect('open', {})
  await sql`update listings set anonymous_downloads = false`
  await expect('with an account', { none: [401, 4001] })
  assert.deepEqual(refused(await get(`${path}/manifest`, unverified)), [403, 4096])
  await sql`update listings set price_cents = 500`
  await expect('paid', { none: [401, 4001], person: [402, 4023] })
  const grants = `/api/v1/private/games/${game.uid}/licences`
  must(await post(grants, { username: person.username }, game.owner))
  await expect('with a copy', { none: [401, 4001] })
  await sql`update listings set price_cents = 0, anonymous_downloads = true, adult = true`
  await expect('adult', { none: [404, 4040], person: [404, 4040] })
  await sql`update listings set adult = false, visibility = 'draft'`
  await expect('draft', { none: [404, 4040], person: [404, 4040] })
})

test('channels are for those who can see them', async (t) => {
  const { get, put, path, a, game } = await addGame(await sharedApp(t))
  const person = await a.verified()
  const beta = await a.cleanBuild(game, { channel: 'beta', version: '3.0' })
  const address = `${path}/manifest?channel=beta`
  assert.deepEqual(refused(await get(address)), [404, 4040])
  assert.deepEqual(refused(await get(address, person)), [403, 4074])
  assert.deepEqual(
    refused(await get(`${path}/builds/${beta.build_id}/manifest`, person)),
    [404, 4040],
  )
  must(await put(`/api/v1/private/games/${game.uid}/channel`, { channel: 'beta' }, person))
  assert.equal(must(await get(address, person)).manifest.build_id, beta.build_id)
  assert.equal(must(await get(address, game.owner)).manifest.build_id, beta.build_id)
  for (const missing of ['?channel=nightly', '?os=windows', '?app=server', '?arch=arm64'])
    assert.deepEqual(refused(await get(`${path}/manifest${missing}`)), [404, 4040], missing)
})

test('a file that is scanned or quarantined has no manifest', async (t) => {
  const { get, path, sql, file_uid } = await addGame(await sharedApp(t))
  await sql`update files set scan = 'scanning' where uid = ${file_uid}`
  assert.deepEqual(refused(await get(`${path}/manifest`)), [409, 4099])
  for (const state of ['quarantined', 'infected']) {
    const before = state === 'quarantined' ? 'clean' : null
    await sql`
      update files set scan = ${state}, scan_before_quarantine = ${before}
      where uid = ${file_uid}`
    assert.deepEqual(refused(await get(`${path}/manifest`)), [404, 4040], state)
  }
})

test('an address asks 120 times a minute for updates and 60 times for manifests', async (t) => {
  const { get, path, build_id } = await startUpdates(t)
  for (const [address, limit] of [
    [`${path}/update?build=${build_id}`, 120],
    [`${path}/manifest`, 60],
  ] as const) {
    const statuses = []
    for (let n = 0; n <= limit; n++) statuses.push((await get(address)).status)
    assert.ok(
      statuses.slice(0, limit).every((status) => status < 300),
      address,
    )
    assert.equal(statuses[limit], 429, address)
  }
})

test('a build with 20,000 files has its manifest as JSON and as lines', async (t) => {
  const files = Array.from({ length: 20_000 }, (_, n) => ({
    name: `data/${n % 100}/${n}.txt`,
    body: `${n}`,
    method: 0,
  }))
  const { get, path, url } = await addGame(await sharedApp(t), files)
  assert.equal(must(await get(`${path}/manifest`)).entries.length, 20_000)
  const text = await (await fetch(`${url}${path}/manifest?format=ndjson`)).text()
  assert.equal(text.trimEnd().split('\n').length, 20_001)
})
