import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { repeatUses } from '../extstore/repeat-uses.ts'
import { type Answer, startApp } from '../support/app.ts'
import { must, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { addImages, admin, published, show } from './fixtures.ts'
import { emptyKit, times } from './kits.ts'

const sharedApp = sharedInFile(startApp)

const kitOf = (uid: string) => `/api/v1/private/games/${uid}/press`
const pressOf = (uid: string) => `/api/v1/public/games/${uid}/press`
const refusedField = (answer: Answer) => [...refused(answer), answer.body.data?.field]

const full = {
  release_date: 'Spring 2027',
  website_url: 'https://example.com/game',
  press_email: 'press@example.com',
  trailer_url: 'https://video.example.com/watch?v=1',
  history: '# How it began\n\nIn a <script>shed</script>.',
  features: ['Boats', 'More boats'],
  awards: ['Best boat'],
  links: [{ label: 'Wiki', url: 'https://wiki.example.com/' }],
  quotes: [{ quote: 'I liked it', source: 'A paper', url: 'https://paper.example.com/1' }],
  credits: [{ name: 'Ada', role: 'Code' }],
}

test('a new listing has an empty press kit, and a saved kit is read back', async (t) => {
  const { get, put, a } = await sharedApp(t)
  const { uid, vanity_name, owner } = await a.listing()
  assert.deepEqual(must(await get(kitOf(uid), owner)), emptyKit)
  assert.deepEqual(must(await put(kitOf(uid), full, owner)), full)
  assert.deepEqual(must(await get(kitOf(vanity_name), owner)), full)
})

test('saving replaces the whole kit and clears missing fields', async (t) => {
  const { get, put, a } = await sharedApp(t)
  const { uid, owner } = await a.listing()
  must(await put(kitOf(uid), full, owner))
  must(await put(kitOf(uid), { history: 'Only this' }, owner))
  assert.deepEqual(must(await get(kitOf(uid), owner)), { ...emptyKit, history: 'Only this' })
  must(await put(kitOf(uid), {}, owner))
  assert.deepEqual(must(await get(kitOf(uid), owner)), emptyKit)
})

test('accepts the one-line entries of the website form', async (t) => {
  const { put, a } = await sharedApp(t)
  const { uid, owner } = await a.listing()
  const lines = {
    links: ['Wiki | https://wiki.example.com/', ''],
    quotes: ['I liked it | A paper'],
    credits: ['Ada | Code'],
  }
  const { links, quotes, credits } = must(await put(kitOf(uid), lines, owner))
  assert.deepEqual(
    { links, quotes, credits },
    { links: full.links, quotes: [{ ...full.quotes[0], url: '' }], credits: full.credits },
  )
})

const email = (length: number) =>
  `${'a'.repeat(64)}@${'b'.repeat(62)}.${'c'.repeat(62)}.${'d'.repeat(length - 195)}.com`

/** field, the last accepted value, the first rejected value, and the field that the error names. */
const bounds: [string, unknown, unknown, string?][] = [
  ['release_date', '界'.repeat(32), '界'.repeat(33)],
  ['press_email', email(254), email(255)],
  ['press_email', 'a@example.com', 'a@example'],
  ['website_url', 'https://example.com/', 'http://example.com/'],
  ['trailer_url', 'https://example.com/', 'javascript:alert(1)'],
  ['history', '界'.repeat(8000), '界'.repeat(8001)],
  ['features', times(20, 'x'), times(21, 'x')],
  ['features', ['界'.repeat(200)], ['ok', '界'.repeat(201)], 'features[1]'],
  ['awards', times(20, 'x'), times(21, 'x')],
  ['awards', ['x'.repeat(200)], ['x'.repeat(201)], 'awards[0]'],
  ['links', times(20, full.links[0]), times(21, full.links[0])],
  ['links', full.links, [{ label: 'Wiki', url: 'http://wiki.example.com/' }], 'links[0].url'],
  ['quotes', times(20, full.quotes[0]), times(21, full.quotes[0])],
  [
    'quotes',
    full.quotes,
    [{ ...full.quotes[0], url: 'ftp://paper.example.com/' }],
    'quotes[0].url',
  ],
  ['credits', times(50, full.credits[0]), times(51, full.credits[0])],
  ['credits', full.credits, [{ name: '', role: 'Code' }], 'credits[0].name'],
]

test('rejects values beyond each limit with 4235 and the field, and saves nothing', async (t) => {
  const { get, put, a } = await sharedApp(t)
  const { uid, owner } = await a.listing()
  for (const [field, accepted, rejected, named = field] of bounds) {
    const saved = must(await put(kitOf(uid), { [field]: accepted }, owner))
    assert.deepEqual(saved, { ...emptyKit, [field]: accepted }, field)
    assert.deepEqual(refusedField(await put(kitOf(uid), { ...full, [field]: rejected }, owner)), [
      422,
      4235,
      named,
    ])
    assert.deepEqual(must(await get(kitOf(uid), owner)), saved, field)
  }
})

test('rejects an unknown field and a value of the wrong type by name', async (t) => {
  const { put, a } = await sharedApp(t)
  const { uid, owner } = await a.listing()
  for (const [body, field] of [
    [{ team: [] }, 'team'],
    [{ history: 5 }, 'history'],
    [{ features: 'one' }, 'features'],
    [{ links: [7] }, 'links[0]'],
  ] as const)
    assert.deepEqual(refusedField(await put(kitOf(uid), body, owner)), [422, 4235, field])
})

test('rejects a body that is not an object', async (t) => {
  const { call, put, a } = await sharedApp(t)
  const { uid, owner } = await a.listing()
  for (const body of [[], 'kit', 5, null, true])
    assert.deepEqual(refused(await put(kitOf(uid), body, owner)), [400, 4000])
  const headers = { 'content-type': 'application/json' }
  for (const raw of ['', '{"history":'])
    assert.equal((await call('PUT', kitOf(uid), { ...owner, headers, raw })).status, 400)
})

test('only the owner and accepted admins reach the kit; others get 404', async (t) => {
  const app = await sharedApp(t)
  const { get, put, a } = app
  const { uid, owner } = await a.listing()
  for (const who of [owner, await admin(app, uid, true)]) {
    must(await put(kitOf(uid), full, who))
    assert.deepEqual(must(await get(kitOf(uid), who)), full)
  }
  await show(app, uid, { visibility: 'public' })
  for (const who of [await admin(app, uid, false), await a.user()]) {
    assert.deepEqual(await get(kitOf(uid), who), await get(kitOf(randomUUID()), who))
    // The answer does not reveal whether the kit would be valid.
    for (const body of [full, { team: [] }])
      assert.deepEqual(await put(kitOf(uid), body, who), await put(kitOf(randomUUID()), body, who))
    assert.equal((await get(kitOf(uid), who)).status, 404)
  }
  assert.equal((await get(kitOf(uid))).status, 401)
  assert.equal((await put(kitOf(uid), full)).status, 401)
})

test('an agent key needs the right scope and reaches only its project', async (t) => {
  const { get, put, a } = await sharedApp(t)
  const bound = await a.listing()
  const other = await a.listing({ owner: bound.owner })
  const keyFor = async (scopes: string[], more = {}) => ({
    token: (await a.key('agent', bound.owner, scopes, more)).key as string,
  })
  const reader = await keyFor(['mcp:read'])
  assert.equal((await get(kitOf(bound.uid), reader)).status, 200)
  assert.deepEqual(refused(await put(kitOf(bound.uid), full, reader)), [403, 4031])
  const editor = await keyFor(['mcp:read', 'mcp:catalog.write'], { game_uid: bound.uid })
  assert.equal((await put(kitOf(bound.uid), full, editor)).status, 200)
  assert.equal((await put(kitOf(other.uid), full, editor)).status, 404)
  assert.equal((await get(kitOf(other.uid), editor)).status, 404)
})

test('of concurrent saves, one is stored as a whole', async (t) => {
  const { get, put, a } = await sharedApp(t)
  const { uid, owner } = await a.listing()
  const kits = Array.from({ length: 12 }, (_, i) => ({
    ...emptyKit,
    release_date: `day ${i}`,
    history: `${i}`.repeat(500),
    features: [`f ${i}`],
  }))
  const answers = await Promise.all(kits.map((kit) => put(kitOf(uid), kit, owner)))
  assert.deepEqual(answers.map(must), kits)
  const stored = must(await get(kitOf(uid), owner))
  assert.deepEqual(stored, kits[Number(stored.release_date.slice(4))])
})

test('the factsheet combines the page, the kit, the images and clean builds', async (t) => {
  const app = await sharedApp(t)
  const { get, put, patch, sql, a, url } = app
  const { uid, vanity_name, owner } = await a.listing({ name: 'Boats & "Co"' })
  must(
    await patch(
      `/api/v1/private/games/${uid}`,
      { tagline: 'Row', description: '**Row** on' },
      owner,
    ),
  )
  must(await put(kitOf(uid), full, owner))
  const [cover, thumbnail, first, second] = await addImages(app, uid, [
    { slot: 'cover', bytes: Buffer.from('cover') },
    { slot: 'thumbnail', bytes: Buffer.from('thumbnail'), type: 'image/jpeg' },
    { slot: 'gallery', bytes: Buffer.from('first'), type: 'image/webp', position: 0 },
    { slot: 'gallery', bytes: Buffer.from('second'), type: 'image/gif', position: 1 },
  ])
  await addFiles(sql, uid)
  await show(app, uid, { visibility: 'public' })
  const { gallery, updated_at, changelog, ...facts } = must(await get(pressOf(vanity_name)))
  assert.deepEqual(facts, {
    ...full,
    uid,
    vanity_name,
    name: 'Boats & "Co"',
    tagline: 'Row',
    description: '**Row** on',
    asset_type: 'game',
    status: 'development',
    developer: { uid: owner.uid, username: owner.username },
    platforms: ['linux', 'windows'],
    cover: `${url}/media/images/${cover}.png`,
    thumbnail: `${url}/media/images/${thumbnail}.jpg`,
    url: `${url}/${owner.username}/${vanity_name}`,
  })
  assert.deepEqual(changelog, must(await get(`/api/v1/public/games/${uid}`)).changelog)
  assert.deepEqual(
    changelog.map(({ version, title }: { version: string; title: string }) => [version, title]),
    [['1', 'First']],
  )
  assert.deepEqual(
    gallery.map((image: { url: string; position: number }) => [image.url, image.position]),
    [
      [`${url}/media/images/${first}.webp`, 0],
      [`${url}/media/images/${second}.gif`, 1],
    ],
  )
  assert.ok(Date.parse(updated_at) > Date.now() - 60_000)
})

/** Files of several platforms; only clean files of the stable channel count as platforms. */
async function addFiles(sql: Awaited<ReturnType<typeof startApp>>['sql'], game_uid: string) {
  const build_uid = randomUUID()
  await sql`
    insert into builds (uid, game_uid, version, title)
    values (${build_uid}, ${game_uid}, '1', 'First')`
  const files = [
    ['windows', 'stable', 'clean'],
    ['windows', 'stable', 'clean'],
    ['linux', 'stable', 'clean'],
    ['macos', 'beta', 'clean'],
    ['android', 'stable', 'scanning'],
    ['web', 'stable', 'infected'],
  ] as const
  for (const [os, channel, scan] of files) {
    const file = {
      uid: randomUUID(),
      game_uid,
      build_uid,
      os,
      arch: 'x86_64',
      channel,
      scan,
      filename: 'a.zip',
      size: 1,
      checksum: 'x',
      method: 'website',
    }
    await sql`insert into files ${sql(file)}`
    if (channel !== 'stable' || scan !== 'clean') continue
    const head = { game_uid, app: '', channel, os, arch: 'x86_64', build_uid }
    await sql`insert into channel_heads ${sql(head)} on conflict do nothing`
  }
}

test('a listing without kit, images or builds has a factsheet with empty fields', async (t) => {
  const app = await sharedApp(t)
  const { uid } = await published(app)
  const facts = must(await app.get(pressOf(uid)))
  assert.deepEqual(facts, {
    ...facts,
    ...emptyKit,
    cover: '',
    thumbnail: '',
    gallery: [],
    platforms: [],
    changelog: [],
  })
})

test('the next factsheet shows an edit', async (t) => {
  const app = await sharedApp(t)
  const { uid, owner } = await published(app)
  for (const release_date of ['2027', '2028', '']) {
    must(await app.put(kitOf(uid), { release_date }, owner))
    assert.equal(must(await app.get(pressOf(uid))).release_date, release_date)
  }
})

test('a factsheet never shows the kit of a page that became a draft meanwhile', async (t) => {
  const app = await sharedApp(t)
  const { uid, owner } = await published(app)
  must(await app.put(kitOf(uid), { release_date: 'public date' }, owner))
  const change = (visibility: string, release_date: string) =>
    app.sql.begin(async (tx) => {
      await tx`update listings set visibility = ${visibility} where uid = ${uid}`
      await tx`
        update press_kits
        set kit = jsonb_set(kit, '{release_date}', to_jsonb(${release_date}::text))
        where game_uid = ${uid}`
    })
  const answers = new Set<string>()
  let changing = true
  const reader = async () => {
    while (changing) {
      const { status, body } = await app.get(pressOf(uid))
      answers.add(status === 200 ? body.data.release_date : String(status))
    }
  }
  const readers = Array.from({ length: 4 }, reader)
  for (let i = 0; i < 60; i++)
    await change(i % 2 ? 'public' : 'draft', i % 2 ? 'public date' : 'draft date')
  changing = false
  await Promise.all(readers)
  answers.delete('429')
  assert.deepEqual([...answers].sort(), ['404', 'public date'])
})

/** Who sees the press page of a listing, by its visibility and whether it is adult. */
const visibleTo = {
  draft: { plain: [], adult: [] },
  owner: { plain: [], adult: [] },
  invisible: {
    plain: ['owner', 'admin', 'invited', 'opted in', 'stranger', 'nobody'],
    adult: ['owner', 'admin', 'opted in'],
  },
  public: {
    plain: ['owner', 'admin', 'invited', 'opted in', 'stranger', 'nobody'],
    adult: ['owner', 'admin', 'opted in'],
  },
} as Record<string, { plain: string[]; adult: string[] }>

test('press page and zip of an invisible page answer like those of a missing one', async (t) => {
  const app = await startApp(t, { PROXY_HOPS: '1' })
  const { get, put, a } = app
  const { uid, vanity_name, owner } = await a.listing()
  const opted = await a.user()
  must(await put('/api/v1/private/settings/adult', { show: true, confirm_18: true }, opted))
  const people: Record<string, { token?: string }> = {
    owner,
    admin: await admin(app, uid, true),
    invited: await admin(app, uid, false),
    'opted in': opted,
    stranger: await a.user(),
    nobody: {},
  }
  let address = 0
  // Every request has another address, so that no rate limit interferes.
  const request = (path: string, { token }: { token?: string }) =>
    get(path, { token, headers: { 'x-forwarded-for': `10.0.0.${++address % 250}` } })
  for (const [visibility, rule] of Object.entries(visibleTo))
    for (const adult of [false, true]) {
      await show(app, uid, { visibility, adult })
      for (const [name, who] of Object.entries(people))
        for (const ending of ['press', 'press.zip']) {
          const answer = await request(`/api/v1/public/games/${vanity_name}/${ending}`, who)
          const label = `${ending} of a ${visibility} ${adult ? 'adult ' : ''}listing for ${name}`
          assert.equal(
            answer.status,
            rule[adult ? 'adult' : 'plain'].includes(name) ? 200 : 404,
            label,
          )
          if (answer.status === 404)
            assert.deepEqual(
              answer,
              await request(`/api/v1/public/games/${randomUUID()}/${ending}`, who),
              label,
            )
        }
    }
})

test('sends noindex exactly when the listing is not indexable', async (t) => {
  const app = await startApp(t)
  const { uid, owner } = await published(app)
  for (const [fields, robots] of [
    [{ visibility: 'public', indexable: true, adult: false }, undefined],
    [{ visibility: 'public', indexable: false, adult: false }, 'noindex'],
    [{ visibility: 'invisible', indexable: true, adult: false }, 'noindex'],
    [{ visibility: 'public', indexable: true, adult: true }, 'noindex'],
  ] as const) {
    await show(app, uid, fields)
    for (const path of [pressOf(uid), `${pressOf(uid)}.zip`])
      assert.equal((await app.get(path, owner)).headers['x-robots-tag'], robots, path)
  }
  await show(app, uid, { visibility: 'draft' })
  assert.equal((await app.get(pressOf(uid), owner)).headers['x-robots-tag'], undefined)
})

test('limits zips to 30 a minute per address', async (t) => {
  const app = await startApp(t, { PROXY_HOPS: '1' })
  const { uid } = await published(app)
  const request = (ip: string) =>
    app.get(`${pressOf(uid)}.zip`, { headers: { 'x-forwarded-for': ip } })
  const answers = []
  for (let i = 0; i < 31; i++) answers.push((await request('10.0.0.1')).status)
  assert.deepEqual(answers, [...times(30, 200), 429])
  const late = await request('10.0.0.1')
  assert.deepEqual(refused(late), [429, 4290])
  assert.ok(Number(late.headers['retry-after']) >= 1)
  assert.equal((await request('10.0.0.2')).status, 200)
  assert.equal(
    (await app.get(pressOf(uid), { headers: { 'x-forwarded-for': '10.0.0.1' } })).status,
    200,
  )
})

test('limits factsheets and zips to 600 a minute for all callers together', async (t) => {
  const app = await startApp(t, { PROXY_HOPS: '1' })
  const request = (i: number) =>
    app.get(`${pressOf('nothing')}${i % 2 ? '.zip' : ''}`, {
      headers: { 'x-forwarded-for': `10.1.${i >> 4}.1` },
    })
  for (const i of [0, 1])
    assert.equal((await repeatUses(app.core, 600, 299, () => request(i))).status, 404)
  for (const i of [2, 3]) assert.equal((await request(i)).status, 404)
  for (const i of [600, 601]) assert.deepEqual(refused(await request(i)), [429, 4290])
})
