import assert from 'node:assert/strict'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..')
const src = join(root, 'src')

/** From the ground up: a room may look down, never up. */
const rooms = [
  'core',
  'accounts',
  'listings',
  'library',
  'builds',
  'uploads',
  'scan',
  'downloads',
  'telemetry',
  'catalog',
  'press',
  'assets',
  'extstore',
  'bugs',
  'agents',
  'web',
  'admin',
]
/** Of another room only these kinds of file may be looked at: what it knows and decides, never what it does. */
const doorless = /(^|\/)(\w+-)*(routes|jobs)\.ts$/

type Import = { from: string; to: string }
const room = (path: string) => (path.includes('/') ? path.split('/')[0]! : '')

function imports(): Import[] {
  return globSync('**/*.ts', { cwd: src }).flatMap((from) => {
    const text = readFileSync(join(src, from), 'utf8')
    const found = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) => match[1]!)
    return found.map((path) => ({ from, to: relative(src, resolve(src, dirname(from), path)) }))
  })
}

/** What is wrong with one import line, if anything. */
function complaint({ from, to }: Import): string | undefined {
  const [here, there] = [room(from), room(to)]
  if (to.startsWith('..')) return to === '../package.json' ? undefined : 'leaves src'
  if (here === '' || here === there) return undefined
  if (there === '') return 'a room does not import the house itself'
  if (rooms.indexOf(there) > rooms.indexOf(here)) return `${here} stands below ${there}`
  if (doorless.test(to)) return 'routes and jobs belong to their own room'
  return undefined
}

test('rooms stack: each imports only rooms below it, and never their routes or jobs', () => {
  const wrong = imports()
    .map((line) => ({ ...line, why: complaint(line) }))
    .filter(({ why }) => why)
  // core/jobs.ts is a part of core, not a room's list of jobs.
  assert.deepEqual(
    wrong.filter(({ to }) => to !== 'core/jobs.ts'),
    [],
  )
})

test('the rule itself sees what it is meant to see', () => {
  assert.match(complaint({ from: 'core/x.ts', to: 'accounts/queries.ts' })!, /stands below/)
  assert.match(complaint({ from: 'listings/x.ts', to: 'accounts/routes.ts' })!, /their own room/)
  assert.match(complaint({ from: 'core/x.ts', to: 'service.ts' })!, /house itself/)
  assert.equal(complaint({ from: 'listings/x.ts', to: 'accounts/schemes.ts' }), undefined)
  assert.equal(complaint({ from: 'routes.ts', to: 'listings/routes.ts' }), undefined)
  assert.ok(imports().length > 50)
})

test('every folder of src is a room with a place in the stack', () => {
  const folders = readdirSync(src, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  for (const { name } of folders) assert.ok(rooms.includes(name), `src/${name}`)
})

test('SQL stands in queries and in core, and nowhere else', () => {
  const statement = /(?<![\w.])(sql|tx)(<[^`]*>)?`/
  const files = globSync('**/*.ts', { cwd: src }).filter((path) => !path.startsWith('core/') && !/(^|\/)(\w+-)*queries\.ts$/.test(path))
  assert.deepEqual(
    files.filter((path) => statement.test(readFileSync(join(src, path), 'utf8'))),
    [],
  )
})

test('only the configuration and the database supervisor read the environment', () => {
  const readers = globSync('**/*.ts', { cwd: src }).filter((path) => readFileSync(join(src, path), 'utf8').includes('process.env'))
  assert.deepEqual(readers.sort(), ['core/config.ts', 'core/embedded-postgres.ts'])
})

test('nothing exports by default, and no file only passes exports on', () => {
  for (const path of globSync('**/*.ts', { cwd: src })) {
    const text = readFileSync(join(src, path), 'utf8')
    assert.doesNotMatch(text, /^export default/m, path)
    assert.doesNotMatch(text, /^export \* from/m, path)
  }
})
