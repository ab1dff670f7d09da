import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { loggedIds, REQUEST_ID } from '../core/runtime/logged-ids.ts'
import { startApp } from '../support/app.ts'
import { must, refused } from '../support/builders.ts'
import { openFiles } from '../support/open-files.ts'
import { sharedInFile } from '../support/shared.ts'
import { FILES, REGISTER, storedFile, uploadedFile, withBuild } from './fixtures.ts'
import { fieldsOf, form, type Upload, upload } from './forms.ts'
import { sha256, zip } from './zips.ts'

const game = zip([
  { name: 'bin/game', body: 'play'.repeat(1000) },
  { name: 'readme.txt', body: 'hello' },
])

const sharedApp = sharedInFile(startApp)

async function start(t: TestContext, startService: typeof startApp = sharedApp) {
  const app = await withBuild(await startService(t))
  const recordedFiles = () => app.sql`
    select method, key_ref, uploaded_by from files where game_uid = ${app.listing.uid}`
  return { ...app, recordedFiles, send: (call: object) => app.call('POST', FILES, call) }
}
const leftovers = ({ data_dir }: { data_dir: string }) => [
  ...readdirSync(join(data_dir, 'uploads')),
  ...openFiles(join(data_dir, 'uploads')),
]

test('accepts a zip and returns the stored file', async (t) => {
  const app = await start(t)
  const answer = await app.send(upload(game, { build_id: app.build_id }, app.ci))
  assert.equal(answer.status, 201)
  const { file_uid, message, ...rest } = answer.body.data
  assert.deepEqual(rest, uploadedFile(app, game))
  assert.deepEqual(await storedFile(app.core.storage, app.listing.uid, file_uid), game)
  assert.deepEqual(leftovers(app), [])
  const [file] = await app.recordedFiles()
  assert.deepEqual(
    { ...file },
    {
      method: 'deploy_key',
      key_ref: app.ci.headers['x-access-token'].slice(8, 16),
      uploaded_by: app.listing.owner.uid,
    },
  )
})

test('accepts fields before the file, after it, or on both sides', async (t) => {
  const app = await start(t)
  const fields = fieldsOf({
    build_id: app.build_id,
    os: 'win',
    arch: 'x64',
    channel: 'beta',
    checksum: `sha256:${sha256(game).toUpperCase()}`,
  })
  const file = { name: 'file', filename: 'game.zip', bytes: game }
  for (const parts of [
    [...fields, file],
    [file, ...fields],
    [...fields.slice(0, 2), file, ...fields.slice(2)],
    [fields[0]!, fields[4]!, file, ...fields.slice(1, 4)],
  ]) {
    const { os, arch, channel } = must(await app.send(form(parts, app.ci)))
    assert.deepEqual([os, arch, channel], ['windows', 'x86_64', 'beta'])
  }
})

test('a build is named by its id, or by build, build_type and version', async (t) => {
  const app = await start(t)
  const windows = await app.register({ os: 'windows' })
  const server = await app.register({ app: 'server', app_name: 'Server' })
  const sending = async (fields: Upload) => app.send(upload(game, fields, app.ci))
  const named = { build: '1.0', build_type: 'game', version: '1.0' }
  assert.equal(must(await sending({ ...named, os: 'linux' })).build_id, app.build_id)
  assert.equal(must(await sending({ ...named, os: 'windows' })).build_id, windows)
  assert.equal(must(await sending({ ...named, app: 'server' })).build_id, server)
  assert.equal(must(await sending({ build_id: server, app: 'server' })).build_id, server)
  for (const { build, build_type, version } of [
    { ...named, build: '' },
    { ...named, build_type: '' },
    { ...named, version: '' },
  ])
    assert.deepEqual(refused(await sending({ build, build_type, version })), [400, 4038])
  assert.deepEqual(refused(await sending({})), [400, 4038])
  for (const fields of [
    { build_id: randomUUID() },
    { build_id: 'x' },
    { ...named, version: '1.1' },
    { ...named, os: 'macos' },
    { build_id: app.build_id, app: 'server' },
    { build_id: server, app: 'other' },
    { build_id: server },
    { build_id: server, app: '' },
  ])
    assert.deepEqual(refused(await sending(fields)), [404, 4039], JSON.stringify(fields))
  const other = await app.a.deployer(await app.a.listing({ owner: app.listing.owner }))
  assert.deepEqual(
    refused(await app.send(upload(game, { build_id: app.build_id }, other))),
    [404, 4039],
  )
})

