import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { MIB } from '../../../src/core/runtime/units.ts'
import { addon } from '../../assets/fixtures.ts'
import { startExtstoreApp } from '../../extstore/fixtures.ts'
import { ACTIONS, decision } from '../../moderation/fixtures.ts'
import type { Call } from '../../support/app.ts'
import { must, newAddress, suspendPerson } from '../../support/builders.ts'
import { httpClient } from '../../support/http-client.ts'
import { zip } from '../../uploads/zips.ts'
import { patchAnswers } from './answers/patch-answers.ts'
import { saveAnswers } from './answers/save-answers.ts'
import {
  answerProblem,
  apiDescriptionOf,
  type Described,
  exhaustLimit,
  operationsOf,
  recordAnswers,
  routeOf,
  undocumentedAnswers,
  unexposedHeaders,
} from './described-api.ts'

type Request = Call & { path?: string }
type World = Awaited<ReturnType<typeof createWorld>>
/** A request that gets the answer, after changes that only this answer needs. */
type Producer = (world: World) => Promise<Request> | Request

/** Answers that need a part of the service to fail, and the tests that make it fail. */
const producedElsewhere: Record<string, string> = {
  'get_search 503': 'test/catalog/search: the index is loading',
  'get_search_suggest 503': 'test/catalog/search: the index is loading',
  'get_games_game_id 503': 'test/system/failures.test.ts',
  'get_user_username_games_vanity_name 503': 'test/system/failures.test.ts',
  'get_asset_library_asset 503': 'test/catalog/search: the index is loading',
  'get_asset_store_tags 503': 'test/catalog/search: the index is loading',
  'get_asset_store_search_query 503': 'test/catalog/search: the index is loading',
  'get_games_game_id_press 503': 'test/system/failures.test.ts',
  'get_games_game_id_press_zip 503': 'test/system/failures.test.ts',
  'post_extstore_game_uid_auth 502': 'test/extstore/faults.test.ts',
  'post_extstore_game_uid_refresh 502': 'test/extstore/faults.test.ts',
  'post_extstore_game_uid_server_verify 502': 'test/extstore/faults.test.ts',
  'get_extstore_game_uid_server_ownership_extstore_id 502': 'test/extstore/faults.test.ts',
  'post_events 503': 'test/telemetry/event-buffer.test.ts',
  'post_events_v1_events 503': 'test/telemetry/event-buffer.test.ts',
}

async function createWorld(t: TestContext) {
  const app = await startExtstoreApp(t)
  const owner = await app.a.verifiedDeveloper()
  const listing = await app.a.listing({ owner, asset_type: 'plugin' })
  const bytes = addon('kit')
  const { build_id, file_uid } = await app.a.cleanBuild(listing, { bytes, engine_version: '3.2' })
  const update = (fields: object) =>
    app.sql`update listings set ${app.sql(fields as never)} where uid = ${listing.uid}`
  const free = { visibility: 'public', anonymous_downloads: true, published_at: new Date() }
  await update(free)
  const [row] = await app.sql`select asset_id from listings where uid = ${listing.uid}`
  const game_ids = { 'x-app-id': listing.uid, 'x-build-id': build_id }
  const game = await app.game()
  const account = app.player(game)
  const crash = async () =>
    must(
      await app.post(
        '/api/v1/public/crashes',
        { has_log: true },
        { headers: { ...game_ids, ...newAddress() } },
      ),
    )
  const suspended = await app.a.verified()
  await suspendPerson(app.sql, suspended.uid)
  const asset_id = String(row!.asset_id)
  const made = { owner, listing, file_uid, game_ids, game, account, suspended, asset_id }
  return { ...app, ...made, call: httpClient(app.url), update, crash }
}

/** The values of path parameters that exist. */
function existing({ listing, owner, file_uid, asset_id, game, account }: World) {
  return {
    game_id: listing.uid,
    user_id: owner.username,
    username: owner.username,
    publisher: owner.username,
    vanity_name: listing.vanity_name,
    slug: listing.vanity_name,
    kind: 'tonight',
    file_uid,
    asset_id,
    game_uid: game.uid,
    extstore_id: account,
  } as Record<string, string>
}

