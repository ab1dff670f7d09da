import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { MIB } from '../../src/core/runtime/units.ts'
import { eventually, startApp } from '../support/app.ts'
import { must } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { FILES, withBuild } from '../uploads/fixtures.ts'
import { upload } from '../uploads/forms.ts'
import { EICAR, sha256, u64, type ZipEntry, zip } from '../uploads/zips.ts'

const sharedApp = sharedInFile(startApp)

async function startScanApp(t: TestContext) {
  const app = await withBuild(await sharedApp(t))
  const { build_id, ci } = app
  /** Uploads a zip and waits for the verdict. */
  const scan = async (bytes: Buffer) => {
    const { file_uid } = must(await app.call('POST', FILES, upload(bytes, { build_id }, ci)))
    return eventually('the end of the scan', async () => {
      const [file] = await app.sql`
        select f.uid, f.scan, f.bytes_removed_at, (
          select h.detail from scan_history h
          where h.file_uid = f.uid
          order by h.seq desc
          limit 1) as detail
        from files f
        where f.uid = ${file_uid} and f.scan <> 'scanning'`
      return file as
        | { uid: string; scan: string; detail: string | null; bytes_removed_at: Date | null }
        | undefined
    })
  }
  return { ...app, scan }
}

/** A zip appended to a program, with offsets counted from the first byte of the program. */
function appendedZip(program: Buffer, packed: Buffer): Buffer {
  const bytes = Buffer.concat([program, packed])
  const shift = (at: number) => bytes.writeUInt32LE(bytes.readUInt32LE(at) + program.length, at)
  shift(bytes.lastIndexOf('PK\x05\x06', undefined, 'latin1') + 16)
  shift(bytes.lastIndexOf('PK\x01\x02', undefined, 'latin1') + 42)
  return bytes
}

test('a harmless zip is clean, and its files are stored with their SHA-256', async (t) => {
  const { scan, sql } = await startScanApp(t)
  const files: ZipEntry[] = [
    { name: 'bin/' },
    { name: 'bin/game', body: randomBytes(3 * MIB) },
    { name: 'empty' },
    { name: 'raw', body: 'abc', method: 0 },
  ]
  const { scan: state, uid, detail } = await scan(zip(files))
  assert.deepEqual([state, detail], ['clean', null])
  const entries = await sql`
    select path, size, encode(sha256, 'hex') as sha256
    from file_entries
    where file_uid = ${uid}
    order by position`
  assert.deepEqual(
    entries.map((entry) => ({ ...entry })),
    files.slice(1).map(({ name, body = '' }) => ({
      path: name,
      size: Buffer.from(body).length,
      sha256: sha256(Buffer.from(body)),
    })),
  )
})

