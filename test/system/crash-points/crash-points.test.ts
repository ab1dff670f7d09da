import assert from 'node:assert/strict'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type Cut, lossyDatabase } from '../../../sim/lossy-database.ts'
import { checkStorage } from '../../../src/admin/storage-check.ts'
import { DAY_MS, SECOND_MS } from '../../../src/core/runtime/units.ts'
import { removeImages } from '../../../src/listings/media/jobs.ts'
import { startBugApp } from '../../bugs/fixtures.ts'
import { Unavailable } from '../../constellation/client.ts'
import { sweepJobs, withDatabaseAhead } from '../../core/storage/owned-objects.ts'
import { eventually, runJob, temporaryFolder } from '../../support/app.ts'
import { storedKeys } from '../../support/builders.ts'
import { childService, freePort } from '../../support/child.ts'
import { cleanup } from '../../support/cleanup.ts'
import { freshDatabase } from '../../support/database.ts'
import { chooseCases } from '../../support/loop-count.ts'
import { startObjectStore } from '../../support/programs/object-store.ts'
import { needs } from '../../support/system-packages.ts'
import { type BugApp, type Flow, makeFlows } from './flows.ts'
import { makeObjectStoreFlows } from './object-store-flows.ts'

const src = join(import.meta.dirname, '../../../src')
const preload = join(import.meta.dirname, 'kill-at-point.ts')
/** How far ahead the clock is when what remains in storage is checked. */
const CLOCK_AHEAD_MS = 3 * DAY_MS
/** The object store accepts requests of that time. */
const CLOCK_SKEW_SECONDS = (2 * CLOCK_AHEAD_MS) / SECOND_MS

/** Every crash point of the source. */
function listPoints(): string[] {
  return globSync('**/*.ts', { cwd: src })
    .flatMap((path) => [
      ...readFileSync(join(src, path), 'utf8').matchAll(/crashPoint\('([^']+)'\)/g),
    ])
    .map(([, name]) => name!)
    .sort()
}

/** Nothing recorded is without its bytes. */
async function checkRecords({ core }: BugApp, where: string) {
  const run = { core, progress: () => {}, signal: new AbortController().signal }
  const { missing } = await eventually('the database', () =>
    checkStorage(run).catch(() => undefined),
  )
  assert.deepEqual(missing, [], where)
  // A store that is taken for another's would keep its garbage until an operator confirms.
  const refusal = await eventually('the owner', () =>
    core.owner.refusal().then(
      (reason) => reason ?? 'none',
      () => undefined,
    ),
  )
  assert.equal(refusal, 'none', where)
}

/** Repeats what failed until it succeeds: a client may always try again. */
const retry = ({ act }: Flow, where: string) =>
  eventually(`success after ${where}`, async () => {
    const status = await act().catch((error) => {
      if (error instanceof Unavailable) return 503
      throw error
    })
    return status < 300
  })

/** Three days later, after the sweeps of those days, storage has only what is recorded. */
async function checkOrphans(t: TestContext, app: BugApp) {
  const { core } = app
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + CLOCK_AHEAD_MS })
  const later = withDatabaseAhead(app, CLOCK_AHEAD_MS)
  const sha256s = (await storedKeys(core, 'images/')).map((key) => key.split('/').at(-1)!)
  await runJob(later, removeImages, { sha256s })
  for (const sweep of sweepJobs) await runJob(later, sweep)
  const run = { core, progress: () => {}, signal: new AbortController().signal }
  const { orphans, unknown, missing } = await checkStorage(run)
  const tails = await storedKeys(core, 'uploads/')
  const multipart_uploads = (await core.storage.parts?.abandoned(new Date())) ?? []
  t.mock.timers.reset()
  assert.deepEqual(
    { orphans, unknown, missing, tails, multipart_uploads },
    { orphans: [], unknown: [], missing: [], tails: [], multipart_uploads: [] },
  )
}

type MakeFlows = (app: BugApp, url: string) => Promise<Record<string, Flow>>
type Plan = {
  makeFlows: MakeFlows
  env: Record<string, string>
  /** How many kills or cuts a short run does. */
  short: number
}

