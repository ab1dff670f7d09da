import { once } from '../../core/runtime/once.ts'
import { type BlockPosition, createMarkdownWriter, toOneLine } from './markdown-writer.ts'

/**
 * Converts untrusted HTML to Markdown or plain text. Text stays text, links lead to http and https
 * only, and images and active content are dropped with everything inside.
 *
 * This is our own code because of a measurement against unified with rehype-parse, rehype-remark,
 * remark-gfm and remark-stringify (Node 24, two ARM cores; the adapter had the same list of dropped
 * elements and the same link filter):
 *
 * | | this file | unified |
 * |---|---|---|
 * | tests of html-markdown.test.ts that pass | 9 of 9 | 4 of 9 |
 * | exact conversions in its first test | 18 of 18 | 7 of 18 |
 * | CPU time of 1,000 conversions of a page of 700 characters | 0.44 s | 3.7 s |
 * | 20,000 nested `<div>`, `<b>` or `<ul><li>` | 0.02 s | RangeError: stack overflow |
 * | 20,000 unclosed `<p><b>word` | 0.03 s | 4.5 s |
 * | packages installed | 6 (htmlparser2) | 67 |
 *
 * Some failures are only differences of style, such as `<…>` around link targets, or elements that
 * listings do not use, such as tables. The unbounded recursion on hostile input is neither.
 */

const MAX_HTML_LENGTH = 200_000
/** The cost of nested tags in the parser grows faster than their number. */
const MAX_TAGS = 10_000
const MAX_DEPTH = 24
const MAX_URL_LENGTH = 500

/** Loaded with the first import, to keep an idle process small. */
const loadParser = once(async () => (await import('htmlparser2')).Parser)

const words = (text: string) => new Set(text.split(/\s+/))
const droppedElements = words(`script style iframe noscript template object embed applet svg math
  video audio canvas head title textarea select button frameset noembed noframes xmp plaintext
  picture map dialog`)
const blockElements = words(`p div section article header footer main aside figure figcaption table
  tbody thead tr dl dt dd pre center address details summary fieldset form nav caption blockquote`)
const emphasisMarkers = new Map([
  ['strong', '**'],
  ['b', '**'],
  ['em', '*'],
  ['i', '*'],
])
const headingLevel = (name: string) => (/^h[1-6]$/.test(name) ? Number(name[1]) : 0)

/** The normalized URL of a link, or undefined if it is not allowed. */
function linkTarget(href: string | undefined): string | undefined {
  const text = (href ?? '').trim()
  if (!/^https?:\/\//i.test(text) || text.length > MAX_URL_LENGTH || /[\p{C}\s]/u.test(text))
    return undefined
  const url = URL.parse(text)
  if (!url || url.username || url.password) return undefined
  // The link is written between angle brackets, which only these characters could end.
  const escaped = url.href.replace(/[<>\\]/g, encodeURIComponent)
  return escaped.length > MAX_URL_LENGTH ? undefined : escaped
}

/** Limits the number of tags and the length. */
function truncateHtml(html: string): string {
  let end = -1
  for (let tags = 0; tags < MAX_TAGS; tags++) {
    end = html.indexOf('<', end + 1)
    if (end < 0) return html.slice(0, MAX_HTML_LENGTH)
  }
  return html.slice(0, Math.min(end, MAX_HTML_LENGTH))
}

/** An open inline element: emphasis or a link. */
type OpenInline = { name: string; start: BlockPosition; wrap: (text: string) => string }

export async function htmlToMarkdown(
  html: string,
  max_length: number,
): Promise<{ text: string; cut: boolean }> {
  const Parser = await loadParser()
  const writer = createMarkdownWriter(max_length)
  const open_inlines: OpenInline[] = []
  let dropped_depth = 0
  let depth = 0

  /** Inline markup must not extend across blocks. */
  function closeInlines() {
    for (const { start, wrap } of open_inlines.splice(0).reverse()) writer.wrap(start, wrap)
  }
  function openInline(name: string, wrap: OpenInline['wrap']) {
    if (open_inlines.some((inline) => inline.name === name)) return
    open_inlines.push({ name, start: writer.position(), wrap })
  }
  /** How the writer starts the block of an element; undefined for inline elements. */
  function blockStart(name: string): (() => void) | undefined {
    const level = headingLevel(name)
    if (level) return () => writer.heading(level)
    if (name === 'hr') return () => writer.rule()
    if (name === 'ul' || name === 'ol') return () => writer.beginList(name === 'ol')
    if (name === 'li') return () => writer.item()
    return blockElements.has(name) ? () => writer.close() : undefined
  }
  function openElement(name: string, href: string | undefined) {
    const startBlock = blockStart(name)
    if (startBlock) {
      closeInlines()
      return startBlock()
    }
    const target = name === 'a' ? linkTarget(href) : undefined
    const marker = emphasisMarkers.get(name)
    if (target) openInline('a', (text) => `[${text}](<${target}>)`)
    else if (marker) openInline(marker, (text) => `${marker}${text}${marker}`)
    else if (name === 'td' || name === 'th') writer.text(' ')
    else if (name === 'br' && writer.lineBreak() === 'block') {
      closeInlines()
      writer.close()
    }
  }
  function closeElement(name: string) {
    const is_list = name === 'ul' || name === 'ol'
    const is_heading = headingLevel(name) > 0
    if (is_list || name === 'li' || blockElements.has(name) || is_heading) {
      closeInlines()
      return is_list ? writer.endList() : writer.close({ end_item: name === 'li' || is_heading })
    }
    if (open_inlines.at(-1)?.name !== (emphasisMarkers.get(name) ?? name)) return
    const { start, wrap } = open_inlines.pop()!
    writer.wrap(start, wrap)
  }

  const parser = new Parser({
    onopentag(name, { href }) {
      if (droppedElements.has(name)) dropped_depth++
      else if (!dropped_depth && ++depth <= MAX_DEPTH) openElement(name, href)
    },
    ontext: (text) => void (dropped_depth || writer.text(text)),
    onclosetag(name) {
      if (droppedElements.has(name)) dropped_depth = Math.max(0, dropped_depth - 1)
      else if (!dropped_depth && depth-- <= MAX_DEPTH) closeElement(name)
    },
  })
  const truncated = truncateHtml(html)
  parser.end(truncated)
  closeInlines()
  const { text, cut } = writer.end()
  return { text, cut: cut || truncated.length < html.length }
}

/** Converts HTML to one line of plain text. */
export async function htmlToText(html: string): Promise<string> {
  const Parser = await loadParser()
  const parts: string[] = []
  let dropped_depth = 0
  const separator = (name: string) =>
    blockElements.has(name) || name === 'br' || name === 'li' ? ' ' : ''
  const parser = new Parser({
    onopentag(name) {
      if (droppedElements.has(name)) dropped_depth++
      else parts.push(separator(name))
    },
    ontext: (text) => void (dropped_depth || parts.push(text)),
    onclosetag(name) {
      if (droppedElements.has(name)) dropped_depth--
      else parts.push(separator(name))
    },
  })
  parser.end(truncateHtml(html))
  return toOneLine(parts.join('')).trim()
}
