import { openAsBlob } from 'node:fs'
import { join } from 'node:path'
import { createS3Storage } from '../src/core/storage/s3.ts'
import { cpuSeconds, createBench, makeZip } from './support/fixtures.ts'
import { median, report } from './support/harness.ts'
import { inChunks, inOneRequest } from './upload.ts'

const SIZE = Number(process.env.BENCH_MIB ?? 256)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)

/** The client with its defaults: four parts at a time. */
export async function bareClient(url: string) {
  const { S3mini } = await import('s3mini')
  const { username, password, origin, pathname } = new URL(url)
  const account = {
    accessKeyId: decodeURIComponent(username),
    secretAccessKey: decodeURIComponent(password),
    region: 'us-east-1',
  }
  return new S3mini({ ...account, endpoint: origin + pathname })
}

/**
 * Target: an upload through the service to a real object store reaches 0.8 of the same upload with
 * the bare client of that store.
 */
export async function s3Upload() {
  const bench = createBench()
  try {
    const file = join(bench.folder, 'game.zip')
    const checksum = await makeZip(file, SIZE)
    const S3_URL = await bench.bucket('uploads')
    const bare = await bareClient(S3_URL)
    const store = await createS3Storage(S3_URL)
    const game = { ...(await bench.makeGame()), checksum }
    const ours = await bench.service({ SLIPWAY_ROLES: 'api,upload', S3_URL })
    const runs = {
      'bare client': async () => void (await bare.putAnyObject('bare', await openAsBlob(file))),
      'one request': async () => void (await inOneRequest(ours.url, game, file)),
      'chunks of 16 MiB': () => inChunks(ours.url, game, file),
    }
    const speeds = new Map(Object.keys(runs).map((name) => [name, [] as number[]]))
    const cpu: number[] = []
    for (let round = 0; round <= ROUNDS; round++)
      for (const [name, run] of Object.entries(runs)) {
        const start = performance.now()
        const cpu_before = cpuSeconds(ours.child)
        await run()
        // The first round is a warm-up.
        if (round > 0) speeds.get(name)!.push(SIZE / ((performance.now() - start) / 1000))
        if (round > 0 && name === 'one request') cpu.push(cpuSeconds(ours.child) - cpu_before)
        for await (const { key } of store.list('')) await store.remove(key)
      }
    const rows = [...speeds].map(([name, all]) => ({ name, median: median(all) }))
    const results = report(`Uploading ${SIZE} MiB to an object store (target: 0.8)`, rows, 'MiB/s')
    const cpu_per_gib = ((median(cpu) * 1024) / SIZE).toFixed(2)
    process.stdout.write(
      `  processor time of the service: ${cpu_per_gib} s per GiB in one request\n`,
    )
    return results
  } finally {
    await bench.close()
  }
}
