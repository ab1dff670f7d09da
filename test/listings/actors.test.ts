import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Route } from '../../src/core/http/route.ts'
import { uuidv7 } from '../../src/core/security/crypto.ts'
import { routes } from '../../src/routes.ts'
import { apiDescriptionOf, operationsOf, routeOf, sampleOf } from '../core/http/described-api.ts'
import type { Call } from '../support/app.ts'
import { addAdmin, must, newAddress, type Person } from '../support/builders.ts'
import { type FullGame, startFullGame } from './full-game.ts'

/** Who may call a route. Everybody else is refused, whatever they send. */
type Group =
  | 'everyone'
  | 'editors'
  | 'build machines'
  | 'owner of the thing'
  | 'seller and operators'
  | 'team'
  | 'operators'

const OF_LISTING = /^\/(api\/v1\/private\/games\/:\w+|dashboard\/:game)(\/|$)/
/** What belongs to one person, by the route that reads or changes it. */
const OWN_THINGS: Record<string, RegExp> = {
  session: /\/sessions\/:uid/,
  'agent key': /\/agent-keys\/:uid/,
  'player key': /\/player-keys\/:uid/,
  'key on the website': /^\/account\/keys\/:kind\/:uid/,
  'deleted listing': /\/deleted(-games)?\/:uid/,
  invitation: /\/invites\/:uid/,
  passkey: /\/passkeys\/:uid/,
  'app with access': /\/(agent-access|apps)\/:uid/,
  'request of an agent': /\/(approvals|approve)\/:uid/,
  'request of an app': /^\/oauth\/consent\/:uid/,
  order: /\/orders\/:order_uid/,
}
/** Routes for people that only concern their own account, or every listing they can see. */
const OWN_ACCOUNT = [
  /^\/api\/v1\/private\/(account|settings|library|downloads|approvals|invites|deleted-games)/,
  /^\/api\/v1\/private\/(steam|games$|orders$|sales$|redeem$|moderation\/(statements|appeals))/,
  /^\/(settings|account|library|redeem|games|dashboard|oauth|device|approve|appeal)/,
]
const OPEN_SCHEMES = [
  'anyone',
  'visitor',
  'viewer',
  'optional token',
  'game',
  'game auth key',
  'player of this game',
  'agent tools',
  'player tools',
  'holder',
  'any agent',
]

/** The group of a route. A route that is in none fails the test: decide who may call it. */
function groupOf({ method, url, auth: { name } }: Route): Group {
  if (/^(operator, |console operator$)/.test(name)) return 'operators'
  if (/^(moderator, |console moderator$)/.test(name)) return 'team'
  if (name === 'deploy key') return 'build machines'
  if (/\/sales\/:order_uid/.test(url)) return 'seller and operators'
  if (/\/orders\/:order_uid/.test(url)) return 'owner of the thing'
  if (name.startsWith('player ')) return 'everyone'
  if (OF_LISTING.test(url)) return 'editors'
  if (Object.values(OWN_THINGS).some((pattern) => pattern.test(url))) return 'owner of the thing'
  if (OPEN_SCHEMES.includes(name) || OWN_ACCOUNT.some((pattern) => pattern.test(url)))
    return 'everyone'
  return assert.fail(`${method} ${url} (${name}): who may call it?`)
}

const OTHER_DEPLOY_KEY = 'deploy key of another listing'
type Actor = { name: string; headers: Record<string, string>; may: readonly Group[] }

