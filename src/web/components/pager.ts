import { t } from '../../core/text/text.ts'
import { type Html, html } from './html.ts'
import { icon } from './icons.ts'

/** The page of an address; anything else is the first. */
export const pageNumber = (page: string): number => (/^\d{1,6}$/.test(page) ? Number(page) : 1)

export type PageOfList = { page: number; page_size: number; total: number }

/** Links to the previous and the next page of a list, by the address of a page or what makes it. */
export function pager(
  address: string | ((page: number) => string),
  { page, page_size, total }: PageOfList,
): Html | string {
  const last = Math.max(1, Math.ceil(total / page_size))
  if (last === 1 && page === 1) return ''
  const addressOf = typeof address === 'string' ? withPage(address) : address
  // From beyond the end, "Previous" leads to the last page.
  const previous_url = addressOf(Math.min(page - 1, last))
  const previous = html`
    <a class="button button-quiet" rel="prev" href="${previous_url}">${icon('left')}${t('pager-previous')}</a>
  `
  const next = html`
    <a class="button button-quiet" rel="next" href="${addressOf(page + 1)}">
      ${t('pager-next')}${icon('right')}
    </a>
  `
  return html`
    <nav class="pager" aria-label="${t('pager-label')}">
      ${page > 1 && previous}
      <span class="soft">${t('pager-position', { page, last })}</span>
      ${page < last && next}
    </nav>
  `
}

const withPage = (address: string) => (page: number) =>
  `${address}${address.includes('?') ? '&' : '?'}page=${page}`
