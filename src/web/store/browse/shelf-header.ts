import type { Text } from '../../../core/text/text.ts'
import { type Html, hiddenText, html, richText } from '../../components/html.ts'

type ShelfHeader = { id: string; title: Text; line: Text; more?: string | undefined }

export const shelfHeader = ({ id, title, line, more }: ShelfHeader): Html => html`
  <header>
    <h2 id="${id}">${title}</h2>
    <p class="soft">${line}</p>
    ${more && html`<a href="${more}">${richText('shelf-see-all', { title, hidden: hiddenText })}</a>`}
  </header>
`
