import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually, outbox, startApp, temporaryFolder } from '../support/app.ts'
import { must, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { deltaOf, isClean, packFolder, sendDelta, uploadWhole } from '../uploads/deltas/fixtures.ts'
import { chunkForm, chunkHeaders, sessionFields, sessionRequest } from '../uploads/fixtures.ts'
import { upload } from '../uploads/forms.ts'
import { sha256, zip } from '../uploads/zips.ts'
import { signedIn } from '../web/dashboard-fixtures.ts'
import { ACTIONS, decision } from './fixtures.ts'
import {
  BLOCKED,
  FILES,
  MODERATION,
  reasons,
  SESSIONS,
  SWEEPS,
  startSweeps,
} from './sweep-fixtures.ts'

const startShared = sharedInFile((t) => startApp(t))

test('a sweep finds files and entries by hash, and quarantines all of them', async (t) => {
  const app = await startSweeps(t)
  const { stored, start, read, quarantine, get, data_dir } = app
  const large = randomBytes(5000)
  const small = randomBytes(20)
  const first = await stored({ game: 'one', 'bin/steal.dll': large })
  const second = await stored({ game: 'two', 'a/tiny.cfg': small, 'b/tiny.cfg': small })
  const whole = await stored({ game: 'three' })
  const other = await stored({ game: 'four' })
  const hashes = [sha256(large), sha256(small).toUpperCase(), sha256(whole.bytes)]
  const sweep_id = await start([...hashes, sha256(randomBytes(9))])
  const sweep = await read(sweep_id)
  assert.deepEqual([sweep.state, sweep.matching_files, sweep.total], ['ready', 3, 4])
  assert.deepEqual(
    sweep.items
      .map(({ file_uid, path, sha256, scan }: any) => [file_uid, path, sha256, scan].join(' '))
      .sort(),
    [
      [first.file_uid, 'bin/steal.dll', hashes[0], 'clean'],
      [second.file_uid, 'a/tiny.cfg', sha256(small), 'clean'],
      [second.file_uid, 'b/tiny.cfg', sha256(small), 'clean'],
      [whole.file_uid, null, hashes[2], 'clean'],
    ]
      .map((parts) => parts.join(' '))
      .sort(),
  )
  const download = async ({ file_uid, listing }: typeof first) =>
    (await get(`/api/v1/private/downloads/${file_uid}`, listing.owner)).status
  for (const file of [first, second, whole, other]) assert.equal(await download(file), 200)
  assert.deepEqual(must(await get(BLOCKED, app.moderator)).items, [])

  const { quarantined, blocked } = must(await quarantine(sweep_id))
  assert.deepEqual([quarantined, blocked], [3, 4])
  for (const file of [first, second, whole]) {
    assert.equal(await download(file), 404)
    const { owner } = file.listing
    const { items } = must(await get(`${MODERATION}/statements`, owner))
    assert.deepEqual(
      items.map(({ action, target_id, statement }: any) => [action, target_id, statement]),
      [['quarantine', file.file_uid, reasons.statement]],
    )
    await eventually('the mail', async () =>
      outbox(data_dir).some(
        ({ to, text }) => to === owner.email && text.includes(reasons.statement),
      ),
    )
  }
  assert.equal(await download(other), 200)
  const after = await read(sweep_id)
  assert.equal(after.state, 'quarantined')
  assert.ok(after.items.every(({ scan }: any) => scan === 'quarantined'))
  assert.deepEqual(refused(await quarantine(sweep_id)), [409, 4090])
  await app.decide('file', first.file_uid, 'restore')
  assert.equal(await download(first), 200)
})

test('a sweep finds a zip that was composed of a delta by the hash of the packed one', async (t) => {
  const app = await startSweeps(t, startShared)
  const { start, read, quarantine, get } = app
  const listing = await app.a.listing({ owner: await app.a.verifiedDeveloper() })
  const game = { uid: listing.uid, ci: await app.a.deployer(listing) }
  const folder = temporaryFolder(t)
  // The store copies the text as it has it, not compressed; the uploader compresses it.
  const text = 'a line of text\n'.repeat(10_000)
  const base = zip([{ name: 'text.txt', body: text, method: 0, mode: 0o100644 }])
  const base_uid = await uploadWhole(app, game, base)
  writeFileSync(join(folder, 'text.txt'), text)
  writeFileSync(join(folder, 'steal.dll'), 'steal')
  const packed = await packFolder(folder)
  const delta = await deltaOf(app, game, folder)
  const source_checksum = sha256(packed)
  const { file_uid, checksum } = must(await sendDelta(app, game, { ...delta, source_checksum }))
  await isClean(app, file_uid)
  assert.notEqual(checksum, source_checksum, 'the same bytes would be found anyway')
  const sweep_id = await start([source_checksum])
  const { items } = await read(sweep_id)
  assert.deepEqual(
    items.map(({ file_uid, path, sha256 }: any) => [file_uid, path, sha256]),
    [[file_uid, null, source_checksum]],
  )
  assert.equal(must(await quarantine(sweep_id)).quarantined, 1)
  const download = async (uid: string) =>
    (await get(`/api/v1/private/downloads/${uid}`, listing.owner)).status
  assert.deepEqual([await download(file_uid), await download(base_uid)], [404, 200])
  // The same zip in one piece, or as a delta again, is refused from now on.
  const { build_id } = delta
  const whole = await app.call('POST', FILES, upload(packed, { build_id }, game.ci))
  assert.deepEqual(refused(whole), [409, 4099])
  const again = await sendDelta(app, game, { ...delta, source_checksum })
  assert.equal(again.body.error.code, 4099)
})

test('blocked content is refused in uploads until it is unblocked', async (t) => {
  const app = await startSweeps(t)
  const { stored, start, quarantine, scanned, call, get, del, moderator } = app
  const entry = randomBytes(100)
  const whole = await stored({ game: 'one' })
  const sweep_id = await start([sha256(whole.bytes), sha256(entry)])
  must(await quarantine(sweep_id))
  const target = await stored({ game: 'other' })
  const { ci, build_id } = target

  const refusal = await call('POST', FILES, upload(whole.bytes, { build_id }, ci))
  assert.deepEqual(refused(refusal), [409, 4099])
  assert.match(refusal.body.error.message, /blocked/)
  const fields = sessionFields(whole.bytes, build_id)
  const { session_id } = must(await call('POST', SESSIONS, sessionRequest(fields, ci)))
  const total = whole.bytes.length
  const place = { session: session_id, from: 0, to: total, total }
  const chunk = chunkForm(whole.bytes, chunkHeaders(ci, place))
  assert.deepEqual(refused(await call('POST', FILES, chunk)), [409, 4099])
  assert.deepEqual(refused(await call('POST', FILES, chunk)), [404, 4045], 'the session ended')

  const direct = await scanned(zip([{ name: 'in/bad', body: entry }]), target)
  assert.equal(direct.scan, 'infected')
  assert.equal(direct.detail, 'Content blocked by the moderation team in in/bad')
  const packed = zip([{ name: 'x.zip', body: zip([{ name: 'deep', body: entry }]) }])
  const nested = await scanned(packed, target)
  assert.equal(nested.detail, 'Content blocked by the moderation team in x.zip › deep')

  const listed = must(await get(BLOCKED, moderator))
  assert.deepEqual(
    listed.items.map(({ sha256, sweep_id, blocked_by }: any) => [sha256, sweep_id, blocked_by]),
    [sha256(whole.bytes), sha256(entry)].sort().map((hash) => [hash, sweep_id, moderator.username]),
  )
  for (const hash of [sha256(whole.bytes), sha256(entry).toUpperCase()])
    must(await del(`${BLOCKED}/${hash}`, moderator))
  assert.deepEqual(must(await get(BLOCKED, moderator)).items, [])
  assert.deepEqual(refused(await del(`${BLOCKED}/${sha256(entry)}`, moderator)), [404, 4040])
  assert.equal((await scanned(whole.bytes, target)).scan, 'clean')
  assert.equal((await scanned(zip([{ name: 'in/bad', body: entry }]), target)).scan, 'clean')
})

test('a sweep checks its hashes, its sender and the reasons of its decision', async (t) => {
  const app = await startSweeps(t)
  const { post, get, del, start, quarantine, moderator, stored } = app
  const hash = () => sha256(randomBytes(8))
  const send = (hashes: unknown, who: any = moderator) => post(SWEEPS, { sha256: hashes }, who)
  const empty = sha256(Buffer.alloc(0))
  for (const bad of [[], ['abc'], [hash().slice(1)], [`${hash()}0`], [hash(), 'x'.repeat(64)]])
    assert.deepEqual(refused(await send(bad)), [400, 4000], JSON.stringify(bad))
  for (const bad of ['abc', [1], [empty], [hash(), empty]])
    assert.deepEqual(refused(await send(bad)), [400, 4000], JSON.stringify(bad))
  for (const bad of [{}, { sha256: [hash()], yara: 'rule a { condition: true }' }])
    assert.deepEqual(refused(await post(SWEEPS, bad, moderator)), [400, 4000])
  assert.deepEqual(refused(await send(Array.from({ length: 1001 }, hash))), [400, 4000])
  assert.equal((await send(Array.from({ length: 1000 }, hash))).status, 201)
  const person = await app.a.verified()
  const sweep_id = await start([hash()])
  for (const answer of [
    await send([hash()], person),
    await get(SWEEPS, person),
    await get(`${SWEEPS}/${sweep_id}`, person),
    await post(`${SWEEPS}/${sweep_id}/quarantine`, reasons, person),
    await get(BLOCKED, person),
    await del(`${BLOCKED}/${hash()}`, person),
  ])
    assert.deepEqual(refused(answer), [403, 4030])
  for (const id of [randomUUID(), 'nonsense']) {
    assert.deepEqual(refused(await get(`${SWEEPS}/${id}`, moderator)), [404, 4040])
    assert.deepEqual(refused(await quarantine(id)), [404, 4040])
  }
  for (const missing of [{ ground: undefined }, { facts: ' ' }, { ground: 'no-violation' }])
    assert.deepEqual(refused(await quarantine(sweep_id, missing)), [422, 4282])
  assert.deepEqual(must(await quarantine(sweep_id)), { quarantined: 0, blocked: 1 })
  assert.equal(must(await get(`${SWEEPS}?page_size=1`, moderator)).total, 2)

  // One match that the moderator may not decide on leaves all of them as they were.
  const body = randomBytes(64)
  const publisher = await app.a.verifiedDeveloper()
  await app.sql`insert into moderators (user_uid) values (${publisher.uid})`
  const theirs = await stored({ body })
  const own = await stored({ body }, publisher)
  const mixed = await start([sha256(body)])
  assert.deepEqual(refused(await quarantine(mixed)), [403, 4030])
  for (const { file_uid, listing } of [theirs, own])
    assert.equal((await get(`/api/v1/private/downloads/${file_uid}`, listing.owner)).status, 200)
  assert.deepEqual(must(await get(`${SWEEPS}/${mixed}`, moderator)).state, 'ready')
  const by_publisher = await post(`${SWEEPS}/${mixed}/quarantine`, reasons, publisher)
  assert.deepEqual(refused(by_publisher), [403, 4030])
  must(await post(`${SWEEPS}/${mixed}/quarantine`, reasons, app.operator))
})

test('content that arrives between the preview and the decision does not escape', async (t) => {
  const app = await startSweeps(t, startShared)
  const { stored, start, quarantine, call, sql } = app
  const body = randomBytes(64)
  const { build_id, ci, listing } = await stored({ game: 'one' })
  const sweep_id = await start([sha256(body)])
  assert.equal((await app.read(sweep_id)).total, 0)
  const late = await stored({ body })
  // Uploads and their scans run while the decision is stored.
  const uploads = Array.from({ length: 8 }, (_, nth) =>
    call(
      'POST',
      FILES,
      upload(
        zip([
          { name: `file-${nth}`, body: `${nth}` },
          { name: 'bad', body },
        ]),
        { build_id },
        ci,
      ),
    ),
  )
  await Promise.race(uploads)
  const result = must(await quarantine(sweep_id))
  assert.ok(result.quarantined >= 1)
  for (const answer of await Promise.all(uploads)) must(answer)
  await eventually(
    'every scan',
    async () => (await sql`select from files where scan = 'scanning'`).length === 0,
  )
  const available = await sql`
    select f.uid
    from files f
    join file_entries e on e.file_uid = f.uid and e.sha256 = decode(${sha256(body)}, 'hex')
    where f.scan = 'clean'`
  assert.deepEqual([...available], [])
  assert.equal(
    (await app.get(`/api/v1/private/downloads/${late.file_uid}`, late.listing.owner)).status,
    404,
  )
  assert.ok(listing)
})

test('a file of a draft that a sweep matched can be restored', async (t) => {
  const app = await startSweeps(t, startShared)
  const { stored, start, quarantine, get, post, moderator } = app
  const body = randomBytes(64)
  const { file_uid } = await stored({ body })
  const target = `${MODERATION}/targets/file/${file_uid}`
  assert.deepEqual(refused(await get(target, moderator)), [404, 4040])
  must(await quarantine(await start([sha256(body)])))
  assert.equal(must(await get(target, moderator)).target_id, file_uid)
  must(await post(ACTIONS, decision('file', file_uid, 'restore'), moderator))
})

test('a moderator sweeps, decides and unblocks on pages without script', async (t) => {
  const app = await startSweeps(t)
  const body = randomBytes(64)
  await app.stored({ 'bin/steal.dll': body })
  const { open, send } = signedIn(app, app.moderator)
  const pages = '/operator/moderation/sweeps'
  assert.match((await open('/operator/moderation')).body, new RegExp(`href="${pages}"`))
  assert.match((await open(pages)).body, /No sweeps yet/)
  const wrong = await send(pages, { sha256: 'abc' })
  assert.equal(wrong.status, 400)
  assert.match(wrong.body, /Write hashes of 64 hexadecimal digits/)
  const started = await send(pages, { sha256: ` ${sha256(body)}\r\n\r\n` })
  assert.equal(started.status, 303)
  const sweep = new URL(started.headers['location']!, app.url).pathname
  const preview = (await open(sweep)).body
  assert.match(preview, /bin\/steal\.dll/)
  assert.match(preview, /Available/)
  const incomplete = await send(`${sweep}/quarantine`, { ground: 'rule-malware', facts: '' })
  assert.equal(incomplete.status, 422)
  assert.match(incomplete.body, /State the facts/)
  assert.equal((await send(`${sweep}/quarantine`, reasons)).status, 303)
  const decided = (await open(sweep)).body
  assert.match(decided, /Files in quarantine: 1\. Hashes blocked: 1\./)
  assert.doesNotMatch(decided, /<form[^>]+quarantine/)
  assert.match((await open(`${pages}/blocked`)).body, new RegExp(sha256(body)))
  assert.equal((await send(`${pages}/blocked/unblock`, { sha256: sha256(body) })).status, 303)
  assert.match((await open(`${pages}/blocked`)).body, /No blocked hashes/)
})
