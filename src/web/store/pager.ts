import { type Html, html } from '../components/html.ts'
import { icon } from '../components/icons.ts'

/** To the pages before and after this one, of a list that is newest first. */
export function pager(
  path: string,
  { page, page_size, total }: { page: number; page_size: number; total: number },
): Html | string {
  const last = Math.max(1, Math.ceil(total / page_size))
  if (last === 1 && page === 1) return ''
  // Whoever is past the end comes back to the last one.
  const newer = Math.min(page, last + 1) - 1
  return html`<nav class="pager" aria-label="Pages">${page > 1 && html`<a class="button button-quiet" href="${path}?page=${newer}">${icon('left')}Newer</a>`}<span class="soft">${page} of ${last}</span>${page < last && html`<a class="button button-quiet" href="${path}?page=${page + 1}">Older${icon('right')}</a>`}</nav>`
}
