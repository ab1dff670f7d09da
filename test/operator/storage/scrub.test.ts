import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { DAY } from '../../../src/core/runtime/units.ts'
import { uuidv7 } from '../../../src/core/security/crypto.ts'
import { scrubStorage } from '../../../src/operator/storage/jobs.ts'
import { scrub } from '../../../src/operator/storage/scrub.ts'
import { countDamaged } from '../../../src/operator/storage/scrub-queries.ts'
import { codeBlocks } from '../../docs/code-blocks.ts'
import { admin } from '../../support/admin-run.ts'
import { runJob, startApp, temporaryFolder } from '../../support/app.ts'
import { storedKeys } from '../../support/builders.ts'
import { startConsole } from '../fixtures.ts'

function flipBit(path: string) {
  const bytes = readFileSync(path)
  bytes[bytes.length >> 1]! ^= 1
  writeFileSync(path, bytes)
}

test('scrub names a flipped bit and a missing object, and a backup repairs them', async (t) => {
  const target = temporaryFolder(t)
  const app = await startApp(t, { SCRUB_DAYS: '0' })
  const { a, core, sql, settings, data_dir } = app
  const listing = await a.listing()
  await a.images(listing)
  const { file_uid } = await a.cleanBuild(listing)
  // An object whose record has no hash.
  const bug = uuidv7()
  await sql`
    insert into bugs
      (uid, game_uid, source, message, has_log, screenshot_type, screenshot_size,
       created_at, updated_at)
    values (${bug}, ${listing.uid}, 'store', 'm', false, 'image/png', 4, now(), now())`
  const screenshot = `bugs/${listing.uid}/${bug}`
  await core.storage.put(screenshot, Buffer.from('four'))
  const keys = await storedKeys(core)
  const build = keys.find((key) => key.includes(file_uid))!
  const image = keys.find((key) => key.startsWith('images/'))!
  const pathOf = (key: string) => join(data_dir, 'objects', key)
  const run = async (env = {}) => {
    const result = await admin({ ...settings, ...env }, 'storage', 'scrub', '--now', '--json')
    return { code: result.code, ...JSON.parse(result.stdout) }
  }
  const whole = await run()
  assert.deepEqual([whole.code, whole.state, whole.damaged], [0, 'complete', []])
  assert.equal((await admin(settings, 'backup', target, '--without-keys')).code, 0)
  const originals = [build, image, screenshot].map((key) => readFileSync(pathOf(key)))

  flipBit(pathOf(build))
  flipBit(pathOf(screenshot))
  rmSync(pathOf(image))
  const broken = await run()
  assert.equal(broken.code, 3)
  const problems = broken.damaged.map((row: any) => [row.key, row.problem]).sort()
  assert.deepEqual(
    problems,
    [
      [build, 'content'],
      [screenshot, 'content'],
      [image, 'missing'],
    ].sort(),
  )
  assert.equal(await countDamaged(sql), 3)
  const [block] = codeBlocks('docs/backup.md', 'sh').filter(({ mark }) => /scrub/.test(mark!))
  const list = await admin(settings, ...block!.body.trim().split(' ').slice(4))
  assert.equal(list.code, 3)
  assert.ok(list.stdout.includes(`file ${file_uid}`), list.stdout)

  const repaired = await run({ BACKUP_TARGET: target })
  assert.deepEqual([repaired.code, repaired.damaged], [0, []])
  assert.deepEqual(
    repaired.repaired.map((row: any) => [row.key, row.repaired_from]).sort(),
    [build, screenshot, image].map((key) => [key, 'backup']).sort(),
  )
  for (const [index, key] of [build, image, screenshot].entries())
    assert.deepEqual(readFileSync(pathOf(key)), originals[index])
  assert.equal(await countDamaged(sql), 0)
})

test('the job reads each object once per period and continues where it stopped', async (t) => {
  const { a, core, sql, data_dir } = await startApp(t, { SLIPWAY_ROLES: 'api,upload' })
  const listing = await a.listing()
  await a.images(listing)
  const signal = new AbortController().signal
  const run = { core, bytes_per_second: undefined, now: false, signal }
  assert.equal(await scrub({ ...run, until: 0 }), 'stopped')
  assert.equal(await scrub({ ...run, until: Number.POSITIVE_INFINITY }), 'complete')
  const state = async () => (await sql`select objects, started_at from scrub_state`)[0]!
  const { objects, started_at } = await state()
  assert.ok(objects > 0)
  const image = (await storedKeys(core, 'images/'))[0]!
  rmSync(join(data_dir, 'objects', image))
  await runJob({ core, sql }, scrubStorage)
  assert.deepEqual((await state()).started_at, started_at, 'a pass began before its time')
  await sql`
    update scrub_state
    set started_at = now() - interval '30 days 1 minute', finished_at = now() - interval '30 days'`
  const logged = t.mock.method(core.log, 'error')
  await runJob({ core, sql }, scrubStorage)
  assert.equal(await countDamaged(sql), 1)
  // Not `key`, which the log hides like every field that may be a secret.
  const [line] = logged.mock.calls.map((call) => call.arguments[0] as { object: string })
  assert.equal(line!.object, image)
})

test('the rate of a scrub is bounded', async (t) => {
  const { a, core } = await startApp(t, { SCRUB_DAYS: '0' })
  const listing = await a.listing()
  await a.images(listing)
  let bytes = 0
  for await (const { size } of core.storage.list('images/')) bytes += size
  const started_at = performance.now()
  await scrub({
    core,
    bytes_per_second: bytes / 2,
    now: true,
    until: Number.POSITIVE_INFINITY,
    signal: new AbortController().signal,
  })
  const seconds = (performance.now() - started_at) / 1000
  assert.ok(seconds > 1.8, `read everything in ${seconds} s`)
})

test('the overview names damaged objects and an old backup', async (t) => {
  const { console, core, sql } = await startConsole(t)
  await sql`
    insert into damaged_objects (key, record, problem)
    values ('builds/a', 'file a', 'missing')`
  await sql`
    insert into backups (id, target, started_at, finished_at, objects, bytes, damaged)
    values ('b', '/mnt/backup', now(), now() - interval '8 days 1 hour', 1, 1, 0)`
  // A backup that lacks an object does not take its place.
  await sql`
    insert into backups (id, target, started_at, finished_at, objects, bytes, damaged)
    values ('c', '/mnt/other', now(), now(), 1, 1, 1)`
  assert.ok((await core.figures.backup_age_seconds!())! > 8 * DAY)
  const text = (await console.open('/operator')).body.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')
  assert.match(text, /1 stored object is damaged or missing/)
  assert.match(text, /The last backup is 8 days old/)
  assert.match(text, /The last backup ended .* in \/mnt\/backup/)
})
