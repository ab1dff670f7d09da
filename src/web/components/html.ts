/** Markup that is already safe. Everything else put into a template is text, and is escaped. */
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

export const html = (strings: TemplateStringsArray, ...parts: Part[]) =>
  new Html(String.raw({ raw: strings }, ...parts.map(render)))
