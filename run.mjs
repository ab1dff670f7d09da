// The entry of every npm script, in plain JavaScript for any Node from 20 on. It installs the
// locked packages if they are missing or outdated, finds a Node that runs TypeScript directly, and
// starts the command with it.
import { spawn } from 'node:child_process'
import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundledFile } from './bundle.mjs'
import { applyPatches, removeOutdated } from './patches/apply.mjs'

const root = dirname(fileURLToPath(import.meta.url))
const MIN_NODE = [24, 12]
/** Keeps an idle service small: malloc otherwise keeps a heap per thread, and freed memory. */
const mallocSettings = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072' }

/** Without it every start compiles all files again. */
const compileCache = { NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compile') }

/** Command → the file it runs, and whether it needs the development packages. */
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
  soak: { file: 'test/soak/main.ts', dev: true },
}

const [name, ...rest] = process.argv.slice(2)
const command = commands[name]
if (!command) fail(`usage: npm run ${Object.keys(commands).join(' | ')}`)

removeOutdatedPackages()
if (isStale(Boolean(command.dev))) await install(Boolean(command.dev))
patchPackages()
process.exitCode = await run(findNode(), [
  '--disable-warning=ExperimentalWarning',
  // A small young generation keeps an idle service small. Processes with roles are busy ones: with
  // the default size they accept a sixth more events.
  ...(process.env.SLIPWAY_ROLES ? [] : ['--max-semi-space-size=2']),
  await bundledFile(command.file),
  ...(command.args ?? []),
  ...rest,
])

/**
 * Whether a locked package is missing. Optional ones count only if installed in another version.
 */
function isStale(dev) {
  const locked = readJson('package-lock.json')?.packages ?? {}
  const installed = readJson('node_modules/.package-lock.json')?.packages
  if (!installed) return true
  return Object.entries(locked).some(([path, wanted]) => {
    if (path === '' || wanted.link || (wanted.dev && !dev)) return false
    const existing = installed[path]
    if (!existing) return !(wanted.optional || wanted.devOptional || wanted.peer)
    return existing.version !== wanted.version || !existsSync(join(root, path, 'package.json'))
  })
}

async function install(dev) {
  requireWritable(dev)
  process.stderr.write('installing packages (first start, or the lock file changed)\n')
  // npm tells its child processes where it is; without that, the npm in the PATH is used.
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
      'npm ci failed, see its message above. Check that the npm registry can be reached, ' +
        'then try again.',
    )
}

/** A service that may write only its data, such as that of deploy/slipway.service, cannot install. */
function requireWritable(dev) {
  try {
    accessSync(root, constants.W_OK)
    if (existsSync(join(root, 'node_modules')))
      accessSync(join(root, 'node_modules'), constants.W_OK)
  } catch {
    fail(
      `Packages are missing or outdated, and this account cannot write to ${root}. As its owner ` +
        `run: npm ci${dev ? '' : ' --omit=dev'} && node patches/apply.mjs && node bundle.mjs`,
    )
  }
}

/** After an update of Slipway, a package that has other patches is installed again. */
function removeOutdatedPackages() {
  try {
    removeOutdated(join(root, 'node_modules'))
  } catch {
    // Where the folder cannot be written, `patchPackages` says what to do.
  }
}

/** Idempotent, and needed after every install. */
function patchPackages() {
  try {
    applyPatches(join(root, 'node_modules'))
  } catch (error) {
    fail(error.message)
  }
}

function findNode() {
  if (isNewEnough(process.versions.node)) return process.execPath
  try {
    const require = createRequire(import.meta.url)
    const pkg = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
    const bundled = join(
      dirname(require.resolve(`${pkg}/package.json`)),
      'bin',
      process.platform === 'win32' ? 'node.exe' : 'node',
    )
    if (existsSync(bundled)) return bundled
  } catch {
    // There is no bundled Node for this platform: reported below.
  }
  return fail(
    `Slipway needs Node ${MIN_NODE.join('.')} or newer. This is ${process.versions.node}, and ` +
      `none is bundled for ${process.platform} ${process.arch}: install Node 24 and try again.`,
  )
}

function isNewEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > MIN_NODE[0] || (major === MIN_NODE[0] && minor >= MIN_NODE[1])
}

/** Runs a program to its end, forwards signals to it and returns its exit code. */
function run(file, args, stdio = 'inherit') {
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      cwd: root,
      stdio,
      env: { ...mallocSettings, ...compileCache, ...process.env },
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