test('finds the test virus in nested zips and anywhere in a large file', async (t) => {
  const { scan, core, listing, sql } = await startScanApp(t)
  const hidden = (at: number, size = at + 100) => {
    const bytes = randomBytes(size)
    bytes.write(EICAR, at, 'latin1')
    return bytes
  }
  const window = 16 * MIB
  // A first byte that comes long before the others.
  const stored = (bytes: Buffer, last = 0) =>
    Buffer.concat([
      Buffer.from([last]),
      Buffer.from(new Uint16Array([bytes.length, ~bytes.length]).buffer),
      bytes,
    ])
  const inPieces = (bytes: Buffer) =>
    Buffer.concat([
      stored(bytes.subarray(0, 1)),
      ...Array(60_000).fill(stored(Buffer.alloc(0))),
      stored(bytes.subarray(1), 1),
    ])
  const slow = zip([{ name: 'slow', body: EICAR }])
  const hosts: [string, Buffer][] = [
    ['plain.txt', zip([{ name: 'plain.txt', body: EICAR, method: 0 }])],
    ['packed.txt', zip([{ name: 'packed.txt', body: EICAR }])],
    ['in › deep.txt', zip([{ name: 'in', body: zip([{ name: 'deep.txt', body: EICAR }]) }])],
    [
      'a › b › c',
      zip([
        {
          name: 'a',
          body: zip([{ name: 'b', body: zip([{ name: 'c', body: EICAR }]), method: 0 }]),
          method: 0,
        },
      ]),
    ],
    [
      'in › third',
      zip([
        {
          name: 'in',
          body: zip(
            ['first', 'second', 'third', 'fourth'].map((name) => ({
              name,
              body: name === 'third' ? EICAR : name,
            })),
          ),
        },
      ]),
    ],
    ['end', zip([{ name: 'end', body: hidden(2 * window - 168, 2 * window - 100), method: 0 }])],
    [
      'across',
      zip([
        { name: 'first', body: 'x' },
        { name: 'across', body: hidden(window - 30), method: 0 },
      ]),
    ],
    ['in › slow', zip([{ name: 'in', body: slow, raw: inPieces(slow), method: 8 }])],
    [
      'last',
      zip([
        ...Array.from({ length: 50 }, (_, i) => ({ name: `f${i}`, body: `file ${i}` })),
        { name: 'last', body: EICAR },
      ]),
    ],
  ]
  const evil = zip([{ name: 'deep.txt', body: EICAR }])
  const behind: Buffer[] = [
    Buffer.concat([Buffer.from('x'), evil]),
    Buffer.concat([Buffer.from('MZ a program'), evil, Buffer.from('and more')]),
    appendedZip(Buffer.from('MZ a program'), evil),
    Buffer.concat([Buffer.from('x'), zip([{ name: 'deep.txt', body: EICAR }], { wide: {} })]),
  ]
  for (const body of behind) hosts.push(['in › deep.txt', zip([{ name: 'in', body }])])
  for (const [path, bytes] of hosts) {
    const { scan: state, detail, uid } = await scan(bytes)
    assert.deepEqual([state, detail], ['infected', `eicar_test_file in ${path}`])
    await eventually(
      'the bytes to be removed',
      async () => (await core.storage.stat(`builds/${listing.uid}/${uid}.zip`)) === null,
    )
    await eventually(
      'the removal to be recorded',
      async () =>
        (await sql`select from files where uid = ${uid} and bytes_removed_at is not null`)
          .length === 1,
    )
  }
  const heads = await sql`select from channel_heads where game_uid = ${listing.uid}`
  assert.equal(heads.length, 0)
})

test('a self-extracting program and a file that only ends like a zip are clean', async (t) => {
  const { scan } = await startScanApp(t)
  const harmless = zip([{ name: 'a', body: 'x'.repeat(1000) }])
  const bodies = [
    Buffer.concat([Buffer.from('MZ a program'), harmless]),
    appendedZip(Buffer.from('MZ a program'), harmless),
    Buffer.concat([Buffer.from('x'), harmless.subarray(-22)]),
    Buffer.concat([Buffer.alloc(100), Buffer.from('PK\x05\x06', 'latin1'), Buffer.alloc(30, 0xff)]),
  ]
  for (const body of bodies)
    assert.deepEqual((await scan(zip([{ name: 'in', body }]))).scan, 'clean')
})

test('does not match a rule across two files', async (t) => {
  const { scan } = await startScanApp(t)
  // Concatenated, so that no scanner reports this file.
  const loader = 'Reflective' + 'Loader'
  const library = 'metsrv' + '.dll'
  assert.equal(
    (
      await scan(
        zip([
          { name: 'a', body: loader },
          { name: 'b', body: library },
        ]),
      )
    ).scan,
    'clean',
  )
  const { scan: state, detail } = await scan(
    zip([
      { name: 'a', body: 'x' },
      { name: 'b', body: `${loader} ${library}` },
    ]),
  )
  assert.deepEqual([state, detail], ['infected', 'reflective_loader in b'])
})

