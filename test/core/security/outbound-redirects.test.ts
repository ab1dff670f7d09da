import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import type { RequestListener } from 'node:http'
import { type TestContext, test } from 'node:test'
import { createOutbound, type OutboundRequest } from '../../../src/core/security/outbound.ts'
import { echo, fails, sendRequest, serve, serveTls, tls } from './outbound-fixtures.ts'

/** Starts servers that redirect by a plan: path → [status, location]. */
async function redirecting(t: TestContext) {
  const plan: Record<string, [number, string]> = {}
  const handler: RequestListener = (request, response) => {
    const step = plan[request.url!]
    if (step) response.writeHead(step[0], { location: step[1] }).end('moved')
    else echo(request, response)
  }
  const [a, b, stranger] = [
    await serve(t, handler),
    await serve(t, handler),
    await serve(t, handler),
  ]
  const port = await serveTls(t, handler)
  const secure = `https://127.0.0.1:${port}`
  const outbound = createOutbound({ trusted_origins: [a, b, secure], ca: tls.cert })
  const go = (url: string, more: Partial<OutboundRequest> = {}) =>
    outbound.request({ url, max_redirects: 2, ...more })
  const seen = async (url: string, more: Partial<OutboundRequest> = {}) =>
    JSON.parse((await go(url, more)).body.toString())
  return { plan, a, b, secure, stranger, go, seen }
}

test('returns a redirect as the response unless following is enabled', async (t) => {
  const { plan, a, go } = await redirecting(t)
  plan['/1'] = [302, '/2']
  const answer = await go(`${a}/1`, { max_redirects: 0 })
  assert.deepEqual(
    [answer.status, answer.headers.location, answer.body.toString()],
    [302, '/2', 'moved'],
  )
  const followed = await go(`${a}/1`)
  assert.deepEqual([followed.status, followed.url], [200, `${a}/2`])
})

test('follows exactly as many redirects as allowed', async (t) => {
  const { plan, a, go } = await redirecting(t)
  Object.assign(plan, { '/1': [302, '/2'], '/2': [302, '3'], '/3': [302, `${a}/4`] })
  assert.equal((await go(`${a}/2`)).url, `${a}/4`)
  await fails(go(`${a}/1`), 'redirects')
})

test('returns a redirect status without a location as an ordinary response', async (t) => {
  const origin = await serve(t, (_request, response) => response.writeHead(302).end('where?'))
  assert.equal((await sendRequest(origin, { max_redirects: 2 })).status, 302)
})

test('301 to 303 become a GET without body; 307 and 308 keep method and body', async (t) => {
  const { plan, a, seen, go } = await redirecting(t)
  for (const status of [301, 302, 303, 307, 308]) plan[`/${status}`] = [status, '/end']
  const post = {
    method: 'POST',
    body: 'data',
    headers: { 'content-type': 'text/plain', 'x-kept': '1' },
  } as const
  for (const status of [301, 302, 303]) {
    const { method, body, headers } = await seen(`${a}/${status}`, post)
    assert.deepEqual(
      [method, body, headers['content-type'], headers['content-length'], headers['x-kept']],
      ['GET', '', undefined, undefined, '1'],
    )
  }
  for (const status of [307, 308]) {
    const { method, body, headers } = await seen(`${a}/${status}`, post)
    assert.deepEqual(
      [method, body, headers['content-type'], headers['x-kept']],
      ['POST', 'data', 'text/plain', '1'],
    )
  }
  assert.deepEqual(
    [
      (await go(`${a}/303`, { method: 'HEAD' })).body.length,
      (await go(`${a}/303`, { method: 'HEAD' })).status,
    ],
    [0, 200],
  )
})

test('sends no credentials to another origin, nor when a chain returns to the first', async (t) => {
  const { plan, a, b, seen } = await redirecting(t)
  Object.assign(plan, {
    '/same': [307, '/end'],
    '/away': [307, `${b}/end`],
    '/round': [307, `${b}/back`],
    '/back': [307, `${a}/end`],
  })
  const headers = { Authorization: 'Bearer x', Cookie: 'a=b', 'X-Api-Key': 'k', 'x-other': 'o' }
  const carried = async (path: string) => {
    const received = (await seen(a + path, { headers })).headers
    return [received.authorization, received.cookie, received['x-api-key'], received['x-other']]
  }
  assert.deepEqual(await carried('/same'), ['Bearer x', 'a=b', 'k', 'o'])
  assert.deepEqual(await carried('/away'), [undefined, undefined, undefined, 'o'])
  assert.deepEqual(await carried('/round'), [undefined, undefined, undefined, 'o'])
})

