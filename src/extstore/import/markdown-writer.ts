/**
 * Writes Markdown in which words are only ever words: whatever could begin or end markup is escaped, so the only markup is what these
 * functions put there. Blocks stand apart by an empty line, items of a list by a line break.
 */

const INVISIBLE = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu
const SPACES = /[\s\p{Zl}\p{Zp}]+/gu
const ACTIVE = /[\\`*_[\]<>#|~&^]/g
const ITEM = /^ *(?:-|\d+\.) /

/** What a reader sees of a text, in one line. */
export const oneLine = (text: string) =>
  text.toWellFormed().replace(INVISIBLE, ' ').replace(SPACES, ' ')

/** Lists, rules and underlined headings are made by how a line begins. */
const startOfLine = (line: string) =>
  line.replace(/^(\d{1,9})([.)])/, '$1\\$2').replace(/^([+\-=:])/, '\\$1')

type List = { ordered: boolean; items: number; indent: number }
/** A place in the open block, to come back to. */
export type Mark = number

export function markdownWriter(max: number) {
  const blocks: string[] = []
  const lists: List[] = []
  let size = 0
  let cut = false
  let parts: string[] = []
  let last = ''
  let prefix = ''

  function add(part: string) {
    if (!part) return
    parts.push(part)
    last = part.at(-1)!
  }

  /** Ends the open block. An item of a list that has no words yet keeps waiting for them, unless it is over. */
  function close({ item_is_over = false } = {}) {
    const lines = parts
      .join('')
      .split('\n')
      .map((line) => startOfLine(line.trim()))
    const body = lines.filter(Boolean).join('\\\n')
    parts = []
    last = ''
    if (body) push(prefix, body)
    if (body || item_is_over) prefix = ''
  }

  function push(before: string, body: string) {
    if (cut) return
    const is_item = ITEM.test(before)
    if (is_item) lists.at(-1)!.items++
    const glue =
      blocks.length === 0 ? '' : is_item && ITEM.test(blocks.at(-1)!.trimStart()) ? '\n' : '\n\n'
    const room = max - size - glue.length - before.length
    const block = glue + before + (longer(body, room) ? shortened(body, room) : body)
    cut = longer(body, room)
    if (cut && room < 2) return
    blocks.push(block)
    size += [...block].length
  }

  return {
    words(text: string) {
      if (cut) return
      const spaced = oneLine(text)
      const needed = last === '' || last === ' ' || last === '\n' ? spaced.trimStart() : spaced
      add(needed.replace(ACTIVE, '\\$&'))
    },
    /** A line break, or the end of the paragraph where there is one already; which of the two it was. */
    lineBreak(): 'line' | 'block' {
      if (last === '\n') return 'block'
      if (last) add(prefix.startsWith('#') ? ' ' : '\n')
      return 'line'
    },
    mark: (): Mark => parts.length,
    /** Puts something around the words since a mark, if there are any; spaces at their ends stay outside. */
    wrap(mark: Mark, around: (words: string) => string) {
      const written = parts.slice(mark).join('')
      const words = written.trim()
      if (!words) return
      parts.length = mark
      const start = written.indexOf(words)
      add(written.slice(0, start))
      // Before a bracket it would make a picture of a link.
      if (parts.at(-1)?.endsWith('!')) parts.push(parts.pop()!.replace(/!$/, '\\!'))
      add(around(words))
      add(written.slice(start + words.length))
    },
    close,
    heading(level: number) {
      close({ item_is_over: true })
      prefix = `${'#'.repeat(level)} `
    },
    rule() {
      close({ item_is_over: true })
      if (blocks.length) push('', '---')
    },
    beginList(ordered: boolean) {
      close()
      const outer = lists.at(-1)
      const indent = outer ? outer.indent + (outer.items === 0 ? 0 : outer.ordered ? 4 : 2) : 0
      lists.push({ ordered, items: 0, indent })
    },
    endList() {
      close({ item_is_over: true })
      lists.pop()
    },
    item() {
      close({ item_is_over: true })
      if (!lists.length) return
      const { ordered, items, indent } = lists.at(-1)!
      prefix = `${' '.repeat(indent)}${ordered ? `${items + 1}.` : '-'} `
    },
    end() {
      close({ item_is_over: true })
      return { text: blocks.join(''), cut }
    },
  }
}

const longer = (text: string, max: number) => text.length > max && [...text].length > max

/** Cut between two words, or inside one that is longer than half of everything. An escape is not left without what it escapes. */
function shortened(text: string, max: number): string {
  const start = [...text].slice(0, Math.max(0, max - 1)).join('')
  const end = start.search(/\s\S*$/)
  const whole = end > start.length / 2 ? start.slice(0, end) : start
  // Walked back by hand: a pattern tied to the end alone would begin anew at each backslash of a long row.
  let last = whole.length
  while (last > 0 && /[\\\s]/.test(whole[last - 1]!)) last--
  return `${whole.slice(0, last)}…`
}
