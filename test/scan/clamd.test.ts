import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { MIB } from '../../src/core/runtime/units.ts'
import { clamdScanner } from '../../src/scan/clamd.ts'
import { ScanFailed, ScannerUnavailable, type Segment } from '../../src/scan/scanner.ts'
import { createScanWindows } from '../../src/scan/windows.ts'
import { eventually, startApp } from '../support/app.ts'
import { must } from '../support/builders.ts'
import { cleanup } from '../support/cleanup.ts'
import { startClamd } from '../support/programs/clamd.ts'
import { needs } from '../support/system-packages.ts'
import { FILES, startUploadApp } from '../uploads/fixtures.ts'
import { upload } from '../uploads/forms.ts'
import { EICAR, zip } from '../uploads/zips.ts'

const never = new AbortController().signal
const segment = (path: string, bytes: Buffer | string) => ({ path, bytes: Buffer.from(bytes) })

test('an archive that does not fit one window is an error; one that fits is not cut', async () => {
  const scanned: [string, number][][] = []
  const scanner = {
    ...clamdScanner('tcp://127.0.0.1:1'),
    scan: async (segments: Segment[]) => {
      scanned.push(segments.map(({ path, bytes }) => [path, bytes.length]))
      return []
    },
  }
  const archive = (size: number, at: number, magic: string) => {
    const bytes = Buffer.alloc(size)
    bytes.write(magic, at, 'latin1')
    return bytes
  }
  const windows = createScanWindows(scanner, never)
  await windows.add('a', Buffer.alloc(10 * MIB))
  await windows.add('b', archive(16 * MIB, 0, 'Rar!\x1a\x07'))
  await windows.add('c', Buffer.alloc(17 * MIB))
  await windows.end()
  assert.deepEqual(scanned.slice(0, 2), [[['a', 10 * MIB]], [['b', 16 * MIB]]])
  for (const [at, magic] of [
    [0, '7z\xbc\xaf\x27\x1c'],
    [0, '\x1f\x8b\x08'],
    [257, 'ustar'],
  ] as const)
    for (const before of [1, 16 * MIB - 2]) {
      const cut = createScanWindows(scanner, never)
      await cut.add('a', Buffer.alloc(before))
      await assert.rejects(cut.add('b', archive(16 * MIB + 1, at, magic)), ScanFailed)
    }
})

