import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Parser } from 'htmlparser2'
import markdownIt from 'markdown-it'
import { htmlToMarkdown, htmlToText } from '../../../src/extstore/import/html-markdown.ts'
import { fc } from '../../support/property.ts'

const MAX = 20_000
const markdown = async (html: string, max = MAX) => (await htmlToMarkdown(html, max)).text
/** The most permissive renderer, which passes raw HTML through. */
const permissive = markdownIt({ html: true, linkify: false })

test('converts headings, paragraphs, line breaks, lists, emphasis and links', async () => {
  const pairs = [
    ['<h2>Light the keep</h2><p>Climb.<br>Repair.</p>', '## Light the keep\n\nClimb.\\\nRepair.'],
    ['<h1>A</h1>b<h6>c</h6>', '# A\n\nb\n\n###### c'],
    ['one<br><br>two<br/><br /><br>three', 'one\n\ntwo\n\nthree'],
    ['<ul class="bb_ul"><li>one</li><li><p>two</p></li></ul>after', '- one\n- two\n\nafter'],
    ['<ol><li>a<li>b</ol>', '1. a\n2. b'],
    ['<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>', '- a\n  - b\n- c'],
    ['<ol><li>a<ul><li>b</li></ul></li></ol>', '1. a\n    - b'],
    ['<ul><li><ul><li>only inside</li></ul></li></ul>', '- only inside'],
    [
      'a <b>bold</b>, <strong> spaced </strong>and <i>slanted <b>both</b></i>',
      'a **bold**, **spaced** and *slanted **both***',
    ],
    ['<a href="https://a.example/x?y=1&amp;z=2">here</a>', '[here](<https://a.example/x?y=1&z=2>)'],
    ['a<hr>b', 'a\n\n---\n\nb'],
    ['<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>', 'a b\n\nc'],
    ['  lots \n of\t space&nbsp;  here ', 'lots of space here'],
    ['Tom &amp; Jerry &lt;3 &#128512;', 'Tom \\& Jerry \\<3 😀'],
    ['<h2>two<br>lines</h2>', '## two lines'],
    ['<b></b><i> </i><p></p><ul><li></li></ul><h2></h2>', ''],
    ['<constructor>a</constructor> <b>b</b> <toString>c</toString>', 'a **b** c'],
    ['', ''],
  ] as const
  for (const [html, expected] of pairs) assert.equal(await markdown(html), expected, html)
})

test('drops images, frames, scripts, styles and videos with their content', async () => {
  const dropped = [
    'script',
    'style',
    'iframe',
    'video',
    'object',
    'svg',
    'template',
    'noscript',
    'textarea',
    'title',
    'button',
  ]
  for (const name of dropped)
    assert.equal(await markdown(`a<${name}>evil <b>x</b></${name}>b`), 'ab', name)
  assert.equal(
    await markdown('a<img src="https://a.example/x.png" onerror="x">b<embed src="x">c<!-- d -->e'),
    'abce',
  )
  assert.equal(await markdown('a<script>never closed <p>b'), 'a')
  assert.equal(await htmlToText('a<script>b</script>c<style>d'), 'ac')
})

test('keeps only http and https links', async () => {
  const bad = [
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    '//evil.example',
    '/relative',
    '#here',
    '',
    'mailto:a@b.example',
    'https://user:pass@a.example/',
    'https://',
    'ht tps://a.example',
    'https://a.example/\u0000',
    'https://a.example/\u202e',
    `https://a.example/${'x'.repeat(600)}`,
  ]
  for (const href of bad) {
    assert.equal(await markdown(`<a href="${href}">words</a>`), 'words', href)
  }
  assert.equal(
    await markdown('<a href="https://a.example/>)x<y\\z">words</a>'),
    '[words](<https://a.example/%3E)x%3Cy/z>)',
  )
  // A backslash before the closing bracket would escape it.
  assert.equal(
    await markdown('<a href="https://a.example/?x\\">words</a>'),
    '[words](<https://a.example/?x%5C>)',
  )
  assert.equal(await markdown('<a>words</a>'), 'words')
  assert.equal(
    await markdown('Look!<a href="https://a.example">here</a>'),
    'Look\\![here](<https://a.example/>)',
  )
})

test('escapes text that looks like markup', async () => {
  const texts = [
    '# no heading',
    '1. no list',
    '1) no list',
    '- no list',
    '+ no list',
    '* no list',
    '> no quote',
    '---',
    '===',
    '***',
    '```',
    '~~~',
    '    code',
    '[a](https://x.example)',
    '![a](https://x.example)',
    '<b>x</b>',
    '&lt;',
    '&copy;',
    '`x`',
    '**x**',
    '_x_',
    '| a | b |',
    '\\',
    'https://x.example',
    '[x]: https://x.example',
    '<https://x.example>',
  ]
  for (const text of texts) {
    const html = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
    for (const around of [
      `<p>${html}</p>`,
      `a<br>${html}`,
      `<ul><li>${html}</li></ul>`,
      `<p>a</p>${html}`,
      `<b>${html}</b>`,
    ]) {
      assert.equal(visibleText(await markdown(around)).replace(/^a /, ''), text.trim(), around)
    }
  }
  // Entities split the text into several parts.
  assert.equal(await markdown('1&#46; x'), '1\\. x')
  assert.equal(await markdown('&#45; x'), '\\- x')
})

