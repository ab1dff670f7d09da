import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'

test('the tool servers accept only POST', async (t) => {
  const { a, url } = await startApp(t)
  const person = await a.developer()
  const keys = {
    '/mcp': await a.key('agent', person, ['mcp:read']),
    '/player': await a.key('player', person, ['player:read']),
  }
  for (const [path, { key }] of Object.entries(keys))
    for (const method of ['GET', 'DELETE', 'PUT', 'PATCH', 'HEAD'])
      for (const headers of [
        { accept: 'text/event-stream', authorization: `Bearer ${key}` },
        { accept: 'text/event-stream' },
        { accept: 'text/html' },
      ] as Record<string, string>[]) {
        const answer = await fetch(`${url}${path}`, { method, headers })
        const text = await answer.text()
        assert.deepEqual(
          [answer.status, answer.headers.get('allow')],
          [405, 'POST, OPTIONS'],
          `${method} ${path} ${text.slice(0, 100)}`,
        )
        if (method !== 'HEAD')
          assert.deepEqual([JSON.parse(text).success, JSON.parse(text).error.code], [false, 4050])
      }
  const options = await fetch(`${url}/mcp`, {
    method: 'OPTIONS',
    headers: { origin: 'https://elsewhere.example' },
  })
  assert.deepEqual(
    [options.status, options.headers.get('access-control-allow-methods')],
    [204, 'POST, OPTIONS'],
  )
  assert.match(options.headers.get('access-control-allow-headers')!, /Mcp-Protocol-Version/i)
})
