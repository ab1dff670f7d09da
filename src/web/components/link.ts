import type { Text } from '../../core/text/text.ts'
import { type Html, html } from './html.ts'

/** Links in what developers and players write: search engines do not count them. */
export const UGC_REL = 'nofollow ugc noopener'

export const ugcLink = (url: string, content: Html | Text): Html =>
  html`<a href="${url}" rel="${UGC_REL}">${content}</a>`

/** The link in a sentence: a wrapper for messages. */
export const linkTo = (url: string) => (text: Html) => html`<a href="${url}">${text}</a>`
