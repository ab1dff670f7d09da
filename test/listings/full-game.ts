import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import { clearIdentityCache } from '../../src/accounts/sessions/identity.ts'
import type { Route } from '../../src/core/http/route.ts'
import { readConfig } from '../../src/core/runtime/config.ts'
import { routes } from '../../src/routes.ts'
import { startService } from '../../src/service.ts'
import { report, startBugApp } from '../bugs/fixtures.ts'
import { eventually } from '../support/app.ts'
import { addAdmin, must, newAddress } from '../support/builders.ts'
import { httpClient } from '../support/http-client.ts'
import { picture } from '../support/images.ts'

const GAMES = '/api/v1/private/games'
const DELETED = '/api/v1/private/deleted-games'
/** A public game with everything that a listing can have, and the ids of its parts. */
export async function startFullGame(t: TestContext) {
  const app = await startBugApp(t)
  const { sql, a, post, put, get, call } = app
  const owner = await a.verifiedDeveloper({ username: 'harbor' })
  const game = await app.game('public', owner)
  const { uid } = game
  const media = await a.images(game)
  const { build_id, file_uid, ci } = await a.cleanBuild(game)
  await sql`
    update listings
    set anonymous_downloads = true, asset_type = 'plugin', genres = '{rpg}', tags = '{one,two}'
    where uid = ${uid}`
  await app.configure(game, { enabled: true })
  const player = await app.fan(uid)
  const tagger = await app.fan(uid)
  const review = { enjoyed: true, quality: 5, would_play_with_friends: true, text: 'Good' }
  must(await put(`${GAMES}/${uid}/review`, review, player))
  must(await put(`${GAMES}/${uid}/tag-suggestions`, { tags: ['calm', 'odd', 'wet'] }, tagger))
  const [saved_review] = await sql`select uid from reviews where game_uid = ${uid}`
  const screenshot = await picture(64, 36)
  const ticket = await app.ticket(game, report({}, { log: 'a log', screenshot }), player)
  const admin = await a.verifiedDeveloper()
  await addAdmin(sql, uid, admin.uid)
  const invited = await a.verifiedDeveloper()
  await addAdmin(sql, uid, invited.uid, false)
  const bound_key = (await a.key('agent', owner, ['mcp:read'], { game_uid: uid })).key as string
  const kit = { facts: 'Made in a harbor' }
  await sql`insert into press_kits (game_uid, kit) values (${uid}, ${sql.json(kit)})`
  const headers = { 'x-app-id': uid, 'x-build-id': build_id, ...newAddress() }
  const crash = must(await post('/api/v1/public/crashes', { kind: 'crash' }, { headers }))
  const download = must(await get(`/api/v1/public/downloads/${file_uid}`))
  const [row] = await sql`select asset_id from listings where uid = ${uid}`
  const related = await app.game('public')
  await sql`
    insert into listing_dependencies (game_uid, target_uid, position, kind)
    values (${related.uid}, ${uid}, 0, 'required')`
  const player_token = await app.tokenOf(uid, player)
  const saves = `/api/v1/public/games/${uid}/saves`
  must(await call('PUT', `${saves}/auto`, { raw: 'level 1', token: player_token }))
  const [save] = await sql`select uid from saves where game_uid = ${uid}`
  const patch_uid = randomUUID()
  await sql`
    insert into file_patches (uid, game_uid, from_file, to_file, format, size, sha256)
    values (${patch_uid}, ${uid}, ${file_uid}, ${file_uid}, 'slipway-zstd-1', 10, 'x')`
  must(await put(`${GAMES}/${uid}/play-sharing`, { shared: true }, player))
  return {
    ...app,
    call,
    game,
    owner,
    player,
    related,
    media,
    download_path: download.url.slice(app.url.length) as string,
    actors: {
      anonymous: {},
      owner: { authorization: `Bearer ${owner.token}` },
      admin: { authorization: `Bearer ${admin.token}` },
      invited: { authorization: `Bearer ${invited.token}` },
      player: { authorization: `Bearer ${player.token}` },
      'owner in a browser': { cookie: `svc_session=${owner.token}`, accept: 'text/html' },
      'player in a browser': { cookie: `svc_session=${player.token}`, accept: 'text/html' },
      'bound key': { authorization: `Bearer ${bound_key}` },
      'player of the game': { authorization: `Bearer ${player_token}` },
      'build machine': ci.headers,
      'running game': { 'x-app-id': uid, 'x-build-id': build_id },
    } as Record<string, Record<string, string>>,
    ids: {
      username: owner.username,
      publisher: owner.username,
      user_id: owner.uid,
      vanity_name: game.vanity_name,
      slug: game.vanity_name,
      asset_id: String(row!.asset_id),
      kind: 'new',
      tag: 'calm',
      channel: 'stable',
      build_id,
      build: build_id,
      file_uid,
      filename: 'game.zip',
      review_uid: saved_review!.uid,
      review: saved_review!.uid,
      bug_uid: ticket.uid,
      bug: ticket.uid,
      report_id: crash.id,
      id: crash.id,
      crash: crash.id,
      image: media.gallery[0]!.uid,
      name: media.cover.split('/').at(-1)!,
      user_uid: admin.uid,
      user: admin.uid,
      token: crash.uploads?.[0]?.token ?? randomUUID(),
      slot: 'auto',
      version: '1',
      save_uid: save!.uid,
      patch_uid,
    } as Record<string, string>,
  }
}
export type FullGame = Awaited<ReturnType<typeof startFullGame>>

