import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Random } from '../../demo/random.ts'
import type { Constellation } from '../constellation/constellation.ts'
import { eventually } from '../support/app.ts'
import { cleanup } from '../support/cleanup.ts'
import { limitFilesOf } from './limit-files.ts'

type Process = Constellation['processes'][number]
export type SoakProcess = Process & { clock_file: string }
/** `run` returns whether the fault happened: some machines do not allow all of them. */
export type SoakFault = { name: FaultName; run: () => Promise<boolean> }
export type FaultName = (typeof faultNames)[number]
export const faultNames = [
  'clock step',
  'slow disk',
  'out of memory',
  'few file descriptors',
] as const

/** Less than the five minutes for which links to files are valid, by the clock of any process. */
const MAX_CLOCK_STEP_SECONDS = 90
/** A smaller step cannot be distinguished from the rounding of the Date header. */
const MIN_CLOCK_STEP_SECONDS = 5
const CLOCK_TOLERANCE_MS = 3_000
/** The library reads its file once per second. */
const CLOCK_STEPPED_SECONDS = 10
const SYNC_DELAY_US = 100_000
/** More files than these can be opened while descriptors are short. */
const SPARE_FILES = 3
const OUT_OF_MEMORY_SECONDS = 20

/** The library that changes the clock of a process, if it is installed. */
export const clockLibrary = (): string | undefined =>
  globSync('/usr/lib/*/faketime/libfaketimeMT.so.1')[0]

/** What a process needs so that its clock can be stepped while it runs. */
export const clockSettings = (clock_file: string) => {
  const library = clockLibrary()
  writeFileSync(clock_file, '+0')
  return library
    ? {
        LD_PRELOAD: library,
        FAKETIME_TIMESTAMP_FILE: clock_file,
        FAKETIME_CACHE_DURATION: '1',
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
        DONT_FAKE_MONOTONIC: '1',
      }
    : undefined
}

type FaultOptions = {
  t: TestContext
  processes: SoakProcess[]
  /** The process that is killed; the others show slopes. */
  victim: SoakProcess
  database: Constellation['primary']
  random: Random
  /** How long each fault lasts, at most. */
  seconds: number
  log: (line: string) => void
}

export function soakFaults(options: FaultOptions): SoakFault[] {
  return [
    { name: 'clock step', run: () => stepClock(options) },
    { name: 'slow disk', run: () => slowDisk(options) },
    { name: 'out of memory', run: () => exhaustMemory(options) },
    { name: 'few file descriptors', run: () => limitFiles(options) },
  ]
}

const lasting = ({ random, seconds }: FaultOptions) => pause(random.integer(1, seconds) * 1000)

async function stepClock(options: FaultOptions): Promise<boolean> {
  const { processes, random, log } = options
  if (!clockLibrary()) return leaveOut(log, 'clock step', 'libfaketime is not installed')
  const { name, port, clock_file } = random.pick(processes)
  const size = random.integer(MIN_CLOCK_STEP_SECONDS, MAX_CLOCK_STEP_SECONDS)
  const step = random.pick([-size, size])
  log(`clock step: ${name} by ${step} seconds`)
  try {
    writeFileSync(clock_file, step < 0 ? String(step) : `+${step}`)
    if (!(await eventuallyStepped(port, step)))
      return leaveOut(log, 'clock step', `the clock of ${name} did not change`)
    await lasting(options)
    return true
  } finally {
    writeFileSync(clock_file, '+0')
  }
}

async function eventuallyStepped(port: string, step_seconds: number): Promise<boolean> {
  const deadline = performance.now() + CLOCK_STEPPED_SECONDS * 1000
  while (performance.now() < deadline) {
    const answer = await fetch(`http://127.0.0.1:${port}/ready`, {
      signal: AbortSignal.timeout(CLOCK_STEPPED_SECONDS * 1000),
    }).catch(() => undefined)
    await answer?.body?.cancel()
    const sent_at = Date.parse(answer?.headers.get('date') ?? '') - step_seconds * 1000
    if (Math.abs(sent_at - Date.now()) < CLOCK_TOLERANCE_MS) return true
    await pause(200)
  }
  return false
}

function leaveOut(log: FaultOptions['log'], fault: string, reason: string): false {
  log(`${fault}: left out, because ${reason}`)
  return false
}

/**
 * Delays every sync of the database, as a busy or dying disk does. This needs neither a control
 * group nor a device of its own, so it works in a container too, if processes may be traced.
 */
async function slowDisk(options: FaultOptions): Promise<boolean> {
  const { t, database, log } = options
  const pids = database.processIds()
  log(`slow disk: every sync of PostgreSQL takes ${SYNC_DELAY_US / 1000} ms`)
  const calls = 'fsync,fdatasync'
  const strace = spawn(
    'strace',
    [
      ...['-f', '-qq', '-o', '/dev/null', '-e', `trace=${calls}`, '-e', 'signal=none'],
      ...['-e', `inject=${calls}:delay_enter=${SYNC_DELAY_US}`],
      ...pids.flatMap((pid) => ['-p', String(pid)]),
    ],
    { stdio: 'ignore' },
  )
  cleanup(t, () => strace.kill('SIGINT'))
  const ended = once(strace, 'exit')
  await lasting(options)
  const was_traced = pids.some(isTraced)
  // It detaches from all processes.
  strace.kill('SIGINT')
  await ended
  return was_traced || leaveOut(log, 'slow disk', 'this machine forbids to trace processes')
}

function isTraced(pid: number): boolean {
  try {
    return /^TracerPid:\s+[1-9]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    // Processes of PostgreSQL come and go.
    return false
  }
}

/** Refuses all further memory to a process, until it ends. */
async function exhaustMemory({ victim, log }: FaultOptions): Promise<boolean> {
  const { child, name } = victim
  const status = readFileSync(`/proc/${child.pid()}/status`, 'utf8')
  const bytes = Number(/^VmSize:\s+(\d+) kB/m.exec(status)![1]) * 1024
  const limited = spawnSync('prlimit', ['--pid', String(child.pid()), `--as=${bytes}`])
  if (limited.status !== 0)
    return leaveOut(log, 'out of memory', 'this machine forbids to limit memory')
  const ended = await eventuallyDown(child.isUp)
  // The kernel ends a process that exceeds the memory of its control group like this.
  if (!ended) await child.kill()
  log(`out of memory: ${name} ${ended ? 'ended by itself' : 'was killed'}`)
  await child.start()
  return true
}

async function eventuallyDown(isUp: () => boolean): Promise<boolean> {
  const deadline = performance.now() + OUT_OF_MEMORY_SECONDS * 1000
  while (performance.now() < deadline && isUp()) await pause(100)
  return !isUp()
}

async function limitFiles(options: FaultOptions): Promise<boolean> {
  const { processes, random, log } = options
  const { child, name } = random.pick(processes)
  const pid = child.pid()
  const { open, lift } = limitFilesOf(pid, SPARE_FILES)
  log(`few file descriptors: ${name} may open ${SPARE_FILES} more than its ${open}`)
  try {
    await lasting(options)
    return true
  } finally {
    if (child.isUp()) lift()
  }
}

/** Waits until every process reaches all parts again. */
export const allReady = (processes: SoakProcess[]) =>
  eventually(
    'every process to be ready',
    async () => {
      const answers = await Promise.all(
        processes.map(({ http }) => http.get('/ready').catch(() => undefined)),
      )
      return answers.every((answer) => answer?.status === 200)
    },
    120,
  )
