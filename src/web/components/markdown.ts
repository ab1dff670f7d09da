import MarkdownIt from 'markdown-it'
import { Html } from './html.ts'
import { UGC_REL } from './link.ts'

/** Markdown by developers and players: no raw HTML, and links only to the web and to mailboxes. */
const renderer = new MarkdownIt({ html: false, linkify: true, typographer: false })
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

export const markdown = (text: string, { heading_shift = HEADING_SHIFT } = {}): Html =>
  new Html(`<div class="prose">${renderer.render(text, { heading_shift })}</div>`)
