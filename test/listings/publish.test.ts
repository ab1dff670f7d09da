import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { assetTypes } from '../../src/listings/fields/fields.ts'
import { checkListing } from '../../src/listings/listing/check.ts'
import { readFacts } from '../../src/listings/listing/facts-queries.ts'
import { startApp } from '../support/app.ts'
import { complete, must, type Person, refused } from '../support/builders.ts'
import { loopCount } from '../support/loop-count.ts'
import { fc } from '../support/property.ts'
import { sharedInFile } from '../support/shared.ts'
import { type App, GAMES } from './fixtures.ts'

const sharedApp = sharedInFile(startApp)

/** Inserts images and a clean build as rows; other tests cover how they are uploaded. */
async function insertImagesAndBuild({ sql }: App, game_uid: string) {
  const image = (slot: string, position: number, width: number, height: number) => ({
    uid: randomUUID(),
    game_uid,
    slot,
    position,
    sha256: 'a'.repeat(64),
    type: 'image/png',
    width,
    height,
    size: 1,
  })
  const images = [
    image('cover', 0, 1024, 576),
    image('thumbnail', 0, 1280, 720),
    ...[0, 1, 2, 3].map((n) => image('gallery', n, 1920, 1080)),
  ]
  await sql`insert into listing_images ${sql(images)}`
  const build_uid = randomUUID()
  await sql`insert into builds (uid, game_uid, version) values (${build_uid}, ${game_uid}, '1.0')`
  const file = {
    uid: randomUUID(),
    game_uid,
    build_uid,
    os: 'linux',
    arch: 'x86_64',
    channel: 'stable',
    filename: 'a.zip',
    size: 1,
    checksum: 'a'.repeat(64),
    scan: 'clean',
    method: 'website',
  }
  await sql`insert into files ${sql(file)}`
}

test('publishing with errors in the check is 422 and 4225 with the report', async (t) => {
  const app = await sharedApp(t)
  const owner = await app.a.verifiedDeveloper()
  const { uid } = await app.a.listing({ owner })
  const answer = await app.patch(
    `${GAMES}/${uid}`,
    { visibility: 'public', tagline: 'half a save' },
    owner,
  )
  assert.deepEqual(refused(answer), [422, 4225])
  const lint = must(await app.get(`${GAMES}/${uid}/lint`, owner))
  assert.deepEqual(answer.body.data.lint.errors, lint.errors)
  assert.deepEqual(lint.errors.map(({ field }: any) => field).sort(), [
    'builds',
    'cover',
    'gallery',
    'genres',
    'inputs',
    'net',
    'players_min',
    'session_bucket',
    'tags',
    'thumbnail',
  ])
  for (const { id, field, message } of lint.errors) assert.ok(id && field && message.length > 10)
  const after = must(await app.get(`${GAMES}/${uid}`, owner))
  assert.deepEqual([after.visibility, after.tagline], ['draft', ''])
})

test('a project becomes public once every error is fixed; warnings never block', async (t) => {
  const app = await sharedApp(t)
  const owner = await app.a.developer()
  const { uid } = await app.a.listing({ owner })
  must(await app.put(`${GAMES}/${uid}/taxonomy`, complete, owner))
  await insertImagesAndBuild(app, uid)
  assert.deepEqual(
    refused(await app.patch(`${GAMES}/${uid}`, { visibility: 'public' }, owner)),
    [403, 4096],
    'published without a verified email',
  )
  must(
    await app.post(
      '/api/v1/private/account/verify-email',
      { code: await app.a.mailedCode(owner) },
      owner,
    ),
  )
  const lint = must(await app.get(`${GAMES}/${uid}/lint`, owner))
  assert.deepEqual([lint.ready, lint.warnings.length], [true, 2])
  const page = must(await app.patch(`${GAMES}/${uid}`, { visibility: 'public' }, owner))
  assert.equal(page.visibility, 'public')
  assert.ok(page.published_at)
  assert.equal((await app.get(`/api/v1/public/games/${uid}`)).status, 200)
})

