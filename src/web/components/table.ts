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
export const emptyState = (title: string, text: Html | string, action?: Html): Html =>
  html`<div class="empty"><h3>${title}</h3><p>${text}</p>${action}</div>`