/** A full game, and everybody who has no role in it. */
async function startActors(t: TestContext) {
  const full = await startFullGame(t)
  const { a, sql, owner, game } = full
  const developer = await a.verifiedDeveloper()
  const other = await a.listing({ owner: developer })
  const former = await a.verifiedDeveloper()
  await addAdmin(sql, game.uid, former.uid)
  const former_key = (await a.key('agent', former, ['mcp:write'])).key as string
  must(await full.del(`/api/v1/private/games/${game.uid}/admins/${former.uid}`, owner))
  const moderator = await a.verified()
  await sql`insert into moderators (user_uid) values (${moderator.uid})`
  const operator = await a.verified()
  await sql`insert into operators (user_uid) values (${operator.uid})`
  const stranger_key = (await a.key('agent', developer, ['mcp:write'])).key as string
  const bound_key = (await a.key('agent', developer, ['mcp:write'], { game_uid: other.uid }))
    .key as string
  const { ci: other_ci } = await a.cleanBuild(other)
  const api = (name: string, { token }: { token: string }, may: Group[] = []) => ({
    name,
    headers: { authorization: `Bearer ${token}` } as Record<string, string>,
    may,
  })
  const browser = (name: string, { token }: Person, may: Group[] = []) => ({
    name: `${name} in a browser`,
    headers: { cookie: `svc_session=${token}`, accept: 'text/html' } as Record<string, string>,
    may,
  })
  const people: [string, Person, Group[]][] = [
    ['player', full.player, []],
    ['other developer', developer, []],
    ['removed admin', former, []],
    ['moderator', moderator, ['team']],
    ['operator', operator, ['team', 'operators', 'seller and operators']],
  ]
  const actors: Actor[] = [
    { name: 'anonymous', headers: {}, may: [] },
    { name: 'invited admin', headers: full.actors['invited']!, may: [] },
    ...people.flatMap(([name, person, may]) => [
      api(name, person, may),
      browser(name, person, may),
    ]),
    api('agent key of another developer', { token: stranger_key }),
    api('agent key of a removed admin', { token: former_key }),
    api('agent key bound to another listing', { token: bound_key }),
    { name: OTHER_DEPLOY_KEY, headers: other_ci.headers, may: [] },
    { name: 'player of the game', headers: full.actors['player of the game']!, may: [] },
  ]
  const ids: Record<string, string> = { ...full.ids, order_uid: await addOrder(full) }
  return { ...full, actors, ids, own: await ownThings(full) }
}

/** A paid order of the game, which its owner bought. */
async function addOrder({ sql, owner, game }: FullGame): Promise<string> {
  const [order] = await sql`
    insert into orders (uid, buyer_uid, seller_uid, game_uid, state, provider, title, seller,
      currency, list_minor, amount_minor, tax_minor, fee_minor, expires_at, paid_at)
    values (${uuidv7()}, ${owner.uid}, ${owner.uid}, ${game.uid}, 'paid', 'manual', 'Game', '{}',
      'USD', 500, 500, 0, 50, now(), now())
    returning uid`
  return order!.uid
}

/** The uids of what belongs to the owner of the game. */
async function ownThings({ a, sql, owner, post }: FullGame) {
  const [session] = await sql`select uid from sessions where user_uid = ${owner.uid}`
  const agent = await a.key('agent', owner, ['mcp:read'])
  const player = await a.key('player', owner, ['player:read'])
  const deleted = await a.listing({ owner })
  await sql`update all_listings set deleted_at = now() where uid = ${deleted.uid}`
  const inviting = await a.listing()
  await addAdmin(sql, inviting.uid, owner.uid, false)
  const approving = (await a.key('agent', owner, ['mcp:write'])).key as string
  const { build_id } = await a.cleanBuild(await a.listing({ owner }))
  const [build] = await sql`select game_uid from builds where uid = ${build_id}`
  const pending = await post(
    `/api/v1/private/games/${build!.game_uid}/channels/stable/promote`,
    { build_id },
    { token: approving },
  )
  return {
    session: session!.uid,
    'agent key': agent.uid,
    'player key': player.uid,
    'key on the website': agent.uid,
    'deleted listing': deleted.uid,
    invitation: inviting.uid,
    'request of an agent': pending.body?.data?.approval?.uid,
  } as Record<string, string | undefined>
}

