import { randomBytes } from 'node:crypto'
import { Agent } from 'node:http'
import { client } from '../../test/support/app.ts'
import { builders } from '../../test/support/builders.ts'
import { zip } from '../../test/uploads/zips.ts'
import { bareClient } from '../s3-upload.ts'
import { createBench } from '../support/fixtures.ts'
import { median, report } from '../support/harness.ts'
import { publishGame, read } from './play.ts'

const FILES = Number(process.env.BENCH_FILES ?? 300)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const LARGE_MIB = Number(process.env.BENCH_MIB ?? 100)
const CONNECTIONS = 6
/** More than what is kept in memory after it was read once. */
const MEDIUM_BYTES = 256 * 1024
const MIB = 1024 * 1024

/** Runs them with as many at once as a browser has connections. */
async function inParallel(tasks: readonly (() => Promise<unknown>)[]): Promise<void> {
  const rest = [...tasks]
  const run = async () => {
    for (let task = rest.shift(); task; task = rest.shift()) await task()
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, run))
}

/** Target: 0.6 of ranged reads from the object store itself. */
export async function playFromBucket() {
  const bench = createBench()
  try {
    const medium = Array.from({ length: FILES }, (_, n) => ({
      name: `assets/${n}.bin`,
      body: randomBytes(MEDIUM_BYTES),
      method: 0,
    }))
    const bytes = zip([
      { name: 'index.html', body: Buffer.from('<!doctype html><title>Game</title>'), method: 0 },
      ...medium,
      { name: 'game.pck', body: randomBytes(LARGE_MIB * MIB), method: 0 },
    ])
    const S3_URL = await bench.bucket('play')
    const bare = await bareClient(S3_URL)
    const { url } = await bench.service({ S3_URL })
    const http = client(url)
    const { game, file_uid, host } = await publishGame(http, builders(http, bench.data_dir), bytes)
    const key = `builds/${game.uid}/${file_uid}.zip`
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
    const target = { url, host, prefix: `/${file_uid}/` }
    const fromStore = async (start: number, length: number) => {
      const answer = await bare.getObjectRaw(key, false, start, start + length)
      const { byteLength } = await answer.arrayBuffer()
      if (byteLength < length) throw new Error(`the store sent ${byteLength} of ${length} bytes`)
    }
    const runs = {
      'ranged reads from the store': {
        medium: () =>
          inParallel(medium.map((_, n) => () => fromStore(n * MEDIUM_BYTES, MEDIUM_BYTES))),
        large: () => fromStore(FILES * MEDIUM_BYTES, LARGE_MIB * MIB),
      },
      Slipway: {
        medium: () =>
          inParallel(
            medium.map(
              ({ name }) =>
                () =>
                  read(target, name, agent),
            ),
          ),
        large: () => read(target, 'game.pck', agent),
      },
    }
    for (const kind of ['medium', 'large'] as const) {
      const speeds = new Map(Object.keys(runs).map((name) => [name, [] as number[]]))
      const mib = kind === 'large' ? LARGE_MIB : (FILES * MEDIUM_BYTES) / MIB
      for (let round = 0; round <= ROUNDS; round++)
        for (const [name, run] of Object.entries(runs)) {
          const began = performance.now()
          await run[kind]()
          // The first round warms up.
          if (round > 0) speeds.get(name)!.push(mib / ((performance.now() - began) / 1000))
        }
      const rows = [...speeds].map(([name, all]) => ({ name, median: median(all) }))
      const title = kind === 'large' ? `A file of ${LARGE_MIB} MiB` : `${FILES} files of 256 KiB`
      report(`${title} out of an object store (target: 0.6)`, rows, 'MiB/s')
    }
    agent.destroy()
  } finally {
    await bench.close()
  }
}
