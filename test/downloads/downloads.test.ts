import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { attachment, readRange } from '../../src/core/http/file-headers.ts'
import { clientOf, sourceOf } from '../../src/downloads/attempts.ts'
import { type Answer, startApp } from '../support/app.ts'
import { must } from '../support/builders.ts'
import { sha256, zip } from '../uploads/zips.ts'

const refused = ({ status, body }: Answer) => [status, body.error?.code]
const bytes = zip([{ name: 'game', body: 'play'.repeat(500), method: 0 }])

/** A public game with one clean file, with anonymous downloads by default. */
async function startDownloadApp(t: TestContext, { anonymous = true, env = {} } = {}) {
  const app = await startApp(t, env)
  const game = await app.a.listing({ owner: await app.a.verifiedDeveloper() })
  const { file_uid, ci, build_id } = await app.a.cleanBuild(game, { bytes })
  await app.sql`
    update listings set visibility = 'public', anonymous_downloads = ${anonymous}
    where uid = ${game.uid}`
  const attempts = async () =>
    (
      await app.sql`
        select outcome, access, source, client, user_uid, licence_granted, referrer_host
        from download_attempts
        order by seq`
    ).map((row) => ({ ...row }))
  const fetchFile = (url: string, headers = {}, method = 'GET') => fetch(url, { method, headers })
  return {
    ...app,
    game,
    file_uid,
    ci,
    build_id,
    attempts,
    fetchFile,
    signed_out: `/api/v1/public/downloads/${file_uid}`,
    signed_in: `/api/v1/private/downloads/${file_uid}`,
  }
}

test('a free game that allows it is downloaded without an account', async (t) => {
  const app = await startDownloadApp(t)
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
  assert.equal((await app.sql`select from licences`).length, 0)
  const redirect = await app.get(`${app.signed_out}/redirect`)
  assert.equal(redirect.status, 302)
  assert.equal((await app.fetchFile(redirect.headers.location!)).status, 200)
})

test('serves ranges, and 304 for a file that the client already has', async (t) => {
  const app = await startDownloadApp(t)
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
  const app = await startDownloadApp(t)
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
  await app.sql`update files set scan = 'infected'`
  assert.equal(await statusOf(() => {}), 404, 'only clean files are served')
})

test('a paid or protected game answers anonymous callers with 4001 and its price', async (t) => {
  const app = await startDownloadApp(t, { anonymous: false })
  const off = await app.get(app.signed_out)
  assert.deepEqual(refused(off), [401, 4001])
  assert.deepEqual(off.body.data, {
    browse_url: `${app.url}/${app.game.owner.username}/${app.game.vanity_name}`,
    game_uid: app.game.uid,
    price_cents: 0,
    currency: 'USD',
  })
  await app.sql`update listings set price_cents = 500, anonymous_downloads = true`
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
  const app = await startDownloadApp(t)
  const answer = async () => refused(await app.get(app.signed_out))
  for (const id of ['x', randomUUID()])
    assert.deepEqual(refused(await app.get(`/api/v1/public/downloads/${id}`)), [404, 4040])
  for (const change of [
    app.sql`visibility = 'draft'`,
    app.sql`visibility = 'owner'`,
    app.sql`visibility = 'public', adult = true`,
  ]) {
    await app.sql`update listings set ${change}`
    assert.deepEqual(await answer(), [404, 4040])
  }
  await app.sql`update listings set adult = false, visibility = 'invisible'`
  must(await app.get(app.signed_out))
  const dev = await app.a.cleanBuild(app.game, { channel: 'dev' })
  assert.deepEqual(refused(await app.get(`/api/v1/public/downloads/${dev.file_uid}`)), [404, 4040])
  for (const scan of ['infected', 'error']) {
    await app.sql`update files set scan = ${scan} where uid = ${app.file_uid}`
    assert.deepEqual(await answer(), [404, 4040])
  }
  assert.equal((await app.attempts()).length, 1)
})

