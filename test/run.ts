import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { bundledFile } from '../bundle.mjs'
import { check } from './check.ts'
import { GC_FLAGS } from './support/child.ts'
import { IS_FULL_RUN } from './support/loop-count.ts'
import { startTestDatabase } from './support/runner/test-server.ts'
import { installTestPrograms } from './support/system-packages.ts'

/**
 * npm test                    compiler, linter, then every test
 * npm test -- test/accounts   only the tests below a path, without compiler and linter
 */
const root = join(import.meta.dirname, '..')
const selected = process.argv.slice(2)
const files = (selected.length ? selected : ['test'])
  .flatMap((path) => (path.endsWith('.ts') ? [path] : globSync(`${path}/**/*.test.ts`)))
  .sort()
const started = performance.now()
const FILES_PER_PROCESS = 16
const LONG_FILES_PER_PROCESS = 4
const preloaded = ['without-async-hooks.ts', 'relative-imports.ts']

if (!selected.length && !check(false)) process.exit(1)
const missing = installTestPrograms()
const folder = mkdtempSync(join(memoryFolder() ?? tmpdir(), 'slipway-test-'))
const temporary = join(folder, 'tmp')
mkdirSync(temporary)
// Programs that tests start as other users, such as nginx, use files in it.
chmodSync(folder, 0o711)
chmodSync(temporary, 0o1777)
const durations = join(folder, 'durations.jsonl')
// Before the tests that run it, which would all make it at once.
await bundledFile('src/main.ts')
const database = await startTestDatabase(folder)

const code = await run(groupFiles(files, join(folder, 'groups')))

await database.stop()
printSlowest()
rmSync(folder, { recursive: true, force: true })
if (missing.length)
  process.stderr.write(
    `\nSome tests were not run because this machine lacks ${missing.join(', ')}. ` +
      'Install them, or run as root on Debian.\n',
  )
process.exitCode = code

/**
 * Several files share a process, because loading the service takes a second of CPU in each. A file
 * that sets the clock has its own: services of other files in the process would see that clock. The
 * longest files come first, a few in each process, so that none of them is left to the end.
 */
function groupFiles(paths: string[], target: string): string[] {
  if (paths.length <= availableParallelism()) return paths
  const setsClock = (path: string) => readFileSync(path, 'utf8').includes('mock.timers')
  const isLong = (path: string) => /constellation\/faults|system\/|object-store\.test/.test(path)
  const [clocks, others] = partition(paths, setsClock)
  const [long, short] = partition(others, isLong)
  const groups = [
    ...inGroups(long, LONG_FILES_PER_PROCESS),
    ...inGroups(clocks, 1),
    ...inGroups(short, FILES_PER_PROCESS),
  ]
  mkdirSync(target)
  return groups.map((group, index) => {
    const urls = group.map((path) => pathToFileURL(resolve(root, path)).href)
    const file = join(target, `${String(index + 1).padStart(3, '0')}.test.mjs`)
    // Static, so that all of them are loaded before a test runs: the runner would otherwise call the
    // hooks for the end of all tests when those of the first files have ended.
    writeFileSync(file, urls.map((url) => `import ${JSON.stringify(url)}\n`).join(''))
    return file
  })
}

function inGroups(paths: string[], size: number): string[][] {
  return Array.from({ length: Math.ceil(paths.length / size) }, (_, index) =>
    paths.slice(index * size, (index + 1) * size),
  )
}

function partition<Item>(items: Item[], test: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(test), items.filter((item) => !test(item))]
}

/**
 * Runs test files, and answers the exit code. One more process than cores, because tests also wait:
 * for timers, for a program that starts, for a retry.
 */
async function run(paths: string[]): Promise<number> {
  if (!paths.length) return 0
  const runner = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      ...GC_FLAGS,
      ...preloaded.map((name) => `--import=${join(root, 'test/support/runner', name)}`),
      '--test',
      // A socket or thread that a test left open would keep its process, and so the run, for ever.
      '--test-force-exit',
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      `--test-reporter=${join(root, 'test/support/runner/slowest-reporter.ts')}`,
      '--test-reporter-destination=stderr',
      `--test-timeout=${testTimeout()}`,
      `--test-concurrency=${availableParallelism() + 1}`,
      ...paths,
    ],
    {
      stdio: 'inherit',
      env: {
        // Without the cache every process compiles the whole service.
        NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compile'),
        ...process.env,
        ...(isRoomy(folder) && { TMPDIR: temporary }),
        TEST_DATABASE_URL: database.url,
        TEST_MISSING_PROGRAMS: missing.join(','),
        TEST_DURATIONS: durations,
      },
    },
  )
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => runner.kill(signal))
  const [code] = await once(runner, 'exit')
  return code ?? 1
}

/** A test that hangs is reported by name after this time. */
function testTimeout(): number {
  return (IS_FULL_RUN ? 120 : 30) * 60_000
}

/**
 * Every test has a database of its own, a thousand small files. In memory, creating it takes a
 * tenth of the time; used only where there is room for many.
 */
function memoryFolder(): string | undefined {
  const path = '/dev/shm'
  try {
    accessSync(path, constants.W_OK)
    const { bavail, bsize } = statfsSync(path)
    return bavail * bsize > 4 * 1024 ** 3 ? path : undefined
  } catch {
    return undefined
  }
}

/** Whether a folder has room for the files of the tests too, which are faster in memory. */
function isRoomy(path: string): boolean {
  const { bavail, bsize } = statfsSync(path)
  return bavail * bsize > 8 * 1024 ** 3
}

function printSlowest() {
  if (!existsSync(durations)) return
  const tests = readFileSync(durations, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { path: string; name: string; ms: number })
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1).padStart(7)} s`
  process.stdout.write('\nSlowest tests:\n')
  for (const { path, name, ms } of tests.sort((a, b) => b.ms - a.ms).slice(0, 10))
    process.stdout.write(`${seconds(ms)}  ${path}: ${name}\n`)
  process.stdout.write(`${seconds(performance.now() - started)}  total, ${tests.length} tests\n`)
}
