import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readConfig } from '../../src/core/runtime/config.ts'
import { needs } from '../support/system-packages.ts'
import { type CodeBlock, codeBlocks } from './code-blocks.ts'
import { preparations } from './pages.ts'
import { refusalsIn, runCommands } from './shell.ts'

/**
 * Every block of commands in the README and the guides is run. Blocks without a mark run here, in
 * the order of their page and in one shell. A comment on the line before a block says otherwise:
 *
 *   <!-- run by test/uploads/manual.test.ts -->   another test reads the page and runs the block,
 *                                                 ", except …" names what it leaves out
 *   <!-- not run: needs … -->                     it needs a machine that the tests do not have
 */
const root = join(import.meta.dirname, '../..')
const pages = [
  'README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]
const shells = ['sh', 'bash', 'console']
const commandsOf = (page: string) =>
  codeBlocks(page).filter(({ language }) => shells.includes(language))

test('every code block names its language, so that commands are recognized', () => {
  const unnamed = pages.flatMap((page) =>
    codeBlocks(page)
      .filter(({ language }) => !/^[a-z]+$/.test(language))
      .map(({ line }) => `${page}:${line}`),
  )
  assert.deepEqual(unnamed, [])
  const fences = (page: string) => readFileSync(join(root, page), 'utf8').match(/^ *```/gm) ?? []
  for (const page of pages) assert.equal(fences(page).length, codeBlocks(page).length * 2, page)
})

/** Returns what is wrong with the mark of a block, if anything. */
function markProblem(page: string, { mark }: CodeBlock): string | undefined {
  if (mark === undefined || /^not run: needs \w.+/.test(mark)) return undefined
  const [, path] = /^run by (test\/\S+\.test\.ts)(, except \w.+)?$/.exec(mark) ?? []
  if (!path) return `not a mark: ${mark}`
  if (!existsSync(join(root, path))) return `there is no ${path}`
  const reads_page = new RegExp(`(codeBlocks|programsOf)\\(\\s*'${page}'`)
  return reads_page.test(readFileSync(join(root, path), 'utf8'))
    ? undefined
    : `${path} does not read the page`
}

test('every mark of a block names a test that reads the page, or what the commands need', () => {
  const problems = pages.flatMap((page) =>
    commandsOf(page).flatMap((block) => {
      const problem = markProblem(page, block)
      return problem ? [`${page}:${block.line}: ${problem}`] : []
    }),
  )
  assert.deepEqual(problems, [])
})

for (const page of pages) {
  const unmarked = commandsOf(page).filter(({ mark }) => mark === undefined)
  if (!unmarked.length) continue
  test(`the commands of ${page} work`, async (t) => {
    const prepare = preparations[page]
    assert.ok(prepare, `${page}:${unmarked[0]!.line} has no mark, and no test prepares the page`)
    if (!needs(t, 'curl') || !needs(t, 'pg_dump')) return
    const { values = {}, refusals = [], check, ...machine } = await prepare(t)
    let script = unmarked.map(({ body }) => body).join('\n')
    for (const [example, value] of Object.entries(values)) {
      assert.ok(script.includes(example), `the page no longer contains: ${example}`)
      script = script.replaceAll(example, () => value)
    }
    const { code, output } = await runCommands(t, script, machine)
    assert.equal(code, 0, output)
    assert.deepEqual(refusalsIn(output), refusals, output)
    await check(output)
  })
}

test('every page that a test prepares has commands without a mark', () => {
  const stale = Object.keys(preparations).filter(
    (page) => !commandsOf(page).some(({ mark }) => mark === undefined),
  )
  assert.deepEqual(stale, [])
})

test('no page hides commands in its text, where no test runs them', () => {
  const programs = 'sudo|pg_dump|pg_restore|createdb|psql|cp|mv|mkdir|rm|curl|chown|chmod|rsync'
  const command = new RegExp(`\`(?:${programs})\\s+[^\`]+\``, 'g')
  const inline = pages.flatMap((page) => {
    const prose = readFileSync(join(root, page), 'utf8').replaceAll(/^ *```[\s\S]*?^ *```$/gm, '')
    return [...prose.matchAll(command)].map(([match]) => `${page}: ${match}`)
  })
  assert.deepEqual(inline, [])
})

/** Settings in a file of variables, or in a unit of systemd. */
const settingsOf = (body: string) =>
  body
    .trim()
    .split('\n')
    .flatMap((line) => (line.startsWith('Environment=') ? line.slice(12).split(' ') : [line]))
    .map((line) => line.replace('%i', '01').replace(/ +#.*/, ''))
    .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)] as const)

test('the service accepts the settings of every page', () => {
  const known = new Set(
    [...readFileSync(join(root, '.env.example'), 'utf8').matchAll(/^#([A-Z_0-9]+)=/gm)].map(
      ([, name]) => name,
    ),
  )
  const blocks = pages.flatMap((page) => codeBlocks(page, 'ini'))
  assert.ok(blocks.length > 3)
  for (const { body } of blocks) {
    const settings = settingsOf(body)
    for (const [name] of settings) assert.ok(known.has(name), `unknown setting ${name}`)
    const example_key = Buffer.alloc(32).toString('base64')
    readConfig(
      Object.fromEntries(settings.map(([name, value]) => [name, value.replace('…', example_key)])),
    )
  }
})

test('every npm script that a page names exists', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const named = pages.flatMap((page) =>
    [...readFileSync(join(root, page), 'utf8').matchAll(/\bnpm\s+run\s+([\w:]+)/g)].map(
      ([, script]) => script!,
    ),
  )
  assert.ok(named.length > 10)
  assert.deepEqual(
    named.filter((script) => !(script in scripts)),
    [],
  )
})
