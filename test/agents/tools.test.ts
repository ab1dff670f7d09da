import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../app.ts'
import { connect } from './mcp-client.ts'

test('the official client connects with a key and lists tools', async (t) => {
  const { a, url } = await startApp(t)
  const listing = await a.listing()
  const { key } = await a.key('agent', listing.owner, ['mcp:read', 'mcp:write'])
  const agent = await connect(t, url, '/mcp', key)
  const tools = await agent.list()
  assert.ok(tools.length > 30)
})
