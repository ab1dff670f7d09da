import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { routes } from '../../../src/routes.ts'
import { startApp } from '../../support/app.ts'
import { newAddress } from '../../support/builders.ts'
import { chooseCases } from '../../support/loop-count.ts'
import { sharedInFile } from '../../support/shared.ts'

const sharedApp = sharedInFile((t) => startApp(t, { PROXY_HOPS: '1' }))

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

/** Whether a route is called by programs, and not by browsers. */
const isForPrograms = (url: string) => /^\/(api|oauth|\.well-known)\//.test(url)

test('every route, and an address without one, answers with a policy and nosniff', async (t) => {
  const { a, call, get } = await sharedApp(t)
  const { token } = await a.developer()
  const problems: string[] = []
  const check = (name: string, headers: Headers) => {
    for (const problem of problemsOf(headers)) problems.push(`${name}: ${problem}`)
  }
  const usual = routes.map(({ method, url }) => ({ method, url, is_html: !isForPrograms(url) }))
  const unusual = usual.map((request) => ({ ...request, is_html: !request.is_html }))
  for (const { method, url, is_html } of [...usual, ...chooseCases(t, unusual, 100)]) {
    const path = url.replace(/:\w+|\*/g, () => randomUUID())
    const headers = { accept: is_html ? 'text/html' : 'application/json', ...newAddress() }
    const answer = await call(method, path, { headers, ...(!is_html && { token }) })
    check(`${method} ${url} ${answer.status}`, answer.headers)
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
  const { url } = await sharedApp(t)
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
