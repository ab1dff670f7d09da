import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { GIB, MIB } from '../../src/core/runtime/units.ts'
import { client } from '../../test/support/app.ts'
import { builders } from '../../test/support/builders.ts'
import { peakMemory } from '../../test/support/memory.ts'
import { scratch } from '../support/harness.ts'
import { stopProcess } from '../support/processes.ts'
import { createOpenGame, startWithUploader, waitForPatch } from './service.ts'

const SIZE = Math.round(Number(process.env.BENCH_GIB ?? 5) * GIB)
const MAX_MB = 600
/** One block in so many has bytes that do not compress. */
const NOISE_EVERY = 8
const POLL_MS = 100

const readText = (path: string) => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** The largest memory so far of a process, or 0 when it has ended. */
function peakOf(pid: number): number {
  try {
    return peakMemory(pid)
  } catch {
    return 0
  }
}

/** The largest memory so far of a process and of each that it started, by what they run. */
function watchMemory(pid: number, own_name: string, peaks: Map<string, number>) {
  const poll = (process_id: string, name: string) => {
    peaks.set(name, Math.max(peaks.get(name) ?? 0, peakOf(Number(process_id)) / 1e6))
    for (const child of readText(`/proc/${process_id}/task/${process_id}/children`).split(' ')) {
      const words = readText(`/proc/${child}/cmdline`).split('\0')
      const program = words.find((word) => /\.(ts|mjs)$/.test(word)) ?? words[0]
      // The database has settings of its own for its memory.
      if (child && program && !/postgres/.test(program)) poll(child, program.split('/').at(-1)!)
    }
  }
  const timer = setInterval(() => poll(String(pid), own_name), POLL_MS)
  return () => clearInterval(timer)
}

/** A large file in which zeros and noise alternate; `version` changes some of it. */
async function writeGame(folder: string, noise: Buffer, version: number): Promise<void> {
  mkdirSync(folder)
  writeFileSync(join(folder, 'game.sh'), `#!/bin/sh\necho ${version}\n`, { mode: 0o755 })
  const file = await open(join(folder, 'world.pak'), 'w')
  await file.truncate(SIZE)
  for (let block = 0; block * MIB < SIZE; block += NOISE_EVERY) {
    const bytes = Buffer.from(noise)
    bytes.writeUInt32LE(block, 0)
    if (block % 64 === 0) bytes.writeUInt32LE(version, 500_000)
    await file.write(bytes, 0, bytes.length, block * MIB)
  }
  await file.close()
}

/**
 * The memory of the uploader, the service and the client for a build with a file of 5 GiB
 * (`BENCH_GIB`): a whole upload, a delta, a patch and an update by it. Fails above 600 MB.
 */
export async function deltaMemory() {
  const { folder, remove } = scratch()
  const children: ChildProcess[] = []
  const peaks = new Map<string, number>()
  try {
    const { child, url, program, data_dir } = await startWithUploader(folder)
    children.push(child)
    const stop = watchMemory(child.pid!, 'service', peaks)
    const address = `${url}/api/v1`
    const http = client(url)
    const a = builders(http, data_dir)
    const game = await createOpenGame(http, a)
    const { headers } = game
    const run = async (step: string, args: string[]) => {
      const began = performance.now()
      const running = spawn(process.execPath, [program, ...args], {
        env: {
          PATH: process.env.PATH,
          HOME: folder,
          TMPDIR: folder,
          SLIPWAY_GAMES: join(folder, 'games'),
          SVC_API_URL: address,
          SVC_UPLOAD_URL: address,
          SVC_ACCESS_TOKEN: headers['x-access-token'],
          SVC_SECRET_KEY: headers['x-secret-key'],
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const unwatch = watchMemory(running.pid!, `slipway ${step}`, peaks)
      running.stdout.setEncoding('utf8')
      let output = ''
      running.stdout.on('data', (text: string) => {
        output += text
      })
      const [code] = await once(running, 'exit')
      unwatch()
      if (code !== 0) throw new Error(`slipway ${step} ended with ${code}: ${output}`)
      const seconds = ((performance.now() - began) / 1000).toFixed(0)
      process.stdout.write(`  ${`slipway ${step}`.padEnd(32)}${seconds} s\n`)
      return output
    }
    process.stdout.write(`\nA file of ${(SIZE / GIB).toFixed(2)} GiB\n`)
    const noise = randomBytes(MIB)
    const builds = [1, 2].map((version) => join(folder, `build-${version}`))
    const push = (step: string, version: number, more: string[] = []) =>
      run(step, [
        ...['push', builds[version - 1]!, '--version', String(version), '--os', 'linux'],
        ...['--arch', 'x86_64', '--wait', ...more],
      ])
    await writeGame(builds[0]!, noise, 1)
    await push('push (whole)', 1)
    const name = `${game.owner.username}/${game.vanity_name}`
    const platform = ['--os', 'linux', '--arch', 'x86_64']
    await run('install', ['install', name, ...platform, '--json'])
    await writeGame(builds[1]!, noise, 2)
    await push('push (delta)', 2)
    const seconds = await waitForPatch(http, game.uid)
    process.stdout.write(`  ${'a patch was ready after'.padEnd(32)}${seconds.toFixed(0)} s\n`)
    await run('update', ['update', name, '--json'])
    const game_folder = join(folder, 'games')
    const made = readdirSync(game_folder, { recursive: true, withFileTypes: true }).filter(
      (entry) => entry.name === 'world.pak',
    ).length
    if (made < 2) throw new Error('the update made no version')
    stop()
    rmSync(game_folder, { recursive: true, force: true })
    process.stdout.write('Peak memory (MB, target: under 600)\n')
    for (const [process_name, peak] of peaks)
      process.stdout.write(`  ${process_name.padEnd(32)}${peak.toFixed(0)}\n`)
    const worst = Math.max(...peaks.values())
    if (worst > MAX_MB) throw new Error(`a process used ${worst.toFixed(0)} MB`)
  } finally {
    for (const child of children) await stopProcess(child)
    remove()
  }
}