/** The visible text of rendered Markdown, in one line. */
function visibleText(text: string): string {
  const parts: string[] = []
  const parser = new Parser({
    ontext: (words) => parts.push(words),
    onopentag: (name) => void (/^(p|br|li|h\d)$/.test(name) && parts.push(' ')),
  })
  parser.end(permissive.render(text))
  return parts.join('').replace(/\s+/g, ' ').trim()
}

const names = (
  'p b i strong em a ul ol li h1 h3 ' + 'br hr div table tr td script img iframe svg blockquote x'
).split(' ')
const pieces = fc.oneof(
  fc.constantFrom(...names).map((name) => `<${name}>`),
  fc.constantFrom(...names).map((name) => `</${name}>`),
  fc.constantFrom(
    '<a href="javascript:x">',
    '<a href="https://a.example/?a=)&b=]">',
    '<img src=x onerror=alert(1)>',
    '<!--',
    '-->',
    '<![CDATA[',
    "<a href='\"><script>'>",
  ),
  fc.constantFrom(
    '&lt;',
    '&#60;',
    '&#x3c;',
    '&amp;',
    '&#91;',
    '&#33;',
    '&#10;',
    '&#8232;',
    '&#0;',
    '&#xd800;',
    '&nbsp;',
  ),
  fc.string({ unit: fc.constantFrom(...'ab \n*_[]()!<>#-+.1~`|\\&:/"\'=^'), maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 6 }),
)
const html = fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join(''))
const harmless = new Set('p br strong em a ul ol li h1 h2 h3 h4 h5 h6 hr'.split(' '))

test('any HTML gives only harmless markup, even for a reader with raw HTML enabled', async () => {
  await fc.assert(
    fc.asyncProperty(html, async (input) => {
      const text = await markdown(input)
      assert.ok(!/(?![\n])[\p{Cc}\p{Cs}]/u.test(text), 'control characters')
      const parser = new Parser({
        onopentag(name, attributes) {
          assert.ok(harmless.has(name), `${name} from ${JSON.stringify(text)}`)
          for (const [key, value] of Object.entries(attributes)) {
            if (name === 'ol' && key === 'start') continue
            assert.deepEqual([name, key, /^https?:\/\//.test(value)], ['a', 'href', true])
          }
        },
      })
      parser.end(permissive.render(text))
    }),
    { numRuns: 1500 },
  )
})

test('any text is rendered as written', async () => {
  const words = fc.string({
    unit: fc.constantFrom(...'ab *_[]()!<>#-+.1~`|\\&:"\'=^'),
    minLength: 1,
    maxLength: 30,
  })
  await fc.assert(
    fc.asyncProperty(fc.array(words, { minLength: 1, maxLength: 4 }), async (paragraphs) => {
      const escaped = paragraphs
        .map((text) => `<p>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</p>`)
        .join('')
      assert.equal(
        visibleText(await markdown(escaped)),
        paragraphs.join(' ').replace(/\s+/g, ' ').trim(),
      )
    }),
    { numRuns: 1000 },
  )
})

test('limits the length in characters, cuts after a word and reports it', async () => {
  for (const [input, max] of [
    ['word '.repeat(100), 50],
    ['<p>word</p>'.repeat(100), 50],
    ['x'.repeat(500), 50],
    ['😀'.repeat(500), 50],
    ['*'.repeat(500), 51],
  ] as const) {
    const { text, cut } = await htmlToMarkdown(input, max)
    assert.ok(cut)
    assert.ok([...text].length <= max && [...text].length > max / 3, text)
    assert.ok(!/\\…$/.test(text))
  }
  assert.deepEqual(await htmlToMarkdown('a b', 3), { text: 'a b', cut: false })
  assert.deepEqual((await htmlToMarkdown('a bc', 3)).cut, true)
})

test('converts deeply nested and very long HTML in linear time', async () => {
  for (const piece of [
    '<div>',
    '<b>',
    '<ul><li>',
    '<b>a</b>',
    '</p>',
    '<a href="https://a.example">!',
    '<script>',
    '<',
    '&',
    'x<br>',
  ]) {
    const { text } = await htmlToMarkdown(piece.repeat(400_000 / piece.length), MAX)
    assert.ok([...text].length <= MAX, piece)
  }
})

test('cuts a long run of backslashes in linear time', async () => {
  const { user } = process.cpuUsage()
  for (const piece of ['\\', '\\ ', '!', '1. '])
    assert.equal(
      (await htmlToMarkdown(piece.repeat(30_000).concat('x'.repeat(45_000)), 70_000)).cut,
      true,
      piece,
    )
  // Processor time; rescanning from every backslash takes several times as long.
  assert.ok(process.cpuUsage().user - user < 3_000_000)
})