test('follows a redirect from http to https, but not from https to http', async (t) => {
  const { plan, a, secure, go } = await redirecting(t)
  Object.assign(plan, { '/down': [302, `${a}/end`], '/up': [302, `${secure}/end`] })
  await fails(go(`${secure}/down`), 'blocked', /https to http/)
  assert.equal((await go(`${a}/up`)).url, `${secure}/end`)
})

test('a redirect cannot use the loopback exception or reach a trusted origin', async (t) => {
  const { plan, a, stranger, go } = await redirecting(t)
  Object.assign(plan, {
    '/to-stranger': [302, `${stranger}/end`],
    '/to-trusted': [302, `${a}/end`],
    '/to-self': [302, '/end'],
  })
  assert.equal((await go(`${stranger}/end`, { loopback: true })).status, 200)
  await fails(go(`${a}/to-stranger`, { loopback: true }), 'blocked')
  await fails(go(`${stranger}/to-self`, { loopback: true }), 'blocked')
  await fails(go(`${stranger}/to-trusted`, { loopback: true, plain_http: true }), 'blocked')
})

test('rejects a redirect to a private address, to user info or to an invalid URL', async (t) => {
  const { plan, a, b, go } = await redirecting(t)
  Object.assign(plan, {
    '/private': [302, 'https://169.254.169.254/hush'],
    '/user': [302, `${b.replace('//', '//u:hush@')}/`],
    '/bad': [302, 'http://['],
    '/file': [302, 'file:///hush'],
  })
  await fails(go(`${a}/private`), 'blocked')
  for (const path of ['/user', '/bad', '/file']) await fails(go(a + path), 'bad_url')
})

/**
 * Runs in a separate network namespace, where a public address leads to this machine and there is
 * no route to the internet.
 */
const outbound_url = new URL('../../../src/core/security/outbound.ts', import.meta.url)
const onPublicAddress = `
import { createServer } from 'node:http'
import { once } from 'node:events'
import { createOutbound } from '${outbound_url}'
const hits = { public: 0, private: 0 }
const start = async (name, host, port) => {
  const server = createServer((request, response) => {
    hits[name]++
    const redirects = {
      '/loopback': 'http://127.0.0.1:' + port + '/',
      '/name': 'http://inside.test:' + port + '/',
    }
    const to = redirects[request.url]
    if (to) response.writeHead(302, { location: to }).end()
    else response.end(name)
  }).listen(port, host)
  await once(server, 'listening')
}
const port = 8080
await start('public', '9.9.9.9', port)
await start('private', '127.0.0.1', port)
let lookups = 0
const lookup = async (host) => [
  { address: host === 'inside.test' || lookups++ ? '127.0.0.1' : '9.9.9.9' },
]
const attempt = async (url, lookup) => {
  try {
    const options = { plain_http: true, loopback: true, max_redirects: 3 }
    const answer = await createOutbound({ lookup }).request({ url, ...options })
    return answer.body.toString()
  } catch (error) {
    return error.kind
  }
}
const literal = await attempt('http://9.9.9.9:8080/')
const rebinding = await attempt('http://rebind.test:8080/', lookup)
const loopback = await attempt('http://9.9.9.9:8080/loopback')
const name = await attempt('http://9.9.9.9:8080/name', lookup)
console.log(JSON.stringify({ literal, rebinding, lookups, loopback, name, hits }))
process.exit(0)
`

test('connects to public addresses, but not after DNS rebinding or a private redirect', (t) => {
  const enter = [
    '-r',
    '-n',
    'sh',
    '-c',
    'ip link set lo up && ip addr add 9.9.9.9/32 dev lo && exec "$0" "$@"',
  ]
  if (spawnSync('unshare', [...enter, 'true']).status !== 0)
    return t.skip('needs user and network namespaces')
  const child = spawnSync(
    'unshare',
    [...enter, process.execPath, '--input-type=module', '-e', onPublicAddress],
    { encoding: 'utf8' },
  )
  assert.deepEqual(JSON.parse(child.stdout || JSON.stringify(child.stderr)), {
    literal: 'public',
    rebinding: 'public',
    lookups: 1,
    loopback: 'blocked',
    name: 'blocked',
    hits: { public: 4, private: 0 },
  })
})
