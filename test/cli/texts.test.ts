import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import ts from 'typescript-5'
import { chooseLanguage, languages } from '../../cli/messages.ts'
import { reasons } from '../../src/core/runtime/reasons.ts'
import { readMessageFile } from '../support/message-file.ts'

const folder = join(import.meta.dirname, '../../cli')
const sources = globSync('**/*.ts', { cwd: folder, exclude: ['dist/**'] }).map((path) => ({
  path,
  text: readFileSync(join(folder, path), 'utf8'),
}))
const english = readMessageFile(join(folder, 'messages/en.ftl'))

test('every message that the uploader names exists, and every message is used', () => {
  const used = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/\b(?:t|later)\(\s*'([\w-]+)'/g)].map(([, id]) => ({ path, id: id! })),
  )
  assert.deepEqual(
    used.filter(({ id }) => !english.has(id)),
    [],
  )
  const ids = new Set(used.map(({ id }) => id))
  const of_reasons = new Set(Object.keys(reasons).map((id) => `rule-${id.replaceAll('_', '-')}`))
  assert.deepEqual(
    [...english.keys()].filter((id) => !ids.has(id) && !of_reasons.has(id)),
    [],
  )
})

test('every language has every message with the same variables', () => {
  for (const language of languages)
    assert.deepEqual(readMessageFile(join(folder, `messages/${language}.ftl`)), english, language)
})

test('every rule of the server names values that its reason has', () => {
  for (const [id, names] of english) {
    if (!id.startsWith('rule-')) continue
    const values: readonly string[] =
      reasons[id.slice('rule-'.length).replaceAll('-', '_') as keyof typeof reasons]
    for (const name of names.filter((name) => name.startsWith('$')))
      assert.ok(values.includes(name.slice(1)), `${id}: ${name}`)
  }
})

/** Texts that are no sentences for people: commands, and what only programs read. */
const notForPeople = [
  /^slipway \S/,
  /^source <\(/,
  /^ {2}(?:export|slipway) /,
  /^slipway zip worker$/,
  /^(?:builds|media) \w+$/,
  // A problem of a zip, in the words that the server uses for it.
  /^ends too early$/,
]
const programFiles = new Set(['commands/completion.ts', 'build.ts', 'zip/stored.ts'])

/** The words of literals that people could read. */
function sentencesOf({ path, text }: { path: string; text: string }): string[] {
  const sentences: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isRegularExpressionLiteral(node)) return
    if (
      ts.isStringLiteralLike(node) ||
      ts.isTemplateHead(node) ||
      ts.isTemplateMiddleOrTemplateTail(node)
    )
      if (/[A-Za-z]{2,} [a-z]{2,}/.test(node.text) && !notForPeople.some((p) => p.test(node.text)))
        sentences.push(`${path}: ${node.text}`)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true))
  return sentences
}

test('the uploader has no sentence outside its messages', () => {
  const files = sources.filter(({ path }) => !programFiles.has(path))
  assert.deepEqual(files.flatMap(sentencesOf), [])
})

test('the language comes from the locale; JSON output is English', () => {
  const languageOf = (env: Record<string, string>, ...words: string[]) => chooseLanguage(words, env)
  assert.equal(languageOf({}), 'en')
  assert.equal(languageOf({ LANG: 'de_DE.UTF-8' }), 'de')
  assert.equal(languageOf({ LANG: 'de' }), 'de')
  assert.equal(languageOf({ LANG: 'DE-at' }), 'de')
  assert.equal(languageOf({ LANG: 'deu_DE' }), 'en')
  assert.equal(languageOf({ LANG: 'fr_FR.UTF-8' }), 'en')
  assert.equal(languageOf({ LANG: 'C.UTF-8' }), 'en')
  assert.equal(languageOf({ LANG: 'de_DE', LC_MESSAGES: 'en_US' }), 'en')
  assert.equal(languageOf({ LANG: 'en_US', LC_MESSAGES: 'de_DE' }), 'de')
  assert.equal(languageOf({ LANG: 'de_DE', LC_MESSAGES: 'de_DE', LC_ALL: 'C' }), 'en')
  assert.equal(languageOf({ LC_ALL: '', LANG: 'de_DE@euro' }), 'de')
  assert.equal(languageOf({ LANG: 'de_DE' }, 'push', '--json'), 'en')
})
