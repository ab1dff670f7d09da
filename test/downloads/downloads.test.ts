import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'
import { addCopy, must, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { sha256 } from '../uploads/zips.ts'
import { addDownload, bytes, startDownloadApp } from './fixtures.ts'

const sharedApp = sharedInFile(startApp)

test('a free game that allows it is downloaded without an account', async (t) => {
  const app = await addDownload(await sharedApp(t))
  const { url, expires_at, ...link } = must(await app.get(app.signed_out))
  assert.deepEqual(link, {
    expires_in: 300,
    filename: 'game.zip',
    checksum: sha256(bytes),
    game_uid: app.game.uid,
  })
  assert.ok(Math.abs(Date.parse(expires_at) - Date.now() - 300_000) < 60_000)
  const answer = await app.fetchFile(url)
  assert.equal(answer.status, 200)
  assert.deepEqual(Buffer.from(await answer.arrayBuffer()), bytes)
  assert.equal(
    answer.headers.get('content-disposition'),
    `attachment; filename="game.zip"; filename*=UTF-8''game.zip`,
  )
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
  assert.equal(answer.headers.get('etag'), `"${sha256(bytes)}"`)
  assert.equal((await app.copies()).length, 0)
  const redirect = await app.get(`${app.signed_out}/redirect`)
  assert.equal(redirect.status, 302)
  assert.equal((await app.fetchFile(redirect.headers.location!)).status, 200)
})

test('serves ranges, and 304 for a file that the client already has', async (t) => {
  const app = await addDownload(await sharedApp(t))
  const { url } = must(await app.get(app.signed_out))
  const part = await app.fetchFile(url, { range: 'bytes=10-19' })
  assert.deepEqual(
    [part.status, part.headers.get('content-range'), part.headers.get('content-length')],
    [206, `bytes 10-19/${bytes.length}`, '10'],
  )
  assert.deepEqual(Buffer.from(await part.arrayBuffer()), bytes.subarray(10, 20))
  assert.deepEqual(
    Buffer.from(await (await app.fetchFile(url, { range: 'bytes=-7' })).arrayBuffer()),
    bytes.subarray(-7),
  )
  const past = await app.fetchFile(url, { range: `bytes=${bytes.length}-` })
  assert.deepEqual(
    [past.status, past.headers.get('content-range')],
    [416, `bytes */${bytes.length}`],
  )
  assert.equal(((await past.json()) as any).error.code, 4000)
  const etag = `"${sha256(bytes)}"`
  assert.equal((await app.fetchFile(url, { 'if-none-match': etag })).status, 304)
  assert.equal((await app.fetchFile(url, { range: 'bytes=0-1', 'if-range': etag })).status, 206)
  assert.equal(
    (await app.fetchFile(url, { range: 'bytes=0-1', 'if-range': '"other"' })).status,
    200,
  )
  const head = await app.fetchFile(url, {}, 'HEAD')
  assert.deepEqual([head.status, head.headers.get('content-length')], [200, String(bytes.length)])
})

test('a link opens one file for five minutes', async (t) => {
  const app = await addDownload(await sharedApp(t))
  const { url } = must(await app.get(app.signed_out))
  const statusOf = (change: (url: URL) => void) => {
    const other = new URL(url)
    change(other)
    return app.fetchFile(other.href).then(({ status }) => status)
  }
  assert.equal(await statusOf(() => {}), 200)
  assert.equal(
    await statusOf((u) =>
      u.searchParams.set('expires', String(Number(u.searchParams.get('expires')) + 1)),
    ),
    404,
  )
  assert.equal(await statusOf((u) => u.searchParams.set('signature', 'x')), 404)
  assert.equal(await statusOf((u) => u.searchParams.delete('signature')), 404)
  assert.equal(
    await statusOf((u) => {
      u.pathname = u.pathname.replace(app.file_uid, randomUUID())
    }),
    404,
  )
  const past = Math.floor(Date.now() / 1000)
  const signature = app.core.secrets
    .mac('download', `${app.file_uid}\n${past}`)
    .toString('base64url')
  assert.equal(await statusOf((u) => (u.search = `?expires=${past}&signature=${signature}`)), 403)
  await app.setScan('infected')
  assert.equal(await statusOf(() => {}), 404, 'a file that is not clean was served')
})

test('a paid or protected game answers anonymous callers with 4001 and its price', async (t) => {
  const app = await addDownload(await sharedApp(t), { anonymous: false })
  const off = await app.get(app.signed_out)
  assert.deepEqual(refused(off), [401, 4001])
  assert.deepEqual(off.body.data, {
    browse_url: `${app.url}/${app.game.owner.username}/${app.game.vanity_name}`,
    game_uid: app.game.uid,
    price_cents: 0,
    currency: 'USD',
  })
  await app.changeListing(app.sql`price_cents = 500, anonymous_downloads = true`)
  const paid = await app.get(`${app.signed_out}/redirect`)
  assert.deepEqual([...refused(paid), paid.body.data.price_cents], [401, 4001, 500])
  assert.deepEqual(
    (await app.attempts()).map(({ outcome, access }) => [outcome, access]),
    [
      ['sign_in_required', 'anonymous'],
      ['payment_required', 'anonymous'],
    ],
  )
})

test('a missing, hidden, adult or rejected file is 404 and not recorded', async (t) => {
  const app = await addDownload(await sharedApp(t))
  const answer = async () => refused(await app.get(app.signed_out))
  for (const id of ['x', randomUUID()])
    assert.deepEqual(refused(await app.get(`/api/v1/public/downloads/${id}`)), [404, 4040])
  for (const change of [
    app.sql`visibility = 'draft'`,
    app.sql`visibility = 'owner'`,
    app.sql`visibility = 'public', adult = true`,
  ]) {
    await app.changeListing(change)
    assert.deepEqual(await answer(), [404, 4040])
  }
  await app.changeListing(app.sql`adult = false, visibility = 'invisible'`)
  must(await app.get(app.signed_out))
  const dev = await app.a.cleanBuild(app.game, { channel: 'dev' })
  assert.deepEqual(refused(await app.get(`/api/v1/public/downloads/${dev.file_uid}`)), [404, 4040])
  for (const scan of ['infected', 'error']) {
    await app.setScan(scan)
    assert.deepEqual(await answer(), [404, 4040])
  }
  assert.equal((await app.attempts()).length, 1)
})

test('a file that is still being scanned is 4099 for everyone', async (t) => {
  const app = await addDownload(await sharedApp(t))
  await app.setScan('scanning')
  assert.deepEqual(refused(await app.get(app.signed_out)), [409, 4099])
  for (const who of [await app.a.verified(), app.game.owner])
    assert.deepEqual(refused(await app.get(app.signed_in, who)), [409, 4099])
  assert.equal((await app.copies()).length, 0)
  assert.deepEqual(
    (await app.attempts()).map(({ outcome }) => outcome),
    ['scanning', 'scanning', 'scanning'],
  )
})

test('answers 5030 when a link cannot be signed', async (t) => {
  const app = await startDownloadApp(t)
  const { mac } = app.core.secrets
  app.core.secrets.mac = () => {
    throw new Error('no key')
  }
  const log = t.mock.method(app.core.log, 'error', () => {})
  const headers = { 'x-request-id': 'client-1234' }
  assert.deepEqual(refused(await app.call('GET', app.signed_out, { headers })), [503, 5030])
  assert.deepEqual(
    log.mock.calls.map((call) => call.arguments as unknown[]),
    [[{ id: 'client-1234', error: 'no key' }, 'a download link could not be signed']],
  )
  app.core.secrets.mac = mac
  must(await app.get(app.signed_out))
  assert.deepEqual(
    (await app.attempts()).map(({ outcome }) => outcome),
    ['unavailable', 'ok'],
  )
})

test('the first signed-in download of a free game grants one copy', async (t) => {
  const app = await addDownload(await sharedApp(t), { anonymous: false })
  const person = await app.a.verified()
  const links = await Promise.all(Array.from({ length: 4 }, () => app.get(app.signed_in, person)))
  for (const link of links) assert.equal((await app.fetchFile(must(link).url)).status, 200)
  const attempts = await app.attempts()
  assert.deepEqual(
    attempts.map(({ outcome, access, user_uid }) => [outcome, access, user_uid]),
    Array(4).fill(['ok', 'free', person.uid]),
  )
  assert.equal(attempts.filter(({ licence_granted }) => licence_granted).length, 1)
  assert.equal((await app.copies()).length, 1)
  assert.deepEqual(refused(await app.get(app.signed_in, await app.a.user())), [403, 4096])
  assert.deepEqual(refused(await app.get(app.signed_in)), [401, 4010])
})

test('a paid game needs a copy, except for its managers', async (t) => {
  const app = await addDownload(await sharedApp(t), { anonymous: false })
  await app.changeListing(app.sql`price_cents = 500`)
  const person = await app.a.verified()
  const answer = await app.get(app.signed_in, person)
  assert.deepEqual([...refused(answer), answer.body.data.price_cents], [402, 4023, 500])
  await addCopy(app.sql, app.game.uid, person.uid, 'purchase')
  must(await app.get(app.signed_in, person))
  must(await app.get(app.signed_in, app.game.owner))
  assert.deepEqual(
    (await app.attempts()).map(({ outcome, access }) => [outcome, access]),
    [
      ['payment_required', 'purchase'],
      ['ok', 'purchase'],
      ['ok', 'owner'],
    ],
  )
})

test('limits anonymous downloads and redirects to 60 a minute per address', async (t) => {
  const app = await startDownloadApp(t)
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, i) =>
      app.get(i % 2 ? app.signed_out : `${app.signed_out}/redirect`),
    ),
  )
  assert.ok(answers.every(({ status }) => status < 400))
  assert.deepEqual(refused(await app.get(app.signed_out)), [429, 4290])
})
