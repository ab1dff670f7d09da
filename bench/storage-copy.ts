import { createHash, randomBytes } from 'node:crypto'
import { createWriteStream, mkdirSync, openAsBlob, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { copyObjects } from '../src/admin/storage-move.ts'
import { runningEmbeddedUrl } from '../src/core/database/embedded/postgres.ts'
import { openPool } from '../src/core/database/sql.ts'
import { createLocalStorage } from '../src/core/storage/local.ts'
import { createS3Storage } from '../src/core/storage/s3.ts'
import type { Storage } from '../src/core/storage/storage.ts'
import { bareClient } from './s3-upload.ts'
import { createBench, MIB } from './support/fixtures.ts'
import { median, report } from './support/harness.ts'

const SIZE = Number(process.env.BENCH_MIB ?? 192)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const AT_ONCE = 4

/**
 * Two thirds of the bytes in large files, one third in images, all named by their SHA-256, which
 * the copy verifies.
 */
async function fill(store: Storage, mib: number) {
  const keys: string[] = []
  const sizes = [
    ...Array(Math.round(mib / 36)).fill(24 * MIB),
    ...Array(Math.round((mib / 3) * 4)).fill(MIB / 4),
  ]
  for (const size of sizes) {
    const bytes = randomBytes(size)
    const hash = createHash('sha256').update(bytes).digest('hex')
    keys.push(`images/${hash.slice(0, 2)}/${hash}`)
    await store.put(keys.at(-1)!, bytes)
  }
  return { keys, mib: sizes.reduce((sum, size) => sum + size, 0) / MIB }
}

async function inParallel(keys: string[], copy: (key: string) => Promise<unknown>) {
  const remaining = [...keys]
  const worker = async () => {
    for (let key = remaining.pop(); key; key = remaining.pop()) await copy(key)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

async function empty(store: Storage) {
  const keys = (await Array.fromAsync(store.list(''))).map(({ key }) => key)
  await inParallel(keys, (key) => store.remove(key))
}

/**
 * Target: copying objects from disk to an object store with verification reaches 0.7 of a plain
 * copy with the bare client of the store, in both directions.
 */
export async function storageCopy() {
  const bench = createBench()
  try {
    const url = await bench.bucket('moved')
    await bench.service({ SLIPWAY_ROLES: 'api' })
    const sql = openPool(runningEmbeddedUrl(bench.data_dir)!, 2, 'bench')
    const bare = await bareClient(url)
    const bucket = await createS3Storage(url)
    const source = join(bench.folder, 'source')
    const target = join(bench.folder, 'target')
    const disk = await createLocalStorage(source)
    const { keys, mib } = await fill(disk, SIZE)
    const options = { sql, progress: () => {}, signal: new AbortController().signal }
    const download = async (key: string) => {
      mkdirSync(dirname(join(target, key)), { recursive: true })
      await pipeline(
        Readable.fromWeb((await bare.getObjectRaw(key)).body as ReadableStream),
        createWriteStream(join(target, key)),
      )
    }
    const assertComplete = async (copying: ReturnType<typeof copyObjects>) => {
      const { copied, damaged } = await copying
      if (copied !== keys.length || damaged.length) throw new Error('not everything was copied')
    }
    const clear = () => rmSync(target, { recursive: true, force: true })
    // The steps to disk read what the step before uploaded.
    const steps = {
      'to-s3 plain copy, bare client': {
        before: () => empty(bucket),
        run: () =>
          inParallel(keys, async (key) =>
            bare.putAnyObject(key, await openAsBlob(join(source, key))),
          ),
      },
      'to-s3 storage copy': {
        before: () => empty(bucket),
        run: () => assertComplete(copyObjects(disk, bucket, options)),
      },
      'to-disk plain copy, bare client': { before: clear, run: () => inParallel(keys, download) },
      'to-disk storage copy': {
        before: clear,
        run: async () =>
          assertComplete(copyObjects(bucket, await createLocalStorage(target), options)),
      },
    }
    const speeds = new Map(Object.keys(steps).map((name) => [name, [] as number[]]))
    for (let round = 0; round <= ROUNDS; round++)
      for (const [name, { before, run }] of Object.entries(steps)) {
        await before()
        const start = performance.now()
        await run()
        if (round > 0) speeds.get(name)!.push(mib / ((performance.now() - start) / 1000))
      }
    await sql.end()
    const rows = [...speeds].map(([name, all]) => ({ name, median: median(all) }))
    const title = (direction: string) =>
      `Copying ${keys.length} objects, ${Math.round(mib)} MiB, ${direction} (target: 0.7)`
    return [
      report(title('disk to object store'), rows.slice(0, 2), 'MiB/s'),
      report(title('object store to disk'), rows.slice(2), 'MiB/s'),
    ]
  } finally {
    await bench.close()
  }
}
