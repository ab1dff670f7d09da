import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { agentScopes, operatorScopes, playerScopes } from '../../src/accounts/keys/scopes.ts'
import { toolReference } from '../../src/agents/mcp/reference.ts'
import { startApp } from '../support/app.ts'
import { sharedInFile } from '../support/shared.ts'

const sharedApp = sharedInFile(startApp)

const docs = join(import.meta.dirname, '../../docs')

test('docs/agent-tools.md matches the tools; WRITE_DOCS=1 writes it', async (t) => {
  const { get } = await sharedApp(t)
  const reference = toolReference()
  const path = join(docs, 'agent-tools.md')
  if (process.env.WRITE_DOCS) writeFileSync(path, reference)
  assert.equal(readFileSync(path, 'utf8'), reference)
  assert.match(
    reference,
    /request_crash_download\n\nAnswers a link to the dump, log or stack of a crash report, valid /,
  )
  const { body } = await get('/docs/agents/tools.md')
  assert.equal(body, reference, 'the service serves another text')
})

test('the guide names every scope; llms.txt and the API catalog link to the tools', async (t) => {
  const { get, url } = await sharedApp(t)
  const guide = readFileSync(join(docs, 'agents.md'), 'utf8')
  for (const scope of [...agentScopes, ...playerScopes, ...operatorScopes])
    assert.ok(guide.includes(`\`${scope}\``), scope)
  for (const code of [4031, 4033, 4095, 4097, 4098, 4214, 4215, 4216])
    assert.ok(guide.includes(String(code)), String(code))
  const { body: llms } = await get('/llms.txt')
  for (const link of ['/docs/agents/tools.md', '/mcp', '/player'])
    assert.ok(llms.includes(`${url}${link}`), link)
  const { body } = await get('/.well-known/api-catalog')
  const catalog = JSON.stringify(typeof body === 'string' ? JSON.parse(body) : body)
  for (const path of [
    'mcp/server-card.json',
    'mcp/player-server-card.json',
    'oauth-protected-resource/mcp',
    'oauth-protected-resource/player',
  ])
    assert.ok(catalog.includes(`${url}/.well-known/${path}`), path)
  const page = await get('/docs/agents')
  assert.equal(page.status, 302)
})
