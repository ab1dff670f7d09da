import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { copyObjects } from '../../src/admin/storage-move.ts'
import { sweepScreenshots } from '../../src/bugs/reports/jobs.ts'
import { HOUR_MS, MIB } from '../../src/core/runtime/units.ts'
import { uuidv7 } from '../../src/core/security/crypto.ts'
import { createLocalStorage } from '../../src/core/storage/local.ts'
import { createS3Storage } from '../../src/core/storage/s3.ts'
import type { Storage } from '../../src/core/storage/storage.ts'
import { listTrash } from '../../src/core/storage/trash.ts'
import { sweepUploads } from '../../src/uploads/sessions/jobs.ts'
import { admin, adminFile } from '../support/admin-run.ts'
import { eventually, runJob, startApp, temporaryFolder } from '../support/app.ts'
import { storedKeys } from '../support/builders.ts'
import { listen } from '../support/listen.ts'

const soon = () => new Date(Date.now() + 60_000)
const keysOf = async (store: Storage) =>
  (await Array.fromAsync(store.list(''))).map(({ key }) => key)
const bytesOf = async (store: Storage, key: string) => buffer((await store.get(key))!.stream)
const pictureOf = (bytes: Buffer) => {
  const hash = createHash('sha256').update(bytes).digest('hex')
  return `images/${hash.slice(0, 2)}/${hash}`
}

async function stores(t: TestContext, url: string) {
  const { sql } = await startApp(t, { SLIPWAY_ROLES: 'api' })
  const options = { sql, progress: () => {}, signal: new AbortController().signal }
  const disk = () => createLocalStorage(temporaryFolder(t))
  return { options, disk: await disk(), back: await disk(), bucket: await createS3Storage(url) }
}

export async function copiesInBothDirections(t: TestContext, url: string) {
  const { options, disk, back, bucket } = await stores(t, url)
  const objects = new Map(
    [0, 1, 100_000, 9 * MIB, ...Array(8).fill(10)].map((size, nth) => [
      `a/${nth}`,
      randomBytes(size),
    ]),
  )
  for (const [key, bytes] of objects) await disk.put(key, bytes)
  const both = [
    [disk, bucket],
    [bucket, back],
  ] as const
  for (const [from, to] of both) {
    const interrupted = new AbortController()
    const stopping = { ...options, progress: () => interrupted.abort(), signal: interrupted.signal }
    await assert.rejects(copyObjects(from, to, stopping), { name: 'AbortError' })
    assert.deepEqual(
      await bucket.parts.abandoned(soon()),
      [],
      'the interrupted object left parts in the store',
    )
    const rest = await copyObjects(from, to, options)
    assert.ok(rest.skipped > 0 && rest.copied > 0, JSON.stringify(rest))
    assert.deepEqual(
      [rest.copied + rest.skipped, rest.bytes, rest.damaged],
      [objects.size, 9 * MIB + 100_081, []],
    )
    assert.deepEqual(await copyObjects(from, to, options), {
      copied: 0,
      skipped: objects.size,
      bytes: rest.bytes,
      damaged: [],
    })
  }
  for (const [key, bytes] of objects) assert.ok((await bytesOf(back, key)).equals(bytes), key)
  await back.put('a/2', randomBytes(99_999))
  assert.equal(
    (await copyObjects(bucket, back, options)).copied,
    1,
    'an object of another size was not copied again',
  )
  assert.ok((await bytesOf(back, 'a/2')).equals(objects.get('a/2')!))
}

/** A proxy in front of the store, which forwards a request once `onRequest` has seen its body. */
async function proxyTo(
  t: TestContext,
  url: string,
  onRequest: (request: IncomingMessage, body: Buffer) => Promise<void> | void,
): Promise<string> {
  const to = new URL(url)
  const server = createServer(async (from, answer) => {
    const body = await buffer(from)
    await onRequest(from, body)
    const forwarded = request(
      {
        host: to.hostname,
        port: to.port,
        method: from.method,
        path: from.url,
        headers: from.headers,
      },
      (response) => {
        answer.writeHead(response.statusCode!, response.headers)
        response.pipe(answer)
      },
    )
    forwarded.end(body)
  })
  const port = await listen(t, server)
  return Object.assign(new URL(url), { port: String(port) }).href
}

/** A proxy that flips one bit of every stored body. */
const corruptingProxy = (t: TestContext, url: string) =>
  proxyTo(t, url, ({ method }, body) => {
    if (method === 'PUT' && body.length) body[body.length >> 1]! ^= 1
  })