/** Routes that have nothing to do with listings, or whose answer changes with every call. */
const skipped =
  /^\/(health|ready|metrics|mcp|oauth|\.well-known|docs|logout|login|signup|password|uploader|assets\/|get\/|account\/(security|sessions))/
const skippedApi =
  /openapi|account\/(register|login|logout|forgot|reset|email-code|verify|totp|passkeys)|operations|extstore\/link/
/** Calls that are counted: two walks would differ by the first one. */
const counted =
  /agent-calls|downloads|\/patches\/|\/download\b(?!-)|^\/account\/keys|security-events|\/events$/
/** Lists of calls and security events, which every walk makes longer. */
const changing = /agent-calls|^\/account\/keys|security-events|\/events$/
/** What differs on purpose between a deleted listing and a missing one. */
const restoring = [
  // Files of a listing that can come back take storage.
  'GET /api/v1/private/account/storage',
  `GET ${DELETED}`,
  `POST ${DELETED}/:uid/restore`,
  'GET /dashboard',
  'POST /dashboard/developer',
  'POST /dashboard/deleted/:uid/restore',
]
const listingParams = ['uid', 'game_id', 'game_uid', 'game']

/** A write without a parameter names no listing, because its body is empty. */
const namesNothing = ({ method, url }: Route) => method !== 'GET' && !url.includes(':')

const walked = (only?: 'GET', with_counted = false) =>
  routes.filter((route) => {
    const { method, url } = route
    return (
      !skipped.test(url) &&
      !skippedApi.test(url) &&
      !restoring.includes(`${method} ${url}`) &&
      !namesNothing(route) &&
      (!only || (method === only && (!counted.test(url) || (with_counted && !changing.test(url)))))
    )
  })

/** Programs, and the routes that are for them. */
const programs: Record<string, RegExp> = {
  'build machine': /^\/api\/v1\/tool\//,
  'running game': /^\/api\/v1\/public\/(events|crash)/,
  'player of the game': /^\/api\/v1\/(games\/|public\/games\/:\w+\/saves)/,
}

/** Schemes that let in requests without a credential. */
const OPEN_SCHEME = /^(anyone|visitor|viewer|optional token|game)$/
/** Schemes that look at the role of a person, which nobody in a full game has. */
const ROLE_SCHEME = /^(operator|moderator|console)\b/
/** A scheme that reads keys, and lets in the one that is bound to the game. */
const READING_SCHEME = /^(holder|any agent|agent tools)$|mcp:(read|crash\.read|analytics\.read)/

/**
 * Those who may call a route: for pages browsers, for the API people and programs. Those whom the
 * scheme of the route refuses are left out, because it does not look at listings;
 * test/agents/authorization.test.ts has them. Where a role is needed, the owner is one of these.
 */