const uploadToken = async (world: World) =>
  (await world.crash()).uploads.log.url.split('/').at(-1) as string
const putLog = (token: string): Request => ({
  path: `/api/v1/public/crash-uploads/${token}`,
  raw: 'a line',
  headers: { 'content-type': 'application/octet-stream' },
})
async function sentCrash(world: World): Promise<string> {
  const { id } = await world.crash()
  const frames = [{ module: 'game', offset: '0x10', function: null }]
  const analysis = { crash_reason: 'SIGSEGV', crash_address: '0x0', frames }
  await world.sql`update crashes set analysis = ${world.sql.json(analysis)} where uid = ${id}`
  return `/api/v1/public/crashes/${id}`
}
const events = (world: World, headers: Record<string, string> = world.game_ids): Request => ({
  body: { events: [{ event: 'boot_ok', event_id: randomUUID(), device_uid: randomUUID() }] },
  headers,
})
const ticket = ({ ticket, game, account }: World) => ({ body: { ticket: ticket(game, account) } })
const session = async ({ signIn, game }: World) => (await signIn(game)).token as string
const asServer = ({ game }: World, body?: object): Request => ({
  token: game.auth_key,
  ...(body && { body }),
})
const stranger = ({ store }: World) => store.control.account({}).id

/** A person with a statement of reasons. */
async function warnedOwner({ a, sql, post }: World) {
  const moderator = await a.verified()
  await sql`insert into moderators (user_uid) values (${moderator.uid})`
  const owner = await a.verified()
  const body = decision('person', owner.uid, 'warn')
  const { statement_uid } = must(await post(ACTIONS, body, moderator))
  return { statement_uid, owner }
}
async function appealOf(world: World): Promise<Request> {
  const { statement_uid, owner } = await warnedOwner(world)
  return {
    path: `/api/v1/public/statements/${statement_uid}/appeal`,
    token: owner.token,
    body: { text: 'No' },
  }
}

/** The address of another listing with a build for browsers. */
async function playPath({ a, sql }: World, price_cents = 0): Promise<string> {
  const listing = await a.listing({ owner: await a.verifiedDeveloper() })
  const bytes = zip([{ name: 'index.html', body: 'Game' }])
  await a.cleanBuild(listing, { os: 'web', arch: 'wasm32', bytes })
  await sql`
    update listings
    set visibility = 'public', anonymous_downloads = ${price_cents === 0},
      price_cents = ${price_cents}
    where uid = ${listing.uid}`
  return `/api/v1/public/games/${listing.uid}/play`
}

type BuildState = { price_cents?: number; scan?: 'scanning' | 'withdrawn' }

/** A route of another listing with a build, and of that build. */
const ofNewBuild =
  (
    route: (build_id: string) => string,
    { price_cents = 0, scan }: BuildState = {},
    signed_in = false,
  ): Producer =>
  async (world) => {
    const { a, sql } = world
    const listing = await a.listing({ owner: await a.verifiedDeveloper() })
    const { build_id, file_uid } = await a.cleanBuild(listing)
    await sql`
      update listings
      set visibility = 'public', anonymous_downloads = true, price_cents = ${price_cents}
      where uid = ${listing.uid}`
    if (scan === 'withdrawn') await withdrawn({ ...world, file_uid })
    if (scan === 'scanning') await scanning({ ...world, file_uid })
    const path = `/api/v1/public/games/${listing.uid}/${route(build_id)}`
    return { path, ...(signed_in && { token: (await a.verified()).token }) }
  }

/** A request with the ETag of its answer. */
const again =
  (produce: Producer): Producer =>
  async (world) => {
    const request = await produce(world)
    const { headers } = await world.get(request.path!)
    return { ...request, headers: { 'if-none-match': headers.etag! } }
  }

