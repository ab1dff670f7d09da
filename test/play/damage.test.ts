import assert from 'node:assert/strict'
import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually } from '../support/app.ts'
import { large, sharePlayApp, wasm } from './fixtures.ts'

type PlayApp = Awaited<ReturnType<typeof sharePlayApp>>

const keyOf = ({ game, file_uid }: PlayApp) => `builds/${game.uid}/${file_uid}.zip`
const pathOf = (app: PlayApp) => join(app.data_dir, 'objects', keyOf(app))

const damageOf = async (app: PlayApp) =>
  (await app.sql`select key, record, problem from damaged_objects where key = ${keyOf(app)}`).map(
    (row) => ({ ...row }),
  )

const countJobs = async (app: PlayApp) => {
  const [row] = await app.sql`
    select count(*)::int as count from pgboss.job
    where name = 'operator.scrub-object' and data ->> 'key' = ${keyOf(app)}`
  return row!.count
}

const damages: Record<string, (app: PlayApp) => [problem: string, name: string]> = {
  'a flipped bit': (app) => {
    const bytes = readFileSync(pathOf(app))
    bytes[bytes.indexOf(wasm) + 9]! ^= 1
    writeFileSync(pathOf(app), bytes)
    return ['content', 'game.wasm']
  },
  'a truncated object': (app) => {
    truncateSync(pathOf(app), readFileSync(pathOf(app)).indexOf(large.subarray(1000, 1100)))
    return ['size', 'large.pck']
  },
  'a missing object': (app) => {
    rmSync(pathOf(app))
    return ['missing', 'large.pck']
  },
}

for (const [name, damage] of Object.entries(damages))
  test(`${name} breaks the connection and lets a worker check the object, once`, async (t) => {
    const app = await sharePlayApp(t)
    const [problem, entry] = damage(app)
    for (let n = 0; n < 3; n++) await assert.rejects(app.file(entry))
    await eventually('the damage is recorded', async () => (await damageOf(app)).length > 0)
    await assert.rejects(app.file(entry))
    assert.deepEqual(await damageOf(app), [
      { key: keyOf(app), record: `file ${app.file_uid}`, problem },
    ])
    assert.equal(await countJobs(app), 1)
  })

test('a build whose directory was read before is reported as well', async (t) => {
  const app = await sharePlayApp(t)
  assert.equal((await app.file('large.pck')).status, 200)
  truncateSync(pathOf(app), 1000)
  await assert.rejects(app.file('large.pck'))
  await eventually('the damage is recorded', async () => (await damageOf(app)).length > 0)
})

test('a whole build is not reported, whatever clients ask for', async (t) => {
  const app = await sharePlayApp(t)
  for (const path of ['', 'missing.js', 'large.data', '../x', '%00'])
    await app.file(path, { range: 'bytes=999999999-' })
  await app.file('large.pck', { range: 'bytes=0-10' })
  assert.equal(await countJobs(app), 0)
})
