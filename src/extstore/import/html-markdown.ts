import { once } from '../../core/runtime/once.ts'
import { type Mark, markdownWriter, oneLine } from './markdown-writer.ts'

/**
 * HTML that somebody else wrote, as Markdown or as plain text. Text stays text, links lead to http and https only, pictures and whatever
 * could run are left out with all that is in them.
 */

const MOST_HTML = 200_000
/** Nested without end they would take the parser more than their number. */
const MOST_TAGS = 10_000
const MOST_DEPTH = 24
const MOST_LINK = 500

/** Loaded with the first import: an idle service is meant to stay small. */
const loadParser = once(async () => (await import('htmlparser2')).Parser)

const DROPPED = new Set([
  ...[
    'script',
    'style',
    'iframe',
    'noscript',
    'template',
    'object',
    'embed',
    'applet',
    'svg',
    'math',
    'video',
    'audio',
    'canvas',
    'head',
  ],
  ...[
    'title',
    'textarea',
    'select',
    'button',
    'frameset',
    'noembed',
    'noframes',
    'xmp',
    'plaintext',
    'picture',
    'map',
    'dialog',
  ],
])
const BLOCKS = new Set([
  ...[
    'p',
    'div',
    'section',
    'article',
    'header',
    'footer',
    'main',
    'aside',
    'figure',
    'figcaption',
    'table',
    'tbody',
    'thead',
    'tr',
    'dl',
  ],
  ...[
    'dt',
    'dd',
    'pre',
    'center',
    'address',
    'details',
    'summary',
    'fieldset',
    'form',
    'nav',
    'caption',
    'blockquote',
  ],
])
const EMPHASIS = new Map([
  ['strong', '**'],
  ['b', '**'],
  ['em', '*'],
  ['i', '*'],
])
const headingLevel = (name: string) => (/^h[1-6]$/.test(name) ? Number(name[1]) : 0)

/** An address that a link may have, or nothing. */
export function linkTarget(href: string | undefined): string | undefined {
  const text = (href ?? '').trim()
  if (!/^https?:\/\//i.test(text) || text.length > MOST_LINK || /[\p{C}\s]/u.test(text))
    return undefined
  const url = URL.parse(text)
  if (!url || url.username || url.password) return undefined
  // Between angle brackets nothing but these could end it.
  const spelled = url.href.replace(/[<>\\]/g, encodeURIComponent)
  return spelled.length > MOST_LINK ? undefined : spelled
}

/** As much of it as any page has. */
function bounded(html: string): string {
  let end = -1
  for (let tags = 0; tags < MOST_TAGS; tags++) {
    end = html.indexOf('<', end + 1)
    if (end < 0) return html.slice(0, MOST_HTML)
  }
  return html.slice(0, Math.min(end, MOST_HTML))
}

type Open = { name: string; mark: Mark; around: (words: string) => string }

export async function htmlToMarkdown(
  html: string,
  max: number,
): Promise<{ text: string; cut: boolean }> {
  const Parser = await loadParser()
  const out = markdownWriter(max)
  const open: Open[] = []
  let dropped = 0
  let depth = 0

  /** Marks never reach across blocks. */
  function endMarks() {
    for (const { mark, around } of open.splice(0).reverse()) out.wrap(mark, around)
  }
  function begin(name: string, around: Open['around']) {
    if (!open.some((one) => one.name === name)) open.push({ name, mark: out.mark(), around })
  }
  /** What a tag that opens a block does, once the marks of the block before are ended. */
  function blockOf(name: string): (() => void) | undefined {
    const level = headingLevel(name)
    if (level) return () => out.heading(level)
    if (name === 'hr') return () => out.rule()
    if (name === 'ul' || name === 'ol') return () => out.beginList(name === 'ol')
    if (name === 'li') return () => out.item()
    return BLOCKS.has(name) ? () => out.close() : undefined
  }
  function opened(name: string, href: string | undefined) {
    const block = blockOf(name)
    if (block) {
      endMarks()
      return block()
    }
    const target = name === 'a' ? linkTarget(href) : undefined
    const emphasis = EMPHASIS.get(name)
    if (target) begin('a', (words) => `[${words}](<${target}>)`)
    else if (emphasis) begin(emphasis, (words) => `${emphasis}${words}${emphasis}`)
    else if (name === 'td' || name === 'th') out.words(' ')
    else if (name === 'br' && out.lineBreak() === 'block') {
      endMarks()
      out.close()
    }
  }
  function closed(name: string) {
    const is_list = name === 'ul' || name === 'ol'
    if (is_list || name === 'li' || BLOCKS.has(name) || headingLevel(name)) {
      endMarks()
      return is_list
        ? out.endList()
        : out.close({ item_is_over: name === 'li' || headingLevel(name) > 0 })
    }
    const mark = EMPHASIS.get(name) ?? name
    if (open.at(-1)?.name === mark) {
      const { mark: start, around } = open.pop()!
      out.wrap(start, around)
    }
  }

  const parser = new Parser({
    onopentag(name, { href }) {
      if (DROPPED.has(name)) dropped++
      else if (!dropped && ++depth <= MOST_DEPTH) opened(name, href)
    },
    ontext: (words) => void (dropped || out.words(words)),
    onclosetag(name) {
      if (DROPPED.has(name)) dropped = Math.max(0, dropped - 1)
      else if (!dropped && depth-- <= MOST_DEPTH) closed(name)
    },
  })
  const read = bounded(html)
  parser.end(read)
  endMarks()
  const { text, cut } = out.end()
  return { text, cut: cut || read.length < html.length }
}

/** One line of plain text: tags are gone, entities are what they stand for. */
export async function htmlToText(html: string): Promise<string> {
  const Parser = await loadParser()
  const parts: string[] = []
  let dropped = 0
  const space = (name: string) => (BLOCKS.has(name) || name === 'br' || name === 'li' ? ' ' : '')
  const parser = new Parser({
    onopentag: (name) => void (DROPPED.has(name) ? dropped++ : parts.push(space(name))),
    ontext: (words) => void (dropped || parts.push(words)),
    onclosetag: (name) => void (DROPPED.has(name) ? dropped-- : parts.push(space(name))),
  })
  parser.end(bounded(html))
  return oneLine(parts.join('')).trim()
}
