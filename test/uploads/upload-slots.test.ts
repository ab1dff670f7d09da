import assert from 'node:assert/strict'
import { request } from 'node:http'
import { type TestContext, test } from 'node:test'
import type { Environment } from '../../src/core/runtime/config.ts'
import { countUploads } from '../../src/core/security/upload-slots.ts'
import { routes } from '../../src/routes.ts'
import { OPERATIONS } from '../operator/fixtures.ts'
import { type Answer, eventually } from '../support/app.ts'
import { makePublic, must, refused } from '../support/builders.ts'
import { picture } from '../support/images.ts'
import { FILES, SESSIONS, sessionFields, sessionRequest, startUploadApp } from './fixtures.ts'
import { form, upload } from './forms.ts'
import { zip } from './zips.ts'

const bytes = zip([{ name: 'game', body: 'a game' }])

/** Two listings that upload, each with a deploy key and a build. */
async function startUploaders(t: TestContext, env: Environment) {
  const app = await startUploadApp(t, env)
  const other = await app.a.listing({ owner: await app.a.verifiedDeveloper() })
  const otherCi = await app.a.deployer(other)
  const build = { version: '1.0', os: 'linux', arch: 'x86_64' }
  const { build_id } = must(await app.post('/api/v1/tool/upload/build', build, otherCi))
  /** Starts an upload whose body never ends; returns how to abort it. */
  const hold = (path: string, headers: Record<string, string>) => {
    // A file that the build has already would be answered at once.
    const file = zip([{ name: 'game', body: `another game at ${path}` }])
    const { raw, headers: sent } = upload(file, { build_id: app.build_id }, { headers })
    const held = request(`${app.url}${path}`, {
      method: 'POST',
      headers: { ...sent, 'content-length': '1000000' },
    })
    held.on('error', () => {})
    held.write((raw as Uint8Array).subarray(0, -60))
    t.after(() => held.destroy())
    return () => held.destroy()
  }
  const own = { build_id: app.build_id }
  const send = () => app.call('POST', FILES, upload(bytes, own, app.ci))
  const sendOther = () => app.call('POST', FILES, upload(bytes, { build_id }, otherCi))
  /** Waits until so many uploads are being received. */
  const receiving = (count: number) =>
    eventually(`${count} uploads`, () => countUploads(app.core) === count)
  return { ...app, hold, send, sendOther, receiving }
}

function checkBusy(answer: Answer) {
  assert.deepEqual(refused(answer), [429, 4290])
  assert.deepEqual([answer.headers['retry-after'], answer.body.data], ['10', { retry_after: 10 }])
}
test('an uploader sends a limited number of files at the same time', async (t) => {
  const app = await startUploaders(t, { ACCOUNT_UPLOADS: '1' })
  const { listing, hold, send, sendOther, receiving, call, ci } = app
  const abort = hold(FILES, ci.headers)
  await receiving(1)
  checkBusy(await send())
  const session = sessionRequest(sessionFields(bytes, app.build_id), ci)
  checkBusy(await call('POST', SESSIONS, session))
  assert.equal((await sendOther()).status, 201, 'another listing waits')
  const { token } = listing.owner
  const website = `/api/v1/private/games/${listing.uid}/files`
  hold(website, { authorization: `Bearer ${token}` })
  await receiving(2)
  const avatar = form([
    { name: 'kind', value: 'avatar' },
    { name: 'file', filename: 'a.png', bytes: await picture(64, 64) },
  ])
  checkBusy(await call('POST', '/api/v1/private/settings/profile/images', { ...avatar, token }))
  abort()
  await receiving(1)
  assert.equal((await send()).status, 201, 'an upload that ended keeps its slot')
})

test('a process receives a limited number of files at the same time', async (t) => {
  const app = await startUploaders(t, { SERVICE_UPLOADS: '1' })
  const abort = app.hold(FILES, app.ci.headers)
  await app.receiving(1)
  checkBusy(await app.sendOther())
  abort()
  await app.receiving(0)
  assert.equal((await app.sendOther()).status, 201)
})

test('uploads stop while the disk is nearly full, and reads go on', async (t) => {
  const app = await startUploadApp(t, { MIN_FREE_DISK_MIB: '0' })
  const { listing, call, get, build_id, core, sql, a } = app
  const { owner } = listing
  const { file_uid, ci } = await a.cleanBuild(listing)
  await makePublic(sql, listing.uid)
  await sql`insert into operators (user_uid) values (${owner.uid})`
  const disk = async () => must(await get(`${OPERATIONS}/overview`, owner)).disk
  assert.deepEqual([(await disk()).low, (await disk()).uploads_stopped], [false, false])

  core.config.min_free_disk_mib = 1_000_000_000
  const send = (name: string) =>
    call('POST', FILES, upload(zip([{ name, body: name }]), { build_id }, ci))
  await eventually('uploads are refused', async () => (await send('first')).status === 503)
  const image = { name: 'file', filename: 'a.png', bytes: await picture(640, 360) }
  const json = { headers: { 'content-type': 'application/json' }, raw: '{}' }
  const game = { 'x-app-id': listing.uid, 'x-build-id': build_id }
  const answers = [
    await send('second'),
    await call('POST', SESSIONS, sessionRequest(sessionFields(bytes, build_id), ci)),
    await call('POST', '/api/v1/tool/media', form([image], ci)),
    await call('POST', `/api/v1/private/games/${listing.uid}/media`, {
      ...form([{ name: 'kind', value: 'cover' }, image]),
      token: owner.token,
    }),
    await call('POST', '/api/v1/public/crashes', {
      ...json,
      headers: { ...json.headers, ...game },
    }),
  ]
  for (const answer of answers) {
    assert.deepEqual(refused(answer), [503, 5031])
    assert.deepEqual([answer.headers['retry-after'], answer.body.data], ['60', { retry_after: 60 }])
  }
  assert.deepEqual([(await disk()).low, (await disk()).uploads_stopped], [true, true])
  const link = must(await get(`/api/v1/private/downloads/${file_uid}`, owner)).url
  assert.equal((await fetch(link)).status, 200, 'a file cannot be read')
  assert.equal((await get(`/api/v1/public/games/${listing.uid}`)).status, 200)
  assert.equal((await get('/ready')).status, 200)

  core.config.min_free_disk_mib = 0
  await eventually('uploads go on', async () => (await send('third')).status === 201)
})

test('every route of the API that takes files has a limit of uploads', () => {
  const takes = routes.filter(({ described, url }) => {
    const types = Object.keys(described?.body ?? {})
    return types.some((type) => !/json|urlencoded/.test(type)) && url.startsWith('/api/')
  })
  assert.ok(takes.length > 10)
  assert.deepEqual(
    takes.filter(({ stores_files }) => !stores_files).map(({ method, url }) => `${method} ${url}`),
    [],
  )
})
