import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { readModuleLine } from '../../src/builds/symbols/symbols.ts'
import { loggedIds, REQUEST_ID } from '../core/runtime/logged-ids.ts'
import { eventually, startApp } from '../support/app.ts'
import { must, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { fieldsOf, form, type Upload } from './forms.ts'
import { sha256, zip } from './zips.ts'

const SYMBOLS = '/api/v1/tool/upload/symbols'
const DEBUG_ID = '0123456789ABCDEF0123456789ABCDEF0'
const sym = (name: string, id = DEBUG_ID, os = 'Linux') =>
  `MODULE ${os} x86_64 ${id} ${name}\nFILE 0 main.c\nPUBLIC 1000 0 main\n`

const sharedApp = sharedInFile(startApp)

async function start(t: TestContext, startService: typeof startApp = sharedApp) {
  const app = await startService(t)
  const game = await app.a.listing({ owner: await app.a.verifiedDeveloper() })
  const ci = await app.a.deployer(game)
  const { build_id } = must(await app.post('/api/v1/tool/upload/build', { version: '1' }, ci))
  const send = (filename: string, body: string | Buffer, fields: Upload = {}) => {
    const bytes = Buffer.from(body)
    return app.call(
      'POST',
      SYMBOLS,
      form(
        [
          ...fieldsOf({ build_id, checksum: sha256(bytes), ...fields }),
          { name: 'file', filename, bytes },
        ],
        ci,
      ),
    )
  }
  const url = `/api/v1/private/games/${game.uid}/builds/${build_id}/symbols`
  return {
    ...app,
    game,
    ci,
    build_id,
    send,
    url,
    objects: () => Array.fromAsync(app.core.storage.list(`symbols/${game.uid}/`)),
  }
}

test('a symbol file is stored for its build and found by its module', async (t) => {
  const app = await start(t)
  const made = await app.send('game.sym', sym('game'))
  assert.equal(made.status, 201)
  const { symbols, ...rest } = made.body.data
  assert.deepEqual(rest, { build_id: app.build_id, count: 1 })
  const [{ symbol_uid, created_at, ...symbol }] = symbols
  assert.deepEqual(symbol, {
    module_name: 'game',
    debug_id: DEBUG_ID,
    os: 'linux',
    arch: 'x86_64',
    size: sym('game').length,
    checksum: sha256(Buffer.from(sym('game'))),
  })
  assert.deepEqual(must(await app.get(app.url, app.game.owner)), { symbols })
  assert.equal(must(await app.get('/api/v1/tool/builds', app.ci)).builds[0].symbols, 1)
})

test('a zip adds many symbol files, and replaces those of the same module', async (t) => {
  const app = await start(t)
  must(await app.send('game.sym', sym('game')))
  const { count } = must(
    await app.send(
      'symbols.zip',
      zip([
        { name: 'a/' },
        { name: 'a/game.sym', body: `${sym('game')}more` },
        { name: 'lib.SYM', body: sym('lib', DEBUG_ID, 'windows') },
      ]),
    ),
  )
  assert.equal(count, 2)
  const { symbols } = must(await app.get(app.url, app.game.owner))
  assert.deepEqual(
    symbols.map(({ module_name, os, size }: any) => [module_name, os, size]),
    [
      ['game', 'linux', sym('game').length + 4],
      ['lib', 'windows', sym('lib', DEBUG_ID, 'windows').length],
    ],
  )
  await eventually(
    'the removal of the replaced object',
    async () => (await app.objects()).length === 2,
  )
})

test('rejects anything but valid symbol files and stores nothing', async (t) => {
  const app = await start(t)
  const cases: [string, string | Buffer][] = [
    ['game.sym', 'not symbols'],
    ['game.sym', ''],
    ['game.sym', sym('game', DEBUG_ID, 'beos')],
    ['game.sym', `MODULE Linux x86_64 ${DEBUG_ID}\n`],
    ['game.sym', sym('game', DEBUG_ID.slice(1))],
    ['game.sym', sym('x'.repeat(256))],
    ['game.txt', sym('game')],
    ['symbols.zip', 'no zip'],
    ['symbols.zip', zip([])],
    [
      'symbols.zip',
      zip([
        { name: 'a.sym', body: sym('a') },
        { name: 'readme.txt', body: 'x' },
      ]),
    ],
    [
      'symbols.zip',
      zip([
        { name: 'a.sym', body: sym('a') },
        { name: 'b.sym', body: 'x' },
      ]),
    ],
    ['symbols.zip', zip([{ name: '../a.sym', body: sym('a') }])],
    ['symbols.zip', zip([{ name: 'a.sym', body: sym('a'), crc: 1 }])],
    [
      'symbols.zip',
      zip(Array.from({ length: 201 }, (_, i) => ({ name: `${i}.sym`, body: sym(`m${i}`) }))),
    ],
  ]
  for (const [filename, body] of cases)
    assert.deepEqual(
      refused(await app.send(filename, body)),
      [422, 4049],
      `${filename} ${body.slice(0, 30)}`,
    )
  assert.deepEqual(await app.objects(), [])
  assert.equal(
    must(
      await app.send(
        'symbols.zip',
        zip(Array.from({ length: 200 }, (_, i) => ({ name: `${i}.sym`, body: sym(`m${i}`) }))),
      ),
    ).count,
    200,
  )
})

test('rejects an unknown build and a wrong checksum', async (t) => {
  const app = await start(t)
  for (const [fields, expected] of [
    [{ build_id: undefined }, [400, 4038]],
    [{ build_id: randomUUID() }, [404, 4039]],
    [{ checksum: undefined }, [400, 4041]],
    [{ checksum: sha256(Buffer.from('other')) }, [422, 4046]],
  ] as const)
    assert.deepEqual(
      refused(await app.send('game.sym', sym('game'), fields)),
      expected,
      JSON.stringify(fields),
    )
  assert.deepEqual(
    refused(await app.call('POST', SYMBOLS, form(fieldsOf({ build_id: app.build_id }), app.ci))),
    [400, 4037],
  )
})

test('a storage failure is 5020, and a retry succeeds', async (t) => {
  const app = await start(t, startApp)
  const { put } = app.core.storage
  const ids = loggedIds(t, app.core)
  app.core.storage.put = async () => Promise.reject(new Error('away'))
  assert.deepEqual(refused(await app.send('game.sym', sym('game'))), [502, 5020])
  assert.match(String(ids), REQUEST_ID)
  app.core.storage.put = put
  must(await app.send('game.sym', sym('game')))
})

test('the people who manage a project delete one symbol file or all; others get 404', async (t) => {
  const app = await start(t)
  const { symbols } = must(
    await app.send(
      'symbols.zip',
      zip([1, 2, 3].map((i) => ({ name: `${i}.sym`, body: sym(`m${i}`) }))),
    ),
  )
  const stranger = await app.a.developer()
  for (const answer of [await app.get(app.url, stranger), await app.del(app.url, stranger)])
    assert.deepEqual(refused(answer), [404, 4040])
  assert.deepEqual(must(await app.del(`${app.url}/${symbols[0].symbol_uid}`, app.game.owner)), {
    deleted: 1,
  })
  assert.deepEqual(
    refused(await app.del(`${app.url}/${symbols[0].symbol_uid}`, app.game.owner)),
    [404, 4040],
  )
  assert.deepEqual(must(await app.del(app.url, app.game.owner)), { deleted: 2 })
  await eventually('the removal of the objects', async () => (await app.objects()).length === 0)
})

test('limits symbol uploads to thirty an hour per game', async (t) => {
  const app = await start(t)
  for (let i = 0; i < 30; i++) assert.deepEqual(refused(await app.send('x.txt', '')), [422, 4049])
  assert.deepEqual(refused(await app.send('game.sym', sym('game'))), [429, 4291])
})

test('parses the module lines that symbol dumpers write', () => {
  assert.deepEqual(readModuleLine(`MODULE mac arm64 ${DEBUG_ID} My Game`, 'f'), {
    os: 'mac',
    arch: 'arm64',
    debug_id: DEBUG_ID,
    module_name: 'My Game',
  })
  assert.deepEqual(
    readModuleLine(`MODULE windows x86_64 ${DEBUG_ID} game.pdb\r`, 'f').module_name,
    'game.pdb',
  )
})

test('a debug id is a GUID of 32 digits and an age of 1 to 8', () => {
  const guid = 'AB'.repeat(16)
  const read = (debug_id: string) => readModuleLine(`MODULE Linux x86_64 ${debug_id} game`, 'f')
  for (const age of ['0', 'f', 'F', '1a', '0123abCD'])
    assert.equal(read(guid + age).debug_id, guid + age.toUpperCase())
  const invalid = ['', 'AB12', guid, `${guid}012345678`, `${guid}g`, `${guid.toLowerCase()}0`]
  for (const debug_id of [...invalid, `${guid.slice(0, 31)}G0`])
    assert.throws(() => read(debug_id), { code: 4049 }, debug_id)
})

test('symbols that name another app than their build are refused', async (t) => {
  const { post, ci, send, build_id } = await start(t)
  const server = { version: '1', app: 'server', app_name: 'Server' }
  const other = must(await post('/api/v1/tool/upload/build', server, ci))
  const symbols = (fields: Upload) => send('game.sym', sym('game'), fields)
  assert.deepEqual(refused(await symbols({ build_id, app: 'server' })), [404, 4039])
  assert.deepEqual(refused(await symbols({ build_id: other.build_id, app: '' })), [404, 4039])
  assert.equal((await symbols({ build_id: other.build_id, app: 'server' })).status, 201)
  assert.equal((await symbols({ build_id: other.build_id })).status, 201)
})
