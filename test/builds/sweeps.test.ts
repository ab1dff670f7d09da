import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { removeObjects, sweepObjects, sweepRejected } from '../../src/builds/builds/jobs.ts'
import { HOUR_MS } from '../../src/core/runtime/units.ts'
import { uuidv7 } from '../../src/core/security/crypto.ts'
import { sweepUploads } from '../../src/uploads/sessions/jobs.ts'
import { runJob, startApp } from '../support/app.ts'
import { storedKeys } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'

const sharedApp = sharedInFile(startApp)

test('deletes stored objects without a record after a day, and no others', async (t) => {
  const app = await sharedApp(t)
  const game = await app.a.listing()
  const { file_uid } = await app.a.cleanBuild(game)
  const old = Date.now() - 25 * HOUR_MS
  await app.sql`alter table files disable trigger all`
  const known = uuidv7(old)
  await app.sql`
    insert into files
      (uid, game_uid, build_uid, os, arch, channel, filename, size, checksum, method)
    select
      ${known}, game_uid, build_uid, os, arch, channel, filename, size, checksum, method
    from files
    where uid = ${file_uid}`
  const [lost, young, symbol] = [uuidv7(old), uuidv7(), uuidv7(old)]
  for (const uid of [known, lost, young])
    await app.core.storage.put(`builds/${game.uid}/${uid}.zip`, Buffer.from('x'))
  await app.core.storage.put(`symbols/${game.uid}/${symbol}.sym`, Buffer.from('x'))
  await runJob(app, sweepObjects)
  const remaining = (await storedKeys(app.core)).map((key) => key.split('/').at(-1)!.slice(0, 36))
  assert.deepEqual(remaining.sort(), [file_uid, known, young].sort())
})

test('deletes abandoned parts and temporary files, but not those of open sessions', async (t) => {
  const app = await sharedApp(t)
  const { build_id } = await app.a.cleanBuild(await app.a.listing())
  const folder = join(app.data_dir, 'uploads')
  mkdirSync(folder, { recursive: true })
  const file = (name: string, age: number) => {
    writeFileSync(join(folder, name), 'x')
    utimesSync(join(folder, name), new Date(Date.now() - age), new Date(Date.now() - age))
  }
  const [lost, open, over, young] = [uuidv7(), uuidv7(), uuidv7(), uuidv7()]
  for (const [file_uid, seconds] of [
    [open, 60],
    [over, -60],
  ] as const)
    await app.sql`
      insert into upload_sessions
        (uid, game_uid, build_uid, file_uid, os, arch, channel, filename,
         total_size, checksum, method, expires_at)
      select
        ${uuidv7()}, game_uid, uid, ${file_uid}, '', '', 'stable', 'x.zip',
        10, '', 'website', now() + ${seconds} * interval '1 second'
      from builds
      where uid = ${build_id}`
  for (const uid of [lost, open, over]) file(`${uid}.part`, 5 * HOUR_MS)
  file(`${young}.part`, 3 * HOUR_MS)
  file('old.nested', 5 * HOUR_MS)
  await runJob(app, sweepUploads)
  assert.deepEqual(readdirSync(folder).sort(), [`${open}.part`, `${young}.part`].sort())
  assert.deepEqual(
    (await app.sql`select file_uid from upload_sessions`).map(({ file_uid }) => file_uid),
    [open],
  )
})

test('deletes records of rejected uploads after thirty days, and no others', async (t) => {
  const app = await sharedApp(t)
  const game = await app.a.listing()
  for (const [scan, days] of [
    ['clean', 99],
    ['infected', 31],
    ['error', 31],
    ['infected', 29],
  ] as const) {
    const { file_uid } = await app.a.cleanBuild(game)
    await app.sql`
      update files set scan = ${scan}, uploaded_at = now() - ${days} * interval '1 day'
      where uid = ${file_uid}`
  }
  await runJob(app, sweepRejected)
  assert.deepEqual(
    (await app.sql`select scan from files where game_uid = ${game.uid} order by scan`).map(
      ({ scan }) => scan,
    ),
    ['clean', 'infected'],
  )
  await runJob(app, removeObjects, { keys: ['builds/not/there.zip'] })
})