test('the app of a build may be sent before or after the file, but not left out', async (t) => {
  const app = await start(t)
  const build_id = await app.register({ app: 'server', app_name: 'Server' })
  const fields = fieldsOf({ build_id, checksum: sha256(game) })
  const server = { name: 'app', value: 'server' }
  const file = { name: 'file', filename: 'game.zip', bytes: game }
  for (const parts of [
    [...fields, server, file],
    [...fields, file, server],
  ])
    assert.equal(must(await app.send(form(parts, app.ci))).build_id, build_id)
  const refusal = await app.send(form([...fields, file], app.ci))
  assert.deepEqual(
    [...refused(refusal), refusal.body.error.message],
    [404, 4039, 'This build belongs to another app; send app=server with it'],
  )
  const main_build = { build_id: app.build_id, app: 'server' }
  const reverse = await app.send(upload(game, main_build, app.ci))
  assert.match(reverse.body.error.message, /belongs to the main app; leave app out/)
})

test('a body without a file, or that is not a form, is 4037', async (t) => {
  const app = await start(t)
  const build_id = app.build_id
  const complete = upload(game, { build_id }, app.ci)
  const headers = { ...app.ci.headers, 'content-type': complete.headers!['content-type']! }
  for (const call of [
    form(fieldsOf({ build_id, checksum: sha256(game) }), app.ci),
    form(fieldsOf({ build_id, checksum: sha256(game), file: 'text' }), app.ci),
    form(
      [
        ...fieldsOf({ build_id, checksum: sha256(game) }),
        { name: 'other', filename: 'game.zip', bytes: game },
      ],
      app.ci,
    ),
    { ...app.ci, raw: '{}', headers: { ...app.ci.headers, 'content-type': 'application/json' } },
    { ...app.ci, raw: game, headers: { ...app.ci.headers, 'content-type': 'application/zip' } },
    { ...app.ci },
    { headers, raw: 'no boundary in sight' },
    { headers, raw: (complete.raw as Uint8Array<ArrayBuffer>).slice(0, -10) },
    { headers: { ...headers, 'content-type': 'multipart/form-data' }, raw: complete.raw },
  ])
    assert.deepEqual(refused(await app.send(call)), [400, 4037])
  assert.deepEqual(leftovers(app), [])
})

test('an invalid checksum, platform or file is 4041', async (t) => {
  const app = await start(t)
  const { build_id } = app
  for (const fields of [
    { checksum: undefined },
    { checksum: 'abc' },
    { checksum: `${sha256(game)}0` },
    { checksum: `md5:${sha256(game)}` },
    { os: 'beos' },
    { arch: 'z80' },
    { channel: '-' },
  ])
    assert.deepEqual(
      refused(await app.send(upload(game, { build_id, ...fields }, app.ci))),
      [400, 4041],
      JSON.stringify(fields),
    )
  for (const filename of ['game.rar', 'zip', '.zip.exe', `${'x'.repeat(252)}.zip`])
    assert.deepEqual(
      refused(await app.send(upload(game, { build_id }, app.ci, filename))),
      [400, 4041],
      filename,
    )
  for (const filename of ['C:/fakepath/My Game.ZIP', `${'x'.repeat(251)}.zip`]) {
    const content = zip([{ name: 'game', body: filename }])
    const file = must(await app.send(upload(content, { build_id }, app.ci, filename)))
    assert.equal(file.filename, filename.split('/').at(-1))
  }
  assert.deepEqual(leftovers(app), [])
})

test('rejects a malicious zip with the reason and stores nothing', async (t) => {
  const app = await start(t)
  for (const [bytes, why] of [
    [Buffer.from('PK but no zip'), /The zip/],
    [Buffer.alloc(0), /The zip/],
    [zip([{ name: '../escape', body: 'x' }]), /empty, \. or \.\. segment/],
    [zip([{ name: 'a', body: 'x', flags: 1 }]), /encrypted/],
    [zip([{ name: 'a' }, { name: 'a' }]), /twice/],
    [zip([{ name: 'l', body: '/etc/passwd', mode: 0o120777, method: 0 }]), /leads out/],
  ] as const) {
    const answer = await app.send(upload(bytes, { build_id: app.build_id }, app.ci))
    assert.deepEqual(refused(answer), [400, 4041])
    assert.match(answer.body.error.message, why)
  }
  assert.deepEqual(leftovers(app), [])
  assert.deepEqual(await Array.fromAsync(app.core.storage.list(`builds/${app.listing.uid}/`)), [])
  assert.equal((await app.recordedFiles()).length, 0)
})

