import { type Html, html } from './html.ts'

/** Links in what developers and players write: search engines do not count them. */
export const UGC_REL = 'nofollow ugc noopener'

export const ugcLink = (url: string, content: Html | string): Html =>
  html`<a href="${url}" rel="${UGC_REL}">${content}</a>`
