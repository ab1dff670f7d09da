import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..')
const WIDTH = 100
const MAX_WIDTH = 140
/** The share of lines that may be wider than WIDTH: code to paste, addresses, test data. */
const MAX_WIDE_SHARE = 0.01

/** Generated files and tables of data, whose lines may have any length. */
const exempt = [/^docs\/(agent-tools|uploader-commands)\.md$/, /^package-lock\.json$/, /^patches\//]
const isTableRow = (path: string, line: string) => path.endsWith('.md') && line.startsWith('|')

const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
  .split('\0')
  .filter((path) => /\.(ts|mjs|js|css|sql|md|sh|env\.example)$/.test(path))
const read = (path: string) => readFileSync(join(root, path), 'utf8')

const linesOf = (paths: string[]) =>
  paths
    .filter((path) => !exempt.some((file) => file.test(path)))
    .flatMap((path) =>
      read(path)
        .split('\n')
        .map((line, index) => ({ at: `${path}:${index + 1}`, width: line.length, path, line })),
    )
    .filter(({ path, line }) => !isTableRow(path, line))

for (const folder of ['src', 'cli', 'test', 'bench', 'docs', 'sim', 'demo', 'sdk'])
  test(`under 1 % of the lines in ${folder} are wider than 100 columns, and none than 140`, () => {
    const lines = linesOf(tracked.filter((path) => path.startsWith(`${folder}/`)))
    const wide = lines.filter(({ width }) => width > WIDTH)
    assert.deepEqual(
      wide.filter(({ width }) => width > MAX_WIDTH).map(({ at }) => at),
      [],
    )
    assert.ok(wide.length < lines.length * MAX_WIDE_SHARE, wide.map(({ at }) => at).join('\n'))
  })

test('no line of a guide or settings file is wider than 100 columns', () => {
  const lines = linesOf(tracked.filter((path) => /^[^/]+\.(md|example)$/.test(path)))
  assert.ok(lines.some(({ path }) => path === '.env.example'))
  assert.deepEqual(
    lines.filter(({ width }) => width > WIDTH).map(({ at }) => at),
    [],
  )
})

test('every query names the columns that it reads', () => {
  const queries = tracked.filter((path) => path.startsWith('src/') && path.endsWith('.ts'))
  assert.deepEqual(
    queries.filter((path) => /\bselect\s+(?:\w+\.)?\*/i.test(read(path))),
    [],
  )
})

test('no file has the marks of an unresolved merge', () => {
  const messages = execFileSync('git', ['ls-files', '-z', 'messages'], { cwd: root }).toString()
  const paths = [...tracked, ...messages.split('\0').filter(Boolean)]
  const marked = paths.filter((path) => /^(?:<{7}|>{7}) /m.test(read(path)))
  assert.deepEqual(marked, [])
})

/** Words that say nothing about a value. A noun of the domain says what it is. */
const vagueNames = ['asked', 'one', 'told', 'mine', 'found', 'said', 'shown']
const names = vagueNames.join('|')
const declarations = [
  `\\b(?:const|let|function|type|class)\\s+(?:${names})\\b`,
  `\\b(?:const|let)\\s+[{[][^=]*\\b(?:${names})\\b[^=:]*[}\\]]\\s*=`,
  `\\((?:\\w+(?:: [^,()]*)?, )*(?:${names})(?:: [^,()]*)?(?:, \\w+(?:: [^,()]*)?)*\\)(?:: [^=]*)? =>`,
  `\\b(?:${names}) =>`,
]
const declaration = new RegExp(declarations.join('|'))

test('no variable, parameter or type has a name that says nothing', () => {
  const isCode = (line: string) => !/^\s*(\/\/|\*|\/\*)/.test(line)
  const matches = tracked
    .filter((path) => /\.ts$/.test(path))
    .flatMap((path) =>
      read(path)
        .split('\n')
        .map((line, index) => ({ at: `${path}:${index + 1}`, line }))
        .filter(({ line }) => isCode(line) && declaration.test(withoutStrings(line))),
    )
  assert.deepEqual(
    matches.map(({ at, line }) => `${at}: ${line.trim()}`),
    [],
  )
})

const withoutStrings = (line: string) => line.replaceAll(/'[^']*'|"[^"]*"|`[^`]*`/g, "''")
