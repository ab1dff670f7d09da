import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { routes } from '../../src/routes.ts'
import { startApp } from '../support/app.ts'
import { addAdmin, must, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { connect } from './mcp-client.ts'
import { browser, grantedTokens } from './oauth-flow.ts'

const everything = ['mcp:write', 'mcp:bugs.read', 'mcp:bugs.write']

const sharedApp = sharedInFile((t) => startApp(t, { PROXY_HOPS: '1' }))

async function startAdminApp(t: TestContext) {
  const app = await sharedApp(t)
  const owner = await app.a.verifiedDeveloper()
  const admin = await app.a.verifiedDeveloper()
  const game = await app.a.listing({ owner, name: 'Lantern Harbour' })
  await addAdmin(app.sql, game.uid, admin.uid)
  const base = `/api/v1/private/games/${game.uid}`
  const setAccess = (admins: boolean, person = owner) =>
    app.put(`${base}/agent-access`, { admins }, person)
  return { ...app, owner, admin, game, base, setAccess }
}

test('the owner turns off agents of admins, which revokes their keys for the project', async (t) => {
  const { a, owner, admin, game, base, get, setAccess, url } = await startAdminApp(t)
  const whole = await a.key('agent', admin, everything)
  const bound = await a.key('agent', admin, everything, { game_uid: game.uid })
  const owners = await a.key('agent', owner, everything, { game_uid: game.uid })
  const { access_token } = await grantedTokens(url, admin, { parameters: { scope: 'mcp:read' } })
  const statusOf = async (token: string) => refused(await get(base, { token }))
  for (const { key } of [whole, bound, owners]) must(await get(base, { token: key }))
  assert.equal(must(await get(`${base}/admins`, admin)).agent_access, true)

  assert.deepEqual(must(await setAccess(false)), { agent_access: false })
  assert.deepEqual(await statusOf(whole.key), [403, 4080])
  assert.deepEqual(await statusOf(access_token), [403, 4080])
  assert.deepEqual(await statusOf(bound.key), [401, 4010], 'the key was not revoked')
  must(await get(base, { token: owners.key }))
  must(await get(base, admin))
  assert.equal(must(await get(`${base}/admins`, admin)).agent_access, false)
  const titles = async (token: string) =>
    must(await get('/api/v1/private/games', { token })).items.map(({ uid }: any) => uid)
  assert.deepEqual(await titles(whole.key), [])
  assert.deepEqual(await titles(owners.key), [game.uid])
  assert.deepEqual(await titles(admin.token), [game.uid], 'the website does not list it')

  must(await setAccess(true))
  must(await get(base, { token: whole.key }))
  must(await get(base, { token: access_token }))
  assert.deepEqual(await statusOf(bound.key), [401, 4010])
  assert.deepEqual(await titles(whole.key), [game.uid])
})

test('an admin cannot create a key or a grant for a project with agents turned off', async (t) => {
  const { admin, game, post, setAccess, owner, a } = await startAdminApp(t)
  must(await setAccess(false))
  const path = '/api/v1/private/account/agent-keys'
  const key = { name: 'k', scopes: ['mcp:read'], game_uid: game.uid }
  assert.deepEqual(refused(await post(path, key, admin)), [403, 4080])
  must(await post(path, key, owner))
  assert.deepEqual(refused(await post(path, key, await a.developer())), [404, 4040])
})

test('only the owner changes agent access, on the website', async (t) => {
  const { a, owner, admin, game, base, put, setAccess, get } = await startAdminApp(t)
  assert.deepEqual(refused(await setAccess(false, admin)), [403, 4034])
  assert.deepEqual(refused(await setAccess(false, await a.developer())), [404, 4040])
  const { key } = await a.key('agent', owner, everything)
  assert.deepEqual(
    refused(await put(`${base}/agent-access`, { admins: false }, { token: key })),
    [403, 4033],
  )
  for (const body of [{}, { admins: 'no' }, { admins: true, more: 1 }])
    assert.deepEqual(refused(await put(`${base}/agent-access`, body, owner)), [400, 4000])
  assert.equal(must(await get(`${base}/admins`, owner)).agent_access, true)
  const by_name = `/api/v1/private/games/${game.vanity_name}/agent-access`
  must(await put(by_name, { admins: false }, owner))
  assert.equal(must(await get(`${base}/admins`, owner)).agent_access, false)
})

test('every project route for agents refuses those of admins with 4080', async (t) => {
  const { a, admin, game, call, setAccess, url } = await startAdminApp(t)
  must(await setAccess(false))
  const { key: token } = await a.key('agent', admin, everything)
  const answers = await Promise.all(
    routes
      .filter(
        ({ url, auth }) =>
          /^\/api\/v1\/private\/games\/:(uid|game_id)/.test(url) && auth.name.startsWith('agent'),
      )
      .map(async ({ method, url }, i) => {
        const path = url
          .replace(/:(uid|game_id)/, game.uid)
          .replace(/:channel/, 'beta')
          .replace(/:\w+/g, game.uid)
        const headers = { 'x-forwarded-for': `10.0.0.${i + 1}` }
        const body = method === 'GET' ? {} : { body: {} }
        return [`${method} ${url}`, await call(method, path, { token, headers, ...body })] as const
      }),
  )
  assert.ok(answers.length > 40, String(answers.length))
  // A body that the schema refuses is refused before the project is looked up.
  const others = answers.filter(([, answer]) => ![4080, 4000].includes(answer.body.error?.code))
  assert.deepEqual(
    others.map(([name, answer]) => [name, ...refused(answer)]),
    [],
  )
  const { call: callTool } = await connect(t, url, '/mcp', token)
  for (const tool of ['get_game', 'list_game_builds', 'validate_listing', 'list_reviews'])
    assert.equal((await callTool(tool, { uid: game.uid })).refused?.code, 4080, tool)
})

test('the dashboard turns agents of admins off and on, for the owner only', async (t) => {
  const { owner, admin, game, url, base, get } = await startAdminApp(t)
  const page = `/dashboard/${game.vanity_name}/people`
  const { go } = browser(url, owner.token)
  const access = async () => must(await get(`${base}/admins`, owner)).agent_access
  assert.match((await go(page)).text, /Agents and agent keys of your admins can work/)
  assert.equal((await go(`${page}/agent-access/off`, {})).status, 303)
  assert.equal(await access(), false)
  assert.match((await go(page)).text, /Agents of admins are turned off/)
  const other = browser(url, admin.token)
  assert.match((await other.go(page)).text, /Only the owner can change this/)
  assert.equal((await other.go(`${page}/agent-access/on`, {})).status, 403)
  assert.equal(await access(), false)
  assert.equal((await go(`${page}/agent-access/on`, {})).status, 303)
  assert.equal(await access(), true)
})
