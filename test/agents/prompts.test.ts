import assert from 'node:assert/strict'
import { test } from 'node:test'
import { developerPrompts } from '../../src/agents/mcp/prompts.ts'
import { developerResources, findResource } from '../../src/agents/mcp/resources.ts'
import { developerServer } from '../../src/agents/mcp/tool-servers.ts'
import { startApp } from '../support/app.ts'
import { must } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { connect } from './mcp-client.ts'

const sharedApp = sharedInFile(startApp)

test('prompts list their arguments, name existing tools and quote their input', async (t) => {
  const { a, url } = await sharedApp(t)
  const { client } = await connect(
    t,
    url,
    '/mcp',
    (await a.key('agent', await a.developer(), ['mcp:read'])).key,
  )
  const { prompts } = await client.listPrompts()
  assert.deepEqual(
    prompts.map(({ name, arguments: args }) => [
      name,
      args?.map((argument) => `${argument.name}${argument.required ? '' : '?'}`),
    ]),
    [
      ['draft_game_page', ['pitch']],
      ['improve_game_copy', ['description']],
      ['analytics_summary', ['uid']],
      ['bootstrap_game', ['pitch', 'uid?']],
    ],
  )
  const tools = new Set(developerServer.tools.map(({ name }) => name))
  for (const { name, arguments: args } of developerPrompts) {
    const values = Object.fromEntries(args.map(({ name }) => [name, `about ${name}`]))
    const { messages } = await client.getPrompt({ name, arguments: values })
    const text = (messages[0]!.content as { text: string }).text
    for (const value of Object.values(values)) assert.ok(text.includes(value), name)
    const named = text.match(/\b(?:get|set|list|create|update|validate)_[a-z_]+/g) ?? []
    assert.deepEqual(
      named.filter((tool) => !tools.has(tool)),
      [],
      name,
    )
  }
  await assert.rejects(
    client.getPrompt({ name: 'draft_game_page', arguments: { pitch: ' ' } }),
    /pitch/,
  )
  await assert.rejects(client.getPrompt({ name: 'nothing' }), /no prompt/)
})

test('resources answer like their tools, need their scopes and are logged', async (t) => {
  const { a, url, get } = await sharedApp(t)
  const game = await a.listing()
  const { client, call } = await connect(
    t,
    url,
    '/mcp',
    (await a.key('agent', game.owner, ['mcp:read'])).key,
  )
  const { resources } = await client.listResources()
  const { resourceTemplates } = await client.listResourceTemplates()
  assert.deepEqual(
    [
      ...resources.map(({ uri }) => uri),
      ...resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    ],
    developerResources.map(({ uri }) => uri),
  )
  for (const { uri, tool } of developerResources) {
    const address = uri.replace('{uid}', game.vanity_name)
    const { contents } = await client.readResource({ uri: address })
    const [{ text, mimeType }] = contents as unknown as [{ text: string; mimeType: string }]
    const args = uri.includes('{') ? { uid: game.uid } : {}
    assert.deepEqual(
      [mimeType, JSON.parse(text)],
      ['application/json', (await call(tool, args)).data],
      uri,
    )
  }
  const { calls } = must(await get('/api/v1/private/account/agent-calls', game.owner))
  for (const { tool } of developerResources)
    assert.equal(calls.filter((call: any) => call.tool === tool).length, 2, tool)

  for (const uri of [
    'svc://games/',
    `svc://games/${game.uid}/else`,
    'svc://games/a/b/builds',
    'svc://nobody',
    'svc://games/nobody',
  ])
    await assert.rejects(client.readResource({ uri }), /not found/i, uri)
  const ci = await connect(
    t,
    url,
    '/mcp',
    (await a.key('agent', game.owner, ['mcp:build.write'])).key,
  )
  assert.deepEqual(
    (await ci.client.listResourceTemplates()).resourceTemplates.map(({ name }) => name),
    ['deploy', 'builds'],
  )
  await assert.rejects(ci.client.readResource({ uri: `svc://games/${game.uid}` }), /4031/)
  assert.deepEqual(findResource(developerResources, 'svc://games/x'), {
    tool: 'get_game',
    args: { uid: 'x' },
  })
})

test('account tools refuse keys that are limited to one project', async (t) => {
  const { a, url } = await sharedApp(t)
  const game = await a.listing()
  const { key } = await a.key('agent', game.owner, ['mcp:write'], { game_uid: game.uid })
  const { call } = await connect(t, url, '/mcp', key)
  for (const name of ['list_mcp_keys', 'request_email_code', 'get_security_status'])
    assert.deepEqual(
      [(await call(name)).refused?.status, (await call(name)).refused?.code],
      [403, 4030],
      name,
    )
  assert.equal((await call('create_game', { name: 'Another' })).refused?.code, 4030)
  assert.equal((await call('get_profile')).data.game_uid, game.uid)
})
