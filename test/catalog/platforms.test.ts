import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../support/app.ts'
import { must } from '../support/builders.ts'
import { startCatalog } from './fixtures.ts'

/** Where a listing names its platforms, each as the list that it shows. */
async function start(t: Parameters<typeof startCatalog>[0], systems: string[]) {
  const app = await startCatalog(t)
  const { get } = app
  const game = await app.createListing({ os: systems, tags: ['one', 'two', 'three'] })
  const path = `/${game.username}/${game.vanity_name}`
  const page = must(await get(`/api/v1/public/games/${game.uid}`))
  const press = must(await get(`/api/v1/public/games/${game.uid}/press`))
  const [card] = must(await get('/api/v1/public/shelves/new')).items
  const result = await eventually(
    'the search to find the listing',
    async () => must(await get('/api/v1/public/search?tags=one')).items[0],
  )
  const line = JSON.parse((await get('/api/v1/public/export')).body)
  return { get, path, answers: { page, press, card, result, line } }
}

test('a file that names no system adds no platform', async (t) => {
  const { get, path, answers } = await start(t, ['', 'linux', 'web'])
  for (const [name, { platforms }] of Object.entries(answers))
    assert.deepEqual(platforms, ['linux', 'web'], name)
  const { body } = await get(path)
  const [, script] = /<script type="application\/ld\+json"[^>]*>(.*?)<\/script>/s.exec(body)!
  const json_ld = JSON.parse(script!)
  assert.deepEqual(json_ld.gamePlatform, ['Linux', 'Web browser'])
  assert.equal(json_ld.operatingSystem, 'Linux, Browser')
  const { body: press } = await get(`${path}/press`)
  assert.match(press, /Linux, Browser/)
  assert.match((await get(`${path}/llms.txt`)).body, /Platforms: linux, web/)
})

test('a listing whose only file names no system has no platform but a download', async (t) => {
  const { get, path, answers } = await start(t, [''])
  for (const [name, { platforms }] of Object.entries(answers)) assert.deepEqual(platforms, [], name)
  const { card, result, line } = answers
  for (const { has_downloads, has_browser_build } of [card, result, line])
    assert.deepEqual([has_downloads, has_browser_build], [true, false])
  assert.equal('systems' in line, false)
  const { body } = await get(path)
  assert.doesNotMatch(body, /operatingSystem|gamePlatform|<dt>Platforms/)
  assert.match((await get(`${path}/embed`)).body, />Download</)
})