test('a project gets from creation to public over HTTP by fixing each error', async (t) => {
  const app = await sharedApp(t)
  const owner = await app.a.verifiedDeveloper()
  const listing = await app.a.listing({ owner })
  const taxonomy = (field: keyof typeof complete) =>
    app
      .put(
        `${GAMES}/${listing.uid}/taxonomy`,
        field === 'players_min' ? { players_min: 1, players_max: 4 } : { [field]: complete[field] },
        owner,
      )
      .then(must)
  const steps: Record<string, () => Promise<unknown>> = {
    ...Object.fromEntries(
      Object.keys(complete).map((field) => [field, () => taxonomy(field as keyof typeof complete)]),
    ),
    ...Object.fromEntries(
      ['cover', 'thumbnail', 'gallery'].map((field) => [field, () => app.a.images(listing)]),
    ),
    builds: () => app.a.cleanBuild(listing),
  }
  const fixed: string[] = []
  for (
    let answer = await app.patch(`${GAMES}/${listing.uid}`, { visibility: 'public' }, owner);
    answer.status !== 200;
    answer = await app.patch(`${GAMES}/${listing.uid}`, { visibility: 'public' }, owner)
  ) {
    assert.deepEqual(refused(answer), [422, 4225])
    const { field } = answer.body.data.lint.errors[0]
    assert.ok(!fixed.includes(field), `${field} is reported again after it was fixed`)
    fixed.push(field)
    await steps[field]!()
  }
  const page = must(await app.get(`/api/v1/public/games/${listing.uid}`))
  assert.equal(page.visibility, 'public')
  assert.deepEqual(
    [
      page.gallery.length,
      page.platforms,
      page.files.length,
      page.files[0].scan,
      page.files[0].provenance.method,
    ],
    [4, ['linux'], 1, 'clean', 'deploy_key'],
  )
  assert.match(page.cover, /\/media\/images\/[0-9a-f]{64}\.png$/)
  assert.deepEqual(
    page.changelog.map(({ version, channel }: any) => [version, channel]),
    [[page.files[0].version, 'stable']],
  )
  assert.ok(fixed.length >= 8, fixed.join())
})

test('the page shows stable files with their scan state, and no other channel', async (t) => {
  const app = await sharedApp(t)
  const listing = await app.a.listing()
  await app.a.cleanBuild(listing, { version: '1.0' })
  const beta = await app.a.cleanBuild(listing, { version: '2.0', channel: 'beta' })
  const files = async () =>
    must(await app.get(`/api/v1/public/games/${listing.uid}`, listing.owner)).files
  assert.deepEqual(
    (await files()).map(({ version, channel, scan }: any) => [version, channel, scan]),
    [['1.0', 'stable', 'clean']],
  )
  await app.a.cleanBuild(listing, { version: '1.1' })
  assert.deepEqual(
    (await files()).map(({ version }: any) => version),
    ['1.1'],
    'the page does not show the newest stable build',
  )
  must(
    await app.put(
      `${GAMES}/${listing.uid}/channels/stable`,
      { build_id: beta.build_id },
      listing.owner,
    ),
  )
  assert.deepEqual(
    (await files()).map(({ version, channel }: any) => [version, channel]),
    [['2.0', 'stable']],
    'the page does not show the promoted build',
  )
  const { changelog } = must(await app.get(`/api/v1/public/games/${listing.uid}`, listing.owner))
  assert.ok(changelog.some(({ version }: any) => version === '2.0'))
})

async function publicGame(app: App): Promise<{ uid: string; owner: Person }> {
  const owner = await app.a.verifiedDeveloper()
  const { uid } = await app.a.listing({ owner })
  must(await app.put(`${GAMES}/${uid}/taxonomy`, complete, owner))
  await insertImagesAndBuild(app, uid)
  must(await app.patch(`${GAMES}/${uid}`, { visibility: 'public' }, owner))
  return { uid, owner }
}

test('rejects an edit of a public page that would add an error, and saves nothing', async (t) => {
  const app = await sharedApp(t)
  const { uid, owner } = await publicGame(app)
  for (const [field, value] of Object.entries({
    tags: [],
    genres: [],
    inputs: [],
    session_bucket: null,
    net: null,
    players_min: null,
  })) {
    const answer = await app.put(
      `${GAMES}/${uid}/taxonomy`,
      { [field]: value, tone: ['dark'] },
      owner,
    )
    assert.deepEqual(refused(answer), [422, 4225], field)
    assert.equal(answer.body.data.new_errors.length, 1)
  }
  assert.deepEqual(
    refused(await app.patch(`${GAMES}/${uid}`, { asset_type: 'tool' }, owner)),
    [422, 4225],
    'a tool without a parent was accepted',
  )
  const page = must(await app.get(`${GAMES}/${uid}`, owner))
  assert.deepEqual(
    [page.tags.length, page.tone, page.asset_type, page.visibility],
    [3, [], 'game', 'public'],
  )
  must(
    await app.put(
      `${GAMES}/${uid}/taxonomy`,
      { tags: ['four', 'five', 'six'], tone: ['dark'] },
      owner,
    ),
  )
})

test('a public page with existing errors can be edited as long as no error is added', async (t) => {
  const app = await sharedApp(t)
  const { uid, owner } = await publicGame(app)
  await app.sql`update listings set net = null where uid = ${uid}`
  must(await app.put(`${GAMES}/${uid}/taxonomy`, { tone: ['dark'] }, owner))
  assert.deepEqual(
    refused(await app.put(`${GAMES}/${uid}/taxonomy`, { genres: [] }, owner)),
    [422, 4225],
  )
  must(await app.put(`${GAMES}/${uid}/taxonomy`, { net: 'offline' }, owner))
})

