import assert from 'node:assert/strict'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { reasons } from '../../../src/core/runtime/reasons.ts'
import { languageNames } from '../../../src/core/text/languages.ts'
import { formatMessage } from '../../../src/core/text/messages.ts'
import { messageIdOf } from '../../../src/web/reason-text.ts'
import { readMessageFile } from '../../support/message-file.ts'

const root = join(import.meta.dirname, '../../..')
const languages = Object.keys(languageNames)

/** The messages of a language by id, each with its file and the variables and tags it uses. */
function readMessages(language: string) {
  const folder = join(root, 'messages', language)
  const messages = new Map<string, { file: string; names: string[] }>()
  for (const file of readdirSync(folder))
    for (const [id, names] of readMessageFile(join(folder, file))) {
      assert.ok(!messages.has(id), `${language}/${file}: ${id} exists twice`)
      messages.set(id, { file, names })
    }
  return messages
}

const english = readMessages('en')

/** Ids made from a value, such as the label of a field. */
const DERIVED = new RegExp(
  '^(count|price|band|scan|state|value|field|hint|check|refusal|setting|policy|' +
    'invitations?|approvals|storage-kind|quota-target|release|mail-server|stored-file-state|' +
    'attention-storage)-|^brand-(logo|favicon)(-|$)',
)
const sources = globSync('src/**/*.{ts,mjs}', { cwd: root }).map((path) => ({
  path,
  text: readFileSync(join(root, path), 'utf8'),
}))

test('every message that the code names exists in English', () => {
  const unknown = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/\b(?:t|richText)\(\s*'([\w-]+)'/g)]
      .map(([, id]) => id!)
      .filter((id) => !english.has(id))
      .map((id) => `${path}: ${id}`),
  )
  assert.deepEqual(unknown, [])
})

test('every English message is used', () => {
  const code = sources.map(({ text }) => text).join('\n')
  const of_reasons = new Set(Object.keys(reasons).map(messageIdOf))
  const unused = [...english.keys()].filter(
    (id) => !DERIVED.test(id) && !of_reasons.has(id) && !code.includes(`'${id}'`),
  )
  assert.deepEqual(unused, [])
})

for (const language of languages.filter((code) => code !== 'en'))
  test(`${languageNames[language]} has every message, in the same file with the same variables`, () => {
    const translated = readMessages(language)
    const missing = [...english.keys()].filter((id) => !translated.has(id))
    assert.deepEqual(missing, [])
    const unknown = [...translated.keys()].filter((id) => !english.has(id) && !DERIVED.test(id))
    assert.deepEqual(unknown, [])
    for (const [id, message] of english) assert.deepEqual(translated.get(id), message, id)
  })

test('a message is written with its numbers and plurals in each language', () => {
  assert.equal(formatMessage('en', 'count-review', { count: 1 }), '1 review')
  assert.equal(formatMessage('en', 'count-review', { count: 1234 }), '1,234 reviews')
  assert.equal(formatMessage('de', 'count-review', { count: 1 }), '1 Rezension')
  assert.equal(formatMessage('de', 'count-review', { count: 1234 }), '1.234 Rezensionen')
})

test('the pseudo-languages accent and mirror messages, but neither tags nor values', () => {
  assert.equal(formatMessage('en-XA', 'price-free'), 'Ƒŕééé')
  assert.match(formatMessage('en-XA', 'copy-named', { name: 'key' }), /<hidden> key<\/hidden>$/)
  assert.match(formatMessage('ar-XB', 'price-free'), /\u202eFree\u202c/)
})

test('an id without a message is written as it is, in every language', () => {
  for (const language of [...languages, 'en-XA'])
    assert.equal(formatMessage(language, 'no-such-message'), 'no-such-message')
})
