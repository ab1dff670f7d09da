import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  accessSync,
  constants,
  existsSync,
  globSync,
  mkdtempSync,
  rmSync,
  statfsSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { check } from './check.ts'
import { startTestDatabase } from './support/database.ts'
import { editorScript, installParts } from './support/system-packages.ts'

/**
 * npm test: compiler and linter, then every test against a real database of its own.
 * npm test -- test/accounts: only the tests below that path, without the checks.
 */
const chosen = process.argv.slice(2)
const files = (chosen.length ? chosen : ['test'])
  .flatMap((path) => (path.endsWith('.ts') ? [path] : globSync(`${path}/**/*.test.ts`)))
  .sort()

/** Each test has a database made for it, a thousand small files: in memory that takes a tenth of the time, where there is room for many. */
function roomInMemory(): string | undefined {
  const path = '/dev/shm'
  try {
    accessSync(path, constants.W_OK)
    const { bavail, bsize } = statfsSync(path)
    return bavail * bsize > 4 * 1024 ** 3 ? path : undefined
  } catch {
    return undefined
  }
}

if (!chosen.length && !check(false)) process.exit(1)
// Every test file is a process that would compile the whole service anew.
const remembered = {
  NODE_COMPILE_CACHE: join(import.meta.dirname, '../node_modules/.cache/compile'),
}
const missing = installParts()
const folder = mkdtempSync(join(roomInMemory() ?? tmpdir(), 'slipway-test-'))
const database = await startTestDatabase(folder)
let ended: NodeJS.Signals | undefined
/** What starts a dozen processes leaves nothing for others beside it, and is run by itself after them. */
const isCrowd = (path: string) => /constellation\/faults|processes|upgrade/.test(path)
/** One that hangs is named instead of taking the whole run with it. With their full counts, the loops of faults take the longer. */
const most_ms = Number(process.env.KILLS ?? 10) * 60_000
const codes = [
  await run(
    files.filter((path) => !isCrowd(path)),
    2,
  ),
  await run(files.filter(isCrowd), 1),
]

async function run(some: string[], concurrency: number): Promise<number> {
  if (!some.length || ended) return ended ? 1 : 0
  const runner = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      '--test',
      '--test-reporter=spec',
      `--test-timeout=${most_ms}`,
      `--test-concurrency=${concurrency}`,
      ...some,
    ],
    {
      stdio: 'inherit',
      env: {
        ...remembered,
        ...process.env,
        TEST_DATABASE_URL: database.url,
        TEST_MISSING_PARTS: missing.join(','),
      },
    },
  )
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      ended = signal
      runner.kill(signal)
    })
  const [code] = await once(runner, 'exit')
  return code ?? 1
}

await database.stop()
rmSync(folder, { recursive: true, force: true })
if (missing.length)
  process.stderr.write(
    `\nNot run, because this machine lacks ${missing.join(', ')}: install them, or run as root on Debian.\n`,
  )
if (!chosen.length && !existsSync(editorScript))
  process.stderr.write(
    '\nNot run: the check with a real editor, because ../shared/tools/editor-client.sh is not there.\n',
  )
process.exitCode = codes.find((code) => code !== 0) ?? 0
