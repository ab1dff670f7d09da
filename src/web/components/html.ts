import { DEFAULT_LANGUAGE, type Language } from '../../core/text/languages.ts'
import { formatMessage } from '../../core/text/messages.ts'
import { LocalText, type TextArguments, writeArguments } from '../../core/text/text.ts'

/** Markup that is ready, or that depends on the language of the reader. */
type Chunk = string | ((language: Language) => string)

/** Markup that is already safe. Everything else in a template is text and is escaped. */
export class Html {
  readonly chunks: readonly Chunk[]
  constructor(markup: string | readonly Chunk[]) {
    this.chunks = typeof markup === 'string' ? [markup] : markup
  }

  write(language: Language = DEFAULT_LANGUAGE): string {
    let markup = ''
    for (const chunk of this.chunks) markup += typeof chunk === 'string' ? chunk : chunk(language)
    return markup
  }
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => entities[character]!)

type Part = Html | LocalText | string | number | null | undefined | false | Part[]

/** Adds a part to the chunks; neighboring strings become one. */
function append(chunks: Chunk[], part: Part): void {
  if (part instanceof Html) for (const chunk of part.chunks) appendChunk(chunks, chunk)
  else if (part instanceof LocalText) chunks.push((language) => escaped(part.write(language)))
  else if (Array.isArray(part)) for (const item of part) append(chunks, item)
  else if (part !== null && part !== undefined && part !== false)
    appendChunk(chunks, escaped(String(part)))
}

function appendChunk(chunks: Chunk[], chunk: Chunk): void {
  const last = chunks.length - 1
  if (typeof chunk === 'string' && typeof chunks[last] === 'string') chunks[last] += chunk
  else chunks.push(chunk)
}

/**
 * A template of markup. Line breaks and indentation of the template are for its readers: a break
 * inside a tag or a text counts as one space, and one after a tag as one line break.
 */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  const texts = withoutIndentation(strings)
  const chunks: Chunk[] = [texts[0]!]
  parts.forEach((part, i) => {
    append(chunks, part)
    appendChunk(chunks, texts[i + 1]!)
  })
  return new Html(chunks)
}

const compacted = new WeakMap<TemplateStringsArray, readonly string[]>()

function withoutIndentation(strings: TemplateStringsArray): readonly string[] {
  const known = compacted.get(strings)
  if (known) return known
  const compact = strings.map((text) =>
    text
      .replace(/>\n\s*/g, '>\n')
      .replace(/\n\s*>/g, '>')
      .replace(/(?<!>)\n\s*/g, ' '),
  )
  compacted.set(strings, compact)
  return compact
}

/** The element around the text between `<name>` and `</name>` in a message. */
type Wrapper = (text: Html) => Html
type RichArguments = Record<string, TextArguments[string] | Html | Wrapper>

/**
 * A message with markup. A variable can be markup, such as a date; and where the message has
 * `<link>…</link>`, the function `link` makes the element, so that translators see the whole
 * sentence.
 */
export function richText(id: string, args: RichArguments): Html {
  const entries = Object.entries(args)
  const wrappers = new Map(
    entries.filter((entry): entry is [string, Wrapper] => isWrapper(entry[1])),
  )
  const markup = entries.filter((entry): entry is [string, Html] => entry[1] instanceof Html)
  const texts = entries.filter(([, value]) => !isWrapper(value) && !(value instanceof Html))
  const placeholders = Object.fromEntries(markup.map(([name], i) => [name, placeholder(i)]))
  const write = (language: Language) => {
    const variables = writeArguments(Object.fromEntries(texts) as TextArguments, language)
    return escaped(formatMessage(language, id, { ...variables, ...placeholders }))
      .replace(/&lt;(\w+)&gt;(.*?)&lt;\/\1&gt;/gs, (whole, name: string, text: string) =>
        wrappers.has(name) ? wrappers.get(name)!(new Html(text)).write(language) : whole,
      )
      .replace(PLACEHOLDER, (_, i: string) => markup[Number(i)]?.[1].write(language) ?? '')
  }
  return new Html([write])
}

/** Text that only screen readers read: a wrapper for messages. */
export const hiddenText = (text: Html): Html => html`<span class="sr">${text}</span>`

export const strongText = (text: Html): Html => html`<strong>${text}</strong>`

const isWrapper = (value: unknown): value is Wrapper => typeof value === 'function'

/** Characters of the private use area, which no text of a message or a person needs. */
const placeholder = (i: number) => `\ue000${i}\ue001`
const PLACEHOLDER = /\ue000(\d+)\ue001/g