test('a zip that cannot be unpacked is an error, never clean', async (t) => {
  const { scan } = await startScanApp(t)
  const nest = (depth: number): Buffer =>
    depth === 0 ? Buffer.from('x') : zip([{ name: 'z', body: nest(depth - 1) }])
  const truncated = zip([{ name: 'evil', body: EICAR }]).subarray(0, -80)
  const cases: [RegExp, Buffer][] = [
    [/more than it says/, zip([{ name: 'a', body: 'x'.repeat(100), size: 50 }])],
    [/less than it says/, zip([{ name: 'a', body: 'x'.repeat(100), size: 500 }])],
    [/checksum/, zip([{ name: 'a', body: 'x', crc: 1 }])],
    [/local header/, zip([{ name: 'a', body: 'x', local_name: 'b' }])],
    [/local header/, zip([{ name: 'a', body: 'x', local_method: 0 }])],
    [/cannot be unpacked/, zip([{ name: 'a', body: 'x', raw: Buffer.from('garbage'), size: 10 }])],
    [/encrypted/, zip([{ name: 'in', body: zip([{ name: 'a', body: EICAR, flags: 1 }]) }])],
    [/in, which/, zip([{ name: 'in', body: zip([{ name: 'a', body: 'x' }]).subarray(0, -5) }])],
    [/4 deep/, nest(5)],
    ...[
      truncated,
      Buffer.concat([Buffer.alloc(20), truncated.subarray(0, 4)]),
      Buffer.alloc(30, 'x'),
    ].map((gap): [RegExp, Buffer] => [
      /belong to no entry/,
      zip([{ name: 'a', body: 'x', gap }, { name: 'b' }]),
    ]),
  ]
  for (const [reason, bytes] of cases) {
    const { scan: state, detail } = await scan(bytes)
    assert.equal(state, 'error', String(reason))
    assert.match(detail!, reason)
  }
  assert.equal((await scan(nest(4))).scan, 'clean')
  const signed = Buffer.concat([
    Buffer.alloc(40),
    u64(124),
    Buffer.alloc(100, 's'),
    u64(124),
    Buffer.from('APK Sig Block 42'),
  ])
  const apk = zip([
    { name: 'a', body: 'x', gap: Buffer.alloc(24, 'd') },
    { name: 'b', gap: zip([{ name: '', method: 0, flags: 0 }]).subarray(0, 30) },
    { name: 'c', gap: signed },
  ])
  assert.deepEqual((await scan(zip([{ name: 'game.apk', body: apk }]))).scan, 'clean')
})

test('retries a missing file, and fails for one of another size', async (t) => {
  const { scan, core } = await startScanApp(t)
  const { storage } = core
  t.after(() => Object.assign(core, { storage }))
  let missing = 1
  core.storage = { ...storage, stat: async (key) => (missing-- > 0 ? null : storage.stat(key)) }
  assert.equal((await scan(zip([{ name: 'a', body: 'x' }]))).scan, 'clean')
  assert.ok(missing < 0)
  core.storage = { ...storage, stat: async () => ({ size: 1 }) }
  assert.equal((await scan(zip([{ name: 'a', body: 'y' }]))).scan, 'error')
})

test('records the history of a scan in order', async (t) => {
  const { scan, sql } = await startScanApp(t)
  const { uid } = await scan(zip([{ name: 'a', body: 'x' }]))
  const history = await sql`
    select state, engine from scan_history where file_uid = ${uid} order by seq`
  assert.deepEqual(
    history.map((row) => ({ ...row })),
    [
      { state: 'scanning', engine: 'upload' },
      { state: 'clean', engine: 'embedded' },
    ],
  )
})

test('readiness includes the scanner', async (t) => {
  // The probe does not start the scanner of a new service, which would take too long here.
  const { status, body } = await (await startApp(t)).get('/ready')
  assert.deepEqual([status, body.data.checks.scanner], [200, 'ok'])
})
