import MarkdownIt from 'markdown-it'
import { Html } from './html.ts'

/** What developers and players write. Raw HTML is text, links lead only to the web and to mailboxes, and nothing is fetched from elsewhere. */
const writer = new MarkdownIt({ html: false, linkify: true, typographer: false })
writer.validateLink = (url) => /^(https?:|mailto:)/i.test(url.trim())

/** A page has headings of its own: those in a text come below them. */
const LOWER = 2
const lowered = (tag: string) => `h${Math.min(6, Number(tag.slice(1)) + LOWER)}`

writer.core.ruler.push('house', ({ tokens }) => {
  for (const token of tokens) {
    if (token.type === 'heading_open' || token.type === 'heading_close')
      token.tag = lowered(token.tag)
    for (const child of token.children ?? [])
      if (child.type === 'link_open') child.attrSet('rel', 'nofollow ugc noopener')
  }
})

// A picture from elsewhere would tell its host who reads this page: it is a link.
writer.renderer.rules.image = (tokens, index) => {
  const { content, attrs } = tokens[index]!
  const src = String(attrs?.find(([name]) => name === 'src')?.[1] ?? '')
  const { escapeHtml } = writer.utils
  return `<a href="${escapeHtml(src)}" rel="nofollow ugc noopener">${escapeHtml(content || src)}</a>`
}

export const markdown = (text: string): Html =>
  new Html(`<div class="prose">${writer.render(text)}</div>`)
