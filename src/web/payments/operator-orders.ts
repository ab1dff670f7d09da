import { Type } from 'typebox'
import type { RouteData } from '../../core/http/route.ts'
import { type LocalText, type Text, t } from '../../core/text/text.ts'
import { type OrderFilterName, orderFilters } from '../../payments/operations/filters.ts'
import { listOperatorOrdersRoute } from '../../payments/operations/routes.ts'
import { orderStates } from '../../payments/orders/states.ts'
import { missingSettings } from '../../payments/provider/open-providers.ts'
import { formatMoney } from '../../payments/receipts/money.ts'
import { readApi } from '../call.ts'
import { badge } from '../components/badge.ts'
import { optionTags } from '../components/form.ts'
import { dateTag } from '../components/format.ts'
import { type Html, html } from '../components/html.ts'
import { pageNumber, pager } from '../components/pager.ts'
import { emptyState, table } from '../components/table.ts'
import { renderConsole, searchForm } from '../operator/console-page.ts'
import { getPage } from '../page-routes.ts'
import { consoleOperator } from '../visitor.ts'
import { stateText, titleOf } from './orders.ts'

export const OPERATOR_ORDERS = '/operator/orders'
export type OperatorOrder = RouteData<typeof listOperatorOrdersRoute>['items'][number]

const missingNotice = (names: string[]): Html => html`
  <div class="notice notice-warn">
    <div>
      <p>${t('payments-missing')}</p>
      <ul>${names.map((name) => html`<li><code>${name}</code></li>`)}</ul>
    </div>
  </div>`

const filterNames: Record<OrderFilterName, LocalText> = {
  attention: t('orders-attention'),
  open: t('order-open'),
  transfer: t('orders-transfer'),
  paid: t('order-paid'),
  refund_requested: t('orders-refund-requested'),
  refund_by_hand: t('orders-refund-by-hand'),
  refunded: t('order-refunded'),
  disputed: t('order-disputed'),
  problem: t('orders-problem'),
  expired: t('order-expired'),
  all: t('orders-all'),
}

/** The problem of such an order is that refund, and its events have the reason. */
const hasFailedRefund = ({ refunds }: OperatorOrder) => refunds.at(-1)?.state === 'failed'

/** Why an order is in the list, in a word or two; its page says what to do. */
const labelsOf = (order: OperatorOrder): Html[] => {
  const { problem, by_hand_minor, refunds, provider, state } = order
  const labels: [boolean, LocalText, 'warn' | 'bad'][] = [
    [provider === 'manual' && state === 'open', t('orders-transfer'), 'warn'],
    [by_hand_minor > 0, t('orders-refund-by-hand'), 'warn'],
    [refunds.some((refund) => refund.state === 'requested'), t('orders-refund-requested'), 'warn'],
    [hasFailedRefund(order), t('order-event-refund-failed'), 'bad'],
    [problem !== '' && !hasFailedRefund(order), t('orders-problem'), 'bad'],
  ]
  return labels.filter(([is_so]) => is_so).map(([, text, tone]) => badge(text, tone))
}

/** In the words of the reader, with those of the provider as they are. */
function problemNote({ problem, problem_details: details }: OperatorOrder): Html {
  // Orders from before the codes have only the sentence.
  if (!details) return html`${problem}`
  const { amount_minor = 0, currency = 'USD', from, to, reason } = details
  const texts: Record<NonNullable<typeof details>['code'], LocalText> = {
    amount_differs: t('order-problem-amount', { amount: formatMoney(amount_minor, currency) }),
    state_differs: t('order-problem-state', { from: namedState(from), to: namedState(to) }),
    refund_failed: t('order-problem-refund'),
    not_checked: t('order-problem-unchecked'),
    ledger_differs: t('order-problem-ledger'),
  }
  return html`${texts[details.code]} ${reason && html`<q>${reason}</q>`}`
}

const namedState = (name: string | undefined): Text => {
  const state = orderStates.find((known) => known === name)
  return state ? stateText(state) : (name ?? '')
}

/** What an operator should know or do about an order, beside its state. */
export const notesOf = (order: OperatorOrder): Html[] => {
  const { problem, by_hand_minor, currency, refunds, provider, state } = order
  const amount = formatMoney(by_hand_minor, currency)
  return [
    provider === 'manual' && state === 'open' && html`${t('order-note-transfer')}`,
    by_hand_minor > 0 && html`${t('order-note-by-hand', { amount })}`,
    refunds.some((refund) => refund.state === 'requested') && html`${t('refund-request-note')}`,
    hasFailedRefund(order) && html`${t('order-note-refund-failed')}`,
    problem && !hasFailedRefund(order) && problemNote(order),
  ].filter((note): note is Html => typeof note === 'object')
}

const orderTable = (orders: readonly OperatorOrder[]): Html =>
  table(
    t('orders'),
    [t('order-item'), t('order-total'), t('order-state')],
    orders.map((order) => [
      html`
        <a href="${OPERATOR_ORDERS}/${order.uid}">${titleOf(order)}</a><br>
        <span class="soft">
          ${order.buyer ?? t('gift-deleted-account')} · ${dateTag(order.created_at)}
        </span>`,
      formatMoney(order.amount_minor, order.currency),
      html`
        ${stateText(order.state)}
        ${labelsOf(order).map((label) => html` ${label}`)}`,
    ]),
  )

export const operatorOrders = getPage(OPERATOR_ORDERS, 'The orders of the store', {
  auth: consoleOperator,
  query: Type.Object({
    page: Type.String({ default: '1' }),
    filter: Type.String({ default: '', maxLength: 40 }),
    q: Type.String({ default: '', maxLength: 200 }),
  }),
  async handle(input) {
    const { q, page } = input.query
    // What an operator searches for can be in any state.
    const first = q.trim() ? 'all' : 'attention'
    const filter = orderFilters.find((name) => name === input.query.filter) ?? first
    const orders = await readApi(input.request, listOperatorOrdersRoute, {
      query: { page: pageNumber(page), filter, q },
    })
    const missing = missingSettings(input.core.config)
    const options = orderFilters.map((value) => ({ value, label: filterNames[value] }))
    const fields = html`
      <label class="sr" for="filter">${t('order-state')}</label>
      <select id="filter" name="filter">${optionTags(options, filter)}</select>`
    return renderConsole(input, OPERATOR_ORDERS, {
      body: html`
        ${missing.length > 0 && missingNotice(missing)}
        ${searchForm(OPERATOR_ORDERS, { label: t('orders-search'), q, fields })}
        ${
          orders.items.length
            ? orderTable(orders.items)
            : emptyState(t('orders-no-match'), t('orders-no-match-text'))
        }
        ${pager(`${OPERATOR_ORDERS}?${new URLSearchParams({ filter, q })}`, orders)}
      `,
    })
  },
})
