import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { random } from '../../../demo/random.ts'
import { checkStorage } from '../../../src/admin/storage-check.ts'
import { startReceiver } from '../../bugs/receivers.ts'
import { runJourney } from '../../constellation/user-journey.ts'
import { settings, startStore } from '../../extstore/fixtures.ts'
import { eventually, startApp } from '../../support/app.ts'
import { must, PASSWORD } from '../../support/builders.ts'
import { childService, freePort } from '../../support/child.ts'
import { loopCount } from '../../support/loop-count.ts'
import { startNginx } from '../../support/programs/nginx.ts'
import { needs } from '../../support/system-packages.ts'
import { previousCode, RELEASE, readFixture, restoreFixture } from './previous-release.ts'
import { BASE_URL, downloadHash, findMissing, readAnswer } from './recorded-answers.ts'

const JOURNEYS_AT_ONCE = loopCount({ short: 1, full: 2 })
const read = (path: string) => readFileSync(join(import.meta.dirname, '../../..', path), 'utf8')

test('the changelog, the package and the fixture have the version of the last release', () => {
  const [, version] = /^## (\d+\.\d+\.\d+) \(\d{4}-\d\d-\d\d\)$/m.exec(read('CHANGELOG.md')) ?? []
  assert.equal(JSON.parse(read('package.json')).version, version)
  assert.equal(JSON.parse(read('package-lock.json')).version, version)
  assert.equal(RELEASE.version, version)
  const { version: recorded, commit } = readFixture()
  assert.deepEqual({ version: recorded, commit }, RELEASE)
})

test(`everything of ${RELEASE.version} is served after an upgrade`, async (t) => {
  const { callers, reads, downloads, owner, game } = readFixture()
  const restored = await restoreFixture(t)
  // Without a worker, which would delete what is past its retention: the fixture gets older.
  const app = await startApp(t, { ...restored, BASE_URL, SLIPWAY_ROLES: 'api,web,upload' })
  await eventually('the search index', async () => {
    const { items } = must(await app.get('/api/v1/public/search?q=harbor'))
    return items.length > 0
  })
  assert.ok(reads.length > 20)
  for (const { path, as, data, sha256 } of reads) {
    const answer = await readAnswer(app.url, { path, as }, callers)
    if ('data' in answer) assert.deepEqual(findMissing(answer.data, data), [], path)
    else assert.equal(answer.sha256, sha256, path)
  }
  for (const download of downloads)
    assert.equal(await downloadHash(app.url, download, callers), download.sha256, download.path)
  // A password and a key of the previous release also change something.
  const login = { login: owner.username, password: PASSWORD }
  const { session } = must(await app.post('/api/v1/private/account/login', login))
  const change = { tagline: 'Ships of this year' }
  must(await app.patch(`/api/v1/private/games/${game.uid}`, change, { token: session.token }))
  const build = { version: '2.0', os: 'linux', arch: 'x86_64' }
  const build_machine = { headers: callers['build_machine']! }
  must(await app.post('/api/v1/tool/upload/build', build, build_machine))
  const run = { core: app.core, progress: () => {}, signal: new AbortController().signal }
  assert.deepEqual((await checkStorage(run)).missing, [])
})

test(`${RELEASE.version} and this version serve one database, and a downgrade works`, async (t) => {
  if (!needs(t, 'nginx')) return
  const code = previousCode(t)
  if (!code) return
  const { callers, downloads } = readFixture()
  const restored = await restoreFixture(t)
  const store = await startStore(t)
  const receiver = await startReceiver(t)
  const port = await freePort()
  const shared = {
    ...restored,
    ...settings(store),
    BASE_URL: `http://127.0.0.1:${port}`,
    REQUIRE_MFA: 'off',
    DRAIN_SECONDS: '8',
  }
  const service = async (folder?: string) => {
    const own_port = await freePort()
    return { ...childService(t, { ...shared, PORT: own_port }, { code: folder }), port: own_port }
  }
  const previous = await service(code)
  const present = await service()
  const steps = new Set<string>()
  const journey = (seed: string) =>
    runJourney({
      url: shared.BASE_URL,
      data_dir: restored.DATA_DIR,
      store,
      receiver,
      random: random(seed),
      onStep: (name, retries) => {
        steps.add(name)
        assert.equal(retries, 0, `${name} had to be retried`)
      },
    })
  const checkDownloads = async (url: string) => {
    for (const download of downloads)
      assert.equal(await downloadHash(url, download, callers), download.sha256, download.path)
  }

  const previous_url = await previous.start()
  // A process that is not there yet is skipped by nginx.
  const ports = [previous.port, present.port]
  await startNginx(t, { api: ports, web: ports, upload: ports }, { port })
  // The new version migrates while the previous one is in use.
  const [present_url] = await Promise.all([present.start(), journey('meanwhile')])
  const seeds = Array.from({ length: JOURNEYS_AT_ONCE }, (_, nth) => `both ${nth}`)
  await Promise.all(seeds.map(journey))
  assert.ok(steps.size > 30)
  await checkDownloads(previous_url)
  await checkDownloads(present_url)

  // Back to the previous version, which starts on the migrated database.
  await previous.kill()
  await present.kill()
  await checkDownloads(await previous.start())
  await journey('back')
})
