import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { routes } from '../../../src/routes.ts'
import { startApp } from '../../support/app.ts'
import { newAddress } from '../../support/builders.ts'

type Headers = Record<string, string | undefined>

/** What is wrong with the headers that every answer has. */
function problemsOf(headers: Headers): string[] {
  const policy = headers['content-security-policy'] ?? ''
  const has = (...directives: string[]) =>
    policy.split('; ').some((directive) => directives.includes(directive))
  return [
    headers['x-content-type-options'] === 'nosniff' ? '' : 'sniffed',
    has("default-src 'none'", "object-src 'none'") ? '' : 'may have objects',
    has("base-uri 'none'") ? '' : 'may have a base',
    has("frame-ancestors 'none'", 'frame-ancestors *') ? '' : 'may be framed',
  ].filter(Boolean)
}

test('every route, and an address without one, answers with a policy and nosniff', async (t) => {
  const { a, call, get } = await startApp(t, { PROXY_HOPS: '1' })
  const { token } = await a.developer()
  const problems: string[] = []
  const check = (name: string, headers: Headers) => {
    for (const problem of problemsOf(headers)) problems.push(`${name}: ${problem}`)
  }
  for (const { method, url } of routes) {
    const path = url.replace(/:\w+|\*/g, () => randomUUID())
    for (const accept of ['text/html', 'application/json']) {
      const headers = { accept, ...newAddress() }
      const answer = await call(method, path, { headers, ...(accept !== 'text/html' && { token }) })
      check(`${method} ${url} ${answer.status}`, answer.headers)
    }
  }
  const home = await get('/', { headers: { accept: 'text/html' } })
  const assets = String(home.body).matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)
  const others = ['/nothing', '/api/nothing', '/%', '/%ff', '/service-worker.js', '/favicon.ico']
  for (const path of [...new Set(Array.from(assets, (match) => match[1]!)), ...others])
    check(path, (await get(path, { headers: newAddress() })).headers)
  check('OPTIONS', (await call('OPTIONS', '/api/v1/public/search')).headers)
  check('PROPFIND', (await call('PROPFIND', '/')).headers)
  assert.deepEqual(problems, [])
})

test('an answer to what is no request has them too', async (t) => {
  const { url } = await startApp(t)
  const { hostname, port } = new URL(url)
  const send = async (bytes: string) => {
    const socket = connect(Number(port), hostname)
    socket.end(bytes)
    const [head = ''] = (await text(socket)).split('\r\n\r\n')
    const [status = '', ...lines] = head.split('\r\n')
    const headers = lines.map((line) => line.split(/: (.*)/s).slice(0, 2))
    return { status, headers: Object.fromEntries(headers) as Headers }
  }
  const requests = {
    400: 'NONSENSE\r\n\r\n',
    405: 'CONNECT store.example:443 HTTP/1.1\r\nHost: store.example\r\n\r\n',
    417: 'GET / HTTP/1.1\r\nHost: store.example\r\nExpect: a cake\r\n\r\n',
    431: `GET / HTTP/1.1\r\nHost: store.example\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
  }
  for (const [expected, bytes] of Object.entries(requests)) {
    const { status, headers } = await send(bytes)
    assert.match(status, new RegExp(`^HTTP/1.1 ${expected} `))
    assert.deepEqual(problemsOf(headers), [], status)
    assert.equal(headers['content-type'], 'application/json; charset=utf-8')
  }
})
