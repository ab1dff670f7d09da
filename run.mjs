// The one entry of every npm script. Plain JavaScript that any Node from 20 on can run: it installs what the lock file
// names if that is missing or stale, finds a Node new enough to run TypeScript directly, and hands over to it.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(fileURLToPath(import.meta.url))
const NEEDED = [24, 12]
/** The system's allocator keeps a heap for each thread, and what it once had; an idle service is meant to stay small. */
const frugal = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072' }

/** What Node made of our files the last time: without it each start compiles everything anew. */
const remembered = { NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compile') }

/** command → the file it runs, and whether it needs the development packages. */
const commands = {
  start: { file: 'src/main.ts' },
  admin: { file: 'src/admin.ts' },
  sim: { file: 'sim/main.ts' },
  cli: { file: 'cli/build.ts' },
  demo: { file: 'demo/main.ts' },
  test: { file: 'test/run.ts', dev: true },
  'test:changed': { file: 'test/changed.ts', dev: true },
  check: { file: 'test/check.ts', dev: true },
  fix: { file: 'test/check.ts', args: ['--fix'], dev: true },
  bench: { file: 'bench/run.ts', dev: true },
  faults: { file: 'test/faults.ts', dev: true },
  constellation: { file: 'test/constellation/main.ts', dev: true },
}

const [name, ...rest] = process.argv.slice(2)
const command = commands[name]
if (!command) fail(`usage: npm run ${Object.keys(commands).join(' | ')}`)

if (isStale(Boolean(command.dev))) await install(Boolean(command.dev))
process.exitCode = await run(findNode(), [
  '--disable-warning=ExperimentalWarning',
  // A small nursery keeps an idle service small. Processes that are given roles are there to be busy: with the usual one they take a sixth more events.
  ...(process.env.SLIPWAY_ROLES ? [] : ['--max-semi-space-size=2']),
  join(root, command.file),
  ...(command.args ?? []),
  ...rest,
])

/** Whether node_modules lacks something the lock file names. Optional packages count only where one is there in another version. */
function isStale(dev) {
  const locked = readJson('package-lock.json')?.packages ?? {}
  const installed = readJson('node_modules/.package-lock.json')?.packages
  if (!installed) return true
  return Object.entries(locked).some(([path, wanted]) => {
    if (path === '' || wanted.link || (wanted.dev && !dev)) return false
    const found = installed[path]
    if (!found) return !(wanted.optional || wanted.devOptional || wanted.peer)
    return found.version !== wanted.version || !existsSync(join(root, path, 'package.json'))
  })
}

async function install(dev) {
  process.stderr.write('installing packages (first start, or the lock file changed)\n')
  // npm tells its children where it is; run by hand, the one on the PATH serves.
  const npm = process.env.npm_execpath?.endsWith('.js')
    ? [process.execPath, [process.env.npm_execpath]]
    : ['npm', []]
  const flags = [
    'ci',
    dev ? '--include=dev' : '--omit=dev',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ]
  const code = await run(npm[0], [...npm[1], ...flags], ['ignore', 2, 2])
  if (code !== 0)
    fail(
      'npm ci failed; its own message stands above. Check that the npm registry can be reached, then try again.',
    )
}

function findNode() {
  if (isNewEnough(process.versions.node)) return process.execPath
  try {
    const require = createRequire(import.meta.url)
    const pkg = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
    const carried = join(
      dirname(require.resolve(`${pkg}/package.json`)),
      'bin',
      process.platform === 'win32' ? 'node.exe' : 'node',
    )
    if (existsSync(carried)) return carried
  } catch {
    // no carried Node for this platform: said below
  }
  return fail(
    `Slipway needs Node ${NEEDED.join('.')} or newer, this is ${process.versions.node}, and none is carried for ${process.platform} ${process.arch}: install Node 24 and try again.`,
  )
}

function isNewEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])
}

/** Runs to the end, handing signals down and the exit code up. */
function run(file, args, stdio = 'inherit') {
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      cwd: root,
      stdio,
      env: { ...frugal, ...remembered, ...process.env },
    })
    const forward = (signal) => child.kill(signal)
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, forward)
    child.on('error', (error) => fail(`could not run ${file}: ${error.message}`))
    child.on('exit', (code, signal) => {
      for (const forwarded of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.off(forwarded, forward)
      if (signal) process.kill(process.pid, signal)
      resolve(code ?? 1)
    })
  })
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(join(root, path), 'utf8'))
  } catch {
    return undefined
  }
}

function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
