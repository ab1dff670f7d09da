import { hash } from 'node:crypto'
import { createCache } from '../../core/runtime/cache.ts'
import { MIB } from '../../core/runtime/units.ts'
import { createMarkdown, MarkdownTooComplex } from '../../core/text/bounded-markdown.ts'
import { Html } from './html.ts'
import { UGC_REL } from './link.ts'

/** Markdown by developers and players: no raw HTML, and links only to the web and to mailboxes. */
const renderer = createMarkdown()
renderer.validateLink = (url) => /^(https?:|mailto:)/i.test(url.trim())

/** Headings of a text rank below the headings of the page around it. */
const HEADING_SHIFT = 2
const shiftedHeading = (tag: string, shift: number) =>
  `h${Math.min(6, Number(tag.slice(1)) + shift)}`

renderer.core.ruler.push('headings_and_links', ({ tokens, env }) => {
  for (const token of tokens) {
    if (token.type === 'heading_open' || token.type === 'heading_close')
      token.tag = shiftedHeading(token.tag, Number(env.heading_shift))
    for (const child of token.children ?? [])
      if (child.type === 'link_open') child.attrSet('rel', UGC_REL)
  }
})

// An image from another host would tell that host who reads the page, so it becomes a link.
renderer.renderer.rules.image = (tokens, index) => {
  const { content, attrs } = tokens[index]!
  const src = String(attrs?.find(([name]) => name === 'src')?.[1] ?? '')
  const { escapeHtml } = renderer.utils
  return `<a href="${escapeHtml(src)}" rel="${UGC_REL}">${escapeHtml(content || src)}</a>`
}

/** Rendered texts, by what they depend on: a text is rendered once, not for every page with it. */
const rendered = createCache<string>({ max_bytes: 8 * MIB, bytesOf: (text) => text.length })

export function markdown(text: string, { heading_shift = HEADING_SHIFT } = {}): Html {
  const key = `${heading_shift} ${hash('sha256', text, 'base64')}`
  const cached = rendered.get(key)
  if (cached !== undefined) return new Html(cached)
  const prose = `<div class="prose">${render(text, heading_shift)}</div>`
  rendered.set(key, prose)
  return new Html(prose)
}

function render(text: string, heading_shift: number): string {
  try {
    return renderer.render(text, { heading_shift })
  } catch (error) {
    if (error instanceof MarkdownTooComplex) return withoutMarkup(text)
    throw error
  }
}

/** A text as it was typed, in its paragraphs and lines. */
const withoutMarkup = (text: string) =>
  renderer.utils
    .escapeHtml(text.trim())
    .split(/\n\s*\n/)
    .map((paragraph) => `<p>${paragraph.replaceAll('\n', '<br>\n')}</p>\n`)
    .join('')
