import { type Html, html } from './html.ts'

type Cell = Html | string | number

/** A table that scrolls inside itself on a phone; the region can be reached by keyboard. */
export function table(
  caption: string,
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
): Html {
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0"><table>
<thead><tr>${head.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
</table></div>`
}

/** Facts by name. */
export const facts = (
  rows: readonly (readonly [string, Cell] | false | null | undefined | '')[],
): Html =>
  html`<dl class="facts">${rows.map((row) => row && html`<dt>${row[0]}</dt><dd>${row[1]}</dd>`)}</dl>`

/** Nothing is here yet, and what to do about it. */
export const empty = (title: string, text: Html | string, action?: Html): Html =>
  html`<div class="empty"><h3>${title}</h3><p>${text}</p>${action}</div>`

export const pager = (
  path: string,
  { page, page_size, total }: { page: number; page_size: number; total: number },
): Html | string => {
  const last = Math.ceil(total / page_size)
  if (last <= 1) return ''
  const to = (number: number, text: string) =>
    html`<a class="button button-quiet button-small" href="${path}page=${number}">${text}</a>`
  return html`<nav class="pager" aria-label="Pages">${page > 1 && to(page - 1, 'Newer')}<span>Page ${page} of ${last}</span>${page < last && to(page + 1, 'Older')}</nav>`
}
