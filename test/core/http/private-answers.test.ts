import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { MIB } from '../../../src/core/runtime/units.ts'
import { type Answer, type Call, startApp } from '../../support/app.ts'
import { makePublic, must, newAddress } from '../../support/builders.ts'
import {
  answerProblem,
  apiDescriptionOf,
  type Described,
  exhaustLimit,
  operationsOf,
  routeOf,
  type Schemas,
  sampleOf,
} from './described-api.ts'

type World = Awaited<ReturnType<typeof createWorld>>

async function createWorld(t: TestContext) {
  const app = await startApp(t, { PROXY_HOPS: '1' })
  const owner = await app.a.verifiedDeveloper()
  await app.sql`insert into operators (user_uid) values (${owner.uid})`
  const listing = await app.a.listing({ owner })
  const { build_id, file_uid } = await app.a.cleanBuild(listing)
  const { headers } = await app.a.deployer(listing)
  const player_token = must(
    await app.post(`/api/v1/private/games/${listing.uid}/player-token`, undefined, owner),
  ).token as string
  const keyOf = async (scope: 'mcp:bugs.read' | 'mcp:money') =>
    (await app.a.key('agent', owner, [scope])).key as string
  const money = await keyOf('mcp:money')
  const keys = {
    money,
    bugs: await keyOf('mcp:bugs.read'),
    '/mcp': money,
    '/player': (await app.a.key('player', owner, ['player:read'])).key as string,
  }
  await makePublic(app.sql, listing.uid)
  const values: Record<string, string> = {
    uid: listing.uid,
    game_id: listing.uid,
    game_uid: listing.uid,
    build_id,
    file_uid,
    username: owner.username,
    channel: 'beta',
  }
  return { ...app, owner, listing, deploy: headers, player_token, keys, values }
}

/** The credentials that an operation takes. */
function credentialsOf(world: World, { operation, path }: Described): Call {
  const { owner, deploy, player_token, keys } = world
  const schemes = operation.security.flatMap(Object.keys)
  if (path === '/mcp' || path === '/player') return { token: keys[path] }
  if (schemes.includes('deploy_access')) return { headers: deploy }
  if (schemes.includes('game_player')) return { token: player_token }
  return schemes.includes('bearer') ? { token: owner.token } : {}
}

const isRead = ({ method }: Described) => method === 'GET'
const jsonBody = ({ operation }: Described) => operation.requestBody?.content['application/json']

/** A body as the description says, or none. */
const bodyOf = (described: Described, schemas: Schemas): Call =>
  jsonBody(described) ? { body: sampleOf(jsonBody(described)!.schema, schemas) } : {}

type Request = Call & { path?: string }
type Producer = (world: World, described: Described, schemas: Schemas) => Request

/** Requests for the statuses that are produced alike on every route. */
const producers: Record<number, Producer> = {
  200: (world, described) => credentialsOf(world, described),
  302: (world, described) => credentialsOf(world, described),
  400: (world, described, schemas) => ({
    ...credentialsOf(world, described),
    ...bodyOf(described, schemas),
    path: `${described.path}?nul=%00`,
  }),
  401: (_, { operation }) =>
    operation.security.some(({ deploy_access }) => deploy_access)
      ? { headers: { 'x-access-token': 'x', 'x-secret-key': 'y' } }
      : { token: 'svc_play_ended' },
  403: ({ keys }, described, schemas) => {
    const { operation, path } = described
    const takes_any_agent = path === '/mcp' || path.includes('/approvals/')
    if (takes_any_agent) return { token: keys['/player'], ...bodyOf(described, schemas) }
    const scopes = operation.security.flatMap(({ bearer = [] }) => bearer)
    const token = scopes.includes('mcp:bugs.read') ? keys.money : keys.bugs
    return { token, ...bodyOf(described, schemas) }
  },
  404: (world, described, schemas) => ({
    ...credentialsOf(world, described),
    ...bodyOf(described, schemas),
    path: described.path.replaceAll(/\{(?!channel)\w+\}/g, () => randomUUID()),
  }),
  413: (world, described) => ({
    ...credentialsOf(world, described),
    body: 'a'.repeat(2 * MIB),
  }),
  415: (world, described) => {
    const { token, headers } = credentialsOf(world, described)
    return {
      raw: 'a',
      headers: { 'content-type': 'text/csv', ...headers },
      ...(token && { token }),
    }
  },
  429: (world, described, schemas) => ({
    ...credentialsOf(world, described),
    ...bodyOf(described, schemas),
  }),
}

/** Whether the request for a status needs nothing that only this operation has. */
function isGeneral(described: Described, status: number, values: Record<string, string>): boolean {
  const { path, operation } = described
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  switch (status) {
    case 200:
    case 302:
      return isRead(described) && names.every((name) => values[name])
    case 401:
    case 403:
      return operation.security.some(({ bearer, deploy_access }) =>
        status === 401 ? (bearer ?? deploy_access) : bearer,
      )
    case 404:
      return (
        names.length > 0 && (isRead(described) || !operation.requestBody || !!jsonBody(described))
      )
    case 413:
    case 415:
      return !!jsonBody(described)
    case 429:
      return routeOf(described).limits !== undefined
    default:
      return producers[status] !== undefined
  }
}

/** Answers that need a state of their own, and where that state is tested. */
const producedElsewhere: Record<string, string> = {
  'get_private_approvals_uid 200': 'test/agents/approvals.test.ts',
  'get_private_games_game_id_steam 200': 'test/extstore/settings.test.ts',
  'get_private_games_game_id_steam_auth_key 200': 'test/extstore/settings.test.ts',
  'get_private_account_extstore_callback 200': 'test/extstore/account.test.ts',
  'post_private_games_uid_bug_reports 413': 'test/bugs/store-report.test.ts',
}

async function request(world: World, described: Described, call: Request): Promise<Answer> {
  const { path = described.path, ...options } = call
  const target = path.replaceAll(/\{(\w+)\}/g, (_, name) => world.values[name] ?? randomUUID())
  const required = (described.operation.parameters ?? [])
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(({ name, schema }) => `${name}=${sampleOf(schema, {})}`)
  const query = required.length && !target.includes('?') ? `?${required.join('&')}` : ''
  return world.call(described.method, `${target}${query}`, options)
}

test('answers of the private API that need no state of their own are produced', async (t) => {
  const world = await createWorld(t)
  const description = await apiDescriptionOf(world, 'private')
  const { schemas } = description.components
  const wrong: string[] = []
  let produced = 0
  for (const described of operationsOf(description))
    for (const status of Object.keys(described.operation.responses).map(Number)) {
      const name = `${described.operation.operationId} ${status}`
      if (producedElsewhere[name] || !isGeneral(described, status, world.values)) continue
      produced++
      const address = newAddress()
      const call = producers[status]!(world, described, schemas)
      const keys = { ip: address['x-forwarded-for'], account: world.owner.uid }
      const replenish =
        status === 429 &&
        exhaustLimit(world.core, routeOf(described), {
          ...keys,
          visitor: keys.account,
          game: world.listing.uid,
        })
      const answer = await request(world, described, {
        ...call,
        headers: { ...call.headers, ...address },
      })
      if (replenish) replenish()
      const problem = answerProblem(described, status, answer)
      if (problem) wrong.push(`${name}: ${problem}`)
    }
  t.diagnostic(`${produced} answers`)
  assert.deepEqual(wrong, [])
})
