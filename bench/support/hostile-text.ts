/** Texts that take parsers far longer than their length suggests, each exactly `length` long. */
export function hostileMarkdown(length: number): Map<string, string> {
  const half = length / 2
  const texts = new Map<string, string>()
  for (const unit of markdownUnits) texts.set(JSON.stringify(unit), fill(unit, length))
  for (const [opening, closing] of markdownPairs)
    texts.set(
      `${JSON.stringify(opening)}, then ${JSON.stringify(closing)}`,
      fill(opening, half) + fill(closing, length - half),
    )
  for (const columns of [8, 64, 500, 3000])
    for (const row of ['x\n', '|\n', `${'|a'.repeat(columns)}\n`]) {
      const head = `${'|a'.repeat(columns)}|\n${'|-'.repeat(columns)}|\n`
      texts.set(
        `table of ${columns} columns, rows ${JSON.stringify(row.slice(0, 8))}`,
        fit(head, row, length),
      )
    }
  texts.set(
    'backticks in growing number',
    growing((i) => `${'`'.repeat(i)}a`, length),
  )
  texts.set(
    'lists in lists',
    growing((i) => `${'  '.repeat(i)}- a\n`, length),
  )
  texts.set(
    'quotes in quotes',
    growing((i) => `${'>'.repeat(i)} a\n`, length),
  )
  texts.set(
    'link definitions',
    growing((i) => `[${i}]: a\n`, half) + growing((i) => `[${i}]`, half),
  )
  return texts
}

export const hostileHtml = (length: number): Map<string, string> =>
  new Map(htmlUnits.map((unit) => [JSON.stringify(unit), fill(unit, length)]))

const fill = (unit: string, length: number) =>
  unit.repeat(Math.ceil(length / unit.length)).slice(0, length)
const fit = (head: string, rest: string, length: number) =>
  (head + fill(rest, length)).slice(0, length)
function growing(part: (index: number) => string, length: number): string {
  let text = ''
  for (let index = 1; text.length < length; index++) text += part(index)
  return text.slice(0, length)
}

const markdownUnits = [
  ...['[', '![', '[a](', '[a](b', '[a]', '[a][', '[[a]', '[]()', '[a](<', '[a](b "', '[![a](b)'],
  ...['[\n', '[a\n', '[a]: b\n', '[a]: <b\n', '[a]:', '[*', '[`', '*[', '[_', '](', '](a)', '[]('],
  ...['[a](&', '[a](%', '![a](b)', '<', '<a:', '<http://a', '<!--', '<![CDATA[', '<b>'],
  ...['`', '`a', '``a`', '```\n', '~~~\n', '*', '*a', '**a', '*a **a ', '_a', '*a_', 'a*b', 'a_b_'],
  ...['*_', 'a***b ', '~~', '~~a', '*~~', '&', '&amp', '&#', '&a;', '\\', '\\[', '\\\n'],
  ...['>', '> ', '>\n', '> a\n\n', '- ', '- a\n', '-\n', '1. ', '1. a\n', '* * ', '>- ', '- > '],
  ...['#', '# a\n', '=\n', 'a\n=\n', '---\n', '    a\n', 'a\n', 'a  \n', '\n', '\t', ' '],
  ...['|', '|a', '|\n', '|-', 'a|b\n', '|-|\n', ':', '@', '//', '(', '"', "'", '!', 'é', '😀'],
  ...['http://', 'http://a.', 'http://a.b ', 'http://a.b/(', 'http://a.b/((', 'http://a-'],
  ...['http://a.b/"', 'http://a.b/.', 'http://[', 'www.', 'www.a', 'a@', 'a@b', 'a@b.c ', 'a.b'],
  ...['a.com ', 'a.com/', 'mailto:a@b.c', 'x.x.x.', 'a-b.', '//a.b'],
]
const markdownPairs = [
  ['[', ']'],
  ['[', '](a)'],
  ['![', '](a)'],
  ['*', '*'],
  ['**a ', ' b**'],
  ['_', 'a_'],
  ['~~', 'a~~'],
  ['`', 'a`'],
  ['<', '>'],
  ['> ', 'a\n'],
  ['- ', 'a\n'],
  ['[', '[a]: b\n'],
  ['[a]: b\n', '[a]'],
  ['http://a.b/(', ')'],
  ['a@', '.b'],
] as const
const htmlUnits = [
  ...['<', '<a', '<a ', '<a b="', '<b>', '<b>a', '</b>', '<p>', '<p><b>a', '<ul><li>', '<ul><li>a'],
  ...['<a href="http://a.b">', '<a href="http://a.b">c', '<a href="http://a.b">!', '<!--', '<!'],
  ...['<![CDATA[', '&', '&amp', '&#', '&#x', '<script>', '<svg>', '<br>', 'a<br>', '<h1>', '<h1>a'],
  ...['<li>', '<table><tr><td>a', '<em><b>a</em>', '<b>a<i>b</b>', '\\', '*', ' ', '\n', '<hr>'],
  ...['<p>1.', '<dd>', '<ol><li>a', '<b>!', '<b> ', '<title>', '<textarea>'],
]
