import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkWebBuilds } from '../../src/scan/web-builds/jobs.ts'
import { eventually, runJob, startApp } from '../support/app.ts'
import { must, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { type ZipEntry, zip } from '../uploads/zips.ts'
import { signedIn } from '../web/dashboard-fixtures.ts'
import { addPlayGame, STORED, sharePlayApp, startPlayApp } from './fixtures.ts'

const MIB = 1024 ** 2
const page = { name: 'index.html', body: '<!doctype html><title>Game</title>', method: STORED }
const file = (name: string, size: number) => ({ name, body: Buffer.alloc(size, 1), method: STORED })

type PlayApp = Awaited<ReturnType<typeof startPlayApp>>

const playPath = ({ game }: PlayApp) => `/api/v1/public/games/${game.uid}/play`

/** What the owner reads about the only file of the build. */
async function ownReport(app: PlayApp) {
  const path = `/api/v1/private/games/${app.game.uid}/builds/${app.build_id}`
  return must(await app.get(path, app.game.owner)).files[0].web
}

/** The warnings of the listing check about builds for browsers, with their details. */
async function checkWarnings(app: PlayApp) {
  const { warnings } = must(
    await app.get(`/api/v1/private/games/${app.game.uid}/lint`, app.game.owner),
  )
  return Object.fromEntries(
    warnings
      .filter(({ id }: { id: string }) => id.startsWith('web_'))
      .map(({ id, details = [] }: { id: string; details?: string[] }) => [id, details]),
  )
}

type Limit = {
  name: string
  within: ZipEntry[]
  beyond: ZipEntry[]
  report: { problem: string; detail: string }
  check: Record<string, string[]>
}

/** Each limit is reached by files that are within the other two. */
const startLimited = sharedInFile((t) =>
  startApp(t, { PLAY_MAX_FILES: '3', PLAY_MAX_FILE_MIB: '1', PLAY_MAX_UNPACKED_MIB: '2' }),
)
const limits: Limit[] = [
  {
    name: 'files',
    within: [page, file('a.bin', 1), file('b.bin', 1)],
    beyond: [page, file('a.bin', 1), file('b.bin', 1), file('c.bin', 1)],
    report: { problem: 'too_many_files', detail: '4' },
    check: { web_files: ['4'] },
  },
  {
    name: 'bytes in a file',
    within: [page, file('a.bin', MIB)],
    beyond: [page, file('a.bin', MIB + 1)],
    report: { problem: 'file_too_large', detail: 'a.bin' },
    check: { web_file_size: ['a.bin'] },
  },
  {
    name: 'unpacked bytes',
    within: [page, file('a.bin', MIB), file('b.bin', MIB - page.body.length)],
    beyond: [page, file('a.bin', MIB), file('b.bin', MIB - page.body.length + 1)],
    report: { problem: 'too_large', detail: String(2 * MIB + 1) },
    check: { web_size: ['2.0 MiB'] },
  },
]

for (const { name, within, beyond, report, check } of limits) {
  test(`a build with as many ${name} as allowed is played`, async (t) => {
    const app = await addPlayGame(await startLimited(t), within)
    assert.equal((await app.file('')).status, 200)
    assert.equal(must(await app.get(playPath(app))).build_id, app.build_id)
    assert.deepEqual(await ownReport(app), { problem: null, detail: '', warnings: [] })
    assert.deepEqual(await checkWarnings(app), {})
  })

  test(`a build with more ${name} is not played, and its owner sees why`, async (t) => {
    const app = await addPlayGame(await startLimited(t), beyond)
    assert.equal((await app.file('')).status, 404)
    assert.deepEqual(refused(await app.get(playPath(app))), [404, 4040])
    assert.deepEqual(await ownReport(app), { ...report, warnings: [] })
    assert.deepEqual(await checkWarnings(app), check)
    const { files, playable } = must(await app.get(`/api/v1/public/games/${app.game.uid}`))
    assert.deepEqual([files[0].playable, playable], [false, []])
    const path = `/${app.game.owner.username}/${app.game.vanity_name}`
    assert.equal((await app.get(`${path}/play`)).status, 404)
    assert.doesNotMatch((await app.get(path)).body, /Play in the browser|Plays in the browser/)
    const owner = signedIn(app, app.game.owner)
    const { body } = await owner.open(`/dashboard/${app.game.vanity_name}/builds/${app.build_id}`)
    assert.match(body, /Not playable in the browser/)
    assert.ok(body.includes(Object.values(check)[0]![0]!), 'the page names what is too much')
  })
}

test('builds are compared again when the operator changes a limit', async (t) => {
  const app = await startPlayApp(t, { files: [page, file('a.bin', 2 * MIB)] })
  assert.equal((await app.file('')).status, 200)
  Object.assign(app.core.config, { play_max_file_mib: 1 })
  await runJob(app, checkWebBuilds)
  assert.equal((await ownReport(app)).problem, 'file_too_large')
  await eventually('the build is closed', async () => (await app.file('')).status === 404)
  Object.assign(app.core.config, { play_max_file_mib: 500 })
  await runJob(app, checkWebBuilds)
  await eventually('the build is open', async () => (await app.file('')).status === 200)
})

test('a build from before the check is played, and checked by the next run', async (t) => {
  const app = await sharePlayApp(t, [{ ...page, name: 'Index.html' }])
  await app.sql`
    update files set web_problem = null, web_limits = null, web_detail = ''
    where uid = ${app.file_uid}`
  assert.equal(await ownReport(app), undefined)
  await runJob(app, checkWebBuilds)
  assert.deepEqual(await ownReport(app), {
    problem: 'no_index',
    detail: 'Index.html',
    warnings: [],
  })
  // What is checked is not read again.
  const ownFile = () => app.sql`select * from files where uid = ${app.file_uid}`
  const [{ uploaded_at, ...before }] = (await ownFile()) as any
  await runJob(app, checkWebBuilds)
  const [{ uploaded_at: _, ...after }] = (await ownFile()) as any
  assert.deepEqual(after, before)
})

const broken = [
  { ...page, body: '<script src="/game.js"></script><img src="Logo.PNG">' },
  { name: 'game.js', body: 'load("/data/level.json")', method: STORED },
  { name: 'style.css', body: 'b { background: url(IMG/a.png) }', method: STORED },
  { name: 'logo.png', body: 'x', method: STORED },
  { name: 'img/a.png', body: 'x', method: STORED },
  { name: 'data/level.json', body: '{}', method: STORED },
]

test('the listing check names references that do not work when a build is played', async (t) => {
  const app = await sharePlayApp(t, broken)
  assert.deepEqual(await checkWarnings(app), {
    web_paths: ['index.html: /game.js → game.js', 'game.js: /data/level.json → data/level.json'],
    web_case: ['index.html: Logo.PNG → logo.png', 'style.css: IMG/a.png → img/a.png'],
  })
  // They are warnings: the build is played, and the owner may publish.
  assert.equal((await app.file('')).status, 200)
  const { lint } = must(await app.get('/api/v1/tool/info', app.ci))
  assert.ok(lint.warnings.some(({ details }: { details?: string[] }) => details?.length))
  const owner = signedIn(app, app.game.owner)
  const dashboard = await owner.open(`/dashboard/${app.game.vanity_name}/page`)
  assert.match(dashboard.body, /Use relative paths/)
  assert.match(dashboard.body, /index\.html: \/game\.js → game\.js/)
  const build = await owner.open(`/dashboard/${app.game.vanity_name}/builds/${app.build_id}`)
  assert.match(build.body, /It can be played, but some files may not load/)
  await app.a.cleanBuild(app.game, { os: 'web', arch: 'wasm32', bytes: zip([page]) })
  assert.deepEqual(await checkWarnings(app), {})
})

test('a file for another system is not checked', async (t) => {
  const app = await sharePlayApp(t)
  await app.a.cleanBuild(app.game)
  const { builds } = must(
    await app.get(`/api/v1/private/games/${app.game.uid}/builds`, app.game.owner),
  )
  const reports = builds.map(({ os, files }: any) => [os, files[0].web !== undefined])
  assert.deepEqual(reports.sort(), [
    ['linux', false],
    ['web', true],
  ])
})