test('every route has a group, and nobody outside of it gets in or changes anything', async (t) => {
  const full = await startActors(t)
  const { call, url, actors, ids, game, own } = full
  const bodies = await readBodies(full)
  const pathOf = (route: Route) => {
    const thing = Object.entries(OWN_THINGS).find(([, pattern]) => pattern.test(route.url))?.[0]
    const path = route.url.replace(/:(\w+)/g, (_, name) => {
      if (['game', 'game_id', 'game_uid'].includes(name)) return game.uid
      if (name === 'uid') return (thing && own[thing]) ?? game.uid
      return name === 'kind' ? 'agent' : (ids[name] ?? game.uid)
    })
    return path.endsWith('/download') ? `${path}?kind=log` : path
  }
  const before = await contentOf(full)
  const holes: string[] = []
  let refused = 0
  for (const route of routes) {
    const group = groupOf(route)
    if (group === 'everyone') continue
    const { method } = route
    const is_page = !route.url.startsWith('/api/')
    const outsiders = actors.filter(
      ({ name, may }) =>
        !may.includes(group) &&
        (name === 'anonymous' || name.endsWith('browser') === is_page) &&
        // Without a parameter a route for build machines is about the listing of the key.
        (name !== OTHER_DEPLOY_KEY || route.url.includes(':')),
    )
    await Promise.all(
      outsiders.map(async ({ name, headers }) => {
        const request: Call = { headers: { ...headers, ...newAddress(), origin: url } }
        if (method !== 'GET' && is_page) {
          request.headers!['content-type'] = 'application/x-www-form-urlencoded'
          request.raw = 'name=sample'
        } else if (method !== 'GET') request.body = bodies.get(route) ?? {}
        const { status } = await call(method, pathOf(route), request)
        // A form that changes nothing leads back to a page, with a message.
        const is_redirected = status === 303 && is_page
        if ([401, 403, 404].includes(status) || is_redirected) refused++
        else holes.push(`${name}: ${method} ${route.url} (${group}): ${status}`)
      }),
    )
  }
  assert.deepEqual(holes, [])
  assert.deepEqual(await contentOf(full), before, 'a refused request changed something')
  t.diagnostic(`${refused} requests refused`)
  assert.ok(refused > 3000)
})

/** A valid body for every route that takes JSON, so that no request is refused for its form. */
async function readBodies(full: { get: Parameters<typeof apiDescriptionOf>[0]['get'] }) {
  const bodies = new Map<Route, unknown>()
  for (const audience of ['public', 'private'] as const) {
    const description = await apiDescriptionOf(full, audience)
    for (const described of operationsOf(description)) {
      const schema = described.operation.requestBody?.content['application/json']?.schema
      if (schema) bodies.set(routeOf(described), sampleOf(schema, description.components.schemas))
    }
  }
  return bodies
}

/** The rows of the game and of its owner that somebody could have changed. */
async function contentOf({ sql, game, owner }: Pick<FullGame, 'sql' | 'game' | 'owner'>) {
  const tables = await sql<{ name: string }[]>`
    select distinct c.table_name as name
    from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and c.column_name = 'game_uid' and t.table_type = 'BASE TABLE'
      -- The log of calls has refused ones too.
      and c.table_name not in (
        'credential_calls', 'player_storage_changes', 'storage_use',
        -- Jobs write these at any time.
        'download_popularity', 'listing_changes', 'listing_similar', 'listing_reach')
    order by 1`
  const content: Record<string, unknown> = {}
  for (const { name } of tables)
    content[name] = (
      await sql`select to_jsonb(r) as row from ${sql(name)} r where game_uid = ${game.uid}`
    )
      .map(({ row }) => JSON.stringify(row))
      .sort()
  const [listing] = await sql`select to_jsonb(l) as row from all_listings l where uid = ${game.uid}`
  const [person] = await sql`select to_jsonb(u) as row from users u where uid = ${owner.uid}`
  const [own] = await sql`
    select
      (select count(*)::int from access_keys where user_uid = ${owner.uid}) as keys,
      (select count(*)::int from sessions where user_uid = ${owner.uid}) as sessions,
      (select count(*)::int from passkeys where user_uid = ${owner.uid}) as passkeys,
      (select count(*)::int
        from all_listings
        where owner_uid = ${owner.uid} and deleted_at is not null) as deleted,
      (select count(*)::int
        from listing_admins
        where user_uid = ${owner.uid} and accepted_at is null) as invitations,
      (select array_agg(status) from approvals) as approvals`
  return { ...content, listing, person, own }
}
