import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { once } from '../../../src/core/runtime/once.ts'
import { composeZip, TooLarge } from '../../../src/uploads/deltas/compose.ts'
import { treeHash, writePrefix } from '../../../src/uploads/deltas/format.ts'
import { InvalidDelta } from '../../../src/uploads/deltas/header-rules.ts'
import { startApp, temporaryFolder } from '../../support/app.ts'
import { must, refused } from '../../support/builders.ts'
import { loopCount } from '../../support/loop-count.ts'
import { fc } from '../../support/property.ts'
import { sharedInFile } from '../../support/shared.ts'
import { newParts, withBuild } from '../fixtures.ts'
import { sha256 } from '../zips.ts'
import {
  DELTAS,
  deltaOf,
  entriesOf,
  type Game,
  hashFolder,
  isClean,
  openDelta,
  packFolder,
  plan,
  planRequest,
  register,
  sendDelta,
  sendPart,
  storedEntries,
  uploadWhole,
  withFolder,
} from './fixtures.ts'
import { deltaWithHeader, withoutNewBytes } from './new-bytes.ts'
import { gameVersions, type TreeModel, treePair, writeTree } from './trees.ts'

const sharedApp = sharedInFile(startApp)

async function start(t: TestContext, startService: typeof startApp = sharedApp) {
  const app = await withBuild(await startService(t))
  const game: Game = { uid: app.listing.uid, ci: app.ci }
  const folder = (name: string) => join(temporaryFolder(t), name)
  const newGame = async (): Promise<Game> => {
    const listing = await app.a.listing({ owner: await app.a.verifiedDeveloper() })
    return { uid: listing.uid, ci: await app.a.deployer(listing) }
  }
  return { ...app, game, folder, newGame, parts: newParts(app) }
}

const versions = gameVersions()
const packedBase = once(() =>
  withFolder((folder) => packFolder(writeTree(join(folder, 'before'), versions.before))),
)

/** A game whose first version is clean, and the folder of the second. */
async function startWithBase(t: TestContext, startService: typeof startApp = sharedApp) {
  const app = await start(t, startService)
  const base = await packedBase()
  const base_uid = await uploadWhole(app, app.game, base)
  const next = writeTree(app.folder('after'), versions.after)
  return { ...app, base, base_uid, next }
}

test('any tree becomes any other tree through a delta, entry for entry', async (t) => {
  const app = await start(t)
  const folder = app.folder('tree')
  let runs = 0
  await fc.assert(
    fc.asyncProperty(treePair, fc.constantFrom('zstd', 'brotli'), async (pair, codec) => {
      const game = await app.newGame()
      await uploadWhole(app, game, await packFolder(writeTree(folder, pair.before)))
      const whole = await packFolder(writeTree(folder, pair.after))
      const { build_id, bytes } = await deltaOf(app, game, folder, { codec })
      const { file_uid } = must(await sendDelta(app, game, { build_id, bytes }))
      assert.deepEqual(await storedEntries(app, game, file_uid), await entriesOf(whole))
      await isClean(app, file_uid)
      runs++
    }),
    { numRuns: loopCount({ short: 5, full: 2000 }) },
  )
  assert.ok(runs > 0)
  assert.deepEqual(app.parts(), [])
})

test('a delta has little more than what changed, and its file is scanned', async (t) => {
  const app = await startWithBase(t)
  const whole = await packFolder(app.next)
  const { build_id, bytes, answer } = await deltaOf(app, app.game, app.next)
  assert.equal(answer.base_file_uid, app.base_uid)
  assert.ok(bytes.length < 60_000, `${bytes.length} of ${whole.length} bytes`)
  const source_checksum = sha256(whole)
  const file = must(await sendDelta(app, app.game, { build_id, bytes, source_checksum }))
  assert.deepEqual([file.status, file.build_id], ['scanning', build_id])
  await isClean(app, file.file_uid)
  const build = must(await app.get(`/api/v1/tool/builds/${build_id}`, app.ci))
  const [listed] = build.files
  assert.deepEqual(
    [listed.checksum, listed.size, listed.source_checksum],
    [file.checksum, file.size, source_checksum],
  )
  const heads = await app.sql`
    select from channel_heads where game_uid = ${app.game.uid} and build_uid = ${build_id}`
  assert.equal(heads.length, 1, 'the channel has not moved')
})