test('a page is never updated before it is published', async (t) => {
  const app = await sharedApp(t)
  const { uid, owner } = await publicGame(app)
  const times = async () => {
    const { published_at, updated_at } = must(await app.get(`${GAMES}/${uid}`, owner))
    return [published_at, updated_at]
  }
  const [published_at, updated_at] = await times()
  assert.equal(updated_at, published_at)
  must(await app.patch(`${GAMES}/${uid}`, { tagline: 'Another tagline' }, owner))
  assert.ok((await times())[1]! > published_at!)
  // An edit that started before a later one was saved does not move the time back.
  await app.sql`update listings set updated_at = now() + interval '1 hour' where uid = ${uid}`
  const [, later] = await times()
  must(await app.patch(`${GAMES}/${uid}`, { tagline: 'A third tagline' }, owner))
  assert.equal((await times())[1], later)
})

test('published_at keeps its first date when a page leaves public and returns', async (t) => {
  const app = await sharedApp(t)
  const { uid, owner } = await publicGame(app)
  const first = must(await app.get(`${GAMES}/${uid}`, owner)).published_at
  for (const visibility of ['owner', 'draft', 'invisible', 'public'])
    assert.equal(
      must(await app.patch(`${GAMES}/${uid}`, { visibility }, owner)).visibility,
      visibility,
    )
  assert.equal(must(await app.get(`${GAMES}/${uid}`, owner)).published_at, first)
})

test('deleting a parent removes public children that need one from the catalog', async (t) => {
  const app = await sharedApp(t)
  const game = await publicGame(app)
  const mod = await app.a.listing({ owner: game.owner, asset_type: 'mod' })
  await app.sql`
    update listings
    set parent_uid = ${game.uid}, visibility = 'public', public_since = now()
    where uid = ${mod.uid}`
  must(await app.del(`${GAMES}/${game.uid}`, game.owner))
  const child = must(await app.get(`${GAMES}/${mod.uid}`, game.owner))
  assert.deepEqual([child.visibility, child.parent], ['invisible', null])
})

/** Makes a random edit of a page, valid or not. Only the state of the page afterwards matters. */
const edits = fc.oneof(
  fc.record({
    kind: fc.constant('taxonomy' as const),
    body: fc.dictionary(
      fc.constantFrom(
        'tags',
        'genres',
        'inputs',
        'engines',
        'session_bucket',
        'net',
        'players_min',
        'players_max',
      ),
      fc.constantFrom<unknown>(
        [],
        ['one', 'two', 'three'],
        ['rpg'],
        ['gamepad'],
        ['engine-x'],
        null,
        '1h',
        'offline',
        1,
        4,
        'nonsense',
      ),
      { maxKeys: 4 },
    ),
  }),
  fc.record({
    kind: fc.constant('patch' as const),
    body: fc.record(
      {
        visibility: fc.constantFrom('public', 'public', 'draft', 'invisible', 'owner'),
        asset_type: fc.constantFrom(...assetTypes),
        parent: fc.constantFrom<unknown>(null, {
          external_name: 'Elsewhere',
          external_url: 'https://x.example',
        }),
      },
      { requiredKeys: [] },
    ),
  }),
)

const HISTORIES = loopCount({ short: 15, full: 40 })

test('property: no sequence of edits gives a public page that fails the check', async (t) => {
  const app = await sharedApp(t)
  const { uid, owner } = await publicGame(app)
  let went_public = 0
  await fc.assert(
    fc.asyncProperty(fc.array(edits, { minLength: 3, maxLength: 12 }), async (sequence) => {
      await app.put(`${GAMES}/${uid}/taxonomy`, complete, owner)
      must(await app.patch(`${GAMES}/${uid}`, { asset_type: 'game', visibility: 'public' }, owner))
      for (const { kind, body } of sequence) {
        const answer =
          kind === 'patch'
            ? await app.patch(`${GAMES}/${uid}`, body, owner)
            : await app.put(`${GAMES}/${uid}/taxonomy`, body, owner)
        assert.ok(answer.status < 500, JSON.stringify(answer.body))
        const [row] = await app.sql`select visibility from listings where uid = ${uid}`
        if (row!.visibility !== 'public') continue
        went_public++
        assert.deepEqual(
          checkListing(await readFacts(app.sql, uid)).errors,
          [],
          `${kind} ${JSON.stringify(body)}`,
        )
      }
    }),
    { numRuns: HISTORIES },
  )
  assert.ok(went_public > HISTORIES, `the page was public ${went_public} times`)
})
