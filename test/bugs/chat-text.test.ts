import assert from 'node:assert/strict'
import { test } from 'node:test'
import { escapeChatText } from '../../src/bugs/deliveries/chat-text.ts'
import { fc } from '../support/property.ts'

const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

test('chat text is escaped, stays within its length and loses only direction marks', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 80 }),
      fc.integer({ min: 2, max: 100 }),
      (text, max) => {
        const escaped = escapeChatText(text, max)
        assert.ok(escaped.length <= max)
        assert.doesNotMatch(escaped, /@(?!\u200b)|<(?!\u200b)|(?<!\\)(?:\\\\)*[*_~`|>#[\]()]/)
        const readable = escaped
          .replace(/…$/, '')
          .replaceAll(/\\(.)/g, '$1')
          .replaceAll(/([@<])\u200b/g, '$1')
        assert.ok(text.replaceAll(DIRECTION_MARKS, '').startsWith(readable) || text.endsWith('…'))
      },
    ),
  )
  for (const mark of '\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069')
    assert.equal(escapeChatText(`a${mark}b`, 9), 'ab')
})