test('a file that is still being scanned is 4099 for everyone', async (t) => {
  const app = await startDownloadApp(t)
  await app.sql`update files set scan = 'scanning'`
  assert.deepEqual(refused(await app.get(app.signed_out)), [409, 4099])
  for (const who of [await app.a.verified(), app.game.owner])
    assert.deepEqual(refused(await app.get(app.signed_in, who)), [409, 4099])
  assert.equal((await app.sql`select from licences`).length, 0)
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
  assert.deepEqual(refused(await app.get(app.signed_out)), [503, 5030])
  app.core.secrets.mac = mac
  must(await app.get(app.signed_out))
  assert.deepEqual(
    (await app.attempts()).map(({ outcome }) => outcome),
    ['unavailable', 'ok'],
  )
})

test('the first signed-in download of a free game grants one copy', async (t) => {
  const app = await startDownloadApp(t, { anonymous: false })
  const person = await app.a.verified()
  const links = await Promise.all(Array.from({ length: 4 }, () => app.get(app.signed_in, person)))
  for (const link of links) assert.equal((await app.fetchFile(must(link).url)).status, 200)
  const attempts = await app.attempts()
  assert.deepEqual(
    attempts.map(({ outcome, access, user_uid }) => [outcome, access, user_uid]),
    Array(4).fill(['ok', 'free', person.uid]),
  )
  assert.equal(attempts.filter(({ licence_granted }) => licence_granted).length, 1)
  assert.equal((await app.sql`select from licences`).length, 1)
  assert.deepEqual(refused(await app.get(app.signed_in, await app.a.user())), [403, 4096])
  assert.deepEqual(refused(await app.get(app.signed_in)), [401, 4010])
})

