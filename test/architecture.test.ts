import assert from 'node:assert/strict'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { test } from 'node:test'
import { importsOf } from './support/import-graph.ts'

const root = join(import.meta.dirname, '..')
const src = join(root, 'src')

/** Each module imports only modules above it in this list. */
const modules = [
  'core',
  'accounts',
  'listings',
  'library',
  'builds',
  'uploads',
  'scan',
  'downloads',
  'payments',
  'telemetry',
  'catalog',
  'press',
  'assets',
  'extstore',
  'bugs',
  'play',
  'updates',
  'personal-data',
  'moderation',
  'operator',
  'agents',
  'web',
  'admin',
]
/** A module's routes and jobs are its own; only pages and tools call the routes of others. */
const privateFile = /(^|\/)(\w+-)*(routes|jobs)\.ts$/
const routeFile = /(^|\/)(\w+-)*routes\.ts$/
const routeCallers = ['agents', 'web']
/** Files per folder, beyond which a folder is split by concept. */
const FOLDER_LIMIT = 20

type Import = { from: string; to: string }
const moduleOf = (path: string) => (path.includes('/') ? path.split('/')[0]! : '')

function imports(): Import[] {
  return globSync('**/*.ts', { cwd: src }).flatMap((from) =>
    importsOf(src, from).map((to) => ({ from, to })),
  )
}

/** Why an import is not allowed, or undefined. */
function violation({ from, to }: Import): string | undefined {
  const importer = moduleOf(from)
  const imported = moduleOf(to)
  if (to.startsWith('..')) return to === '../package.json' ? undefined : 'leaves src'
  if (importer === '' || importer === imported) return undefined
  if (imported === '') return 'a module does not import the program that assembles it'
  if (modules.indexOf(imported) > modules.indexOf(importer))
    return `${imported} is built on ${importer}`
  if (routeFile.test(to) && routeCallers.includes(importer)) return undefined
  if (privateFile.test(to)) return 'routes and jobs are private to their module'
  return undefined
}

test('a module imports only modules above it, and never their routes or jobs', () => {
  const violations = imports()
    .map((line) => ({ ...line, why: violation(line) }))
    .filter(({ why }) => why)
  assert.deepEqual(violations, [])
})

test('the import rule catches each kind of violation', () => {
  assert.match(violation({ from: 'core/http/x.ts', to: 'accounts/people/queries.ts' })!, /built on/)
  assert.match(violation({ from: 'listings/x.ts', to: 'accounts/people/routes.ts' })!, /private/)
  assert.match(violation({ from: 'web/x.ts', to: 'accounts/jobs.ts' })!, /private/)
  assert.match(violation({ from: 'core/http/x.ts', to: 'service.ts' })!, /assembles/)
  assert.equal(violation({ from: 'web/x.ts', to: 'accounts/people/routes.ts' }), undefined)
  assert.equal(violation({ from: 'listings/x.ts', to: 'accounts/sessions/schemes.ts' }), undefined)
  assert.equal(violation({ from: 'routes.ts', to: 'listings/listing/routes.ts' }), undefined)
  assert.ok(imports().length > 50)
})

test('every folder of src is a module with a place in the list', () => {
  const folders = readdirSync(src, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  for (const { name } of folders) assert.ok(modules.includes(name), `src/${name}`)
})

test('no folder holds more files than a reader can take in', () => {
  for (const top of ['src', 'cli', 'bench', 'sim', 'demo', 'test']) {
    const folders = new Map<string, number>()
    for (const path of globSync('**/*.{ts,mjs}', { cwd: join(root, top) })) {
      const folder = join(top, dirname(path))
      folders.set(folder, (folders.get(folder) ?? 0) + 1)
    }
    for (const [folder, files] of folders)
      assert.ok(files <= FOLDER_LIMIT + 2, `${folder}: ${files}`)
  }
})

test('the architecture guide lists every file of core, every module and its folders', () => {
  const guide = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
  for (const path of globSync('core/**/*.ts', { cwd: src }))
    assert.ok(guide.includes(`\`${basename(path)}\``), path)
  for (const name of modules) {
    const row = guide.split('\n').find((line) => line.startsWith(`| \`${name}\` |`))
    assert.ok(row, name)
    if (name === 'core') continue
    for (const folder of globSync(`${name}/*/`, { cwd: src }))
      assert.match(row, new RegExp(`\`${basename(folder)}/`), folder)
  }
})

test('only queries and core contain SQL', () => {
  const statement = /(?<![\w.])(sql|tx)(<[^`]*>)?`/
  const files = globSync('**/*.ts', { cwd: src }).filter(
    (path) => !path.startsWith('core/') && !/(^|\/)(\w+-)*queries\.ts$/.test(path),
  )
  assert.deepEqual(
    files.filter((path) => statement.test(readFileSync(join(src, path), 'utf8'))),
    [],
  )
})

test('only the configuration and the embedded database read the environment', () => {
  const readers = globSync('**/*.ts', { cwd: src }).filter((path) =>
    readFileSync(join(src, path), 'utf8').includes('process.env'),
  )
  assert.deepEqual(readers.sort(), ['core/database/embedded/program.ts', 'core/runtime/config.ts'])
})

test('no file has a default export or re-exports another file', () => {
  for (const path of globSync('**/*.ts', { cwd: src })) {
    const text = readFileSync(join(src, path), 'utf8')
    assert.doesNotMatch(text, /^export default/m, path)
    assert.doesNotMatch(text, /^export \* from/m, path)
  }
})
