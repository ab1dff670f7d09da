import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { screenshotKey } from '../../src/bugs/reports/screenshots.ts'
import { fileKey } from '../../src/builds/files/key.ts'
import { symbolKey } from '../../src/builds/symbols/symbols.ts'
import { DAY_MS } from '../../src/core/runtime/units.ts'
import { uuidv7 } from '../../src/core/security/crypto.ts'
import { recordedPrefixes } from '../../src/core/storage/recorded-objects.ts'
import { uploadImage } from '../listings/profiles/fixtures.ts'
import { posterFile, trailerRequests } from '../listings/trailers/fixtures.ts'
import { admin } from '../support/admin-run.ts'
import { startApp } from '../support/app.ts'
import { must, storedKeys } from '../support/builders.ts'
import { picture } from '../support/images.ts'

test('storage check reports records whose object is missing or wrong', async (t) => {
  const app = await startApp(t)
  const { settings, a, sql, core, post } = app
  const listing = await a.listing()
  await a.images(listing)
  const { file_uid, build_id } = await a.cleanBuild(listing)
  const { clean } = trailerRequests(app)
  await clean(listing, [posterFile(await picture(1280, 720))])
  const [symbol, bug] = [uuidv7(), uuidv7()]
  await sql`
    insert into symbols
      (uid, game_uid, build_uid, module_name, debug_id, os, arch, size, checksum)
    values (${symbol}, ${listing.uid}, ${build_id}, 'm', 'd', 'linux', 'x86_64', 4, 'c')`
  await sql`
    insert into bugs
      (uid, game_uid, source, message, has_log, screenshot_type, screenshot_size,
       created_at, updated_at)
    values (${bug}, ${listing.uid}, 'store', 'm', false, 'image/png', 4, now(), now())`
  for (const key of [
    symbolKey(listing.uid, symbol),
    screenshotKey({ uid: bug, game_uid: listing.uid }),
  ])
    await core.storage.put(key, Buffer.from('four'))
  must(await uploadImage({ post }, listing.owner, 'avatar', await picture(256, 256)))
  const { stdout, code } = await admin(settings, 'storage', 'check')
  assert.match(stdout, /^12 records, \d+ objects/)
  assert.match(stdout, /\n0 missing, 0 orphans \(0 bytes\), 0 unknown$/)
  assert.equal(code, 0)

  await core.storage.remove(fileKey({ object_uid: file_uid, game_uid: listing.uid }))
  await core.storage.put(symbolKey(listing.uid, symbol), Buffer.from('five!'))
  const broken = await admin(settings, 'storage', 'check', '--remove')
  assert.equal(broken.code, 3, 'a missing object did not fail the check')
  assert.match(broken.stdout, new RegExp(`file ${file_uid} .*is not there`))
  assert.match(broken.stdout, new RegExp(`symbols ${symbol}: .* has 5 bytes, not 4`))
  assert.match(broken.stdout, /\n2 missing, 0 orphans/)
  const originals = (await storedKeys(core)).filter((key) => !key.startsWith('image-renditions/'))
  assert.equal(originals.length, 11, 'the check removed an object of a broken record')
})

test('storage check lists orphans; --remove deletes them and schedules images', async (t) => {
  const { settings, a, core, sql } = await startApp(t, { SLIPWAY_ROLES: 'api,upload' })
  const listing = await a.listing()
  await a.images(listing)
  const referenced = await storedKeys(core)
  const game_uid = listing.uid
  const old = uuidv7(Date.now() - 2 * DAY_MS)
  const sha256 = randomBytes(32).toString('hex')
  const orphans = [
    `builds/${game_uid}/${old}.zip`,
    `bugs/${game_uid}/${old}`,
    `trailers/${game_uid}/${old}`,
    `patches/${game_uid}/${old}`,
    `renditions/${sha256.slice(0, 2)}/${sha256}-icon.png`,
    `image-renditions/${sha256.slice(0, 2)}/${sha256.slice(2, 4)}/${sha256}-640-v1.avif`,
  ]
  const others = {
    picture: `images/${sha256.slice(0, 2)}/${sha256}`,
    young: `builds/${game_uid}/${uuidv7()}.zip`,
    unknown: 'later/thing',
  }
  for (const key of [...orphans, ...Object.values(others)])
    await core.storage.put(key, Buffer.from('bytes'))

  const check = await admin(settings, 'storage', 'check')
  assert.equal(check.code, 3)
  for (const key of [...orphans, others.picture, others.unknown])
    assert.ok(check.stdout.includes(`  ${key}  5`), key)
  assert.ok(!check.stdout.includes(others.young), 'a young object is reported')
  assert.match(check.stdout, /\n0 missing, 7 orphans \(35 bytes\), 1 unknown$/)
  assert.equal(
    (await storedKeys(core)).length,
    referenced.length + 9,
    'the check removed objects without --remove',
  )

  assert.match(
    (await admin(settings, 'storage', 'check', '--remove')).stdout,
    /\n6 objects moved to the trash for 30 days; 1 image follows in a day if still unused/,
  )
  assert.deepEqual(await storedKeys(core), [...referenced, ...Object.values(others)].sort())
  const [job] = await sql`
    select data, start_after > now() + interval '23 hours' as tomorrow
    from pgboss.job
    where name = 'listings.remove-images'`
  assert.deepEqual([job!.data, job!.tomorrow], [{ sha256s: [sha256] }, true])
})

test('every kind of object that has a record is compared with it', () => {
  const path = join(import.meta.dirname, '../../src/core/storage/recorded-objects.ts')
  const kinds = readFileSync(path, 'utf8').matchAll(/'([a-z]+\/)' \|\|/g)
  const unknown = [...kinds].map(([, prefix]) => prefix!).filter(isUnknown)
  assert.deepEqual(unknown, [])
})

const isUnknown = (prefix: string) => !recordedPrefixes.includes(prefix)