/** A proxy that forwards so many reads of objects, and the others once they are released. */
async function pausingProxy(t: TestContext, url: string, reads: number) {
  const released = Promise.withResolvers<void>()
  const folder = new URL(url).pathname
  let count = 0
  const paused_url = await proxyTo(t, url, async ({ method, url: path = '' }) => {
    const is_object = method === 'GET' && path.startsWith(`${folder}/`) && !path.includes('?')
    if (is_object && ++count > reads) await released.promise
  })
  return { paused_url, release: released.resolve }
}

export async function refusesAlteredObjects(t: TestContext, url: string) {
  const { options, disk, back, bucket } = await stores(t, url)
  const small = randomBytes(1000)
  const large = randomBytes(9 * MIB)
  const picture = randomBytes(50_000)
  await disk.put('a/small', small)
  const corrupting = await createS3Storage(await corruptingProxy(t, url))
  await assert.rejects(
    copyObjects(disk, corrupting, options),
    /object store answered.*run it again to continue/,
  )
  await disk.remove('a/small')
  await disk.put('a/large', large)
  await assert.rejects(copyObjects(disk, corrupting, options), /object store answered/)
  assert.deepEqual([await keysOf(bucket), await bucket.parts.abandoned(soon())], [[], []])

  await disk.put('a/small', small)
  await disk.put(pictureOf(picture), randomBytes(50_000))
  const copied = await copyObjects(disk, bucket, options)
  assert.deepEqual(
    [copied.copied, copied.damaged],
    [2, [pictureOf(picture)]],
    'an image whose name is not its hash was not reported',
  )
  assert.deepEqual(await keysOf(bucket), ['a/large', 'a/small'])

  // The store returns other bytes than it lists: as one object, in parts, and truncated.
  const broken = (change: (bytes: Buffer) => Buffer): Storage => ({
    ...bucket,
    async get(key) {
      const object = (await bucket.get(key))!
      return { ...object, stream: Readable.from([change(await buffer(object.stream))]) }
    },
  })
  const flipped = (bytes: Buffer) =>
    Buffer.concat([bytes.subarray(0, -1), Buffer.from([bytes.at(-1)! ^ 1])])
  for (const change of [flipped, (bytes: Buffer) => bytes.subarray(0, -1)]) {
    assert.deepEqual((await copyObjects(broken(change), back, options)).damaged.sort(), [
      'a/large',
      'a/small',
    ])
    assert.deepEqual(await keysOf(back), [])
  }
  assert.equal((await copyObjects(bucket, back, options)).copied, 2)
}

