import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bbcodeLink, escapeBbcode, toBbcode } from '../../src/assets/packages/bbcode.ts'
import { fc } from '../support/property.ts'

const TAG = /\[(\/?)(b|i|s|code|indent|url|lb)(=[^\]]*)?\]/y

/** Parses BBCode as an editor does: tags open and close in order, and no other bracket is left. */
function tagsOf(bbcode: string): string[] {
  const open: string[] = []
  const seen: string[] = []
  for (let at = bbcode.indexOf('['); at >= 0; at = bbcode.indexOf('[', at + 1)) {
    TAG.lastIndex = at
    const match = TAG.exec(bbcode)
    assert.ok(match, `a bracket that is not a tag: ${bbcode.slice(at, at + 30)}`)
    const [, closes, name] = match
    seen.push(name!)
    if (name === 'lb') continue
    if (closes) assert.equal(open.pop(), name, bbcode)
    else open.push(name!)
  }
  assert.deepEqual(open, [], 'a tag is not closed')
  return seen
}

test('converts each kind of Markdown to the BBCode that editors render', () => {
  for (const [markdown, bbcode] of [
    ['plain text', 'plain text'],
    ['**bold**, *slanted*, ~~gone~~', '[b]bold[/b], [i]slanted[/i], [s]gone[/s]'],
    ['# Title\n\ntext', '[b]Title[/b]\n\ntext'],
    ['one\ntwo', 'one two'],
    ['one  \ntwo', 'one\ntwo'],
    ['- a\n- b', '• a\n• b'],
    ['3. a\n4. b', '3. a\n4. b'],
    ['- a\n  - b\n- c', '• a\n    • b\n\n• c'],
    ['`a[0]`', '[code]a[lb]0][/code]'],
    ['```gd\nvar a = [1]\n```', '[code]var a = [lb]1][/code]'],
    ['> said', '[indent]said[/indent]'],
    ['> > said', '[indent]said[/indent]'],
    ['[site](https://example.com/a?b=1)', '[url=https://example.com/a?b=1]site[/url]'],
    ['https://example.com', '[url=https://example.com/]https://example.com[/url]'],
    ['![shot](https://example.com/a.png)', '[url=https://example.com/a.png]shot[/url]'],
    [
      '[![shot](https://example.com/a.png)](https://example.com)',
      '[url=https://example.com/]shot[/url]',
    ],
    ['a\n\n---\n\nb', 'a\n\nb'],
    ['| a | b |\n|---|---|\n| 1 | 2 |', '[b]a[/b]   [b]b[/b]   \n1   2'],
    ['', ''],
  ])
    assert.equal(toBbcode(markdown!), bbcode, markdown)
})

test("escapes brackets, so a developer's text never becomes a tag", () => {
  assert.equal(toBbcode('[b]not bold[/b]'), '[lb]b]not bold[lb]/b]')
  assert.equal(toBbcode('<b>text</b>'), '<b>text</b>')
  assert.equal(toBbcode('[x](javascript:alert(1))'), '[lb]x](javascript:alert(1))')
  assert.equal(toBbcode('[x](file:///etc/passwd)'), '[lb]x](file:///etc/passwd)')
  assert.equal(toBbcode('[x](res://a)'), 'x')
  assert.equal(
    toBbcode('[x](<https://example.com/a]b[c>)'),
    '[url=https://example.com/a%5Db%5Bc]x[/url]',
  )
  assert.equal(escapeBbcode('[[a]]'), '[lb][lb]a]]')
  assert.equal(bbcodeLink('[a]', 'not an address'), '[lb]a]')
})

test('property: any Markdown gives known tags, closed in order, and no unescaped brackets', () => {
  const bits = [
    '[',
    ']',
    '(',
    ')',
    '**',
    '*',
    '_',
    '~~',
    '`',
    '```\n',
    '> ',
    '- ',
    '1. ',
    '#',
    '\n',
    '\n\n',
    '    ',
    '![',
    '](http://a.b/',
    '](http://[',
    '|',
    '---',
    '\\',
    '<',
    '>',
    '[/url]',
    '[lb]',
    '[url=x]',
    'word',
    'https://x.y',
    '\u0000',
    '🎮',
  ]
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.array(fc.constantFrom(...bits), { maxLength: 60 }).map((all) => all.join('')),
      ),
      (text) => {
        tagsOf(toBbcode(text))
      },
    ),
    { numRuns: 3000 },
  )
})

test('deeply nested Markdown is converted in bounded time and size', () => {
  for (const text of [
    '> '.repeat(5000),
    '- '.repeat(5000),
    '*'.repeat(20_000),
    '['.repeat(20_000),
    '![['.repeat(6000),
    '`'.repeat(20_000),
  ]) {
    const bbcode = toBbcode(text)
    tagsOf(bbcode)
    assert.ok(bbcode.length <= 10 * text.length)
  }
})
