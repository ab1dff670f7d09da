import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from '../agents/mcp-client.ts'
import { must } from '../support/builders.ts'
import { errorsOf } from '../web/browser.ts'
import { startDashboard } from '../web/dashboard-fixtures.ts'
import { startStore } from '../web/fixtures.ts'

const empty = { processor: '', memory: '', graphics: '', storage: '', notes: '' }
const linux = {
  os: 'linux',
  minimum: { ...empty, memory: '4 GB', notes: 'Needs <b>a keel</b>' },
  recommended: { ...empty, memory: '8 GB', graphics: 'Vulkan 1.2' },
}
const windows = { os: 'windows', minimum: { ...empty, processor: 'Any' }, recommended: empty }
const taxonomyUrl = (uid: string) => `/api/v1/private/games/${uid}/taxonomy`
const MAX_LENGTH = 200

test('system requirements show in the API, the export, llms.txt and on the page', async (t) => {
  const { published, put, get, visitor } = await startStore(t)
  const listing = await published()
  const read = async () =>
    must(await get(`/api/v1/public/games/${listing.uid}`)).system_requirements
  assert.deepEqual(await read(), [])
  assert.doesNotMatch((await visitor().open(listing.path)).body, /System requirements/)
  const sent = [
    {
      os: 'linux',
      minimum: linux.minimum,
      recommended: { memory: ' 8 GB ', graphics: 'Vulkan 1.2' },
    },
    { os: 'windows', minimum: { processor: 'Any', notes: null } },
  ]
  const answer = must(
    await put(taxonomyUrl(listing.uid), { system_requirements: sent }, listing.owner),
  )
  const stored = [windows, linux]
  assert.deepEqual(answer.system_requirements, stored, 'in the order of the systems')
  assert.deepEqual(await read(), stored)
  const line = JSON.parse((await get('/api/v1/public/export')).body)
  assert.deepEqual(line.system_requirements, stored)
  const { body } = await visitor().open(listing.path, { 'user-agent': 'X11; Linux' })
  assert.match(body, /<details class="requirements" open>\s*<summary>Linux/)
  assert.match(body, /<details class="requirements">\s*<summary>Windows/)
  assert.match(body, /Memory<\/th>\s*<td>4 GB<\/td>\s*<td>8 GB<\/td>/)
  assert.match(body, /Needs &lt;b&gt;a keel/)
  const llms = (await visitor().open(`${listing.path}/llms.txt`)).body
  assert.match(llms, /^- System requirements: Windows \(minimum: processor Any\), Linux \(min/m)
  assert.deepEqual(
    must(await put(taxonomyUrl(listing.uid), { system_requirements: [] }, listing.owner))
      .system_requirements,
    [],
  )
})

test('system requirements are refused beyond their bounds', async (t) => {
  const { a, put } = await startStore(t)
  const listing = await a.listing({ owner: await a.verifiedDeveloper() })
  const send = async (system_requirements: unknown) => {
    const { status, body } = await put(
      taxonomyUrl(listing.uid),
      { system_requirements },
      listing.owner,
    )
    return [status, body.error?.code, body.data?.field]
  }
  const systems = ['windows', 'macos', 'linux', 'android', 'ios', 'web']
  const of = (os: string) => ({ os, minimum: { memory: '1 GB' } })
  const field = 'system_requirements'
  assert.deepEqual(await send(systems.map(of)), [200, undefined, undefined])
  assert.deepEqual(await send([...systems, 'linux'].map(of)), [422, 4071, field])
  assert.deepEqual(await send([of('linux'), of('linux')]), [422, 4071, `${field}[1].os`])
  assert.deepEqual(await send([of('amiga')]), [422, 4071, `${field}[0].os`])
  assert.deepEqual(await send([{ os: 'linux' }]), [422, 4071, `${field}[0]`])
  assert.deepEqual(await send([{ os: 'linux', minimum: { memory: ' ' } }]), [
    422,
    4071,
    `${field}[0]`,
  ])
  assert.deepEqual(await send([{ ...of('linux'), maximum: {} }]), [422, 4071, `${field}[0]`])
  assert.deepEqual(await send([{ os: 'linux', minimum: { ram: '1' } }]), [
    422,
    4071,
    `${field}[0].minimum`,
  ])
  assert.deepEqual(await send({ linux: {} }), [422, 4071, field])
  const notes = (length: number) => [{ os: 'linux', recommended: { notes: 'x'.repeat(length) } }]
  assert.equal((await send(notes(MAX_LENGTH)))[0], 200)
  assert.deepEqual(await send(notes(MAX_LENGTH + 1)), [422, 4071, `${field}[0].recommended.notes`])
})

test('the dashboard form shows, saves, clears and validates system requirements', async (t) => {
  const { put, listing, owner, read, at, pageForm } = await startDashboard(t)
  must(await put(taxonomyUrl(listing.uid), { system_requirements: [linux] }, listing.owner))
  const form = (await owner.open(at('page'))).body
  assert.match(form, /name="system_requirements\.linux\.minimum\.memory"[^>]*value="4 GB"/)
  assert.match(form, /<details open>\s*<summary>Linux/)
  assert.match(form, /<details>\s*<summary>Windows/)
  const name = (part: string) => `system_requirements.${part}`
  const changes = {
    [name('linux.minimum.memory')]: '',
    [name('linux.minimum.notes')]: '',
    [name('windows.minimum.processor')]: 'Any',
  }
  await owner.submit(at('page'), await pageForm(changes))
  assert.deepEqual((await read()).system_requirements, [windows, { ...linux, minimum: empty }])
  const long = { [name('windows.minimum.processor')]: 'x'.repeat(MAX_LENGTH + 1) }
  const rejected = await owner.send(at('page'), await pageForm(long))
  assert.equal(rejected.status, 422)
  assert.match(errorsOf(rejected.body).join(), /at most 200 characters/)
  const cleared = {
    [name('linux.recommended.memory')]: '',
    [name('linux.recommended.graphics')]: '',
  }
  await owner.submit(at('page'), await pageForm(cleared))
  assert.deepEqual((await read()).system_requirements, [windows])
})

test('the taxonomy tool describes and edits system requirements', async (t) => {
  const { a, url } = await startStore(t)
  const listing = await a.listing({ owner: await a.verifiedDeveloper() })
  const { key } = await a.key('agent', listing.owner, ['mcp:read', 'mcp:write'])
  const agent = await connect(t, url, '/mcp', key)
  const { uid } = listing
  const system_requirements = [{ os: 'windows', minimum: { processor: 'Any' } }]
  const { data } = await agent.call('update_game_taxonomy', { uid, system_requirements })
  assert.deepEqual(data.system_requirements, [windows])
  const { refused } = await agent.call('update_game_taxonomy', {
    uid,
    system_requirements: [{ os: 'windows', minimum: {} }],
  })
  assert.equal(refused?.data.field, 'system_requirements[0]')
})
