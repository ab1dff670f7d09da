import assert from 'node:assert/strict'
import { test } from 'node:test'
import { uuidv7 } from '../../../src/core/security/crypto.ts'
import { sections } from '../../../src/web/dashboard/project-page.ts'
import { sharedExtstoreApp, type startExtstoreApp } from '../../extstore/fixtures.ts'
import { captionsFile, trailerRequests, trailersOf, VTT } from '../../listings/trailers/fixtures.ts'
import { eventually } from '../../support/app.ts'
import { makePublic, must, newAddress, type Person } from '../../support/builders.ts'
import { signedIn } from '../dashboard-fixtures.ts'
import { PSEUDO_ENGLISH, PSEUDO_LANGUAGES, plainTexts, textsOf } from './visible-text.ts'

/** What people and programs entered; everything else on a page is a message. */
const CONTENT = [
  /person-\d+(?:@example\.com)?/g,
  /App \d+/g,
  'Tide Runner',
  'Tide Mod',
  'Tide Draft',
  'Tide Teaser',
  'Row out at low tide',
  'It floats well',
  'Thank you kindly',
  'The door is stuck',
  'Door log line',
  /It stopped at the pier(?: \(1\.1, linux\))?/g,
  'Access violation',
  'segfault',
  'Boats float',
  'Weekly Float',
  'Autumn',
  'press@example.com',
  'Tide Deluxe',
  'harbor_reached',
  // The page of the simulated store.
  'A platformer about light.',
  /## Light the keep.*/gs,
  'platformer, indie, relaxing',
  'Two Rooms, Developer and publisher',
  'cozy-sea',
  'low',
  /https?:\/\/[\w./:?=-]+/g,
  /\b(?:sea|boats|tides?|godot|level|pier)\b/gi,
  /\b(?:stable|beta|dev|nightly)\b/g,
  // Example values, and the names of stores and their hosts.
  'de or pt-BR',
  /(?:\*\.)?\b(?:[\w-]+\.)+(?:io|gg|dev|net|org|tv|zone|video|de)\b/g,
  /[\w.-]+\.(?:zip|com|dmp|log|txt|sym|example)\b/g,
  /\b[0-9a-f]{8}-[0-9a-f-]{27}\b/g,
  /svc_\w+/gi,
  'Android',
  // Processors as builds name them.
  /\b(?:wasm32|wasm|arm64|arm32|arm|universal)\b/g,
  /\b[0-9a-f]{32,}\b/gi,
]

const slugs = sections.map(([slug]) => slug)

type App = Awaited<ReturnType<typeof startExtstoreApp>>

/** A project with data on every page of its dashboard. */
async function fillProject(app: App) {
  const { a, sql, post, put, patch, get } = app
  const owner = await a.verifiedDeveloper()
  const listing = await a.listing({ owner, name: 'Tide Runner' })
  const { uid } = listing
  const api = `/api/v1/private/games/${uid}`
  await a.images(listing)
  const { clean } = trailerRequests(app)
  await clean(listing, [captionsFile(VTT)], { language: 'de' })
  const video = { url: 'https://youtu.be/abcDEF_-123', title: 'Tide Teaser' }
  must(await post(`${trailersOf(listing)}/outside`, video, owner))
  await a.cleanBuild(listing, { version: '1.0' })
  const { build_id } = await a.cleanBuild(listing, { version: '1.1' })
  await a.cleanBuild(listing, { version: '1.2', os: 'linux', channel: 'beta' })
  await a.cleanBuild(listing, { version: '1.3', os: 'web', arch: 'wasm32', channel: 'nightly' })
  must(await patch(api, { tagline: 'Row out at low tide' }, owner))
  must(await put(`${api}/taxonomy`, { tags: ['sea', 'boats', 'tides'] }, owner))
  const kit = { release_date: 'Autumn', features: ['Boats float'], awards: ['Weekly Float'] }
  must(await put(`${api}/press`, kit, owner))
  const edition = { slug: 'big', name: 'Tide Deluxe', kind: 'deluxe', price_cents: 999 }
  const { uid: edition_uid } = must(await post(`${api}/editions`, edition, owner))
  await makePublic(sql, uid)

  const friend = await a.verified()
  must(await post(`${api}/admins`, { username: friend.username }, owner))
  const player = await a.verified()
  must(await post(`${api}/licences`, { username: player.username }, owner))
  const review = { enjoyed: true, quality: 4, text: 'It floats well' }
  must(await put(`${api}/review`, review, player))
  const bugs: string[] = []
  for (const log of [undefined, 'Door log line']) {
    const report = { message: 'The door is stuck', os: 'linux', client_version: '1.1', log }
    bugs.push(must(await post(`${api}/bug-reports`, report, player)).bug_uid)
  }
  must(await patch(`${api}/bugs/${bugs[0]}`, { status: 'fixed', fixed_version: '1.2' }, owner))
  const webhook_urls = ['https://hooks.example.com/tide']
  must(await put(`${api}/bug-reporter`, { enabled: true, daily_cap: 5, webhook_urls }, owner))

  const headers = { 'x-app-id': uid, 'x-build-id': build_id }
  const crash = { user_message: 'It stopped at the pier', metadata: { level: 'pier' } }
  must(await post('/api/v1/public/crashes', crash, { headers }))
  const events = ['boot_ok', 'session_start', 'harbor_reached'].map((event) => ({
    event,
    device_uid: 'a-device',
  }))
  must(await post('/api/v1/public/events', { events }, { headers }))
  const group = await eventually(
    'a crash group',
    async () => must(await get(`${api}/crash-groups`, owner)).groups[0],
  )
  const drop = {
    uid: uuidv7(),
    game_uid: uid,
    build_uid: build_id,
    band: 'mixed',
    previous_version: '1.0',
    previous_band: 'excellent',
  }
  await sql`insert into health_warnings ${sql(drop)}`
  await sql`
    insert into download_attempts (
      game_uid, build_uid, channel, source, access, client, outcome, country
    )
    select ${uid}, ${build_id}, 'stable', 'website', 'anonymous', 'browser', outcome, 'DE'
    from unnest(array['ok', 'scanning']) outcome`
  await eventually(
    'the events are counted',
    async () => must(await get(`${api}/event-analytics`, owner)).totals.length > 0,
  )
  const [{ key_ref }] = must(await get(`${api}/builds/${build_id}`, owner)).files
  return { owner, listing, build_id, edition_uid, bugs, group, friend, key_ref }
}

