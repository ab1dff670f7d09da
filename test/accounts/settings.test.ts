import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEVELOPER_TERMS_VERSION } from '../../src/accounts/people/developer-terms.ts'
import { startApp } from '../support/app.ts'
import { must, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'

const ACCOUNT = '/api/v1/private/account'
const startShared = sharedInFile(startApp)

test('developer mode needs the terms and records the accepted version', async (t) => {
  const { post, get, a } = await startShared(t)
  const person = await a.user()
  const refusal = await post('/api/v1/private/account/developer', { enabled: true }, person)
  assert.deepEqual(refused(refusal), [400, 4106])
  assert.match(refusal.body.data.current_developer_terms_version, /^\d{4}-\d\d-\d\d$/)
  const on = must(
    await post('/api/v1/private/account/developer', { enabled: true, accept_terms: true }, person),
  )
  assert.equal(on.developer, true)
  assert.equal(on.developer_terms_version, on.current_developer_terms_version)
  assert.equal(must(await get(ACCOUNT, person)).developer, true)
  const off = must(await post('/api/v1/private/account/developer', { enabled: false }, person))
  assert.deepEqual([off.developer, off.developer_enabled_at], [false, null])
})

test('every route that needs developer mode names the terms to accept', async (t) => {
  const { post, a } = await startShared(t)
  const { uid, owner } = await a.listing()
  const player = await a.user()
  must(await post(`/api/v1/private/games/${uid}/admins`, { username: player.username }, owner))
  const app = { app_id: 480, web_api_key: '0123456789ABCDEF0123456789ABCDEF' }
  const requests: [path: string, body?: object][] = [
    ['games', { name: 'A game' }],
    [`games/${uid}/deploy-keys`],
    [`invites/${uid}/accept`],
    ['account/agent-keys', { name: 'x', scopes: ['mcp:read'] }],
    ['steam/import/preview', app],
    ['steam/import', app],
    [`games/${uid}/steam/resync`, {}],
  ]
  for (const [path, body] of requests) {
    const refusal = await post(`/api/v1/private/${path}`, body, player)
    assert.deepEqual(refused(refusal), [403, 4105], path)
    assert.deepEqual(
      refusal.body.data,
      { error: 'developer_mode_required', developer_terms_version: DEVELOPER_TERMS_VERSION },
      path,
    )
  }
})

test('developer mode cannot be turned off by the owner of a project', async (t) => {
  const { post, a } = await startShared(t)
  const { owner } = await a.listing()
  assert.deepEqual(
    refused(await post('/api/v1/private/account/developer', { enabled: false }, owner)),
    [409, 4107],
  )
})

test('showing adult content needs a confirmation; hiding it does not', async (t) => {
  const { put, get, a } = await startShared(t)
  const person = await a.user()
  const ADULT = '/api/v1/private/settings/adult'
  assert.deepEqual(refused(await put(ADULT, { show: true }, person)), [400, 4108])
  assert.deepEqual(
    refused(await put(ADULT, { show: true, confirm_18: false }, person)),
    [400, 4108],
  )
  assert.deepEqual(must(await put(ADULT, { show: true, confirm_18: true }, person)), {
    show_adult: true,
    adult_confirmed: true,
    sees_adult: true,
  })
  assert.equal(must(await get(ACCOUNT, person)).show_adult, true)
  assert.deepEqual(must(await put(ADULT, { show: false }, person)), {
    show_adult: false,
    adult_confirmed: true,
    sees_adult: false,
  })
})

test('developer mode cannot be turned off while a project is being created', async (t) => {
  const { post, get, a } = await startShared(t)
  for (let round = 0; round < 8; round++) {
    const person = await a.developer()
    const [created, off] = await Promise.all([
      post('/api/v1/private/games', { name: 'Created meanwhile' }, person),
      post('/api/v1/private/account/developer', { enabled: false }, person),
    ])
    const { developer } = must(await get(ACCOUNT, person))
    assert.equal(created.status === 201, developer, `created ${created.status}, off ${off.status}`)
  }
})