/** The programs for deltas that this process runs, with the priorities of what does their work. */
function deltaPrograms() {
  const children = readdirSync('/proc/self/task').flatMap((task) =>
    readFileSync(`/proc/self/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
  )
  return children.flatMap((pid) => {
    try {
      if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('delta-program')) return []
      const works = (task: string) =>
        task === pid || /libuv/.test(readFileSync(`/proc/${pid}/task/${task}/comm`, 'utf8'))
      const tasks = readdirSync(`/proc/${pid}/task`).filter(works)
      const priorities = tasks.map((task) => getPriority(Number(task)))
      return [{ pid: Number(pid), priorities }]
    } catch {
      // It has ended meanwhile.
      return []
    }
  })
}

test('all of the work on a delta has a lower priority than requests, and ends with its process', async (t) => {
  if (process.platform !== 'linux') return t.skip('needs /proc')
  const app = await startWithBase(t)
  const { build_id, bytes } = await deltaOf(app, app.game, app.next)
  const lower = Math.min(19, getPriority() + 10)
  let lowered = 0
  let killed = 0
  const timer = setInterval(() => {
    for (const { pid, priorities } of deltaPrograms()) {
      if (!priorities.every((priority) => priority === lower)) continue
      lowered++
      if (!killed) killed = Number(process.kill(pid, 'SIGKILL'))
    }
  }, 1)
  t.after(() => clearInterval(timer))
  const { status } = await sendDelta(app, app.game, { build_id, bytes })
  assert.ok(lowered > 0, 'a program was seen')
  assert.equal(killed, 1)
  assert.equal(status, 500)
  clearInterval(timer)
  assert.deepEqual(deltaPrograms(), [])
  const { file_uid } = must(await sendDelta(app, app.game, { build_id, bytes }))
  await isClean(app, file_uid)
})

test('a session of a delta resumes, and its last chunk can be repeated', async (t) => {
  const app = await startWithBase(t)
  const { build_id, bytes } = await deltaOf(app, app.game, app.next)
  const session = await openDelta(app, app.game, { build_id, bytes })
  must(await sendPart(app, app.game, bytes, { session, to: 1000 }))
  const early = await sendPart(app, app.game, bytes, { session, from: 2000 })
  assert.deepEqual([...refused(early), early.body.error.data.current_size], [409, 4044, 1000])
  const last = await sendPart(app, app.game, bytes, { session, from: 1000 })
  const again = await sendPart(app, app.game, bytes, { session, from: 1000 })
  assert.equal(last.status, 201)
  assert.deepEqual([again.status, again.body.data.file_uid], [201, last.body.data.file_uid])
  // The content exists in the build: the answer is the file that has it.
  const repeated = must(await sendDelta(app, app.game, { build_id, bytes }))
  assert.equal(repeated.file_uid, last.body.data.file_uid)
  assert.deepEqual(app.parts(), [])
})

test('files of other games are neither named nor used', async (t) => {
  const app = await startWithBase(t)
  const other = await app.newGame()
  const items = await hashFolder(app.next)
  const build_id = await register(app, other)
  assert.equal(await plan(app, other, { build_id, items }), undefined)
  const named = await app.call(
    'POST',
    DELTAS,
    planRequest(other, { build_id, items, more: { base_file_uid: app.base_uid } }),
  )
  assert.deepEqual(refused(named), [409, 4222])
  const { bytes } = await deltaOf(app, app.game, app.next)
  assert.deepEqual(refused(await sendDelta(app, other, { build_id, bytes })), [409, 4222])
  assert.equal((await app.sql`select from files where game_uid = ${other.uid}`).length, 0)
})

for (const state of ['quarantined', 'infected', 'scanning'])
  test(`a base that is ${state} by now is 4222, and the session ends`, async (t) => {
    const app = await startWithBase(t)
    const { build_id, bytes } = await deltaOf(app, app.game, app.next)
    const session = await openDelta(app, app.game, { build_id, bytes })
    await setState(app, state)
    const answer = await sendPart(app, app.game, bytes, { session })
    assert.deepEqual(refused(answer), [409, 4222])
    const again = await sendPart(app, app.game, bytes, { session })
    assert.deepEqual(refused(again), [404, 4045])
    assert.deepEqual(app.parts(), [])
    const items = await hashFolder(app.next)
    assert.equal(await plan(app, app.game, { build_id, items }), undefined)
  })

async function setState(
  { sql, base_uid }: Awaited<ReturnType<typeof startWithBase>>,
  state: string,
) {
  const quarantined = state === 'quarantined' ? 'clean' : null
  await sql`
    update files set scan = ${state}, scan_before_quarantine = ${quarantined}
    where uid = ${base_uid}`
}

test('a base whose bytes are missing or damaged is 4222', async (t) => {
  const app = await startWithBase(t)
  const { build_id, bytes } = await deltaOf(app, app.game, app.next)
  const key = `builds/${app.game.uid}/${app.base_uid}.zip`
  const damaged = Buffer.from(app.base)
  damaged.fill(0, 400_000, 401_000)
  await app.core.storage.put(key, damaged)
  assert.deepEqual(refused(await sendDelta(app, app.game, { build_id, bytes })), [409, 4222])
  await app.core.storage.discard(key)
  assert.deepEqual(refused(await sendDelta(app, app.game, { build_id, bytes })), [409, 4222])
  assert.deepEqual(app.parts(), [])
})

test('bytes that do not make the entry are 4046', async (t) => {
  const app = await startWithBase(t)
  const items = await hashFolder(app.next)
  const wrong = await deltaOf(app, app.game, app.next, {
    change(answer) {
      // Refers to another entry as if it had these contents.
      const music = items.findIndex(({ path }) => path === 'data/music.ogg')
      answer.known.set(music, { file_uid: app.base_uid, path: 'data/level1.pak' })
    },
  })
  assert.deepEqual(refused(await sendDelta(app, app.game, wrong)), [422, 4046])
  const right = await deltaOf(app, app.game, app.next)
  const session = await openDelta(app, app.game, right)
  const changed = Buffer.from(right.bytes)
  changed[changed.length - 1]! ^= 1
  assert.deepEqual(refused(await sendPart(app, app.game, changed, { session })), [422, 4046])
  assert.deepEqual(app.parts(), [])
})

test('a delta of known entries alone needs no new bytes', async (t) => {
  const app = await startWithBase(t)
  const build_id = await register(app, app.game)
  const bytes = withoutNewBytes(Buffer.alloc(0))
  const { file_uid } = must(await sendDelta(app, app.game, { build_id, bytes }))
  const [entry] = await storedEntries(app, app.game, file_uid)
  assert.deepEqual([entry!.path, entry!.size], ['game', 0])
})

test('what is no delta is 4041', async (t) => {
  const app = await startWithBase(t)
  const { build_id, bytes } = await deltaOf(app, app.game, app.next)
  const prefix = { codec: 'zstd', header_length: 10, new_length: 10 } as const
  const others = {
    'a zip': app.base,
    'other bytes': Buffer.from('not a delta at all, but long enough to be read as one'),
    'one that ends early': bytes.subarray(0, bytes.length - 100),
    'one with more bytes': Buffer.concat([bytes, Buffer.from('more')]),
    'one of another version': Buffer.from(bytes).fill(1, 8, 9),
    'a header of noise': Buffer.concat([writePrefix(prefix), Buffer.alloc(20, 7)]),
    'a header without its bytes': withoutNewBytes(Buffer.from('new')),
    'a prefix alone': writePrefix({ ...prefix, header_length: 0, new_length: 0 }),
  }
  for (const [name, sent] of Object.entries(others)) {
    const answer = await sendDelta(app, app.game, { build_id, bytes: sent })
    assert.deepEqual(refused(answer), [400, 4041], name)
  }
  assert.deepEqual(app.parts(), [])
})

test('a copy needs neither size nor hash, but the hash of the whole tree has to fit', async (t) => {
  const app = await startWithBase(t)
  const build_id = await register(app, app.game)
  const path = 'data/level1.pak'
  const level = gameFile(versions.before, path)
  const copy = { kind: 'file', executable: false, copy: [0, path] }
  const entries = [
    { ...copy, path, copy: [0] },
    { ...copy, path: 'renamed.pak' },
  ]
  const trees = [path, 'renamed.pak'].map((path) => ({ path, sha256: sha256(level) }))
  const header = { files: [app.base_uid], entries, tree_sha256: treeHash(trees) }
  const send = (change: object) => {
    const bytes = deltaWithHeader({ ...header, ...change })
    return sendDelta(app, app.game, { build_id, bytes })
  }
  const onlyCopy = (copy: unknown[]) => ({ entries: [{ ...entries[0], copy }] })
  assert.deepEqual(refused(await send({ tree_sha256: undefined })), [400, 4041])
  assert.deepEqual(refused(await send({ tree_sha256: sha256(level) })), [422, 4046])
  assert.deepEqual(refused(await send(onlyCopy([0, 'data/none.pak']))), [409, 4222])
  assert.deepEqual(refused(await send(onlyCopy([0, 'data/\0']))), [400, 4041])
  assert.deepEqual(refused(await send(onlyCopy([1]))), [400, 4041], 'no such file')
  assert.deepEqual(app.parts(), [])
  const { file_uid } = must(await send({}))
  const stored = await storedEntries(app, app.game, file_uid)
  assert.deepEqual(
    stored.map(({ path, sha256 }) => ({ path, sha256 })),
    trees,
  )
})

test('a delta unpacks no more of its bases than a zip may unpack to', async (t) => {
  const app = await startWithBase(t)
  const path = 'data/level1.pak'
  const level = gameFile(versions.before, path).subarray(0, 300_000)
  const small = writeTree(
    app.folder('small'),
    new Map([[path, { kind: 'file', bytes: level, executable: false }]]),
  )
  const { bytes } = await deltaOf(app, app.game, small)
  assert.ok(bytes.length < 100_000, 'the delta does not refer to its base')
  const delta_path = app.folder('delta')
  writeFileSync(delta_path, bytes)
  const key = `builds/${app.game.uid}/${app.base_uid}.zip`
  const paths = { delta_path, zip_path: app.folder('zip'), temp_path: app.folder('temp') }
  const limits = { max_entries: 10, max_unpacked: 1_000_000, max_zip_bytes: 1_000_000 }
  const compose = (change: object) =>
    composeZip(app.core.storage, { ...paths, ...limits, ...change }, async () => [
      { uid: app.base_uid, key, size: app.base.length, entries: [] },
    ])
  const { size } = await compose({})
  // The entries are smaller than this, but their base is larger.
  await assert.rejects(compose({ max_unpacked: 999_999 }), InvalidDelta)
  await assert.rejects(compose({ max_unpacked: 300_000 }), InvalidDelta)
  await assert.rejects(compose({ max_entries: 1 }), InvalidDelta)
  await assert.rejects(compose({ max_zip_bytes: size - 1 }), TooLarge)
})

function gameFile(model: TreeModel, path: string): Buffer {
  const node = model.get(path)
  assert.ok(node?.kind === 'file')
  return node.bytes
}

test('a delta of a zip that moderators blocked is 4099', async (t) => {
  const app = await startWithBase(t, startApp)
  const whole = await packFolder(app.next)
  const { build_id, bytes } = await deltaOf(app, app.game, app.next)
  await app.sql`insert into blocked_hashes (sha256) values (decode(${sha256(whole)}, 'hex'))`
  const sending = { build_id, bytes, source_checksum: sha256(whole) }
  const answer = await sendDelta(app, app.game, sending)
  assert.equal(answer.body.error.code, 4099)
})

test('the request of a delta is checked', async (t) => {
  const app = await startWithBase(t)
  const items = await hashFolder(app.next)
  const build_id = await register(app, app.game)
  const send = (more: object) =>
    app.call('POST', DELTAS, planRequest(app.game, { build_id, items, more }))
  assert.deepEqual(refused(await send({ build_id: app.base_uid })), [404, 4039])
  assert.deepEqual(refused(await send({ filename: 'game.tar' })), [400, 4041])
  assert.deepEqual(refused(await send({ entries: 'all' })), [400, 4041])
  assert.deepEqual(refused(await send({ entries: [{ path: 'a', size: 1 }] })), [400, 4041])
  assert.deepEqual(refused(await send({ base_file_uid: build_id })), [409, 4222])
  const { headers } = planRequest(app.game, { build_id, items })
  const malformed = await app.call('POST', DELTAS, { raw: '[1', headers })
  assert.equal(malformed.status, 400)
})

test('a long list of entries is read like a short one', async (t) => {
  const app = await startWithBase(t)
  const items = await hashFolder(app.next)
  const build_id = await register(app, app.game)
  const filler = Array.from({ length: 6000 }, (_, n) => ({
    path: `filler/${n}.png`,
    size: 1,
    sha256: sha256(Buffer.from(`filler ${n}`)),
  }))
  const long = [...items, ...filler] as typeof items
  const short_answer = await plan(app, app.game, { build_id, items })
  const long_answer = await plan(app, app.game, { build_id, items: long })
  const known = (answer: typeof short_answer) =>
    [...answer!.known].filter(([index]) => index < items.length)
  assert.ok(known(short_answer).length)
  assert.deepEqual(known(long_answer), known(short_answer))

  const { headers } = planRequest(app.game, { build_id, items })
  const padding = ' '.repeat(600_000)
  const send = (raw: string) => app.call('POST', DELTAS, { raw: `${raw}${padding}`, headers })
  const refusalOf = async (body: object | string) =>
    refused(await send(typeof body === 'string' ? body : JSON.stringify(body)))
  const fields = { build_id, filename: 'game.zip' }
  assert.deepEqual(await refusalOf('{"entries": ['), [400, 4000])
  assert.deepEqual(await refusalOf('[]'), [400, 4000])
  assert.deepEqual(await refusalOf({ ...fields, entries: 'all' }), [400, 4041])
  assert.deepEqual(await refusalOf(fields), [400, 4041])
  assert.deepEqual(await refusalOf({ ...fields, entries: [...filler, {}] }), [400, 4041])
  const too_many = Array.from({ length: app.core.config.zip_max_entries + 1 }, () => 0)
  const answer = await send(JSON.stringify({ ...fields, entries: too_many }))
  assert.match(answer.body.error.message, /entries: at most \d+ are allowed/)
})
