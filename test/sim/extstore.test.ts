import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import fixtures from '../../sim/extstore-fixtures.json' with { type: 'json' }
import { DEMO_APP, DEMO_KEY, populate } from '../../sim/extstore-world.ts'
import { startStore } from '../extstore/fixtures.ts'

/** The names and types of all fields, without their values. */
const shape = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.length ? [shape(value[0])] : []
  if (value === null || typeof value !== 'object') return typeof value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shape(inner)]))
}

const call = async (
  url: string,
  path: string,
  query: Record<string, string> = {},
  key: string | undefined = DEMO_KEY,
) => {
  const response = await fetch(`${url}${path}?${new URLSearchParams(query)}`, {
    headers: key ? { 'x-webapi-key': key } : {},
  })
  const text = await response.text()
  const type = response.headers.get('content-type') ?? ''
  return { status: response.status, type, body: type.includes('json') ? JSON.parse(text) : text }
}
const AUTHENTICATE = '/ISteamUserAuth/AuthenticateUserTicket/v1/'
const OWNERSHIP = '/ISteamUser/CheckAppOwnership/v4/'
const APPS = '/ISteamApps/GetPartnerAppListForWebAPIKey/v2/'

test('the simulated store returns the response shapes of the real store', async (t) => {
  const store = await startStore(t)
  populate(store.world)
  const [ada, bo, cyd] = [...store.world.accounts.keys()] as [string, string, string]
  const appid = String(DEMO_APP)
  const mint = (account: string, app_id = DEMO_APP, identity = 'svc_x') =>
    store.control.ticket({ account, app_id, identity }).ticket
  const authenticate = (ticket: string, identity = 'svc_x') =>
    call(store.url, AUTHENTICATE, { appid, ticket, identity })
  const same = (
    answer: { status: number; body: unknown },
    fixture: { http: number; body: unknown },
  ) => {
    assert.equal(answer.status, fixture.http)
    assert.deepEqual(shape(answer.body), shape(fixture.body))
  }
  const own = await authenticate(mint(ada))
  same(own, fixtures['AuthenticateUserTicket.ok'])
  assert.deepEqual(
    [own.body.response.params.steamid, own.body.response.params.ownersteamid],
    [ada, ada],
  )
  const shared = await authenticate(mint(bo))
  same(shared, fixtures['AuthenticateUserTicket.shared'])
  assert.deepEqual(
    [shared.body.response.params.steamid, shared.body.response.params.ownersteamid],
    [bo, ada],
  )
  const used = mint(ada)
  await authenticate(used)
  for (const bad of [
    await authenticate(used),
    await authenticate('abcd'),
    await authenticate(mint(ada), 'other'),
  ])
    assert.deepEqual(bad.body, fixtures['AuthenticateUserTicket.bad'].body)
  assert.deepEqual(
    (await authenticate(mint(ada, DEMO_APP + 1))).body,
    fixtures['AuthenticateUserTicket.otherapp'].body,
  )
  assert.deepEqual(
    (await authenticate('xyz')).body,
    fixtures['AuthenticateUserTicket.malformed'].body,
  )
  same(
    await call(store.url, OWNERSHIP, { appid, steamid: ada }),
    fixtures['CheckAppOwnership.v4.ok'],
  )
  assert.deepEqual(
    (await call(store.url, OWNERSHIP, { appid, steamid: cyd })).body,
    fixtures['CheckAppOwnership.v4.no'].body,
  )
  assert.deepEqual(
    (await call(store.url, APPS)).body,
    fixtures['GetPartnerAppListForWebAPIKey.v2'].body,
  )
  same(await call(store.url, '/api/appdetails', { appids: appid }), fixtures.appdetails)
  assert.deepEqual(
    (await call(store.url, '/api/appdetails', { appids: '9999999' })).body,
    fixtures['appdetails.missing'].body,
  )
})

test('returns a page for an invalid key and no list for a key without apps', async (t) => {
  const store = await startStore(t)
  populate(store.world)
  for (const path of [AUTHENTICATE, OWNERSHIP, APPS]) {
    const { status, type, body } = await call(
      store.url,
      path,
      { appid: String(DEMO_APP), ticket: 'ab', steamid: '1' },
      'F'.repeat(32),
    )
    assert.deepEqual([status, body], [403, fixtures['any.badkey'].body])
    assert.match(type, /^text\/html/)
  }
  const { key } = store.control.key({ apps: [] })
  assert.deepEqual((await call(store.url, APPS, {}, key)).body, { applist: { apps: {} } })
})

test('the simulator can be controlled over HTTP as fully as from a test', async (t) => {
  const store = await startStore(t)
  const control = async (verb: string, fields: object = {}) => {
    const body = JSON.stringify(fields)
    return (await fetch(`${store.url}/sim/${verb}`, { method: 'POST', body })).json()
  }
  await control('app', { app_id: 7 })
  const { key } = (await control('key', { apps: [7] })) as { key: string }
  const { id } = (await control('account', { name: 'Shell' })) as { id: string }
  await control('own', { account: id, app_id: 7 })
  await control('fault', { on: 'ownership', mode: 'status', status: 503, times: 1 })
  const owns = () => call(store.url, OWNERSHIP, { appid: '7', steamid: id }, key)
  assert.equal((await owns()).status, 503)
  assert.equal((await owns()).body.appownership.ownsapp, true)
  await control('disown', { account: id, app_id: 7 })
  assert.equal((await owns()).body.appownership.ownsapp, false)
  const { calls } = (await control('calls')) as { calls: { call: string }[] }
  assert.deepEqual(
    calls.map(({ call }) => call),
    ['ownership', 'ownership', 'ownership'],
  )
  await control('reset')
  assert.equal((await owns()).status, 403)
  assert.equal((await fetch(`${store.url}/sim/dance`, { method: 'POST' })).status, 404)
})

test('npm run sim starts a store whose page issues a working ticket', async (t) => {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, '../../sim/main.ts'), '0'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  t.after(() => child.kill('SIGTERM'))
  let url = ''
  for await (const line of createInterface({ input: child.stdout })) {
    url = line.match(/^ready (\S+)/)?.[1] ?? ''
    if (url) break
  }
  assert.match(url, /^http:/)
  const page = async (query = '') => (await fetch(`${url}/${query}`)).text()
  const account = (await page()).match(/value="(7656\d+)">Ada/)![1]!
  const minted = await page(`?app_id=${DEMO_APP}&account=${account}&identity=svc_%3Cb%3E&mint=1`)
  assert.ok(!minted.includes('<b>'))
  const ticket = minted.match(/id="ticket">([0-9a-f]+)</)![1]!
  const answer = await call(url, AUTHENTICATE, {
    appid: String(DEMO_APP),
    ticket,
    identity: 'svc_<b>',
  })
  assert.equal(answer.body.response.params.steamid, account)
  child.kill('SIGTERM')
  await once(child, 'exit')
})