/** Opens pages in the pseudo-language and returns their texts that are not messages. */
async function findPlainTexts(
  app: App,
  who: Person,
  paths: readonly string[],
  content: readonly (string | RegExp)[] = CONTENT,
) {
  const problems: string[] = []
  const visitor = signedIn(app, who)
  for (const path of paths) {
    const { status, body } = await visitor.open(path, { ...PSEUDO_ENGLISH, ...newAddress() })
    assert.equal(status, 200, path)
    assert.match(body, /<html lang="en-XA"/, path)
    for (const text of plainTexts(textsOf(body), content)) problems.push(`${path}: ${text}`)
  }
  return problems
}

const sharedProjects = sharedExtstoreApp(PSEUDO_LANGUAGES)

test('dashboard pages of a project with data have no text outside the messages', async (t) => {
  const app = await sharedProjects(t)
  const project = await fillProject(app)
  const { owner, listing, build_id, edition_uid, bugs, group, friend, key_ref } = project
  await app.game(listing)
  const base = `/dashboard/${listing.vanity_name}`
  const pages = [
    `builds/${build_id}`,
    'bugs?status=fixed',
    'bugs?status=closed',
    ...bugs.map((bug) => `bugs/${bug}`),
    `settings/editions/${edition_uid}`,
    'settings/editions/new',
    `crashes?build=${build_id}`,
    `crashes/groups/${group.uid}`,
    `crashes/${group.sample_crash_id}`,
    ...slugs,
  ]
  const paths = [
    '/dashboard',
    '/dashboard/new',
    '/dashboard/import',
    ...pages.map((page) => `${base}/${page}`),
  ]
  const content = [...CONTENT, String(key_ref)]
  assert.deepEqual(await findPlainTexts(app, owner, paths, content), [])
  assert.deepEqual(await findPlainTexts(app, friend, ['/dashboard']), [])
  const preview = await signedIn(app, owner).send(
    `${base}/external-store/import`,
    { groups: ['text', 'taxonomy', 'press', 'price'], do: 'preview' },
    { ...PSEUDO_ENGLISH, ...newAddress() },
  )
  assert.equal(preview.status, 200)
  assert.match(preview.body, /id="report"/)
  assert.deepEqual(plainTexts(textsOf(preview.body), content), [])
  must(await app.del(`/api/v1/private/games/${listing.uid}`, owner))
  assert.deepEqual(await findPlainTexts(app, owner, ['/dashboard']), [])
})

test('dashboard pages without data have no text outside the messages', async (t) => {
  const app = await sharedProjects(t)
  const newcomer = await app.a.user()
  assert.deepEqual(await findPlainTexts(app, newcomer, ['/dashboard']), [])
  const developer = await app.a.developer()
  assert.deepEqual(await findPlainTexts(app, developer, ['/dashboard']), [])
  const owner = await app.a.verifiedDeveloper()
  const asset_types = ['game', 'mod']
  for (const asset_type of asset_types) {
    const { vanity_name } = await app.a.listing({ owner, name: 'Tide Draft', asset_type })
    const paths = slugs.map((slug) => `/dashboard/${vanity_name}/${slug}`)
    assert.deepEqual(await findPlainTexts(app, owner, paths), [])
  }
})
