import type { Text } from '../../core/text/text.ts'
import { type Html, html } from './html.ts'
import { type Context, type PageParts, page, withStoreName } from './layout.ts'

type NarrowPage = Omit<PageParts, 'noindex'> & {
  /** The first heading, where it is not the title. */
  heading?: Text
  /** Shown above the heading, such as a link to the previous page. */
  above?: Html
}

/** A page of one narrow column, such as a form, which search engines do not index. */
export const narrowPage = (
  context: Context,
  { title, heading = title, above, body, ...parts }: NarrowPage,
) =>
  page(context, {
    ...parts,
    title: withStoreName(context.core, title),
    noindex: true,
    body: html`
      <section class="narrow">
        ${above}
        <h1>${heading}</h1>
        ${body}
      </section>
    `,
  })
