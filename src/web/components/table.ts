import type { Text } from '../../core/text/text.ts'
import { type Html, html } from './html.ts'

type Cell = Html | Text | number

/**
 * A table that scrolls sideways on narrow screens; what scrolls takes keyboard focus. It is a group,
 * because a region is a landmark, and sections around tables often have the same name.
 */
export function table(
  caption: Text,
  head: readonly Text[],
  rows: readonly (readonly Cell[])[],
): Html {
  return html`
    <div class="scroll" role="group" aria-label="${caption}" tabindex="0">
      <table>
        <thead>
          <tr>${head.map((name) => html`<th scope="col">${name}</th>`)}</tr>
        </thead>
        <tbody>
          ${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}
        </tbody>
      </table>
    </div>
  `
}

type Row = readonly [Text, Cell] | false | null | undefined | ''

/** Names with their values. */
export const facts = (rows: readonly Row[]): Html => html`
  <dl class="facts">
    ${rows.map((row) => row && html`<dt>${row[0]}</dt><dd>${row[1]}</dd>`)}
  </dl>
`

/** Shown where a list has no items yet, with what to do about it. */
export const emptyState = (title: Text, text: Html | Text, action?: Html): Html => html`
  <div class="empty">
    <p class="empty-title">${title}</p>
    <p>${text}</p>
    ${action}
  </div>
`
