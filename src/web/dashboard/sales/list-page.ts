import { type Text, t } from '../../../core/text/text.ts'
import { badge } from '../../components/badge.ts'
import { formatPrice } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { confirmButton } from '../../components/secret-field.ts'
import { emptyState, table } from '../../components/table.ts'
import {
  type ProjectContext,
  renderSection,
  type SectionName,
  subsection,
} from '../project-page.ts'

/** What the pages of sales, coupons and keys share: a list, and a form that adds to it. */

type ItemList = {
  id: string
  title: Text
  about: Text
  columns: readonly Text[]
  rows: readonly (readonly (Html | Text | number)[])[]
  /** What an empty list says. */
  none: { title: Text; text: Text }
}

type ListPage = {
  title: Text
  /** Above the list. */
  before?: Html | false | undefined
  list: ItemList
  /** What adds to the list, or the sentence why nothing can be added. */
  form: { id: string; title: Text; body: Html } | { reason: Text }
  after?: Html
}

export function renderListPage(
  project: ProjectContext,
  section: SectionName,
  { title, before, list, form, after }: ListPage,
) {
  const { none, columns, rows } = list
  const items = rows.length ? table(list.title, columns, rows) : emptyState(none.title, none.text)
  return renderSection(project, section, {
    title,
    body: html`
      ${before}
      ${subsection(list.id, list.title, items, list.about)}
      ${
        'reason' in form
          ? html`<p class="soft">${form.reason}</p>`
          : subsection(form.id, form.title, form.body)
      }
      ${after}`,
  })
}

type Reduction = { percent: number | null; amount_cents: number | null }

export const reductionText = ({ percent, amount_cents }: Reduction): Text =>
  percent === null
    ? t('sale-amount-off', { amount: formatPrice(amount_cents ?? 0) })
    : t('sale-percent', { percent })

type Period = { starts_at: string; ends_at: string | null }

const hasEnded = ({ ends_at }: Period, now: Date) => ends_at !== null && new Date(ends_at) <= now

export function periodBadge(period: Period, now: Date): Html {
  if (hasEnded(period, now)) return badge(t('sale-ended'))
  return new Date(period.starts_at) <= now
    ? badge(t('sale-running'), 'ok')
    : badge(t('sale-planned'), 'warn')
}

/** Ends what has not ended yet. */
export const endButton = (
  period: Period,
  now: Date,
  { sentence, action }: { sentence: Text; action: string },
): Html | string =>
  hasEnded(period, now) ? '' : confirmButton({ label: t('sale-end'), sentence, action })