export async function copiesWithTheCommand(t: TestContext, S3_URL: string) {
  const app = await startApp(t)
  const listing = await app.a.listing()
  await app.a.images(listing)
  const { file_uid } = await app.a.cleanBuild(listing)
  const keys = await keysOf(app.core.storage)
  const build = keys.find((key) => key.includes(file_uid))!
  const original = await bytesOf(app.core.storage, build)
  await app.core.storage.put(build, randomBytes(original.length))
  const settings = { ...app.settings, S3_URL }
  const damaged = await admin(settings, 'storage', 'copy', 'to-s3')
  assert.equal(damaged.code, 3)
  assert.match(
    damaged.stdout,
    new RegExp(
      `^damaged and not copied.*\n  ${build}\n` +
        `${keys.length - 1} objects? copied and checked.*1 damaged$`,
    ),
  )
  await app.core.storage.put(build, original)
  assert.match(
    (await admin(settings, 'storage', 'copy', 'to-s3')).stdout,
    new RegExp(`^1 object copied and checked, ${keys.length - 1} were there`),
  )
  const bucket = await createS3Storage(S3_URL)
  assert.deepEqual(await keysOf(bucket), keys)

  for (let nth = 0; nth < 60; nth++) await bucket.put(`later/${nth}`, randomBytes(200_000))
  const elsewhere = {
    ...settings,
    DATA_DIR: temporaryFolder(t),
    SECRETS_KEY: readFileSync(join(settings.DATA_DIR, 'secrets.key'), 'utf8'),
  }
  // So that it cannot end before it is interrupted.
  const { paused_url, release } = await pausingProxy(t, S3_URL, 20)
  const run = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', await adminFile(), 'storage', 'copy', 'to-disk'],
    {
      env: { ...process.env, ...elsewhere, S3_URL: paused_url },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  const copy = await createLocalStorage(`${elsewhere.DATA_DIR}/objects`)
  const ended = once(run, 'exit')
  await eventually(
    'the first object',
    async () => run.exitCode !== null || (await keysOf(copy)).length > 0,
  )
  run.kill('SIGINT')
  release()
  assert.deepEqual(await ended, [130, null])
  const done = (await keysOf(copy)).length
  assert.ok(done > 0 && done < keys.length + 60, String(done))
  const rest = await admin(elsewhere, 'storage', 'copy', 'to-disk')
  assert.match(
    rest.stdout,
    new RegExp(
      `^${keys.length + 60 - done} objects? copied and checked, ${done} (was|were) there already`,
    ),
  )
  assert.ok((await bytesOf(copy, build)).equals(original))
}

export async function movesWithinTheBucket(_: TestContext, S3_URL: string) {
  // Copies above 6 MiB are made in parts.
  const bucket = await createS3Storage(S3_URL, undefined, 6 * MIB)
  for (const size of [0, 10, 6 * MIB, 14 * MIB + 1]) {
    const bytes = randomBytes(size)
    await bucket.put('bugs/a/b', bytes)
    assert.equal(await bucket.move('bugs/a/b', 'trash/2026-11-01/bugs/a/b'), true)
    assert.deepEqual(await keysOf(bucket), ['trash/2026-11-01/bugs/a/b'])
    assert.ok((await bytesOf(bucket, 'trash/2026-11-01/bugs/a/b')).equals(bytes), String(size))
  }
  assert.equal(await bucket.move('bugs/a/b', 'trash/2026-11-01/bugs/a/b'), false)
  assert.deepEqual(await bucket.parts.abandoned(soon()), [])
}

/** A bucket has one owner; another database removes nothing, and a drill reads. */
export async function refusesAnotherDatabase(t: TestContext, S3_URL: string) {
  const SECRETS_KEY = randomBytes(32).toString('base64')
  const live = await startApp(t, { S3_URL, SECRETS_KEY, SLIPWAY_ROLES: 'api' })
  const key = `bugs/${uuidv7()}/${uuidv7(Date.now() - 48 * HOUR_MS)}`
  await live.core.storage.put(key, Buffer.from('bytes'))
  const other = await startApp(t, { S3_URL, SECRETS_KEY, SLIPWAY_ROLES: 'api' })
  assert.ok(await other.core.owner.renew())
  await runJob(other, sweepScreenshots)
  await other.core.storage.remove(key)
  assert.ok(await live.core.storage.stat(key), 'another database removed an object')
  const drill = await startApp(t, { S3_URL, SECRETS_KEY, SLIPWAY_DRILL: 'on' })
  assert.equal((await bytesOf(drill.core.storage, key)).toString(), 'bytes')
  await assert.rejects(drill.core.storage.put(key, Buffer.from('x')), /This is a drill/)
  await assert.rejects(drill.core.storage.parts!.begin(key), /This is a drill/)
  await drill.core.storage.remove(key)
  assert.equal((await drill.get('/ready')).body.data.checks.storage, 'ok')
  await runJob(live, sweepScreenshots)
  assert.equal(await live.core.storage.stat(key), null)
  const [trashed] = await Array.fromAsync(listTrash(live.core.storage))
  assert.equal(trashed?.former_key, key)
}

export async function sweepsAbandonedParts(t: TestContext, S3_URL: string) {
  const { core, sql } = await startApp(t, { S3_URL, SLIPWAY_ROLES: 'api,upload' })
  const parts = core.storage.parts!
  const key = (uid: string) => `builds/${uid}/${uid}.zip`
  const began = [uuidv7(), uuidv7()]
  for (const uid of began)
    await parts.put({
      key: key(uid),
      upload: await parts.begin(key(uid)),
      number: 1,
      bytes: randomBytes(1000),
    })
  const [old, young] = [uuidv7(Date.now() - 11 * HOUR_MS), uuidv7()]
  for (const uid of [old, young]) await core.storage.put(`uploads/${uid}/tail`, randomBytes(10))
  const run = () =>
    sweepUploads.handle({ core, finish: async (effect: any) => void (await effect(sql)) } as any)
  const remaining = async () => [
    (await parts.abandoned(soon())).map((part) => part.key).sort(),
    await storedKeys(core),
  ]
  await run()
  assert.deepEqual(await remaining(), [began.map(key).sort(), [`uploads/${young}/tail`]])

  // Shift the time of the listing by eleven hours.
  const listAbandoned = parts.abandoned
  parts.abandoned = (before) => listAbandoned(new Date(before.getTime() + 11 * HOUR_MS))
  await run()
  parts.abandoned = listAbandoned
  assert.deepEqual((await remaining())[0], [])
  parts.abandoned = (before) => listAbandoned(new Date(before.getTime() + 9 * HOUR_MS))
  await parts.begin(key(began[0]!))
  await run()
  parts.abandoned = listAbandoned
  assert.deepEqual(
    (await remaining())[0],
    [key(began[0]!)],
    'an upload that may still continue was removed',
  )
}