test('a paid game needs a copy, except for its managers', async (t) => {
  const app = await startDownloadApp(t, { anonymous: false })
  await app.sql`update listings set price_cents = 500`
  const person = await app.a.verified()
  const answer = await app.get(app.signed_in, person)
  assert.deepEqual([...refused(answer), answer.body.data.price_cents], [402, 4023, 500])
  await app.sql`
    insert into licences (user_uid, game_uid, source)
    values (${person.uid}, ${app.game.uid}, 'purchase')`
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

test('only the owner reads the download statistics of the last 30 days', async (t) => {
  const app = await startDownloadApp(t)
  const url = `/api/v1/private/games/${app.game.uid}/download-analytics`
  const browser = { headers: { 'user-agent': 'Mozilla/5.0', referer: `${app.url}/x` } }
  must(await app.get(`${app.signed_out}?source=website`, browser))
  must(
    await app.get(`${app.signed_out}?source=website`, {
      headers: {
        'user-agent': 'GodotEngine/4.3',
        referer: 'https://elsewhere.example/page?secret',
      },
    }),
  )
  await app.sql`update listings set anonymous_downloads = false`
  await app.get(app.signed_out)
  must(await app.get(app.signed_in, await app.a.verified()))
  await app.sql`
    insert into download_attempts (game_uid, channel, source, access, client, outcome, at)
    values (${app.game.uid}, 'stable', 'api', 'anonymous', 'other', 'ok',
      now() - interval '31 days')`
  const { downloads } = must(await app.get(url, app.game.owner))
  const { daily, by_client, ...rest } = downloads
  assert.deepEqual(rest, {
    total: 3,
    unique_users: 1,
    anonymous: 2,
    licenses_granted: 1,
    by_source: [
      { source: 'api', count: 2 },
      { source: 'website', count: 1 },
    ],
    by_access: [
      { access: 'anonymous', count: 2 },
      { access: 'free', count: 1 },
    ],
    by_outcome: [
      { outcome: 'ok', count: 3 },
      { outcome: 'sign_in_required', count: 1 },
    ],
    by_country: [{ country: 'unknown', count: 3 }],
  })
  assert.equal(
    daily.reduce((sum: number, { count }: { count: number }) => sum + count, 0),
    3,
  )
  assert.deepEqual(
    by_client.map(({ client }: { client: string }) => client),
    ['browser', 'other', 'third_party_editor'],
  )
  assert.equal(
    (
      await app.sql`
        select from download_attempts
        where referrer_host like '%secret%' or referrer_host = 'elsewhere.example'`
    ).length,
    1,
  )
  assert.deepEqual(refused(await app.get(url, await app.a.developer())), [404, 4040])
})

test('records the country of a download, but not the address', async (t) => {
  const app = await startDownloadApp(t, { env: { PROXY_HOPS: '1' } })
  const from = async (address: string) => {
    must(await app.get(app.signed_out, { headers: { 'x-forwarded-for': address } }))
    const [row] = await app.sql`
      select country, download_attempts::text as whole
      from download_attempts
      order by seq desc
      limit 1`
    assert.ok(!row!.whole.includes(address), row!.whole)
    return row!.country as string | null
  }
  assert.equal(await from('8.8.8.8'), 'US')
  assert.equal(await from('::ffff:8.8.8.8'), 'US')
  assert.equal(await from('2001:4860:4860::8888'), 'US')
  assert.equal(await from('193.0.6.139'), 'NL')
  for (const local of [
    '127.0.0.1',
    '::1',
    '10.1.2.3',
    '192.168.1.1',
    '172.16.0.9',
    '100.64.0.1',
    'fd00::1',
    'fe80::1',
  ])
    assert.equal(await from(local), null, local)
  const { downloads } = must(
    await app.get(`/api/v1/private/games/${app.game.uid}/download-analytics`, app.game.owner),
  )
  assert.deepEqual(downloads.by_country, [
    { country: 'unknown', count: 8 },
    { country: 'US', count: 3 },
    { country: 'NL', count: 1 },
  ])
})

test('a missing country database does not prevent a download', async (t) => {
  const app = await startDownloadApp(t, {
    env: { PROXY_HOPS: '1', COUNTRY_DATABASE: '/nowhere/country.mmdb' },
  })
  must(await app.get(app.signed_out, { headers: { 'x-forwarded-for': '8.8.8.8' } }))
  assert.equal((await app.sql`select country from download_attempts`)[0]!.country, null)
})

test('a file on a closed channel is 4074 when signed in, and 404 otherwise', async (t) => {
  const app = await startDownloadApp(t)
  const person = await app.a.verified()
  const download = async (file_uid: string, who?: { token: string }) =>
    refused(await app.get(`/api/v1/${who ? 'private' : 'public'}/downloads/${file_uid}`, who))
  const dev = await app.a.cleanBuild(app.game, { channel: 'dev', version: '9.0' })
  const beta = await app.a.cleanBuild(app.game, { channel: 'beta', version: '9.1' })
  for (const { file_uid } of [dev, beta]) {
    assert.deepEqual(await download(file_uid, person), [403, 4074])
    assert.deepEqual(await download(file_uid), [404, 4040])
  }
  must(await app.get(`/api/v1/private/downloads/${dev.file_uid}`, app.game.owner))
  must(await app.put(`/api/v1/private/games/${app.game.uid}/channel`, { channel: 'beta' }, person))
  must(await app.get(`/api/v1/private/downloads/${beta.file_uid}`, person))
  await app.a.cleanBuild(app.game, { version: '9.9' })
  assert.deepEqual(
    await download(app.file_uid, person),
    [403, 4074],
    'a file that a newer build replaced',
  )
  await app.sql`update files set scan = 'infected' where uid = ${dev.file_uid}`
  assert.deepEqual(await download(dev.file_uid, person), [404, 4040], 'a rejected file')
  await app.sql`update listings set visibility = 'draft'`
  assert.deepEqual(await download(beta.file_uid, person), [404, 4040], 'a file of a hidden page')
  assert.equal((await app.attempts()).length, 2, 'refusals are not recorded')
})

test('a beta that is sold answers 4165 with the editions to buy', async (t) => {
  const app = await startDownloadApp(t, { anonymous: false })
  const beta = await app.a.cleanBuild(app.game, { channel: 'beta', version: '9.1' })
  const channel = `/api/v1/private/games/${app.game.uid}/channel`
  const early = await app.a.verified()
  const buyer = await app.a.verified()
  const other = await app.a.verified()
  must(await app.put(channel, { channel: 'beta' }, early))
  const edition = {
    slug: 'early',
    name: 'Early access',
    kind: 'beta_access',
    price_cents: 500,
    active: true,
    sort_order: 0,
  }
  const { uid } = must(
    await app.post(`/api/v1/private/games/${app.game.uid}/editions`, edition, app.game.owner),
  )
  const skus = [{ uid, slug: 'early', name: 'Early access', price_cents: 500 }]
  for (const who of [other, early]) {
    const joining = await app.put(channel, { channel: 'beta' }, who)
    assert.deepEqual([...refused(joining), joining.body.data], [402, 4165, { skus }])
    const download = await app.get(`/api/v1/private/downloads/${beta.file_uid}`, who)
    assert.deepEqual([...refused(download), download.body.data], [402, 4165, { skus }])
  }
  const grants = `/api/v1/private/games/${app.game.uid}/licences`
  must(await app.post(grants, { username: other.username }, app.game.owner))
  assert.deepEqual(
    refused(await app.put(channel, { channel: 'beta' }, other)),
    [402, 4165],
    'a copy without the edition does not suffice',
  )
  const given = must(
    await app.post(grants, { username: buyer.username, edition: 'early' }, app.game.owner),
  )
  assert.deepEqual(given.edition, { uid, kind: 'beta_access' })
  assert.deepEqual(
    refused(await app.get(`/api/v1/private/downloads/${beta.file_uid}`, buyer)),
    [403, 4074],
    'bought, but not joined',
  )
  must(await app.put(channel, { channel: 'beta' }, buyer))
  must(await app.get(`/api/v1/private/downloads/${beta.file_uid}`, buyer))
  must(await app.put(channel, { channel: 'beta' }, app.game.owner))
  must(await app.put(channel, { channel: 'stable' }, other))
  must(await app.del(`/api/v1/private/games/${app.game.uid}/editions/${uid}`, app.game.owner))
  must(await app.put(channel, { channel: 'beta' }, other))
  must(await app.get(`/api/v1/private/downloads/${beta.file_uid}`, buyer))
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

test('reads clients, sources, ranges and file names', () => {
  assert.deepEqual(clientOf('GodotEngine/4.3.1 (Linux)'), {
    client: 'third_party_editor',
    client_version: '4.3.1',
  })
  assert.deepEqual(clientOf('GodotEngine/4.6.beta2'), {
    client: 'third_party_editor',
    client_version: '4.6.beta2',
  })
  assert.deepEqual(clientOf('SlipwayEngine/1.0'), { client: 'svc_editor', client_version: '1.0' })
  assert.deepEqual(clientOf('GodotEngine/'), { client: 'third_party_editor', client_version: null })
  for (const other of ['SomeEngine/4.3', 'x GodotEngine/4.3', 'Godot/4.3'])
    assert.deepEqual(clientOf(other), { client: 'other', client_version: null })
  assert.equal(clientOf('Mozilla/5.0 (X11)').client, 'browser')
  assert.equal(clientOf('some-agent/1').client, 'agent')
  assert.equal(clientOf(undefined).client, 'other')
  assert.equal(sourceOf('website', 'store.example', 'https://store.example'), 'website')
  assert.equal(sourceOf('website', 'other.example', 'https://store.example'), 'api')
  assert.equal(sourceOf(undefined, 'store.example', 'https://store.example'), 'api')
  const cases: [string | undefined, unknown][] = [
    [undefined, undefined],
    ['bytes=0-0', { start: 0, end: 0 }],
    ['bytes=5-', { start: 5, end: 9 }],
    ['bytes=5-100', { start: 5, end: 9 }],
    ['bytes=-3', { start: 7, end: 9 }],
    ['bytes=-100', { start: 0, end: 9 }],
    ['bytes=9-9', { start: 9, end: 9 }],
    ['bytes=10-', null],
    ['bytes=-0', null],
    ['bytes=5-4', undefined],
    ['bytes=0-1,3-4', undefined],
    ['items=0-1', undefined],
    ['bytes=-', undefined],
  ]
  for (const [header, expected] of cases) assert.deepEqual(readRange(header, 10), expected, header)
  assert.equal(
    attachment('Ä"b.zip'),
    `attachment; filename="__b.zip"; filename*=UTF-8''%C3%84%22b.zip`,
  )
})
