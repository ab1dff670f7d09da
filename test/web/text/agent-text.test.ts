import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decide, deviceCodes } from '../../agents/device-flow.ts'
import { authorizeUrl, browser, pkce, register } from '../../agents/oauth-flow.ts'
import { startStore } from '../fixtures.ts'
import { PSEUDO_ENGLISH, PSEUDO_LANGUAGES, plainTexts, textsOf } from './visible-text.ts'

/** What people and programs entered. `stable` and `beta` are the names of channels. */
const CONTENT = [
  /person-\d+/g,
  /Tide Runner/g,
  /A helpful app/g,
  // The program of players, its command, and the code of a device.
  /Slipway \(test\)|slipway login|[A-Z]{4}-[A-Z]{4}/g,
  // The name of the key.
  /\btest\b/g,
  /app\.example/g,
  /\b(?:stable|beta)\b/g,
  // The names of the servers that apps connect to.
  /\bfor (?:developers|players)/g,
]

test('pages where agents and apps ask have no text outside the messages', async (t) => {
  const { a, put, call, url } = await startStore(t, PSEUDO_LANGUAGES)
  const owner = await a.verifiedDeveloper()
  const listing = await a.listing({ owner, name: 'Tide Runner' })
  const { build_id } = await a.cleanBuild(listing, { version: '1.0', channel: 'beta' })
  const { key } = await a.key('agent', owner, ['mcp:read', 'mcp:build.write'])
  const api = `/api/v1/private/games/${listing.uid}`
  const ask = (name: string) => ({ token: key, headers: { 'idempotency-key': name } })
  const release = await put(`${api}/channels/stable`, { build_id }, ask('release'))
  const all = { build_id, all_platforms: true }
  const release_all = await put(`${api}/channels/stable`, all, ask('release-all'))
  const part = { build_id, percent: 10 }
  const release_part = await put(`${api}/channels/stable`, part, ask('release-part'))
  const removal = await call('DELETE', `${api}/builds/${build_id}`, ask('removal'))
  const { client_id } = (await register(url, { redirect_uris: ['https://app.example/back'] })).body
  const own = browser(url, owner.token)
  const { challenge } = pkce()
  const { location } = await own.go(
    authorizeUrl(client_id, challenge, {
      scope: 'mcp:read',
      redirect_uri: 'https://app.example/back',
    }),
  )
  const problems: string[] = []
  const open = async (path: string) => {
    const { status, text } = await own.go(path, undefined, PSEUDO_ENGLISH)
    assert.equal(status, 200, path)
    for (const plain of plainTexts(textsOf(text), CONTENT)) problems.push(`${path}: ${plain}`)
  }
  for (const answer of [release, release_all, release_part, removal]) {
    const { uid } = answer.body.data.approval
    await open(`/approve/${uid}`)
    await open('/account/approvals')
    await own.go(`/approve/${uid}`, { decision: 'deny' }, PSEUDO_ENGLISH)
    await open(`/approve/${uid}`)
  }
  await open('/account/approvals')
  await open(location)
  const { user_code } = await deviceCodes(url, { device_name: 'test' })
  await open('/device')
  await open(`/device?user_code=${user_code}`)
  await decide(url, owner, user_code)
  await open('/account/keys')
  assert.deepEqual([...new Set(problems)], [])
})
