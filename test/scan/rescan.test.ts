import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { moderationTeam } from '../moderation/fixtures.ts'
import { eventually, outbox, startApp } from '../support/app.ts'
import { cleanup } from '../support/cleanup.ts'
import { zip } from '../uploads/zips.ts'

const THREAT = 'known later as a threat'
const HARMLESS = 'harmless for good'

/** A clamd whose signatures the test renews, and which can wait before it answers. */
async function startScanner(t: TestContext) {
  const scanner = {
    version: 'ClamAV 1.4.1/27000',
    reply: (_: string) => 'OK',
    answering: Promise.resolve(),
    scans: 0,
  }
  const server = createServer((socket) => {
    socket.on('error', () => {})
    let received = Buffer.alloc(0)
    socket.on('data', async (bytes: Buffer) => {
      if (bytes.includes('VERSION')) return void socket.end(`${scanner.version}\0`)
      if (bytes.includes('PING')) return void socket.end('PONG\0')
      received = Buffer.concat([received, bytes])
      // A stream ends with a length of zero.
      if (!received.subarray(-4).equals(Buffer.alloc(4))) return
      const text = received.toString('latin1')
      received = Buffer.alloc(0)
      scanner.scans++
      await scanner.answering
      socket.write(`1: stream: ${scanner.reply(text)}\0`)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanup(t, () => server.close())
  const { port } = server.address() as { port: number }
  return { scanner, CLAMD_URL: `tcp://127.0.0.1:${port}` }
}

test('new signatures scan recent clean files again, which stay available', async (t) => {
  const { scanner, CLAMD_URL } = await startScanner(t)
  const app = await startApp(t, { CLAMD_URL })
  const { a, core, sql, get, data_dir } = app
  const { moderator, operator } = await moderationTeam(app)
  const stored = async (body: string) => {
    const listing = await a.listing({ owner: await a.verifiedDeveloper(), name: 'Harbor' })
    const { file_uid } = await a.cleanBuild(listing, { bytes: zip([{ name: 'game', body }]) })
    return { file_uid, owner: listing.owner }
  }
  const bad = await stored(THREAT)
  const good = await stored(HARMLESS)
  const old = await stored(`${THREAT}, long ago`)
  await sql`
    update files set uploaded_at = now() - interval '31 days' where uid = ${old.file_uid}`
  const download = async ({ file_uid, owner }: typeof bad) =>
    (await get(`/api/v1/private/downloads/${file_uid}`, owner)).status
  const updates = () => sql`
    select version, files_scanned, files_rejected, finished_at is not null as finished
    from signature_updates
    order by uid`
  const renew = async (version: string) => {
    scanner.version = version
    await core.jobs.send(sql, 'scan.check-signatures')
    await eventually('the update', async () =>
      (await updates()).some((update) => update['version'] === version),
    )
  }
  const finished = () =>
    eventually('all scans', async () => (await updates()).every(({ finished }) => finished), 120)

  await renew('ClamAV 1.4.1/27000')
  await finished()
  assert.equal(scanner.scans, 3, 'the first version that is seen scans nothing again')

  const held = Promise.withResolvers<void>()
  scanner.answering = held.promise
  scanner.reply = (text) => (text.includes(THREAT) ? 'New.Threat FOUND' : 'OK')
  await renew('ClamAV 1.4.1/27001')
  await eventually('a scan', async () => scanner.scans > 3)
  for (const file of [bad, good, old]) assert.equal(await download(file), 200)
  held.resolve()
  await finished()
  assert.deepEqual(
    [await download(bad), await download(good), await download(old)],
    [404, 200, 200],
  )
  const [newest] = await sql`
    select state, engine, detail
    from scan_history
    where file_uid = ${bad.file_uid}
    order by seq desc
    limit 1`
  assert.deepEqual(
    { ...newest },
    { state: 'infected', engine: 'clamd', detail: 'New.Threat in game' },
  )
  const { files_scanned, files_rejected } = (await updates())[1]!
  assert.deepEqual([files_scanned, files_rejected], [2, 1])
  for (const { email } of [bad.owner, moderator, operator])
    await eventually('the mail', () =>
      outbox(data_dir).some(
        ({ to, subject, text }) =>
          to === email && /Rejected by the virus scanner/.test(subject) && /New\.Threat/.test(text),
      ),
    )
  assert.ok(
    !outbox(data_dir).some(({ to, text }) => to === good.owner.email && /Threat/.test(text)),
  )
  await eventually('the removal of the bytes', async () => {
    const [file] = await sql`select bytes_removed_at from files where uid = ${bad.file_uid}`
    return file!['bytes_removed_at']
  })

  const { scans } = scanner
  scanner.reply = () => 'Internal problem ERROR'
  await renew('ClamAV 1.4.1/27002')
  await finished()
  assert.equal(scanner.scans, scans + 1)
  assert.equal(await download(good), 200, 'a file without a verdict stays clean')

  // A version that was seen before, as during an upgrade of one of several workers.
  scanner.version = 'ClamAV 1.4.1/27001'
  await core.jobs.send(sql, 'scan.check-signatures')
  await eventually('the job', async () => {
    const waiting = await sql`
      select from pgboss.job where name = 'scan.check-signatures' and state < 'completed'`
    return waiting.length === 0
  })
  assert.equal((await updates()).length, 3)
})
