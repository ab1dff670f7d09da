import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { agentScopes, playerScopes } from '../../src/accounts/keys/scopes.ts'
import { eventually, startApp } from '../support/app.ts'
import { makePublic, must } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { connect } from './mcp-client.ts'

const sharedClients = sharedInFile(startClients)

const MAX_LIST_BYTES = 60_000

type Schema = { [keyword: string]: any }

async function startClients(t: TestContext) {
  const app = await startApp(t)
  const person = await app.a.verifiedDeveloper()
  const agent_key = await app.a.key('agent', person, [...agentScopes])
  const player_key = await app.a.key('player', person, [...playerScopes])
  return {
    ...app,
    person,
    agent_key,
    player_key,
    agent: await connect(t, app.url, '/mcp', agent_key.key),
    player: await connect(t, app.url, '/player', player_key.key),
  }
}

/** A schema and all schemas within it. */
const schemasIn = (schema: Schema): Schema[] => [
  schema,
  ...Object.values(schema.properties ?? {}).flatMap((inner) => schemasIn(inner as Schema)),
  ...(schema.items ? schemasIn(schema.items) : []),
  ...(schema.anyOf ?? []).flatMap(schemasIn),
]

test('tool descriptions stand on their own, and every argument is explained', async (t) => {
  const { agent, player } = await sharedClients(t)
  for (const { list } of [agent, player])
    for (const { name, title, description = '', inputSchema } of await list()) {
      assert.match(description, /^[A-Z][a-z]+s .{25,}\.$/, `${name}: ${description}`)
      assert.notEqual(description, title)
      for (const [argument, schema] of Object.entries((inputSchema.properties ?? {}) as Schema))
        assert.ok(
          schema.description || schema.enum || schema.anyOf?.[0].enum,
          `${name} ${argument}`,
        )
    }
})

test('every value inside an argument is explained', async (t) => {
  const { agent, player } = await sharedClients(t)
  const unexplained: string[] = []
  for (const { list } of [agent, player])
    for (const { name, inputSchema } of await list())
      for (const [argument, schema] of Object.entries((inputSchema.properties ?? {}) as Schema))
        for (const inner of schemasIn(schema))
          for (const [field, { description }] of Object.entries<Schema>(inner.properties ?? {}))
            if (!description) unexplained.push(`${name} ${argument}.${field}`)
  assert.deepEqual(unexplained, [])
  const tools = new Map((await agent.list()).map((tool) => [tool.name, tool.inputSchema as Schema]))
  for (const name of ['update_game', 'declare_license'])
    assert.match(tools.get(name)!.properties.license_kind.description, /cc-by: Free to use/)
  const { platform } = tools.get('set_store_links')!.properties.store_links.items.properties
  assert.match(platform.description, /store_04: itch\.io/)
})

test('each list of tools is short as it is sent', async (t) => {
  const { call, agent_key, player_key } = await sharedClients(t)
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  const raw = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  for (const [path, token] of Object.entries({
    '/mcp': agent_key.key,
    '/player': player_key.key,
  })) {
    const { body } = await call('POST', path, { raw, headers, token })
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    assert.equal(text.includes('nextCursor'), false, `${path} has more pages`)
    const bytes = Buffer.byteLength(text)
    t.diagnostic(`${path}: ${bytes} bytes`)
    assert.ok(bytes > 1000 && bytes < MAX_LIST_BYTES, `${path}: ${bytes} bytes`)
  }
})

test('the schemas of tools are portable', async (t) => {
  const { agent, player } = await sharedClients(t)
  for (const { list } of [agent, player])
    for (const { name, inputSchema, outputSchema } of await list())
      for (const schema of [inputSchema, outputSchema ?? {}].flatMap(schemasIn)) {
        assert.equal(Array.isArray(schema.type), false, `${name} has a list of types`)
        assert.equal(schema.enum?.includes('') ?? false, false, `${name} has an empty value`)
        if (schema.type === 'array' && schemasIn(inputSchema).includes(schema))
          assert.ok(schema.items, `${name} has a list of anything`)
      }
})

