import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { readConfig } from '../../src/core/runtime/config.ts'
import { startService } from '../../src/service.ts'
import { eventually, startApp } from '../support/app.ts'
import { must, refused } from '../support/builders.ts'
import { childService } from '../support/child.ts'
import { loopCount } from '../support/loop-count.ts'
import { sha256, zip } from '../uploads/zips.ts'
import { signedIn } from '../web/dashboard-fixtures.ts'
import { BLOCKED, SWEEPS, startSweeps } from './sweep-fixtures.ts'

const MARK = 'PASSWORD-STEALER-7'
const byText = `rule stealer { strings: $a = "${MARK}" condition: $a }`
const byStart = 'rule magic { condition: uint32(0) == 0x4b434148 and filesize < 100 }'

type Sweeps = Awaited<ReturnType<typeof startSweeps>>

const startRule = async ({ post, moderator }: Sweeps, yara: string) =>
  must(await post(SWEEPS, { yara }, moderator)).sweep_id as string

const finished = ({ read }: Sweeps, sweep_id: string) =>
  eventually(
    'the end of the sweep',
    async () => {
      const sweep = await read(sweep_id)
      return sweep.state === 'ready' ? sweep : undefined
    },
    120,
  )

test('a rule is tried on every clean file, and its matches are quarantined', async (t) => {
  const app = await startSweeps(t)
  const { stored, get, quarantine, scanned, moderator } = app
  const bad = `${randomBytes(30).toString('hex')} ${MARK}`
  const nested = zip([{ name: 'deep', body: bad }])
  const direct = await stored({ first: 'harmless', 'bin/bad.dll': bad, last: 'harmless' })
  const packed = await stored({ 'inner.zip': nested })
  const short = await stored({ a: 'first', b: 'HACK', c: `HACK${'x'.repeat(200)}` })
  const sweep = await finished(app, await startRule(app, byText))
  assert.deepEqual(
    [sweep.files, sweep.files_scanned, sweep.files_failed, sweep.yara, sweep.sha256],
    [3, 3, 0, byText, null],
  )
  assert.deepEqual(
    new Set(sweep.items.map(({ file_uid, path }: any) => `${file_uid} ${path}`)),
    new Set([`${direct.file_uid} bin/bad.dll`, `${packed.file_uid} inner.zip`]),
  )
  const other = await finished(app, await startRule(app, byStart))
  assert.deepEqual(
    other.items.map(({ file_uid, path }: any) => [file_uid, path]),
    [[short.file_uid, 'b']],
    'a rule about the whole file is tried on each file alone',
  )
  assert.deepEqual(must(await quarantine(sweep.sweep_id)), { quarantined: 2, blocked: 2 })
  for (const { file_uid, listing, status } of [
    { ...direct, status: 404 },
    { ...packed, status: 404 },
    { ...short, status: 200 },
  ])
    assert.equal((await get(`/api/v1/private/downloads/${file_uid}`, listing.owner)).status, status)
  assert.deepEqual(
    new Set(must(await get(BLOCKED, moderator)).items.map((row: any) => row.sha256)),
    new Set([sha256(Buffer.from(bad)), sha256(nested)]),
  )
  assert.equal((await scanned(zip([{ name: 'again', body: bad }]), short)).scan, 'infected')
})

test('a rule that does not compile is refused with the message of the compiler', async (t) => {
  const app = await startSweeps(t)
  const { post, moderator, sql } = app
  const send = (yara: string) => post(SWEEPS, { yara }, moderator)
  const broken = await send('rule a { strings: $a = "x" condition: $b }')
  assert.deepEqual(refused(broken), [400, 4000])
  assert.match(broken.body.data.compiler, /unknown pattern `\$b`/)
  assert.match(broken.body.error.message, /does not compile/)
  for (const bad of ['', '// nothing', 'rule', 'include "x"\n'])
    assert.deepEqual(refused(await send(bad)), [400, 4000], bad)
  const padded = (bytes: number) => byText + ' '.repeat(bytes - byText.length)
  assert.deepEqual(refused(await send(padded(65_537))), [400, 4000])
  assert.deepEqual(refused(await send(`// ${'ü'.repeat(40_000)}\n${byText}`)), [400, 4000])
  assert.equal((await sql`select from sweeps`).length, 0)
  const sweep_id = must(await send(padded(65_536))).sweep_id
  await finished(app, sweep_id)

  const { open, send: sendForm } = signedIn(app, moderator)
  const page = await sendForm('/operator/moderation/sweeps/rules', { yara: 'rule a {' })
  assert.equal(page.status, 400)
  assert.match(page.body, /The rule does not compile/)
  assert.match(page.body, /syntax error/)
  const preview = (await open(`/operator/moderation/sweeps/${sweep_id}`)).body
  assert.match(preview, /0 of 0 files scanned/)
})

test('a sweep by rule continues after its worker was killed', async (t) => {
  const start = () => startApp(t, { SLIPWAY_ROLES: 'api,upload,web' })
  const app = await startSweeps(t, start)
  const scanner = await startService(readConfig({ ...app.settings, SLIPWAY_ROLES: 'worker' }))
  const owner = await app.a.verifiedDeveloper()
  for (let nth = 0; nth < 10; nth++)
    await app.stored({ [`file-${nth}`]: nth % 2 ? `${nth} ${MARK}` : `${nth}` }, owner)
  await scanner.stop()
  const sweep_id = await startRule(app, byText)
  const quarantined = await app.quarantine(sweep_id)
  assert.deepEqual(refused(quarantined), [409, 4090])
  const worker = childService(t, {
    ...app.settings,
    SLIPWAY_ROLES: 'worker',
    LOG_LEVEL: 'fatal',
  })
  for (let kills = 0; kills < loopCount({ short: 1, full: 2 }); kills++) {
    const { files_scanned: before } = await app.read(sweep_id)
    await worker.start()
    await eventually('progress', async () => (await app.read(sweep_id)).files_scanned > before, 120)
    await worker.kill()
  }
  await worker.start()
  const sweep = await finished(app, sweep_id)
  assert.deepEqual([sweep.files, sweep.files_scanned, sweep.matching_files], [10, 10, 5])
})
