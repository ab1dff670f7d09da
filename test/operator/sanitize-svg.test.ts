import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Parser } from 'htmlparser2'
import { drawSvg } from '../../src/operator/branding/draw-svg.ts'
import { sanitizeSvg } from '../../src/operator/branding/sanitize-svg.ts'
import { fc } from '../support/property.ts'

const XLINK = 'xmlns:xlink="http://www.w3.org/1999/xlink"'
const image = (content: string, attributes = '') =>
  `<svg xmlns="http://www.w3.org/2000/svg" ${XLINK} viewBox="0 0 9 9" ${attributes}>${content}</svg>`

function sanitized(source: string): string {
  const result = sanitizeSvg(source)
  assert.ok('text' in result, JSON.stringify(result))
  return result.text
}
const messageOf = (source: string) => {
  const result = sanitizeSvg(source)
  return 'message' in result ? result.message : ''
}

const forbidden =
  /^(script|foreignObject|image|iframe|a|animate.*|set|handler|audio|video|feImage|pattern|marker|html.*|x:.*|svg:.*)$/i
const ADDRESS = /^\s*(?:[a-z][a-z0-9+.-]*:|\/\/)/i

/** Fails if a browser that opens the image could run a script or send a request. */
function assertHarmless(text: string): void {
  assert.doesNotMatch(text, /<[!?]/, 'declarations, comments and instructions')
  const open: string[] = []
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        open.push(name)
        assert.doesNotMatch(name, forbidden)
        for (const [key, value] of Object.entries(attributes)) {
          assert.doesNotMatch(key, /^on|:|^src$|^action$|^ping$|^xmlns./i)
          if (key === 'xmlns') continue
          if (key === 'href') assert.match(value, /^#[\w.-]+$/)
          if (key !== 'style') assert.doesNotMatch(value, ADDRESS, `${key}=${value}`)
          assertLocalUrls(value)
        }
      },
      onclosetag: () => void open.pop(),
      ontext(content) {
        if (open.at(-1) !== 'style') return
        assert.doesNotMatch(content, /@|\\|<|:\s*\/\//)
        assertLocalUrls(content)
      },
    },
    { xmlMode: true },
  )
  parser.end(text)
}
const assertLocalUrls = (text: string) => {
  for (const [use] of text.matchAll(/(?:url|src|image(?:-set)?)\s*\([^)]*\)?/gi))
    assert.match(use, /^url\(\s*['"]?#[\w.-]+['"]?\s*\)$/)
}

const hostile: Record<string, string> = {
  script: '<script>alert(1)</script>',
  'script with another prefix': '<svg:script xmlns:svg="http://www.w3.org/2000/svg">x</svg:script>',
  'script of XHTML': '<h:script xmlns:h="http://www.w3.org/1999/xhtml">alert(1)</h:script>',
  'script in CDATA': '<style><![CDATA[</style><script>alert(1)</script>]]></style>',
  'script in a title': '<title>&lt;script&gt;alert(1)&lt;/script&gt;</title>',
  'upper case': '<SCRIPT>alert(1)</SCRIPT><ScRiPt href="data:,alert(1)"/>',
  'event handlers': '<path d="M0 0" onload="alert(1)" onclick="x" ONMOUSEOVER="x" onbegin="x"/>',
  foreignObject:
    '<foreignObject><body xmlns="http://www.w3.org/1999/xhtml">x</body></foreignObject>',
  'a link': '<a href="javascript:alert(1)" xlink:href="javascript:alert(1)"><path d="M0 0"/></a>',
  'an image of another host':
    '<image href="https://evil.example/a.png" xlink:href="//evil.example"/>',
  'a data image': '<image href="data:image/svg+xml,&lt;svg onload=alert(1)&gt;"/>',
  'use of another document':
    '<use href="https://evil.example/a.svg#a"/><use xlink:href="data:x#a"/>',
  'use with spaces': '<use href=" javascript:alert(1)"/><use href="&#9;java&#10;script:alert(1)"/>',
  'a style sheet of another host': '<style>@import "https://evil.example/a.css";</style>',
  'style with url':
    '<style>.a{fill:url(https://evil.example/a)} .b{mask:url(//evil.example#a)}</style>',
  'escaped url': '<style>.a{fill:u\\72l(https://evil.example)}</style>',
  'url with a comment': '<style>.a{fill:u/**/rl(https://evil.example)}</style>',
  'style attribute':
    '<path style="fill:url(https://evil.example);behavior:url(#x);background:red"/>',
  'image-set': '<path style="mask:image-set(\'https://evil.example\' 1x)" fill="src(a)"/>',
  fonts: '<style>@font-face{font-family:a;src:url(https://evil.example/a.woff)}</style>',
  'presentation attributes': '<path fill="url(https://evil.example#a)" filter="url(data:,x)"/>',
  'animation of href': '<use><animate attributeName="href" values="javascript:alert(1)"/></use>',
  'set of a handler': '<set attributeName="onload" to="alert(1)"/><animateTransform/>',
  'a base address': '<g xml:base="https://evil.example/"><use href="#a"/></g>',
  'an instruction': '<?xml-stylesheet href="https://evil.example/a.css"?><path d="M0 0"/>',
  'a filter image': '<filter id="f"><feImage href="https://evil.example/a.png"/></filter>',
  'a pattern': '<pattern id="p"><image href="https://evil.example"/></pattern>',
  'markup in a value': '<path id="a&quot;&gt;&lt;script&gt;" class="&lt;script&gt;" d="M0 0"/>',
  'an unclosed element': '<g><path d="M0 0"><script>alert(1)',
  'a nested document': '<svg onload="alert(1)"><script>alert(1)</script></svg>',
  'a comment': '<!-- <path d="M0 0"/> --><path d="M1 1"/>',
}

test('of hostile images only harmless parts are kept', () => {
  for (const [name, content] of Object.entries(hostile)) {
    const text = sanitized(image(content, 'onload="alert(1)"'))
    assert.doesNotThrow(() => assertHarmless(text), `${name}: ${text}`)
    assert.doesNotMatch(text, /evil|alert\(1\)(?!&lt;)|javascript/i, name)
  }
})

test('entities are refused, and a plain document type is left out', () => {
  const entity = '<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'
  assert.match(messageOf(entity + image('<text>&b;</text>')), /declares entities/)
  assert.match(messageOf(`<!ENTITY x SYSTEM "file:///etc/passwd">${image('')}`), /entities/)
  const type = '<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://a/b">'
  assert.doesNotMatch(sanitized(type + image('<path d="M0 0"/>')), /<[!?]/)
  assert.match(sanitized(image('<text>&lt;b&gt; &unknown;</text>')), />&lt;b&gt; &amp;unknown;</)
})

test('references that multiply are left out', () => {
  const levels = Array.from(
    { length: 20 },
    (_, i) => `<g id="l${i + 1}">${`<use href="#l${i}"/>`.repeat(10)}</g>`,
  )
  const text = sanitized(image(`<path id="l0" d="M0 0"/>${levels.join('')}<use href="#l20"/>`))
  assert.equal(text.match(/href="#l0"/g)!.length, 10)
  assert.doesNotMatch(text, /href="#l[1-9]/)
  const mask =
    '<mask id="m"><path mask="url(#m)" style="clip-path:url(#c);fill:red" d="M0 0"/></mask>'
  assert.match(sanitized(image(mask)), /<mask id="m"><path style="fill:red" d="M0 0"\/><\/mask>/)
  assert.match(messageOf(image('<g>'.repeat(60))), /too many parts/)
  assert.match(messageOf(image('<path/>'.repeat(6000))), /too many parts/)
})

test('what drawing programs export is kept', async () => {
  const exported = `<?xml version="1.0" encoding="UTF-8"?>
    <!-- Generator: a drawing program -->
    <svg id="Layer_1" xmlns="http://www.w3.org/2000/svg" ${XLINK}
      xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape" viewBox="0 0 200 100"
      style="enable-background:new 0 0 200 100;fill-rule:evenodd" inkscape:version="1.3">
      <defs>
        <style>.cls-1{fill:#1b6f5c;stroke:none} .cls-1, #b { opacity : .5 }</style>
        <linearGradient id="g" gradientUnits="userSpaceOnUse" x2="1e2"><stop offset="0"
          stop-color="rgb(10%, 20%, 30%)"/><stop offset="100%" style="stop-color:#fff"/>
        </linearGradient>
        <linearGradient id="h" xlink:href="#g"/>
        <clipPath id="clip0"><rect width="200" height="100" fill="white"/></clipPath>
      </defs>
      <metadata><rdf/></metadata>
      <g clip-path="url(#clip0)" transform="matrix(1,0,0,1,-4.5,1e-3)">
        <path class="cls-1" d="M10-5.3c0,1 2.5.1z"/><use xlink:href="#b"/>
        <rect id="b" fill="url('#h')" width="20" height="10"/>
        <text font-family="'Open Sans', sans-serif" x="3">Größe &amp; <tspan>Mut</tspan></text>
      </g>
    </svg>`
  const text = sanitized(exported)
  for (const part of [
    'viewBox="0 0 200 100"',
    'width="512" height="256"',
    'style="fill-rule:evenodd"',
    '.cls-1{fill:#1b6f5c;stroke:none}',
    '.cls-1, #b{opacity:.5}',
    '<linearGradient id="h" href="#g"/>',
    '<g clip-path="url(#clip0)" transform="matrix(1,0,0,1,-4.5,1e-3)">',
    'd="M10-5.3c0,1 2.5.1z"',
    '<use href="#b"/>',
    'Größe &amp; <tspan>Mut</tspan>',
  ])
    assert.ok(text.includes(part), `${part} in ${text}`)
  assert.doesNotMatch(text, /inkscape|metadata|enable-background/)
  assertHarmless(text)
  assert.equal(sanitized(text), text, 'sanitizing again changes nothing')
  assert.ok(await drawSvg(text, 512))
})

const word = fc.constantFrom(
  ...[
    'svg',
    'script',
    'style',
    'g',
    'use',
    'path',
    'image',
    'a',
    'set',
    'animate',
    'foreignObject',
  ],
  ...['href', 'xlink:href', 'onload', 'fill', 'class', 'id', 'd', 'attributeName', 'to', 'xmlns'],
  ...['<', '</', '>', '/>', '=', '"', "'", '<![CDATA[', ']]>', '<!--', '-->', '<?x ', '?>', '&'],
  ...['url(', ')', '#a', 'javascript:alert(1)', '//evil', 'https://evil', ';', '{', '}', ':', '@'],
  ...['&lt;', '&#x3c;', '&amp;', '\\', '\n', '\0', ' ', '<svg viewBox="0 0 9 9">', 'data:,x'],
)
const soup = fc.array(word, { maxLength: 60 }).map((words) => words.join(''))
const attribute = fc.tuple(
  fc.constantFrom('fill', 'style', 'href', 'xlink:href', 'onload', 'class', 'mask', 'src', 'd'),
  fc.oneof(soup, fc.string()),
)
const escaped = (value: string) => value.replace(/[&<"]/g, (mark) => `&#${mark.codePointAt(0)};`)
const element = fc.tuple(
  fc.constantFrom('g', 'use', 'path', 'style', 'script', 'text', 'linearGradient', 'animate'),
  fc.array(attribute, { maxLength: 4 }),
  fc.oneof(soup, fc.string().map(escaped)),
)
const tree = fc.array(element, { maxLength: 8 }).map((parts) =>
  parts
    .map(([name, attributes, content]) => {
      const written = attributes.map(([key, value]) => `${key}="${escaped(value)}"`).join(' ')
      return `<${name} ${written}>${content}</${name}>`
    })
    .join(''),
)

test('whatever is sent, the result is harmless and stays as it is', () => {
  fc.assert(
    fc.property(fc.oneof(soup, tree), (content) => {
      const result = sanitizeSvg(image(content))
      if (!('text' in result)) return
      assertHarmless(result.text)
      assert.equal(sanitized(result.text), result.text)
    }),
    { numRuns: 2000 },
  )
})
