import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { uuidv7 } from '../../src/core/security/crypto.ts'
import { groupByMessage } from '../../src/telemetry/crashes/groups.ts'
import { joinGroup, leaveGroup, readCrashedBuild } from '../../src/telemetry/crashes/queries.ts'
import { eventually } from '../support/app.ts'
import { lockWaits, must, newAddress } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { form } from '../uploads/forms.ts'
import { crashedGame } from './dumps.ts'
import { type BuildOf, CRASHES, idsOf, startTelemetryApp } from './fixtures.ts'

const sharedTelemetryApp = sharedInFile(startTelemetryApp)

type TelemetryApp = Awaited<ReturnType<typeof startTelemetryApp>>
const words = Buffer.from('the last words of the game')
const report = ({ call }: TelemetryApp, to: BuildOf, metadata: object, log?: Buffer) =>
  call(
    'POST',
    CRASHES,
    form(
      [
        { name: 'metadata', value: JSON.stringify(metadata) },
        ...(log ? [{ name: 'log', filename: 'game.log', bytes: log }] : []),
      ],
      {
        headers: { ...idsOf(to), ...newAddress() },
      },
    ),
  )
const put = ({ call }: TelemetryApp, url: string, bytes: Buffer = words) =>
  call('PUT', url, {
    raw: new Uint8Array(bytes),
    headers: { 'content-type': 'application/octet-stream', ...newAddress() },
  })

/** Commits every transaction but loses its response, until the returned function is called. */
function loseAnswers(t: TestContext, { core }: TelemetryApp): () => void {
  const real = core.sql.begin.bind(core.sql) as (...args: unknown[]) => Promise<unknown>
  const lost = t.mock.method(
    core.sql as { begin: typeof real },
    'begin',
    async (...args: unknown[]) => {
      await real(...args)
      throw Object.assign(new Error('write CONNECTION_CLOSED'), { code: 'CONNECTION_CLOSED' })
    },
  )
  return () => lost.mock.restore()
}

test('keeps a log when the connection is lost after its report was committed', async (t) => {
  const app = await sharedTelemetryApp(t)
  const listing = await app.a.listing()
  const to = await app.build(listing)
  const sent = async (id: string) => {
    const link = must(
      await app.get(
        `/api/v1/private/games/${listing.uid}/crashes/${id}/download?kind=log`,
        listing.owner,
      ),
    )
    return Buffer.from(await (await fetch(link.url)).arrayBuffer())
  }
  const { id, uploads } = must(await report(app, to, { has_log: true }))
  const find = loseAnswers(t, app)
  const answers = [
    await report(app, to, { report_id: 'one' }, words),
    await put(app, uploads.log.url),
  ]
  find()
  assert.deepEqual(
    answers.map(({ status }) => status >= 500),
    [true, true],
  )
  // A repeated report is the same report, with the files of the first.
  const again = must(await report(app, to, { report_id: 'one' }, words))
  assert.deepEqual([await sent(again.id), await sent(id)], [words, words])
  assert.equal((await put(app, uploads.log.url)).status, 409)
})

test('a crash that is analyzed again stays in its group, or takes bug reports along', async (t) => {
  const app = await sharedTelemetryApp(t)
  const listing = await app.a.listing()
  const to = await app.build(listing)
  const { uploads, id } = must(
    await report(app, to, { has_dump: true, app_version: '1.0', message: 'boom' }),
  )
  const readCrash = async () =>
    must(await app.get(`/api/v1/private/games/${listing.uid}/crashes/${id}`, listing.owner))
  const before = (await readCrash()).group_uid as string
  const bug = uuidv7()
  await app.sql`
    insert into bugs
      (uid, game_uid, source, user_uid, message, has_log, created_at, updated_at, crash_group_uid)
    values (
      ${bug}, ${listing.uid}, 'store', ${listing.owner.uid},
      'it broke', false, now(), now(), ${before}
    )`
  const groupOfBug = async () =>
    (await app.sql`select crash_group_uid from bugs where uid = ${bug}`)[0]!.crash_group_uid
  must(await put(app, uploads.dump.url, crashedGame()))
  const { group_uid } = await eventually('the analysis', async () =>
    (await readCrash()).has_stack ? readCrash() : undefined,
  )
  assert.notEqual(group_uid, before)
  assert.equal((await app.sql`select from crash_groups where uid = ${before}`).length, 0)
  assert.equal(await groupOfBug(), group_uid)
  // A second analysis with the same result leaves the crash in its group, counted once.
  await app.sql`
    update crash_groups set first_seen = first_seen - interval '1 hour'
    where uid = ${group_uid}`
  const group = async () =>
    (
      await app.sql`
        select g.uid, g.first_seen, n.crashes
        from crash_groups g
        join crash_group_builds n on n.group_uid = g.uid`
    ).map((row) => ({ ...row }))
  const known = await group()
  await app.sql`update crashes set walked_at = null where uid = ${id}`
  await app.core.jobs.send(app.sql, 'telemetry.walk', { crash_uid: id })
  await eventually(
    'the second analysis',
    async () =>
      (await app.sql`select from crashes where uid = ${id} and walked_at is not null`).length === 1,
  )
  assert.deepEqual(await group(), known)
  assert.deepEqual([(await readCrash()).group_uid, await groupOfBug()], [group_uid, group_uid])
})

test('keeps a group that a crash joins while its last crash leaves', async (t) => {
  const app = await sharedTelemetryApp(t)
  const listing = await app.a.listing()
  const [first, second] = [
    await app.build(listing, { version: '1' }),
    await app.build(listing, { version: '2' }),
  ]
  const join = async (
    tx: Parameters<typeof joinGroup>[0],
    { build_id }: BuildOf,
    message: string,
  ) => {
    const build = (await readCrashedBuild(tx, build_id))!
    const seen = { uid: uuidv7(), game_uid: listing.uid, build, at: new Date() }
    return joinGroup(tx, seen, groupByMessage({ app_version: '1', os: 'linux', message }), uuidv7())
  }
  const [group, other] = (await app.sql.begin(async (tx) => [
    await join(tx, first, 'boom'),
    await join(tx, first, 'bang'),
  ])) as string[]
  const leaving = Promise.withResolvers<unknown>()
  await app.sql.begin(async (tx) => {
    assert.equal(await join(tx, second, 'boom'), group)
    const left_group = app.sql.begin(async (tx) => {
      await leaveGroup(tx, group!, first.build_id, other!)
    })
    left_group.then(leaving.resolve, leaving.reject)
    await eventually('the waiting statement', async () => (await lockWaits(tx)) > 0)
  })
  await leaving.promise
  const counted =
    await app.sql`select build_uid, crashes from crash_group_builds where group_uid = ${group!}`
  assert.deepEqual(
    [...counted].map((row) => ({ ...row })),
    [{ build_uid: second.build_id, crashes: 1 }],
  )
})
