import assert from 'node:assert/strict'
import { test } from 'node:test'
import { must } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { sha256, zip } from '../uploads/zips.ts'
import { addGame, gameFiles, startUpdates, verifySigned } from './fixtures.ts'

const sharedGame = sharedInFile((t) => startUpdates(t))

test('a manifest lists every entry of the build and is signed by the published keys', async (t) => {
  const { get, path, game, build_id, file_uid, url } = await sharedGame(t)
  const data = must(await get(`${path}/manifest?os=linux&arch=amd64`))
  const { manifest, entries } = data
  assert.deepEqual(
    entries,
    gameFiles.map(({ name, body = '', mode }) => ({
      path: name,
      size: body.length,
      mode: mode! & 0o777,
      sha256: sha256(Buffer.from(body as string)),
      ...(name === 'data/current' && { link: 'levels.json' }),
    })),
  )
  const bytes = zip(gameFiles)
  assert.deepEqual(manifest.file, {
    file_uid,
    filename: manifest.file.filename,
    size: bytes.length,
    sha256: sha256(bytes),
    os: 'linux',
    arch: 'x86_64',
  })
  assert.deepEqual([manifest.game_uid, manifest.build_id], [game.uid, build_id])
  assert.equal(manifest.unpacked_size, 3200 + 12 + 11)
  const header = await verifySigned(url, data)
  assert.deepEqual([header?.alg, header?.typ], ['EdDSA', 'manifest+jws'])
  for (const forged of [
    { ...data, manifest: { ...manifest, version: '9.9.9' } },
    { ...data, entries: entries.slice(1) },
    { ...data, entries: [{ ...entries[0], sha256: '0'.repeat(64) }, ...entries.slice(1)] },
  ])
    await assert.rejects(verifySigned(url, forged))
})

test('a build has the same manifest by its id as by its channel', async (t) => {
  const { get, path, build_id } = await sharedGame(t)
  const by_channel = await get(`${path}/manifest`)
  const by_build = await get(`${path}/builds/${build_id}/manifest`)
  assert.deepEqual(must(by_build), must(by_channel))
  assert.equal(by_build.headers.etag, by_channel.headers.etag)
})

test('a manifest as lines has the entries that the signature holds', async (t) => {
  const { path, url } = await sharedGame(t)
  const answer = await fetch(`${url}${path}/manifest?format=ndjson`)
  assert.equal(answer.headers.get('content-type'), 'application/x-ndjson')
  const [first, ...lines] = (await answer.text()).trimEnd().split('\n')
  const signed = { ...JSON.parse(first!), entries: lines.map((line) => JSON.parse(line)) }
  assert.equal(lines.length, gameFiles.length)
  await verifySigned(url, signed)
})

test('a client that has the manifest gets 304', async (t) => {
  const { path, url } = await sharedGame(t)
  for (const format of ['json', 'ndjson']) {
    const address = `${url}${path}/manifest?format=${format}`
    const etag = (await fetch(address)).headers.get('etag')!
    const again = await fetch(address, { headers: { 'if-none-match': etag } })
    assert.deepEqual([again.status, await again.text()], [304, ''])
    assert.equal(again.headers.get('cache-control'), 'public, no-cache')
    const other = await fetch(address, { headers: { 'if-none-match': '"other"' } })
    assert.equal(other.status, 200)
  }
})

test('the file slipway.yml says how a build is started, also per system', async (t) => {
  const launch = [
    'launch:',
    '  executable: bin/game',
    '  args: [--fullscreen]',
    '  linux:',
    '    working_dir: data',
  ].join('\n')
  const files = [
    { name: 'Game/slipway.yml', body: launch, method: 8 },
    { name: 'Game/bin/game', body: 'program', method: 0, mode: 0o100755 },
    { name: 'Game/data/level', body: '1', method: 0 },
  ]
  const { get, path } = await addGame(await sharedGame(t), files)
  assert.deepEqual(must(await get(`${path}/manifest`)).manifest.launch, {
    executable: 'Game/bin/game',
    args: ['--fullscreen'],
    working_dir: 'Game/data',
    guessed: false,
  })
})

test('without slipway.yml the most likely program is named, and marked as guessed', async (t) => {
  const { get, path } = await sharedGame(t)
  assert.deepEqual(must(await get(`${path}/manifest`)).manifest.launch, {
    executable: 'game.x86_64',
    args: [],
    working_dir: '',
    guessed: true,
  })
})
