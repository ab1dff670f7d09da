import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type ReasonId, reasons } from '../../../src/core/runtime/reasons.ts'
import { languageNames } from '../../../src/core/text/languages.ts'
import { hasMessage } from '../../../src/core/text/messages.ts'
import { writeText } from '../../../src/core/text/text.ts'
import { messageIdOf, reasonText } from '../../../src/web/reason-text.ts'
import { browser } from '../browser.ts'
import { startStore } from '../fixtures.ts'

const ids = Object.keys(reasons) as ReasonId[]
const languages = Object.keys(languageNames)
const sampleOf = (id: ReasonId) => Object.fromEntries(reasons[id].map((name) => [name, 7]))

test('pages have a sentence for every reason, in every language', () => {
  for (const id of ids) {
    const text = reasonText({ id, values: sampleOf(id) })
    assert.ok(text, `no sentence for the reason ${id}`)
    for (const language of languages) {
      assert.ok(hasMessage(language, messageIdOf(id)), `${language}: ${messageIdOf(id)}`)
      // Fluent writes the name of a variable that has no value.
      const sentence = writeText(text, language)
      assert.doesNotMatch(sentence, /\{|undefined|NaN/, `${language}: ${id}: ${sentence}`)
    }
    assert.notEqual(writeText(text, 'de'), writeText(text, 'en'), `${id} is not translated`)
  }
})

test('every reason is given by a module', () => {
  const root = join(import.meta.dirname, '../../../src')
  const code = globSync('**/*.ts', { cwd: root, exclude: ['web/**', 'core/runtime/reasons.ts'] })
    .map((path) => readFileSync(join(root, path), 'utf8'))
    .join('\n')
  assert.deepEqual(
    ids.filter((id) => !code.includes(`'${id}'`)),
    [],
  )
})

test('a reason that pages do not know has no sentence', () => {
  for (const id of ['no_such_reason', 'constructor', '__proto__', ''])
    assert.equal(reasonText({ id }), undefined)
})

test('an error names its reasons beside the message for programmers', async (t) => {
  const app = await startStore(t, {})
  const short = { username: 'x', email: 'nobody', password: 'short' }
  const { body } = await app.call('POST', '/api/v1/private/account/register', { body: short })
  assert.match(body.error.message, /^body\.username: 4 to /)
  const [username] = body.error.reasons
  assert.equal(username.id, 'username')
  assert.equal(username.values.min, 4)
  const all = body.data.refusals.map(({ reasons: [reason] }: any) => reason.id)
  assert.deepEqual(all, ['username', 'invalid_email', 'length'])
  const missing = await app.call('POST', '/api/v1/private/account/register', { body: {} })
  assert.deepEqual(missing.body.error.reasons, [{ id: 'required' }])
  const unknown = await app.call('GET', '/api/v1/public/games/no-such-game')
  assert.deepEqual(Object.keys(unknown.body.error), ['code', 'message'])
})

test('scripts get the sentence for the reasons of an error, not for its wording', async (t) => {
  const app = await startStore(t, {})
  const visitor = browser(app)
  const sentence = async (query: Record<string, string>) => {
    const url = `/help/refusal-text?${new URLSearchParams(query)}`
    const { body } = await visitor.open(url, { 'accept-language': 'de' })
    return body.text
  }
  const list = JSON.stringify([{ id: 'max_length', values: { count: 80 } }])
  assert.equal(
    await sentence({ message: 'name: anything', reasons: list }),
    'Verwende höchstens 80 Zeichen.',
  )
  assert.match(await sentence({ message: 'x', reasons: list, file: '2' }), /^Bild 3: Verwende/)
  for (const bad of [
    '',
    'x',
    '{}',
    '[null]',
    '[{"id":7}]',
    '[{"id":"tag","values":null}]x',
    '[{"id":"tag","values":[{}]}]',
    '[{"id":"none"}]',
  ])
    assert.equal(await sentence({ message: 'something else', reasons: bad }), 'Something else.')
})
