/**
 * Writes Markdown from untrusted text. Every character that could start or end markup is escaped,
 * so the only markup is what these functions write. An empty line separates blocks, a line break
 * separates list items.
 */

const INVISIBLE = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu
const SPACES = /[\s\p{Zl}\p{Zp}]+/gu
const SPECIAL = /[\\`*_[\]<>#|~&^]/g
const LIST_ITEM = /^ *(?:-|\d+\.) /

const PLAIN = /^[\x20-\x7e]*$/

/** The visible text in one line. */
export const toOneLine = (text: string) =>
  PLAIN.test(text) && !text.includes('  ')
    ? text
    : text.toWellFormed().replace(INVISIBLE, ' ').replace(SPACES, ' ')

/** Escapes what would make a list, a rule or a heading at the start of a line. */
const escapeLineStart = (line: string) =>
  line.replace(/^(\d{1,9})([.)])/, '$1\\$2').replace(/^([+\-=:])/, '\\$1')

type List = { ordered: boolean; items: number; indent: number }
/** A position in the open block. */
export type BlockPosition = number

export function createMarkdownWriter(max_length: number) {
  const blocks: string[] = []
  const lists: List[] = []
  let length = 0
  let cut = false
  let parts: string[] = []
  let last_character = ''
  let prefix = ''

  function add(part: string) {
    if (!part) return
    parts.push(part)
    last_character = part.at(-1)!
  }

  /** Ends the open block. An empty list item stays open unless `end_item` is set. */
  function close({ end_item = false } = {}) {
    if (!parts.length) {
      if (end_item) prefix = ''
      return
    }
    const lines = parts
      .join('')
      .split('\n')
      .map((line) => escapeLineStart(line.trim()))
    const body = lines.filter(Boolean).join('\\\n')
    parts = []
    last_character = ''
    if (body) push(prefix, body)
    if (body || end_item) prefix = ''
  }

  function push(block_prefix: string, body: string) {
    if (cut) return
    const is_item = LIST_ITEM.test(block_prefix)
    if (is_item) lists.at(-1)!.items++
    const separator = separatorBefore(is_item)
    const available = max_length - length - separator.length - block_prefix.length
    cut = isLonger(body, available)
    if (cut && available < 2) return
    const block = separator + block_prefix + (cut ? shorten(body, available) : body)
    blocks.push(block)
    length += countCharacters(block)
  }

  function separatorBefore(is_item: boolean): string {
    const previous = blocks.at(-1)
    if (previous === undefined) return ''
    return is_item && LIST_ITEM.test(previous.trimStart()) ? '\n' : '\n\n'
  }

  return {
    text(text: string) {
      if (cut) return
      const line = toOneLine(text)
      const after_space = ['', ' ', '\n'].includes(last_character)
      add((after_space ? line.trimStart() : line).replace(SPECIAL, '\\$&'))
    },
    /** Writes a line break. A second one in a row ends the paragraph, which the caller closes. */
    lineBreak(): 'line' | 'block' {
      if (last_character === '\n') return 'block'
      if (last_character) add(prefix.startsWith('#') ? ' ' : '\n')
      return 'line'
    },
    position: (): BlockPosition => parts.length,
    /** Wraps the text since a position, if there is any. Outer spaces stay outside. */
    wrap(start: BlockPosition, wrapText: (text: string) => string) {
      const written = parts.slice(start).join('')
      const text = written.trim()
      if (!text) return
      parts.length = start
      const offset = written.indexOf(text)
      add(written.slice(0, offset))
      // An exclamation mark before a link would turn it into an image.
      if (parts.at(-1)?.endsWith('!')) parts.push(parts.pop()!.replace(/!$/, '\\!'))
      add(wrapText(text))
      add(written.slice(offset + text.length))
    },
    close,
    heading(level: number) {
      close({ end_item: true })
      prefix = `${'#'.repeat(level)} `
    },
    rule() {
      close({ end_item: true })
      if (blocks.length) push('', '---')
    },
    beginList(ordered: boolean) {
      close()
      lists.push({ ordered, items: 0, indent: indentBelow(lists.at(-1)) })
    },
    endList() {
      close({ end_item: true })
      lists.pop()
    },
    item() {
      close({ end_item: true })
      if (!lists.length) return
      const { ordered, items, indent } = lists.at(-1)!
      prefix = `${' '.repeat(indent)}${ordered ? `${items + 1}.` : '-'} `
    },
    end() {
      close({ end_item: true })
      return { text: blocks.join(''), cut }
    },
  }
}

function indentBelow(outer: List | undefined): number {
  if (!outer) return 0
  if (outer.items === 0) return outer.indent
  return outer.indent + (outer.ordered ? 4 : 2)
}

const countCharacters = (text: string) => (PLAIN.test(text) ? text.length : [...text].length)

const isLonger = (text: string, max: number) => text.length > max && countCharacters(text) > max

/**
 * Cuts between two words, or inside a word that is longer than half of the text. A backslash at the
 * end is removed, because what it escapes is gone.
 */
function shorten(text: string, max: number): string {
  const start = [...text].slice(0, Math.max(0, max - 1)).join('')
  const word_end = start.search(/\s\S*$/)
  const words = word_end > start.length / 2 ? start.slice(0, word_end) : start
  // A loop, because a pattern anchored at the end takes quadratic time on many backslashes.
  let end = words.length
  while (end > 0 && /[\\\s]/.test(words[end - 1]!)) end--
  return `${words.slice(0, end)}…`
}
