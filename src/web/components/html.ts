/** Markup that is already safe. Everything else in a template is text and is escaped. */
export class Html {
  readonly markup: string
  constructor(markup: string) {
    this.markup = markup
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

type Part = Html | string | number | null | undefined | false | Part[]

const render = (part: Part): string => {
  if (part instanceof Html) return part.markup
  if (Array.isArray(part)) return part.map(render).join('')
  return part === null || part === undefined || part === false ? '' : escaped(String(part))
}

/**
 * A template of markup. Line breaks and indentation of the template are for its readers: a break
 * inside a tag or a text counts as one space, and one after a tag as one line break.
 */
export const html = (strings: TemplateStringsArray, ...parts: Part[]) =>
  new Html(String.raw({ raw: withoutIndentation(strings) }, ...parts.map(render)))

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