test('enums of tools are those of the rules, and a value outside is named', async (t) => {
  const { agent, player, a, person } = await sharedClients(t)
  const { uid } = await a.listing({ owner: person })
  const message = async (client: typeof agent, tool: string, args: object) =>
    (await client.call(tool, { uid, ...args })).refused?.message ?? 'accepted'
  assert.match(
    await message(agent, 'update_game_taxonomy', { genres: ['rouge'] }),
    /^arguments\.genres\[0\]: must be one of action, adventure, /,
  )
  assert.match(
    await message(agent, 'list_game_builds', { os: 'beos' }),
    /^arguments\.os: must be one of windows, /,
  )
  assert.equal(
    await message(agent, 'list_game_builds', { os: 'darwin', arch: 'amd64' }),
    'accepted',
  )
  const { refused } = await player.call('get_shelf', { kind: 'tonite' })
  assert.match(refused!.message, /^arguments\.kind: must be one of tonight, /)
  const { refused: no_system } = await player.call('get_shelf', { kind: 'tonight', os: 'beos' })
  assert.match(no_system!.message, /^arguments\.os: must be one of windows, /)
  assert.equal((await player.call('get_shelf', { kind: 'tonight', os: 'mac' })).data.os, 'macos')
})

test('search_catalog names the filter values that the search ignores', async (t) => {
  const { player, a, sql, put, person } = await sharedClients(t)
  const { uid } = await a.listing({ owner: person, name: 'Lantern Harbour' })
  await makePublic(sql, uid)
  must(await put(`/api/v1/private/games/${uid}/taxonomy`, { genres: ['rpg'], tags: [] }, person))
  const search = async (args: Record<string, unknown>) =>
    (await player.call('search_catalog', args)).data
  await eventually('the index', async () => (await search({ genres: ['rpg'] })).total === 1)
  const known = await search({
    genres: ['RPG', 'action'],
    tags: ['no-such-tag'],
    exclude_tone: ['dark'],
    sort: 'newest',
  })
  assert.equal('ignored_values' in known, false)
  const { total, ignored_values } = await search({
    genres: ['rpg', 'rouge'],
    net: ['solo'],
    languages: ['klingon!'],
    engine: ['Not A Slug!'],
    engine_version: 'latest',
    facets: ['colors'],
    sort: 'best',
    arch: ['arm64'],
  })
  assert.equal(total, 1, 'an unknown value changed the result')
  assert.deepEqual(ignored_values.map(({ argument, value }: any) => [argument, value]).sort(), [
    ['arch', 'arm64'],
    ['engine', 'Not A Slug!'],
    ['engine_version', 'latest'],
    ['facets', 'colors'],
    ['genres', 'rouge'],
    ['languages', 'klingon!'],
    ['net', 'solo'],
    ['sort', 'best'],
  ])
  const reasons = Object.fromEntries(
    ignored_values.map(({ argument, reason }: any) => [argument, reason]),
  )
  assert.equal(reasons.net, 'Not one of offline, local, online, local_online')
  assert.equal(reasons.arch, 'arch counts only together with os')

  const { properties } = (await player.list()).find(({ name }) => name === 'search_catalog')!
    .inputSchema as Schema
  assert.deepEqual(properties.price.items.enum, ['free', 'paid'])
  assert.match(properties.rating.description, /percentage of players enjoyed it/)
  assert.equal((await search({ price: ['free'] })).total, 1)
  assert.equal((await search({ price: ['paid'] })).total, 0)
  assert.equal((await search({ rating: [properties.rating.items.enum[0]] })).total, 0)
  assert.deepEqual(
    (await search({ price: ['cheap'], rating: ['good'] })).ignored_values.map(
      ({ argument }: any) => argument,
    ),
    ['price', 'rating'],
  )

  // Older clients separate values by commas.
  assert.equal((await search({ genres: 'rpg,action' })).total, 1)
  assert.deepEqual(
    (await search({ genres: 'rpg, rouge' })).ignored_values.map(({ value }: any) => value),
    ['rouge'],
  )
})