/** Kills a service at each point of the flows. */
async function killAtPoints(t: TestContext, { makeFlows, env, short }: Plan) {
  const DATABASE_URL = await freshDatabase(t)
  // The process under test runs all jobs.
  const app = await startBugApp(t, { ...env, DATABASE_URL, SLIPWAY_ROLES: 'api,web,upload' })
  const point_file = join(temporaryFolder(t), 'point')
  writeFileSync(point_file, '')
  const child = childService(t, {
    ...app.settings,
    LOG_LEVEL: 'fatal',
    PORT: await freePort(),
    SLIPWAY_ROLES: 'api,upload,worker',
    CRASH_POINT_FILE: point_file,
    // Both processes accept the tokens of players that the other issued.
    ISSUER: app.core.addresses.issuer,
    NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import=${preload}`,
  })
  const flows = await makeFlows(app, await child.start())
  const kills = Object.values(flows).flatMap((flow) =>
    flow.points.map((point) => ({ flow, point })),
  )
  for (const { flow, point } of chooseCases(t, kills, short)) {
    writeFileSync(point_file, point)
    const acting = flow.act().catch((error) => {
      if (!(error instanceof Unavailable)) throw error
    })
    await eventually(`the kill at ${point}`, () => !child.isUp())
    writeFileSync(point_file, '')
    await child.start()
    await acting
    await checkRecords(app, point)
    await retry(flow, point)
    await flow.settled?.()
  }
  await child.kill()
  await checkOrphans(t, app)
}

/** Cuts the connection before and after the commit that follows each point of the flows. */
async function cutAtPoints(t: TestContext, { makeFlows, env, short }: Plan) {
  const database = await lossyDatabase(await freshDatabase(t))
  cleanup(t, () => database.close())
  const app = await startBugApp(t, { ...env, DATABASE_URL: database.url })
  let flows = await makeFlows(app, app.url)
  let armed: { point: string; cut: Cut } | undefined
  Object.assign(globalThis, {
    slipwayCrashPoint(name: string) {
      if (name !== armed?.point) return
      database.cutNext(armed.cut)
      armed = undefined
    },
  })
  cleanup(t, () => Object.assign(globalThis, { slipwayCrashPoint: undefined }))
  const points = Object.entries(flows).flatMap(([name, flow]) =>
    flow.points.map((point) => ({ name, point })),
  )
  const cuts = points.flatMap((place) =>
    (['before', 'after'] satisfies Cut[]).map((cut) => ({ ...place, cut })),
  )
  let is_second_half = false
  for (const { name, point, cut } of chooseCases(t, cuts, short)) {
    // Another listing for the second half, because of the hourly limits.
    if (name === 'scan' && !is_second_half) {
      is_second_half = true
      flows = await makeFlows(app, app.url)
    }
    const flow = flows[name]!
    const cuts_before = database.cuts()
    armed = { point, cut }
    const where = `${point}, cut ${cut} the commit`
    await flow.act().catch((error) => {
      if (!(error instanceof Unavailable)) throw error
    })
    await eventually(`the point ${point}`, () => armed === undefined)
    await flow.settled?.()
    if (!flow.without_commit?.includes(point))
      await eventually(`the cut at ${where}`, () => database.cuts() > cuts_before)
    database.cutNext(undefined)
    await checkRecords(app, where)
    await retry(flow, where)
    // Its commits would be cut instead of those after the next point.
    await flow.settled?.()
  }
  await checkOrphans(t, app)
}

test('a kill at any crash point loses nothing, and what was cut short can be repeated', async (t) => {
  await killAtPoints(t, { makeFlows, env: { BACKUP_TARGET: temporaryFolder(t) }, short: 2 })
})

test('a connection lost around the commit after any crash point loses nothing', async (t) => {
  await cutAtPoints(t, { makeFlows, env: { BACKUP_TARGET: temporaryFolder(t) }, short: 6 })
})

test('kills and lost connections lose nothing of uploads to an object store', async (t) => {
  if (!needs(t, 'swift-proxy-server')) return
  const { makeBucket } = await startObjectStore(t, { clock_skew_seconds: CLOCK_SKEW_SECONDS })
  const plan = { makeFlows: makeObjectStoreFlows, short: 1 }
  await killAtPoints(t, { ...plan, env: { S3_URL: await makeBucket('kills') } })
  await cutAtPoints(t, { ...plan, env: { S3_URL: await makeBucket('cuts') } })
})

test('every crash point of the source has a name of its own and a flow that reaches it', async () => {
  const points = listPoints()
  const flows = globSync('*flows.ts', { cwd: import.meta.dirname })
    .map((file) => readFileSync(join(import.meta.dirname, file), 'utf8'))
    .join('')
  assert.equal(new Set(points).size, points.length, 'two crash points have the same name')
  const missing = points.filter((point) => !flows.includes(`'${point}'`))
  assert.deepEqual(missing, [], 'add these points to test/system/crash-points/flows.ts')
  assert.ok(points.length >= 40)
})
