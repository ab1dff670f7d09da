import { execFileSync, spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { check } from './check.ts'
import { importGraph, reachableFrom } from './support/import-graph.ts'

/**
 * npm run test:changed             the tests that uncommitted changes can affect
 * npm run test:changed -- main     the tests that changes since a revision can affect
 *
 * A test starts the whole service, so its import graph reaches every file. What it is about is
 * narrower: a test in test/builds is affected by what src/builds imports, directly or not, and by
 * what the test file itself imports apart from the service. The compiler, the linter and the tests
 * in test/ itself, which read all files, always run.
 */
const root = join(import.meta.dirname, '..')

/** Imports that lead to the whole service are not followed. */
const assembly = new Set([
  'src/service.ts',
  'src/routes.ts',
  'src/jobs.ts',
  'src/main.ts',
  'src/run-admin.ts',
])

/** Tests that use a part of the product without importing it. */
const usedWithoutImport: Record<string, string[]> = {
  cli: ['cli', 'src/uploads', 'src/builds'],
  demo: ['demo'],
  docs: ['cli', 'sim'],
  sdk: ['sdk', 'src/extstore'],
  sim: ['sim'],
  web: ['src/web', 'src/agents'],
  agents: ['src/agents', 'src/web'],
}

/** A change to one of these can affect any test. */
const affectsAll = /^(package(-lock)?\.json|run\.mjs|tsconfig\.json|migrations\/|patches\/)/
/** Pages and examples that tests read, and the files of the deployment. */
const readByTests = /^(docs\/|deploy\/|\.ci\/|\.env\.example$|[^/]+\.md$)/

export function affectedTests(changed: string[]): string[] {
  const tests = globSync('test/**/*.test.ts', { cwd: root }).sort()
  if (changed.some((path) => affectsAll.test(path) || assembly.has(path))) return tests
  const graph = importGraph(root)
  const isDocument = changed.some((path) => readByTests.test(path))
  return tests.filter((test) => {
    if (dirname(test) === 'test') return true
    const folder = test.split('/')[1]!
    if (isDocument && /docs|manual|documents|examples|system\//.test(test)) return true
    const subjects = [`src/${folder}`, ...(usedWithoutImport[folder] ?? [])]
    const isSubject = (path: string) => subjects.some((subject) => path.startsWith(`${subject}/`))
    const entries = [...graph.keys()].filter(isSubject)
    const reachable = reachableFrom(graph, [test, ...entries], assembly)
    return changed.some((path) => reachable.has(path) || isSubject(path))
  })
}

function changedFiles(base: string): string[] {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)
  return [...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')]
}

if (import.meta.main) {
  const changed = changedFiles(process.argv[2] ?? 'HEAD')
  const tests = affectedTests(changed)
  process.stdout.write(`${changed.length} changed files can affect ${tests.length} test files.\n`)
  if (!check(false)) process.exit(1)
  process.exitCode =
    spawnSync(process.execPath, [join(root, 'test/run.ts'), ...tests], {
      stdio: 'inherit',
      cwd: root,
    }).status ?? 1
}