/** A server in place of clamd, with the given behavior. */
async function fakeClamd(t: TestContext, answer: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    answer(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanup(t, () => server.close())
  return `tcp://127.0.0.1:${(server.address() as { port: number }).port}`
}

test('only an explicit OK is clean; limits, encryption and errors are not', async (t) => {
  const scanWith = async (reply: string) => {
    const url = await fakeClamd(t, (socket) => {
      let tail = Buffer.alloc(0)
      socket.on('data', (bytes) => {
        tail = Buffer.concat([tail, bytes]).subarray(-4)
        // The stream ends with a chunk of length zero.
        if (tail.equals(Buffer.alloc(4))) socket.end(`${reply}\0`)
      })
    })
    return clamdScanner(url).scan([segment('game', 'x')], never)
  }
  assert.deepEqual(await scanWith('stream: OK'), [])
  assert.deepEqual(await scanWith('3: stream: OK'), [])
  const [threat] = await scanWith('1: stream: Eicar-Test-Signature FOUND')
  assert.match(JSON.stringify(threat), /Eicar-Test-Signature/)
  for (const reply of [
    '',
    'OK',
    'stream: ',
    'stream: Heuristics.Limits.Exceeded.MaxFileSize FOUND',
    'stream: Heuristics.Encrypted.Zip FOUND',
    'INSTREAM size limit exceeded. ERROR',
    "stream: Can't allocate memory ERROR",
    'UNKNOWN COMMAND',
  ])
    await assert.rejects(scanWith(reply), ScanFailed, reply)
})

test('a scanner that is missing, closes early or hangs counts as unavailable', async (t) => {
  const hangs_up = await fakeClamd(t, (socket) => socket.destroy())
  const half = await fakeClamd(t, (socket) => socket.end('1: stream: O'))
  for (const url of ['tcp://127.0.0.1:1', 'unix:///nowhere/clamd.sock', hangs_up, half]) {
    await assert.rejects(
      clamdScanner(url).scan([segment('a', 'x')], never),
      ScannerUnavailable,
      url,
    )
    await assert.rejects(clamdScanner(url).probe(), ScannerUnavailable)
  }
  const silent = await fakeClamd(t, () => {})
  const abort = new AbortController()
  const hanging = clamdScanner(silent).scan([segment('a', 'x')], abort.signal)
  abort.abort()
  await assert.rejects(hanging, ScannerUnavailable)
})

/** Starts a service that scans with the clamd at `url`, and uploads a file to it. */
async function startAppWithUpload(t: TestContext, url: string) {
  const app = await startUploadApp(t, { CLAMD_URL: url })
  const { build_id, ci } = app
  must(await app.call('POST', FILES, upload(zip([{ name: 'a', body: 'x' }]), { build_id }, ci)))
  return app
}

test('files wait as scanning while the scanner is unavailable', async (t) => {
  let up = false
  const url = await fakeClamd(t, (socket) => {
    if (!up) return void socket.destroy()
    socket.on('data', (bytes) => {
      if (bytes.includes('PING')) socket.end('PONG\0')
      // A stream ends with a length of zero.
      if (bytes.subarray(-4).equals(Buffer.alloc(4))) socket.write('1: stream: OK\0')
    })
  })
  const { sql, get, core } = await startAppWithUpload(t, url)
  const [warned, informed] = [t.mock.method(core.log, 'warn'), t.mock.method(core.log, 'info')]
  const linesOf = ({ mock }: typeof warned) =>
    mock.calls.flatMap(({ arguments: values }) =>
      values.filter((value) => /^the virus scanner/.test(String(value))),
    )
  await eventually(
    'a failed attempt',
    async () =>
      (await sql`select from pgboss.job where name = 'scan.file' and retry_count > 0`).length === 1,
  )
  assert.equal((await sql`select scan from files`)[0]!.scan, 'scanning')
  assert.equal((await get('/ready')).body.data.checks.scanner, 'failing')
  await assert.rejects(core.checks.scanner!())
  assert.match(linesOf(warned).join(), /^the virus scanner does not answer:/)
  assert.equal(linesOf(warned).length, 1)
  up = true
  await core.checks.scanner!()
  await core.checks.scanner!()
  assert.deepEqual(linesOf(informed), [
    'the virus scanner answers again: waiting files are scanned',
  ])
  await eventually(
    'the scan',
    async () => (await sql`select from files where scan = 'clean'`).length === 1,
  )
  assert.equal(
    (await sql`select engine from scan_history where state = 'clean'`)[0]!.engine,
    'clamd',
  )
})

test('a file that could not be scanned for a day is an error', async (t) => {
  const url = await fakeClamd(t, (socket) => socket.destroy())
  const { sql } = await startAppWithUpload(t, url)
  await sql`update files set uploaded_at = uploaded_at - interval '24 hours 1 second'`
  await eventually(
    'the scan to fail',
    async () => (await sql`select from files where scan = 'error'`).length === 1,
  )
})

test('a real clamd finds the test virus wherever it is hidden', async (t) => {
  if (!needs(t, 'clamd')) return
  const url = (await startClamd(t)).url
  const scanner = clamdScanner(url)
  const findings = await scanner.scan(
    [segment('a', 'harmless'), segment('b', `x${EICAR}`), segment('c', randomBytes(5 * MIB))],
    never,
  )
  assert.deepEqual(findings, [{ path: 'b', threat: 'Test.Eicar.UNOFFICIAL' }])
  // clamd may close the connection before its answer is read; the job tries again then.
  await eventually('the refusal of a large stream', () =>
    scanner.scan([segment('large', Buffer.alloc(26 * MIB, 'x'))], never).then(
      () => assert.fail('a stream over the limit was scanned'),
      (error) => error instanceof ScanFailed,
    ),
  )

  const { sql, call, post, a } = await startApp(t, { CLAMD_URL: url })
  const listing = await a.listing({ owner: await a.verifiedDeveloper() })
  const ci = await a.deployer(listing)
  const { build_id } = must(await post('/api/v1/tool/upload/build', { version: '1' }, ci))
  const large = randomBytes(17 * MIB)
  large.write(EICAR, 16 * MIB - 30, 'latin1')
  for (const [bytes, expected] of [
    [
      zip([
        { name: 'a', body: 'harmless' },
        { name: 'b', body: randomBytes(17 * MIB), method: 0 },
      ]),
      'clean',
    ],
    [zip([{ name: 'a', body: EICAR }]), 'infected'],
    [zip([{ name: 'in', body: zip([{ name: 'a', body: EICAR }]) }]), 'infected'],
    [zip([{ name: 'across', body: large, method: 0 }]), 'infected'],
    [zip([{ name: 'in', body: zip([{ name: 'a', body: EICAR, flags: 1 }]) }]), 'error'],
  ] as const) {
    const { file_uid } = must(
      await call('POST', '/api/v1/tool/upload/files', upload(bytes, { build_id }, ci)),
    )
    const state = await eventually(
      'the scan',
      async () =>
        (await sql`select scan from files where uid = ${file_uid} and scan <> 'scanning'`)[0]?.scan,
    )
    assert.equal(state, expected)
  }
})