const manifestOf = (build_id: string) => `builds/${build_id}/manifest`

/** Requests that the rules below do not make. */
const producers: Record<string, Producer> = {
  ...saveAnswers,
  ...patchAnswers,
  'get_ready 503': ({ core }) => {
    core.checks.broken = () => Promise.reject(new Error('broken'))
    return {}
  },
  'get_policies_policy 200': async ({ sql }) => {
    await sql`
      insert into policies (kind, version, text, summary, effective_from)
      values ('about', 1, 'We are here.', '', now())`
    return { path: '/api/v1/public/policies/about' }
  },
  'post_events 202': events,
  'post_events 401': (world) => events(world, { 'x-app-id': 'x', 'x-build-id': 'y' }),
  'post_events 422': invalidEvent,
  'post_events_v1_events 422': invalidEvent,
  'post_events_v1_events 202': events,
  'post_events_v1_events 401': (world) => events(world, { 'x-app-id': 'x', 'x-build-id': 'y' }),
  'post_crashes 201': ({ game_ids }) => ({ body: {}, headers: game_ids }),
  'post_crashes 401': () => ({ body: {}, headers: { 'x-app-id': 'x', 'x-build-id': 'y' } }),
  'put_crash_uploads_token 200': async (world) => putLog(await uploadToken(world)),
  'put_crash_uploads_token 400': async (world) => ({
    ...putLog(await uploadToken(world)),
    raw: '',
  }),
  'put_crash_uploads_token 409': async (world) => {
    const request = putLog(await uploadToken(world))
    must(await world.call('PUT', request.path!, request))
    return request
  },
  'put_crash_uploads_token 413': async (world) => ({
    ...putLog(await uploadToken(world)),
    raw: new Uint8Array(65 * MIB),
  }),
  'put_crash_uploads_token 415': async (world) => {
    const { headers, ...request } = putLog(await uploadToken(world))
    return { ...request, headers: { ...headers, 'content-encoding': 'br' } }
  },
  'get_crashes_report_id 200': async (world) => ({ path: await sentCrash(world) }),
  'get_crashes_report_id_stack 200': async (world) => ({ path: `${await sentCrash(world)}/stack` }),
  'get_games_game_id_play 200': async (world) => ({ path: await playPath(world) }),
  'get_games_game_id_play 401': async (world) => ({ path: await playPath(world, 500) }),
  'get_games_game_id_play 402': async (world) => ({
    path: await playPath(world, 500),
    token: (await world.a.verified()).token,
  }),
  'get_games_game_id_manifest 304': again(ofNewBuild(() => 'manifest')),
  'get_games_game_id_manifest 402': ofNewBuild(() => 'manifest', { price_cents: 500 }, true),
  'get_games_game_id_manifest 409': ofNewBuild(() => 'manifest', { scan: 'scanning' }),
  'get_games_game_id_builds_build_id_manifest 200': ofNewBuild(manifestOf),
  'get_games_game_id_builds_build_id_manifest 304': again(ofNewBuild(manifestOf)),
  'get_games_game_id_builds_build_id_manifest 402': ofNewBuild(
    manifestOf,
    { price_cents: 500 },
    true,
  ),
  'get_games_game_id_builds_build_id_manifest 409': ofNewBuild(manifestOf, { scan: 'scanning' }),
  'get_games_game_id_builds_build_id_manifest 410': ofNewBuild(manifestOf, { scan: 'withdrawn' }),
  'get_games_game_id_update 204': ofNewBuild((build_id) => `update?build=${build_id}`),
  'get_games_game_id_update 402': ofNewBuild(() => 'update', { price_cents: 500 }, true),
  'get_games_game_id_update 409': ofNewBuild(() => 'update', { scan: 'scanning' }),
  'get_downloads_file_uid 409': scanning,
  'get_downloads_file_uid_redirect 409': scanning,
  'get_downloads_file_uid 410': withdrawn,
  'get_downloads_file_uid_redirect 410': withdrawn,
  'get_downloads_file_uid 503': unsigned,
  'get_downloads_file_uid_redirect 503': unsigned,
  'get_asset_library_asset_asset_id_download 402': async ({ update, a }) => {
    await update({ price_cents: 500, anonymous_downloads: false })
    return { token: (await a.verified()).token }
  },
  'get_asset_library_asset_asset_id_download 409': scanning,
  'get_asset_library_asset_asset_id_download 410': async (world) => {
    await withdrawn(world)
    const { asset_id, file_uid } = world
    return { path: `/api/v1/public/asset-library/asset/${asset_id}/download?file=${file_uid}` }
  },
  'get_asset_library_asset_asset_id_download 503': unsigned,
  'post_reports 201': reportOf,
  'post_reports 404': () => reportFor(randomUUID()),
  'post_reports 409': async (world) => {
    const { token } = await world.a.verified()
    const request = { ...reportOf(world), token }
    must(await world.post('/api/v1/public/reports', request.body, { token }))
    return request
  },
  'get_reports_report_id 200': async (world) => {
    const { body } = reportOf(world)
    const { token } = await world.a.verified()
    const sent = must(await world.post('/api/v1/public/reports', body, { token }))
    return { path: `/api/v1/public/reports/${sent.report_id}?token=${sent.token}` }
  },
  'get_statements_statement_uid 200': async (world) => {
    const { statement_uid, owner } = await warnedOwner(world)
    return { path: `/api/v1/public/statements/${statement_uid}`, token: owner.token }
  },
  'post_statements_statement_uid_appeal 201': appealOf,
  'post_statements_statement_uid_appeal 404': () => ({
    path: `/api/v1/public/statements/${randomUUID()}/appeal`,
    body: { text: 'No' },
  }),
  'post_statements_statement_uid_appeal 409': async (world) => {
    const request = await appealOf(world)
    must(await world.post(request.path!, request.body, { token: request.token! }))
    return request
  },
  'post_extstore_game_uid_auth 200': ticket,
  'post_extstore_game_uid_auth 401': () => ({ body: { ticket: 'ab'.repeat(64) } }),
  'post_extstore_game_uid_auth 404': () => ({
    path: `/api/v1/extstore/${randomUUID()}/auth`,
    body: { ticket: 'ab' },
  }),
  'post_extstore_game_uid_refresh 404': () => ({
    path: `/api/v1/extstore/${randomUUID()}/refresh`,
    body: { token: 'x.y.z' },
  }),
  'post_extstore_game_uid_auth 403': (world) => ({
    body: { ticket: world.ticket(world.game, stranger(world)) },
  }),
  'post_extstore_game_uid_refresh 200': async (world) => ({
    body: { token: await session(world) },
  }),
  'post_extstore_game_uid_refresh 401': () => ({ body: { token: 'x.y.z' } }),
  'post_extstore_game_uid_refresh 403': async (world) => {
    const { game, signIn, store } = world
    const account = world.player(game)
    const { token } = await signIn(game, account)
    store.control.disown({ account, app_id: game.app_id })
    return { body: { token } }
  },
  'post_extstore_game_uid_server_verify 200': async (world) =>
    asServer(world, { token: await session(world) }),
  'post_extstore_game_uid_server_verify 422': (world) => asServer(world, { token: 'x.y.z' }),
  'post_extstore_game_uid_server_revoke 200': (world) => asServer(world, { jti: randomUUID() }),
  'get_extstore_game_uid_server_ownership_extstore_id 200': (world) => asServer(world),
}