test('warns of names that differ in letter case only, and refuses them beside a link', async (t) => {
  const app = await start(t)
  const names = ['Data/a.txt', 'data/A.txt', 'b.txt'].map((name) => ({ name, body: name }))
  const send = (bytes: Buffer) => app.send(upload(bytes, { build_id: app.build_id }, app.ci))
  const { warnings, name_collisions } = must(await send(zip(names)))
  assert.equal(warnings.length, 1)
  assert.deepEqual(name_collisions, [{ first: 'Data/a.txt', second: 'data/A.txt' }])
  assert.match(warnings[0], /"Data\/a.txt" and "data\/A.txt" are the same name on Windows/)
  assert.equal(must(await send(zip(names.slice(1)))).warnings, undefined)

  const link = { name: 'DATA', body: 'elsewhere', method: 0, mode: 0o120777 }
  const answer = await send(zip([...names, link]))
  assert.deepEqual(refused(answer), [400, 4041])
  assert.match(answer.body.error.message, /same place as a link/)
})

test('a file that does not match its checksum is 4046 and deleted', async (t) => {
  const app = await start(t)
  const answer = await app.send(
    upload(game, { build_id: app.build_id, checksum: sha256(Buffer.from('other')) }, app.ci),
  )
  assert.deepEqual(refused(answer), [422, 4046])
  assert.deepEqual(leftovers(app), [])
})

test('more than 5 GiB is 4043 before the body is read', async (t) => {
  const app = await start(t)
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
  const { 'x-access-token': access, 'x-secret-key': secret } = app.ci.headers
  socket.write(
    [
      `POST ${FILES} HTTP/1.1`,
      'host: x',
      `x-access-token: ${access}`,
      `x-secret-key: ${secret}`,
      'content-type: multipart/form-data; boundary=b',
      `content-length: ${5 * 2 ** 30 + 2 * 2 ** 20}`,
      '',
      '--b',
    ].join('\r\n'),
  )
  const [chunk] = await once(socket, 'data')
  socket.destroy()
  assert.match(String(chunk), /^HTTP\/1.1 413 .*"code":4043/s)
})

test('refuses uploads to a game whose owner has no verified email', async (t) => {
  const app = await sharedApp(t)
  const listing = await app.a.listing()
  const ci = await app.a.deployer(listing)
  const { build_id } = must(await app.post(REGISTER, { version: '1' }, ci))
  assert.deepEqual(
    refused(await app.call('POST', FILES, upload(game, { build_id }, ci))),
    [403, 4096],
  )
  const website = upload(game, { build_id }, {})
  const call = { ...website, token: listing.owner.token }
  assert.deepEqual(
    refused(await app.call('POST', `/api/v1/private/games/${listing.uid}/files`, call)),
    [403, 4096],
  )
})

test('uploads on the website follow the same rules and record their own source', async (t) => {
  const app = await start(t)
  const url = `/api/v1/private/games/${app.listing.vanity_name}/files`
  const call = upload(game, { build_id: app.build_id })
  must(await app.call('POST', url, { ...call, token: app.listing.owner.token }))
  const [file] = await app.recordedFiles()
  assert.deepEqual(
    { ...file },
    { method: 'website', key_ref: null, uploaded_by: app.listing.owner.uid },
  )
  assert.deepEqual(
    refused(await app.call('POST', url, { ...call, token: (await app.a.developer()).token })),
    [404, 4040],
  )
  assert.deepEqual(refused(await app.call('POST', url, call)), [401, 4010])
  const { key: token } = await app.a.key('agent', app.listing.owner, ['mcp:write'])
  assert.deepEqual(refused(await app.call('POST', url, { ...call, token })), [403, 4033])
})

test('limits uploads to sixty an hour per game, with Retry-After', async (t) => {
  const app = await start(t)
  const nothing = form(fieldsOf({ build_id: app.build_id }), app.ci)
  for (let i = 0; i < 60; i++) assert.deepEqual(refused(await app.send(nothing)), [400, 4037])
  const answer = await app.send(nothing)
  assert.deepEqual(refused(answer), [429, 4291])
  assert.ok(Number(answer.headers['retry-after']) > 3000)
  const other = await app.a.listing({ owner: app.listing.owner })
  assert.deepEqual(refused(await app.send(form([], await app.a.deployer(other)))), [400, 4037])
})

test('a failure to store the record is 4048, and no file is returned', async (t) => {
  const app = await start(t, startApp)
  const ids = loggedIds(t, app.core)
  await app.sql`alter table files add constraint broken check (size < 0) not valid`
  assert.deepEqual(
    refused(await app.send(upload(game, { build_id: app.build_id }, app.ci))),
    [500, 4048],
  )
  assert.match(String(ids), REQUEST_ID)
  assert.deepEqual(leftovers(app), [])
  await app.sql`alter table files drop constraint broken`
  must(await app.send(upload(game, { build_id: app.build_id }, app.ci)))
})
