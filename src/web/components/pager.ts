import { formatNumber } from './format.ts'
import { type Html, html } from './html.ts'
import { icon } from './icons.ts'

export type PageOfList = { page: number; page_size: number; total: number }

/** Links to the previous and the next page of a list, by the address of a page or what makes it. */
export function pager(
  address: string | ((page: number) => string),
  { page, page_size, total }: PageOfList,
): Html | string {
  const last = Math.max(1, Math.ceil(total / page_size))
  if (last === 1 && page === 1) return ''
  // From beyond the end, "Previous" leads to the last page.
  const previous = Math.min(page - 1, last)
  const addressOf = typeof address === 'string' ? withPage(address) : address
  return html`
    <nav class="pager" aria-label="Pages">
      ${
        page > 1 &&
        html`
        <a class="button button-quiet" rel="prev" href="${addressOf(previous)}">
          ${icon('left')}Previous
        </a>
      `
      }
      <span class="soft">Page ${formatNumber(page)} of ${formatNumber(last)}</span>
      ${
        page < last &&
        html`
        <a class="button button-quiet" rel="next" href="${addressOf(page + 1)}">
          Next${icon('right')}
        </a>
      `
      }
    </nav>
  `
}

const withPage = (address: string) => (page: number) =>
  `${address}${address.includes('?') ? '&' : '?'}page=${page}`
