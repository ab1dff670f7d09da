import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import sharp from 'sharp'
import { brandKey } from '../../src/core/settings/brand-images.ts'
import { sweepBrandImages } from '../../src/operator/branding/jobs.ts'
import { eventually, runJob, startApp } from '../support/app.ts'
import { must, refused } from '../support/builders.ts'
import { form, picture } from '../support/images.ts'
import { errorsOf } from '../web/browser.ts'
import { OPERATIONS, SETTINGS, sharedConsole, startConsole } from './fixtures.ts'

const BRANDING = `${OPERATIONS}/branding`
const PAGE = '/operator/settings'
const svg = (content: string, attributes = 'viewBox="0 0 40 40"') =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${content}</svg>`)
const circle = svg('<circle cx="20" cy="20" r="18" fill="#c00"/>')
const wordmark = svg('<path d="M0 0h120v40H0z"/>', 'viewBox="0 0 120 40"')

const startShared = sharedConsole()

async function start(t: TestContext, begin: typeof startShared = startShared) {
  const app = await begin(t)
  const upload = (kind: string, bytes: Uint8Array, person = app.operator) =>
    app.call('PUT', `${BRANDING}/${kind}`, { token: person.token, raw: new Uint8Array(bytes) })
  const remove = (kind: string) => app.del(`${BRANDING}/${kind}`, app.operator)
  const read = async (path: string) => {
    const response = await fetch(new URL(path, app.url))
    return { response, bytes: Buffer.from(await response.arrayBuffer()) }
  }
  return { ...app, upload, remove, read }
}
const pathOf = (url: string) => new URL(url).pathname

test('a logo is shown on every page, and its address never changes', async (t) => {
  const { upload, remove, published, visitor, get, operator, url, set } = await start(t)
  await set({ store_name: 'Harbor' })
  const { path } = await published()
  const { logo, favicon } = must(await upload('logo', circle))
  assert.deepEqual([logo.type, logo.width, logo.height, favicon], ['image/svg+xml', 512, 512, null])
  const address = pathOf(logo.url)
  assert.match(address, new RegExp(`^/brand/logo-${logo.sha256}\\.svg$`))
  for (const page of ['/', path, '/login', '/missing']) {
    const { body } = await visitor().open(page)
    const [header] = body.match(/<a class="brand".*?<\/a>/s)
    assert.match(header, new RegExp(`<img class="brand-logo" src="${address}" alt=""`), page)
    assert.match(header, /<span>Harbor<\/span>/, 'a square logo stands beside the name')
  }
  const answer = await get(address)
  assert.equal(answer.status, 200)
  assert.equal(answer.headers['content-type'], 'image/svg+xml; charset=utf-8')
  assert.equal(answer.headers['x-content-type-options'], 'nosniff')
  assert.match(answer.headers['cache-control']!, /immutable/)
  const policy = answer.headers['content-security-policy']!
  assert.match(policy, /default-src 'none'.*sandbox/)
  assert.doesNotMatch(policy, /script-src|allow-scripts/)
  const etag = answer.headers.etag!
  assert.equal((await get(address, { headers: { 'if-none-match': etag } })).status, 304)
  const home = (await get('/')).body
  const json = JSON.parse(home.match(/<script type="application\/ld\+json">(.*?)<\/script>/s)[1])
  assert.deepEqual([json['@type'], json.name, json.logo], ['Organization', 'Harbor', url + address])
  const wide = must(await upload('logo', wordmark)).logo
  assert.notEqual(wide.url, logo.url)
  const [header] = (await get('/')).body.match(/<a class="brand".*?<\/a>/s)
  assert.match(header, /alt="Harbor"/)
  assert.doesNotMatch(header, /<span>/, 'a wide logo takes the place of the name')
  assert.equal((await get(address)).status, 404)
  assert.equal(must(await remove('logo')).logo, null)
  assert.deepEqual(refused(await remove('logo')), [404, 4040])
  const plain = (await get('/')).body
  assert.match(plain, /<a class="brand" href="\/"><svg/)
  assert.doesNotMatch(plain, /brand-logo|ld\+json/)
  assert.deepEqual(must(await get(BRANDING, operator)), { logo: null, favicon: null })
})

test('a favicon becomes icons of all sizes', async (t) => {
  const { upload, get, read, published, remove } = await start(t)
  const { path } = await published()
  const png = await sharp({
    create: { width: 600, height: 1000, channels: 4, background: '#00f' },
  })
    .png()
    .toBuffer()
  for (const bytes of [circle, png]) {
    const { favicon } = must(await upload('favicon', bytes))
    const is_svg = bytes === circle
    const icon = (rest: string) => `/brand/favicon-${favicon.sha256}${rest}`
    assert.equal(pathOf(favicon.url), icon(is_svg ? '.svg' : '-512.png'))
    for (const page of ['/', `${path}/embed`]) {
      const { body } = await get(page)
      assert.match(body, new RegExp(`<link rel="icon" sizes="32x32"[^>]*href="${icon('-32.png')}"`))
      assert.match(body, new RegExp(`rel="apple-touch-icon"[^>]*href="${icon('-180.png')}"`))
      assert.equal(body.includes(`type="image/svg+xml" href="${icon('.svg')}"`), is_svg)
      assert.doesNotMatch(body, /icon\.[0-9a-f]+\.svg|icon-32/)
    }
    for (const size of [32, 180, 192, 512]) {
      const { response, bytes } = await read(icon(`-${size}.png`))
      assert.equal(response.headers.get('content-type'), 'image/png')
      const { width, height, hasAlpha } = await sharp(bytes).metadata()
      assert.deepEqual([width, height, hasAlpha], [size, size, size !== 180], String(size))
    }
    const { icons } = JSON.parse((await get('/manifest.webmanifest')).body)
    const sources = icons.map(({ src }: { src: string }) => src)
    const vector = is_svg ? [icon('.svg')] : []
    assert.deepEqual(sources, [...vector, icon('-192.png'), icon('-512.png')])
    const ico = (await read('/favicon.ico')).bytes
    const small = (await read(icon('-32.png'))).bytes
    assert.ok(ico.subarray(ico.readUInt32LE(18)).equals(small))
    assert.equal((await get(icon('-33.png'))).status, 404)
  }
  must(await remove('favicon'))
  assert.match((await get('/')).body, /<link rel="icon" sizes="32x32"[^>]*href="\/assets\//)
})

test('only the pixels of an image are kept', async (t) => {
  const { upload, read } = await start(t)
  const bytes = await sharp(await picture(2000, 500))
    .withExif({ IFD0: { Copyright: 'Somebody' } })
    .webp()
    .toBuffer()
  assert.ok(bytes.includes('Somebody'))
  const { logo } = must(await upload('logo', Buffer.concat([bytes])))
  assert.deepEqual([logo.type, logo.width, logo.height], ['image/webp', 1024, 256])
  const stored = await read(pathOf(logo.url))
  assert.equal(stored.response.headers.get('content-type'), 'image/webp')
  assert.ok(!stored.bytes.includes('Somebody'))
})

test('files that are no usable image are refused with the reason', async (t) => {
  const { upload, get, operator, a } = await start(t)
  const png = await picture(600, 600)
  const cases: [string, Uint8Array, number[], RegExp][] = [
    ['logo', Buffer.alloc(0), [400, 4037], /send an image/],
    ['logo', Buffer.from('hello'), [422, 4151], /not an SVG, PNG or WebP/],
    ['logo', await picture(64, 64, { format: 'jpeg' }), [422, 4151], /not an SVG, PNG or WebP/],
    ['logo', png.subarray(0, png.length - 20), [422, 4151], /damaged/],
    ['logo', await picture(31, 64), [422, 4151], /31x64; send at least 32x32/],
    ['favicon', await picture(511, 600), [422, 4151], /at least 512x512/],
    ['logo', await picture(6001, 64), [422, 4151], /at most 6000x6000/],
    ['logo', svg('<path/>', ''), [422, 4151], /neither a viewBox nor/],
    ['logo', Buffer.from('<p><svg></p>'), [422, 4151], /not an SVG image that can be read/],
    ['logo', Buffer.concat([circle, Buffer.alloc(2 * 1024 * 1024)]), [413, 4130], /too large/],
    ['banner', png, [404, 4040], /./],
  ]
  for (const [kind, bytes, expected, message] of cases) {
    const answer = await upload(kind, bytes)
    assert.deepEqual(refused(answer), expected, String(message))
    assert.match(answer.body.error.message, message)
  }
  for (const [kind, bytes] of [
    ['logo', await picture(32, 32)],
    ['favicon', await picture(512, 512)],
    ['logo', svg('<path/>', 'width="10" height="20px"')],
  ] as const)
    must(await upload(kind, bytes))
  const person = await a.verified()
  assert.deepEqual(refused(await upload('logo', circle, person)), [403, 4030])
  assert.deepEqual(refused(await get(BRANDING, person)), [403, 4030])
  must(await get(BRANDING, operator))
})

test('every process follows, and each change is recorded', async (t) => {
  const { upload, remove, settings, data_dir, get, operator } = await start(t)
  const other = await startApp(t, {
    DATABASE_URL: settings.DATABASE_URL,
    DATA_DIR: data_dir,
    SLIPWAY_ROLES: 'web',
  })
  const { logo } = must(await upload('logo', circle))
  // The other process serves the file even if it has not heard of the change yet.
  assert.equal((await other.get(pathOf(logo.url))).status, 200)
  await eventually('the logo', async () => (await other.get('/')).body.includes(pathOf(logo.url)))
  assert.equal(must(await upload('logo', circle)).logo.url, logo.url)
  must(await remove('logo'))
  await eventually('the default', async () => !(await other.get('/')).body.includes('brand-logo'))
  const { changes } = must(await get(SETTINGS, operator))
  assert.deepEqual(
    changes.map(({ name, username, old_value, new_value }: Record<string, string>) => [
      name,
      username,
      old_value && JSON.parse(old_value).sha256,
      new_value && JSON.parse(new_value).sha256,
    ]),
    [
      ['logo', operator.username, logo.sha256, null],
      ['logo', operator.username, null, logo.sha256],
    ],
  )
})

test('the sweep removes replaced files after a day and keeps those in use', async (t) => {
  const app = await start(t, startConsole)
  const { upload, core, sql } = app
  const keys = async () => {
    const keys: string[] = []
    for await (const { key } of core.storage.list('brand/')) keys.push(key)
    return keys.sort()
  }
  must(await upload('logo', circle))
  const first = await keys()
  must(await upload('logo', wordmark))
  await runJob(app, sweepBrandImages)
  assert.equal((await keys()).length, 2, 'younger than a day')
  const uid = '01900000-0000-7000-8000-000000000000'
  const orphan = brandKey(uid, 'logo.svg')
  await core.storage.put(orphan, circle)
  const used = brandKey('01900000-0000-7000-8000-000000000001', 'logo.svg')
  await core.storage.put(used, circle)
  await sql`
    update store_settings
    set value = value || '{"uid": "01900000-0000-7000-8000-000000000001"}'
    where name = 'logo'`
  await runJob(app, sweepBrandImages)
  const left = await keys()
  assert.ok(!left.includes(orphan))
  assert.ok(left.includes(used) && left.includes(first[0]!))
})

test('the settings page uploads, shows and removes images without script', async (t) => {
  const { console, call, operator, url, get } = await start(t)
  const send = async (kind: string, bytes: Uint8Array) => {
    const { headers, raw } = await form({}, [{ bytes }])
    const cookie = `svc_session=${operator.token}`
    return call('POST', `${PAGE}/images/${kind}`, {
      raw,
      headers: { ...headers, cookie, accept: 'text/html', origin: url },
    })
  }
  assert.match((await console.open(PAGE)).body, /show the default icon/)
  for (const kind of ['logo', 'favicon']) assert.equal((await send(kind, circle)).status, 303, kind)
  const { logo } = must(await get(BRANDING, operator))
  const page = (await console.open(PAGE)).body
  assert.match(page, /alt="The logo of the store"/)
  assert.match(page, /alt="The icon of the store"/)
  assert.match(page, new RegExp(`<td[^>]*>Image ${logo.sha256.slice(0, 12)}`))
  const wrong = await send('favicon', await picture(100, 100))
  assert.equal(wrong.status, 422)
  assert.deepEqual(errorsOf(wrong.body).filter(Boolean), [
    'It is 100 × 100 pixels and has to be at least 512 × 512 pixels.',
  ])
  const large = await send('logo', Buffer.alloc(3 * 1024 * 1024))
  assert.equal(large.status, 413)
  assert.equal((await send('banner', circle)).status, 404)
  assert.match((await console.submit(`${PAGE}/images/logo/remove`)).body, /Image removed/)
  assert.equal(must(await get(BRANDING, operator)).logo, null)
})
