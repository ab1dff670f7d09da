import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { hostileMarkdown } from '../../../bench/support/hostile-text.ts'
import { toBbcode } from '../../../src/assets/packages/bbcode.ts'
import { createMarkdown, MarkdownTooComplex } from '../../../src/core/text/bounded-markdown.ts'
import { markdown } from '../../../src/web/components/markdown.ts'

const LENGTH = 20_000

test('hostile Markdown becomes a page and BBCode of bounded length', () => {
  for (const [name, text] of hostileMarkdown(LENGTH)) {
    assert.equal(text.length, LENGTH, name)
    // Each character becomes at most an entity, or a paragraph or a link of its own.
    assert.ok(markdown(text).write().length < 16 * LENGTH, name)
    assert.ok(toBbcode(text).length < 8 * LENGTH, name)
  }
})

test('parsing gives up on tables, brackets and quotes that would take long', () => {
  const parser = createMarkdown()
  for (const text of [
    `|a|b|\n|-|-|\n${'x\n'.repeat(9000)}`,
    `${'|a'.repeat(400)}|\n${'|-'.repeat(400)}|\n${'x\n'.repeat(5000)}`,
    '['.repeat(LENGTH),
    '!['.repeat(LENGTH / 2),
    '*a '.repeat(LENGTH / 3),
    `${'> '.repeat(LENGTH / 4)}${'a\n'.repeat(LENGTH / 4)}`,
    'http://a.b '.repeat(LENGTH / 11),
    'a\n'.repeat(LENGTH / 2),
  ])
    assert.throws(() => parser.render(text), MarkdownTooComplex, text.slice(0, 20))
})

test('texts of usual markup are parsed, and a text after a refused one is too', () => {
  const parser = createMarkdown()
  for (const path of ['README.md', 'docs/interface.md', 'docs/agent-tools.md', 'CHANGELOG.md']) {
    assert.throws(() => parser.render('['.repeat(LENGTH)), MarkdownTooComplex)
    const text = readFileSync(path, 'utf8')
    for (let at = 0; at < text.length; at += LENGTH) parser.render(text.slice(at, at + LENGTH))
  }
  const rows = '| Pier | 12 | yes | a small harbor |\n'.repeat(400)
  assert.match(parser.render(`| a | b | c | d |\n|-|-|-|-|\n${rows}`), /<td>a small harbor<\/td>/)
  assert.match(parser.render('- a lantern\n'.repeat(600)), /<li>a lantern<\/li>/)
  assert.match(parser.render('Read [a](https://a.example/b) *now*. '.repeat(400)), /<em>now/)
})

test('a text that is too complex is shown as it was typed, without markup', () => {
  const text = `First <b>line</b>\nsecond & *line*\n\nNext\n \n${'['.repeat(LENGTH)}`
  const html = markdown(text).write()
  assert.match(
    html,
    /^<div class="prose"><p>First &lt;b&gt;line&lt;\/b&gt;<br>\nsecond &amp; \*line\*<\/p>\n<p>Next/,
  )
  assert.ok(html.includes('['.repeat(LENGTH)))
  assert.ok(toBbcode(text).startsWith('First <b>line</b>\nsecond & *line*\n\nNext'))
  assert.equal(toBbcode(text).replaceAll('[lb]', '[').length, text.length)
})

test('a text is rendered again for other headings only', () => {
  const text = '# Title'
  assert.match(markdown(text).write(), /<h3>Title/)
  assert.match(markdown(text, { heading_shift: 1 }).write(), /<h2>Title/)
  assert.match(markdown(text).write(), /<h3>Title/)
})
