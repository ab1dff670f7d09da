import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { client } from '../../test/support/app.ts'
import { builders } from '../../test/support/builders.ts'
import { upload } from '../../test/uploads/forms.ts'
import { zip } from '../../test/uploads/zips.ts'
import { report, scratch } from '../support/harness.ts'
import { stopProcess } from '../support/processes.ts'
import { fetchPairs, type Pair } from './pairs.ts'
import { startWithUploader } from './service.ts'
import { push, type Setup } from './uploads.ts'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 2)
/** Uploads of each round while nothing else is uploaded. */
const PROBES = Number(process.env.BENCH_PROBES ?? 200)
/** A game has a limit of uploads per hour. */
const PROBES_PER_GAME = 50
const PROBE_BYTES = 200_000
/** Large programs, and ten thousand small files. */
const PAIRS = ['node', 'babylon']

/**
 * How long small uploads of another game take while a release is pushed as a delta. Target: p99 at
 * most 1.2 of what it is otherwise, which is shown for a service that does nothing else, and for
 * one that receives the same release whole. In turns, on a service that makes no patches for
 * players: those follow both kinds of uploads.
 */
export async function deltaLatency() {
  const { folder, remove } = scratch()
  const children: ChildProcess[] = []
  try {
    const env = { PATCH_BASES: '0' }
    const { child, url, program, data_dir } = await startWithUploader(folder, env)
    children.push(child)
    const setup = { http: client(url), url, program, folder, data_dir }
    await probeUploads(setup, (count) => count < PROBES)
    for (const pair of fetchPairs().filter(({ name }) => PAIRS.includes(name)))
      await compareLatency(pair, setup)
  } finally {
    for (const child of children) await stopProcess(child)
    remove()
  }
}

async function compareLatency(pair: Pair, setup: Setup) {
  const alone: number[] = []
  const whole: number[] = []
  const delta: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    alone.push(...(await probeUploads(setup, (count) => count < PROBES)))
    whole.push(...(await probeDuringPush(pair, setup, ['--whole'])))
    delta.push(...(await probeDuringPush(pair, setup, [])))
  }
  const title = (percent: number) =>
    `Small uploads of others while ${pair.name} is pushed, p${percent} (smaller is better)`
  for (const percent of [50, 99])
    report(
      title(percent),
      [
        { name: 'alone', median: percentile(alone, percent) },
        { name: 'during slipway push --whole', median: percentile(whole, percent) },
        { name: 'during slipway push', median: percentile(delta, percent) },
      ],
      'ms',
    )
}

/** The older release is in the store before; the newer one is pushed during the uploads. */
async function probeDuringPush(pair: Pair, setup: Setup, flags: string[]): Promise<number[]> {
  const a = builders(setup.http, setup.data_dir)
  const { headers } = await a.deployer(await a.listing({ owner: await a.verifiedDeveloper() }))
  const pushRelease = (folder: string, version: string, more: string[]) =>
    push(setup, headers, [folder, '--version', version, '--os', 'linux', '--wait', ...more])
  await pushRelease(pair.old, '1', ['--whole'])
  let is_pushing = true
  const pushing = pushRelease(pair.new, '2', flags).finally(() => {
    is_pushing = false
  })
  const [times] = await Promise.all([probeUploads(setup, () => is_pushing), pushing])
  return times
}

/** The milliseconds of each upload, one after the other, for as long as `goesOn`. */
async function probeUploads(
  { http, data_dir }: Setup,
  goesOn: (count: number) => boolean,
): Promise<number[]> {
  const a = builders(http, data_dir)
  const times: number[] = []
  let game: { build_id: string; key: { headers: Record<string, string> } } | undefined
  while (goesOn(times.length)) {
    if (times.length % PROBES_PER_GAME === 0) {
      const key = await a.deployer(await a.listing({ owner: await a.verifiedDeveloper() }))
      const registration = { version: '1', os: 'linux', arch: 'x86_64' }
      const { body } = await http.post('/api/v1/tool/upload/build', registration, key)
      game = { build_id: body.data.build_id, key }
    }
    const bytes = zip([{ name: 'game', body: randomBytes(PROBE_BYTES) }])
    const { build_id, key } = game!
    const started = performance.now()
    const { status } = await http.call(
      'POST',
      '/api/v1/tool/upload/files',
      upload(bytes, { build_id }, key),
    )
    times.push(performance.now() - started)
    if (status !== 201) throw new Error(`an upload was answered with ${status}`)
  }
  return times
}

const percentile = (times: number[], percent: number) =>
  times.toSorted((first, second) => first - second)[Math.floor((times.length * percent) / 100)]!
