import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { random as seededRandom } from '../../../demo/random.ts'
import { report } from '../../bugs/fixtures.ts'
import { settings, startStore } from '../../extstore/fixtures.ts'
import { client, eventually, temporaryFolder } from '../../support/app.ts'
import { builders, complete, must } from '../../support/builders.ts'
import { childService, freePort } from '../../support/child.ts'
import { picture } from '../../support/images.ts'
import { debianServer } from '../../support/programs/debian-postgres.ts'
import { fieldsOf, form } from '../../uploads/forms.ts'
import { sha256, zip } from '../../uploads/zips.ts'
import { extractCode, type Fixture, fixtureFolder, RELEASE } from './previous-release.ts'
import { BASE_URL, downloadHash, readAnswer } from './recorded-answers.ts'

/**
 * Makes the fixture of the previous release: `node test/system/upgrades/make-fixture.ts`. Starts
 * the code of RELEASE on the PostgreSQL of Debian, uses it as people do, and stores the database,
 * the objects and what the release answered. Needs the history of the repository.
 */
const GAMES = '/api/v1/private/games'
const PAGES = '/api/v1/public/games'

test(`the fixture of ${RELEASE.version}`, async (t) => {
  const server = await debianServer(t)
  server.bin('createdb', '--maintenance-db', server.url('postgres'), 'slipway')
  const DATA_DIR = join(temporaryFolder(t), 'data')
  mkdirSync(DATA_DIR)
  const store = await startStore(t)
  const env = {
    ...settings(store),
    DATABASE_URL: server.url('slipway'),
    DATA_DIR,
    BASE_URL,
    PORT: await freePort(),
    REQUIRE_MFA: 'off',
  }
  const service = childService(t, env, { code: extractCode(t, RELEASE.commit) })
  const url = await service.start()
  const http = client(url)
  const a = builders(http, DATA_DIR)
  const random = seededRandom('fixture')

  const owner = await a.verifiedDeveloper({ username: 'shipwright' })
  const player = await a.verified({ username: 'sailor' })
  const name = 'Harbor of the Previous Release'
  const listing = await a.listing({ owner, name })
  const { uid } = listing
  const texts = { tagline: 'Ships of last year', description: 'A **harbor** with *ships*.' }
  must(await http.patch(`${GAMES}/${uid}`, texts, owner))
  must(await http.put(`${GAMES}/${uid}/taxonomy`, complete, owner))
  await a.images(listing)
  const body = Buffer.from(Array.from({ length: 20_000 }, () => random.integer(0, 255)))
  const bytes = zip([
    { name: 'game/play', body, method: 0 },
    { name: 'game/readme.txt', body: 'Sail on.' },
  ])
  const build = await a.cleanBuild(listing, { version: '1.0', bytes })
  const newer_bytes = zip([{ name: 'game/play', body: 'A newer game' }])
  const newer = await a.cleanBuild(listing, { version: '1.1', bytes: newer_bytes })
  must(await http.patch(`${GAMES}/${uid}`, { visibility: 'public' }, owner))
  const consent = { enabled: true, confirm_no_license: true }
  must(await http.put(`${GAMES}/${uid}/anonymous-downloads`, consent, owner))
  const draft = await a.listing({ owner, name: 'A Draft' })

  const symbols = Buffer.from(`MODULE Linux x86_64 ${'AB'.repeat(16)}0 game\nFUNC 1000 10 0 main\n`)
  const symbol_fields = fieldsOf({ build_id: build.build_id, checksum: sha256(symbols) })
  const symbol_file = { name: 'file', filename: 'game.sym', bytes: symbols }
  must(
    await http.call(
      'POST',
      '/api/v1/tool/upload/symbols',
      form([...symbol_fields, symbol_file], newer.ci),
    ),
  )

  const game_headers = { 'x-app-id': uid, 'x-build-id': build.build_id }
  const events = ['session_start', 'boot_ok', 'session_end'].map((event, index) => ({
    event,
    device_uid: '01890000-0000-7000-8000-000000000001',
    event_id: `event-${index}`,
    seconds: 60,
  }))
  must(await http.post('/api/v1/public/events', { events }, { headers: game_headers }))
  const crash = { app_name: 'Harbor', app_version: '1.0', os: 'linux', user_message: 'It sank' }
  const { id: crash_id } = must(
    await http.post('/api/v1/public/crashes', crash, { headers: game_headers }),
  )
  must(await http.put(`${GAMES}/${uid}/bug-reporter`, { enabled: true }, owner))
  must(await http.post(`${GAMES}/${uid}/library`, undefined, player))
  const { token } = must(await http.post(`${GAMES}/${uid}/player-token`, undefined, player))
  const bug = report({ message: 'No wind' }, { log: 'calm', screenshot: await picture(64, 64) })
  const { bug_uid } = must(await http.call('POST', `/api/v1/games/${uid}/bugs`, { ...bug, token }))
  must(await http.put(`${GAMES}/${uid}/press`, { history: 'Built in a year.' }, owner))
  const player_key = await a.key('player', player, ['player:read'])
  const agent_key = await a.key('agent', owner, ['mcp:read'])

  const app_id = 4_000_001
  store.control.app({ app_id, name: 'Imported App', type: 'game' })
  store.control.page({ app_id, data: {} })
  const { key: web_api_key } = store.control.key({ apps: [app_id] })
  const imported = must(
    await http.post(
      '/api/v1/private/steam/import',
      { app_id, web_api_key, enable_auth: true },
      owner,
    ),
  )

  const callers: Fixture['callers'] = {
    owner: { authorization: `Bearer ${owner.token}` },
    player: { authorization: `Bearer ${player.token}` },
    player_key: { authorization: `Bearer ${player_key.key}` },
    agent_key: { authorization: `Bearer ${agent_key.key}` },
    build_machine: newer.ci.headers,
  }
  await eventually('the search result', async () => {
    const { items } = must(await http.get('/api/v1/public/search?q=harbor'))
    return items.length > 0
  })
  const page = must(await http.get(`${PAGES}/${uid}`))
  const images: string[] = [page.cover, page.thumbnail]
  assert.ok(images.every(Boolean), 'the page has no images')
  const paths: { path: string; as?: string }[] = [
    { path: `${PAGES}/${uid}` },
    { path: '/api/v1/public/search?q=harbor' },
    { path: `/api/v1/public/user/shipwright/games/${listing.vanity_name}` },
    { path: `${PAGES}/${uid}/press` },
    { path: `${PAGES}/${uid}/reviews` },
    { path: '/api/v1/private/account', as: 'owner' },
    { path: GAMES, as: 'owner' },
    { path: `${GAMES}/${uid}`, as: 'owner' },
    { path: `${GAMES}/${draft.uid}`, as: 'owner' },
    { path: `${GAMES}/${uid}/media`, as: 'owner' },
    { path: `${GAMES}/${uid}/builds`, as: 'owner' },
    { path: `${GAMES}/${uid}/builds/${newer.build_id}`, as: 'owner' },
    { path: `${GAMES}/${uid}/builds/${build.build_id}/symbols`, as: 'owner' },
    { path: `${GAMES}/${uid}/channels`, as: 'owner' },
    { path: `${GAMES}/${uid}/deploy-keys`, as: 'owner' },
    { path: `${GAMES}/${uid}/crashes/${crash_id}`, as: 'owner' },
    { path: `${GAMES}/${uid}/bugs/${bug_uid}`, as: 'owner' },
    { path: `${GAMES}/${imported.game_uid}/steam`, as: 'owner' },
    { path: `${GAMES}/${imported.game_uid}/steam/auth-key`, as: 'owner' },
    { path: `${GAMES}/${uid}`, as: 'agent_key' },
    { path: '/api/v1/private/library', as: 'player' },
    { path: '/api/v1/private/library', as: 'player_key' },
    { path: '/api/v1/tool/builds?page_size=100', as: 'build_machine' },
    ...images.map((url) => ({ path: new URL(url, BASE_URL).pathname })),
    { path: `${GAMES}/${uid}/bugs/${bug_uid}/screenshot`, as: 'owner' },
  ]
  const reads: Fixture['reads'] = []
  for (const read of paths) reads.push({ ...read, ...(await readAnswer(url, read, callers)) })
  const downloads = [
    { path: `/api/v1/public/downloads/${newer.file_uid}`, sha256: sha256(newer_bytes) },
    {
      path: `/api/v1/private/downloads/${build.file_uid}`,
      as: 'owner',
      sha256: sha256(bytes),
    },
  ]
  for (const download of downloads)
    assert.equal(await downloadHash(url, download, callers), download.sha256)
  const fixture: Fixture = {
    ...RELEASE,
    callers,
    owner,
    game: {
      uid,
      vanity_name: listing.vanity_name,
      name,
      build_id: build.build_id,
      file_uid: build.file_uid,
    },
    reads,
    downloads,
  }
  service.signal('SIGTERM')
  await eventually('the end of the service', () => !service.isUp())

  rmSync(fixtureFolder, { recursive: true, force: true })
  mkdirSync(fixtureFolder, { recursive: true })
  writeFileSync(join(fixtureFolder, 'answers.json'), `${JSON.stringify(fixture, null, 2)}\n`)
  const dump = execFileSync(
    'pg_dump',
    ['--inserts', '--rows-per-insert=100', '--no-owner', '--dbname', server.url('slipway')],
    { maxBuffer: 2 ** 28 },
  )
  writeFileSync(join(fixtureFolder, 'database.sql.gz'), gzipSync(dump, { level: 9 }))
  const data = ['secrets.key', 'objects']
  execFileSync('tar', [
    ...['--sort=name', '--owner=0', '--group=0', '--numeric-owner'],
    ...['-czf', join(fixtureFolder, 'data.tar.gz'), '-C', DATA_DIR, ...data],
  ])
})
