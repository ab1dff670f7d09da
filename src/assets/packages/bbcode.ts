import { hash } from 'node:crypto'
import type { Token } from 'markdown-it'
import { createCache } from '../../core/runtime/cache.ts'
import { MIB } from '../../core/runtime/units.ts'
import { createMarkdown, MarkdownTooComplex } from '../../core/text/bounded-markdown.ts'

/** Raw HTML is treated as text. */
const markdown = createMarkdown()
const MAX_NESTING = 20

const pairs: Record<string, string> = { strong: 'b', em: 'i', s: 's' }
const HEADING = 'b'

/** Escapes text so that editors do not read any of it as a tag. */
export const escapeBbcode = (text: string) => text.replaceAll('[', '[lb]')

/**
 * A URL as the value of a tag. Its brackets are encoded, so that it cannot end the tag or begin
 * another.
 */
function bbcodeUrl(href: string): string | undefined {
  const url = /^(https?|mailto):/i.test(href) && URL.canParse(href) ? new URL(href).href : undefined
  return url?.replaceAll('[', '%5B').replaceAll(']', '%5D')
}

export const bbcodeLink = (text: string, href: string) => {
  const url = bbcodeUrl(href)
  return url ? `[url=${url}]${escapeBbcode(text)}[/url]` : escapeBbcode(text)
}

/** `out` has the parts of the text. Joining them at the end takes time once, not at every look. */
type State = { out: string[]; lists: (number | null)[]; links: boolean[]; quotes: number }

const KEY_BYTES = 64
/** Converted texts by their hash: a text is converted once, not for every answer with it. */
const converted = createCache<string>({
  max_bytes: 4 * MIB,
  bytesOf: (text) => text.length + KEY_BYTES,
})

/** Converts Markdown to the BBCode of editors, with only the tags that all versions support. */
export function toBbcode(text: string): string {
  const key = hash('sha256', text, 'base64')
  const bbcode = converted.get(key) ?? convert(text)
  converted.set(key, bbcode)
  return bbcode
}

function convert(text: string): string {
  const state: State = { out: [], lists: [], links: [], quotes: 0 }
  try {
    for (const token of markdown.parse(text, {})) block(state, token)
  } catch (error) {
    if (error instanceof MarkdownTooComplex) return escapeBbcode(text.trim())
    throw error
  }
  return state.out
    .join('')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/** Removes the white space at the end of what is written. */
function trimEnd({ out }: State): void {
  while (out.length) {
    const last = out.pop()!.trimEnd()
    if (last) return void out.push(last)
  }
}

function block(state: State, token: Token): void {
  const open = token.nesting === 1
  switch (token.type) {
    case 'inline':
      for (const child of token.children ?? []) inline(state, child)
      return
    case 'paragraph_close':
      state.out.push(token.hidden ? '\n' : '\n\n')
      return
    case 'heading_open':
    case 'heading_close':
      state.out.push(open ? `[${HEADING}]` : `[/${HEADING}]\n\n`)
      return
    case 'bullet_list_open':
    case 'ordered_list_open':
      startList(state, token)
      return
    case 'bullet_list_close':
    case 'ordered_list_close':
      state.lists.pop()
      state.out.push('\n')
      return
    case 'list_item_open':
      state.out.push(listMark(state))
      return
    case 'blockquote_open':
    case 'blockquote_close':
      quote(state, open)
      return
    default:
      other(state, token)
  }
}

function other(state: State, token: Token): void {
  if (token.type === 'fence' || token.type === 'code_block')
    state.out.push(`[code]${escapeBbcode(token.content.replace(/\n$/, ''))}[/code]\n\n`)
  else if (token.type === 'hr') state.out.push('\n\n')
  else if (token.type === 'th_open') state.out.push('[b]')
  else if (token.type === 'th_close' || token.type === 'td_close')
    state.out.push(`${token.type === 'th_close' ? '[/b]' : ''}   `)
  else if (token.type === 'tr_close') state.out.push('\n')
  else if (token.type === 'table_close') state.out.push('\n')
}

/** Older editors do not support list tags, so lists are written with markers and spaces. */
function startList(state: State, token: Token): void {
  if (state.lists.length && !state.out.at(-1)?.endsWith('\n')) state.out.push('\n')
  state.lists.push(token.type === 'ordered_list_open' ? Number(token.attrGet('start') ?? 1) : null)
}

function listMark(state: State): string {
  const depth = state.lists.length - 1
  const number = state.lists[depth]
  if (typeof number === 'number') state.lists[depth] = number + 1
  const indent = '    '.repeat(Math.min(depth, MAX_NESTING))
  return `${indent}${typeof number === 'number' ? `${number}.` : '•'} `
}

function quote(state: State, open: boolean): void {
  state.quotes += open ? 1 : -1
  // Only the outermost quote is indented.
  if (state.quotes > (open ? 1 : 0)) return
  if (!open) trimEnd(state)
  state.out.push(open ? '[indent]' : '[/indent]\n\n')
}

function inline(state: State, token: Token): void {
  const name = token.type.replace(/_(open|close)$/, '')
  const tag = pairs[name]
  if (tag) state.out.push(token.nesting === 1 ? `[${tag}]` : `[/${tag}]`)
  else if (token.type === 'text') state.out.push(escapeBbcode(token.content))
  else if (token.type === 'code_inline')
    state.out.push(`[code]${escapeBbcode(token.content)}[/code]`)
  else if (token.type === 'softbreak') state.out.push(' ')
  else if (token.type === 'hardbreak') state.out.push('\n')
  else if (token.type === 'image') state.out.push(picture(state, token))
  else if (token.type === 'link_open') openLink(state, token)
  else if (token.type === 'link_close' && state.links.pop()) state.out.push('[/url]')
}

/**
 * Editors do not load remote images, so an image becomes its alternative text, with a link to the
 * image unless it is already inside a link.
 */
function picture(state: State, token: Token): string {
  const text = token.content || 'image'
  return state.links.includes(true)
    ? escapeBbcode(text)
    : bbcodeLink(text, String(token.attrGet('src') ?? ''))
}

function openLink(state: State, token: Token): void {
  const url = bbcodeUrl(String(token.attrGet('href') ?? ''))
  state.links.push(url !== undefined)
  if (url) state.out.push(`[url=${url}]`)
}