function actorsOf({ actors }: FullGame, { method, url, auth: { name } }: Route): string[] {
  const is_api = url.startsWith('/api/')
  const owner = is_api ? 'owner' : 'owner in a browser'
  if (ROLE_SCHEME.test(name)) return [owner]
  return Object.keys(actors).filter((actor) => {
    if (programs[actor]) return programs[actor].test(url)
    if (actor === 'anonymous') return method === 'GET' && OPEN_SCHEME.test(name)
    if (actor === 'bound key' && !OPEN_SCHEME.test(name) && !READING_SCHEME.test(name)) return false
    const is_enough = method === 'GET' || !['admin', 'invited'].includes(actor)
    return is_enough && actor.endsWith('in a browser') !== is_api
  })
}

/** Those of the callers of a route who also call it with the name of the game. */
const callersByName = ['anonymous', 'owner', 'owner in a browser']

const pathOf = ({ ids, game }: FullGame, url: string, name: string) =>
  url.replace(/:(\w+)/g, (_, param) =>
    listingParams.includes(param) ? name : (ids[param] ?? game.uid),
  )

/** Replaces what differs between two answers to the same request. */
const normalized = (text: string) =>
  text
    .replace(/"request_id":"[^"]+"/g, '')
    .replace(/expires=\d+&(amp;)?signature=[\w-]+/g, 'signature')
    .replace(/nonce-[\w+/=-]+|nonce="[^"]+"/g, 'nonce')
    .replace(/"(expires_at|generated_at|last_used_at|signature|token|updated)":"[^"]+"/g, '')

type Walk = {
  /** All actors by default. */
  actors?: readonly string[]
  /** Also routes that count their calls, for a target whose calls are not counted. */
  with_counted?: boolean
}

/** The answers of a new process, without anything cached, to every actor at every route. */
export async function walk(
  full: FullGame,
  only?: 'GET',
  { actors = Object.keys(full.actors), with_counted = false }: Walk = {},
): Promise<Map<string, string>> {
  clearIdentityCache()
  const settings = {
    ...full.settings,
    SLIPWAY_ROLES: 'api,web,upload',
    // Each connection reads the catalog and plans every statement for itself.
    DATABASE_CONNECTIONS: '2',
  }
  const service = await startService(readConfig(settings), { strict: true })
  try {
    const call = httpClient(service.url)
    await eventually('the process to be ready', async () => {
      return (await call('GET', '/ready')).status === 200
    })
    const answers = new Map<string, string>()
    const ask = async (actor: string, method: string, path: string) => {
      const headers = { ...full.actors[actor], ...newAddress(), origin: service.url }
      const body = method === 'GET' ? {} : { body: {} }
      const { status, body: answer } = await call(method, path, { headers, ...body })
      // The checksums in a zip cover the address of the process.
      const is_zip = path.includes('.zip')
      const text = is_zip ? '' : typeof answer === 'string' ? answer : JSON.stringify(answer)
      answers.set(
        `${actor}: ${method} ${path}`,
        `${status} ${normalized(text).replaceAll(service.url, '')}`,
      )
    }
    for (const route of walked(only, with_counted)) {
      const { method, url } = route
      const by_uid = pathOf(full, url, full.game.uid)
      const by_name = pathOf(full, url, full.game.vanity_name)
      const callers = actorsOf(full, route).filter((actor) => actors.includes(actor))
      const requests = callers.map((actor) => ask(actor, method, by_uid))
      if (by_name !== by_uid)
        for (const actor of callers.filter((caller) => callersByName.includes(caller)))
          requests.push(ask(actor, method, by_name))
      await Promise.all(requests)
    }
    for (const path of [
      ...(only && !with_counted ? [] : [full.download_path]),
      `/api/v1/public/games/${full.related.uid}`,
      `/api/v1/public/games/${full.related.uid}/relations`,
      `/api/v1/public/search?q=${full.game.vanity_name}`,
      `/${full.owner.username}`,
      `/${full.owner.username}/${full.game.vanity_name}`,
    ])
      await ask('anonymous', 'GET', path)
    const failed = [...answers].filter(([, answer]) => answer.startsWith('500'))
    assert.deepEqual(failed, [])
    return answers
  } finally {
    await service.stop()
  }
}

export function differences(before: Map<string, string>, after: Map<string, string>): string[] {
  return [...before].flatMap(([request, answer]) =>
    after.get(request) === answer
      ? []
      : [`${request}\n  ${answer.slice(0, 400)}\n  ${after.get(request)?.slice(0, 400)}`],
  )
}