const reportFor = (target_id: string): Request => ({
  body: { target_type: 'listing', target_id, kind: 'spam', text: 'Spam', good_faith: true },
})
function reportOf({ listing }: World): Request {
  return reportFor(listing.uid)
}

/** A standard event with a value out of its bounds. */
function invalidEvent({ game_ids }: World): Request {
  const event = { event: 'boot_ok', event_id: randomUUID(), device_uid: randomUUID(), ms: -1 }
  return { body: { events: [event] }, headers: game_ids }
}

async function scanning({ sql, file_uid }: World): Promise<Request> {
  await sql`update files set scan = 'scanning' where uid = ${file_uid}`
  return {}
}

async function withdrawn({ sql, file_uid }: World): Promise<Request> {
  await sql`
    update builds set withdrawn_at = now(), withdrawal_reason = 'It deletes saved games'
    where uid = (select build_uid from files where uid = ${file_uid})`
  await sql`update files set scan = 'withdrawn' where uid = ${file_uid}`
  return {}
}

function unsigned({ core }: World): Request {
  Object.assign(core.storage, { link: () => Promise.reject(new Error('no signature')) })
  return {}
}

/** Undoes what producers change. */
async function restore(world: World) {
  const { core, sql, update, file_uid } = world
  delete core.checks.broken
  delete (core.storage as { link?: unknown }).link
  await sql`update builds set withdrawn_at = null where withdrawn_at is not null`
  await sql`update files set scan = 'clean' where uid = ${file_uid}`
  await update({ price_cents: 0, anonymous_downloads: true })
}

/** More than any route takes of a body that it does not stream. */
const TOO_LONG = Buffer.alloc(1.25 * MIB, 'a')

/** The request for a status that is produced alike on every route. */
function byStatus(world: World, { operation, path, method }: Described, status: number): Request {
  const auth_key = operation.security.some(({ game_auth_key }) => game_auth_key)
  const credential = auth_key ? { token: world.game.auth_key } : {}
  const body = method === 'GET' ? {} : { body: {} }
  const missing = path.replace(/\{(\w+)\}/g, () => randomUUID())
  switch (status) {
    case 400:
      return { ...body, ...credential, path: `${path}?nul=%00` }
    case 401:
      return auth_key ? body : { ...body, token: 'svc_play_ended' }
    case 403:
      return { token: world.suspended.token }
    case 404:
      return { ...body, ...credential, path: missing }
    case 413:
      return {
        ...credential,
        raw: TOO_LONG,
        headers: { ...world.game_ids, 'content-type': 'application/json' },
      }
    case 415:
      return { ...credential, raw: 'a', headers: { ...world.game_ids, 'content-type': 'text/csv' } }
    default:
      return { ...body, ...credential }
  }
}

test('every documented answer of the public API is produced', async (t) => {
  const world = await createWorld(t)
  const answers = recordAnswers(t, world)
  const description = await apiDescriptionOf(world, 'public')
  const values = existing(world)
  const wrong: string[] = []
  for (const described of operationsOf(description)) {
    const { operation, method, path } = described
    for (const status of Object.keys(operation.responses).map(Number)) {
      const name = `${operation.operationId} ${status}`
      if (producedElsewhere[name]) continue
      // test/uploads/upload-slots.test.ts: the disk is nearly full.
      if (status === 503 && routeOf(described).stores_files) continue
      const headers = newAddress()
      const keys = { ip: headers['x-forwarded-for'], game: world.game.uid }
      const replenish = status === 429 && exhaustLimit(world.core, routeOf(described), keys)
      const request = (await producers[name]?.(world)) ?? byStatus(world, described, status)
      const target = (request.path ?? path).replace(
        /\{(\w+)\}/g,
        (_, parameter) => values[parameter] ?? randomUUID(),
      )
      const answer = await world.call(method, target, {
        ...request,
        headers: { ...request.headers, ...headers },
      })
      if (replenish) replenish()
      await restore(world)
      const problem = answerProblem(described, status, answer)
      if (problem) wrong.push(`${name}: ${problem}`)
    }
  }
  assert.deepEqual(wrong, [])
  const descriptions = [description, await apiDescriptionOf(world, 'private')]
  assert.deepEqual(undocumentedAnswers(descriptions, answers), [])
  assert.deepEqual(unexposedHeaders(answers), [])
})
