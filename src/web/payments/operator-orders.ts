import { Type } from 'typebox'
import type { RouteData } from '../../core/http/route.ts'
import { t } from '../../core/text/text.ts'
import { listOpenOrdersRoute, settleOrderRoute } from '../../payments/orders/routes.ts'
import { missingSettings } from '../../payments/provider/open-providers.ts'
import { formatMoney } from '../../payments/receipts/money.ts'
import { callApi, readApi } from '../call.ts'
import { fieldValue } from '../components/form.ts'
import { dateTag } from '../components/format.ts'
import { type Html, html } from '../components/html.ts'
import { pageNumber, pager } from '../components/pager.ts'
import { confirmButton } from '../components/secret-field.ts'
import { table } from '../components/table.ts'
import { redirectTo } from '../flash-message.ts'
import { renderConsole } from '../operator/console-page.ts'
import { getPage, postForm } from '../page-routes.ts'
import { consoleOperator } from '../visitor.ts'
import { stateText, titleOf } from './orders.ts'
import { refundForm } from './seller.ts'

const URL = '/operator/orders'
type Order = RouteData<typeof listOpenOrdersRoute>['items'][number]

const missingNotice = (names: string[]): Html => html`
  <div class="notice notice-warn">
    <div>
      <p>${t('payments-missing')}</p>
      <ul>${names.map((name) => html`<li><code>${name}</code></li>`)}</ul>
    </div>
  </div>`

const settleForm = ({ uid }: Order): Html =>
  confirmButton({
    label: t('order-settle'),
    sentence: t('order-settle-text'),
    action: `${URL}/${uid}/settle`,
    danger: false,
    // Every order has this field, so it is labeled without an id.
    fields: html`
      <p>
        <label>${t('order-reference')} <input name="reference" maxlength="200" required></label>
      </p>`,
  })

/** A buyer asks for a refund, and the developer who would decide is gone. */
function requestNote({ refunds }: Order): Html | false {
  const waiting = refunds.find(({ state }) => state === 'requested')
  return waiting ? html`<p class="soft">${t('refund-request-note')} ${waiting.reason}</p>` : false
}

export const operatorOrders = getPage(URL, 'Orders that need an operator', {
  auth: consoleOperator,
  query: Type.Object({ page: Type.String({ default: '1' }) }),
  async handle(input) {
    const orders = await readApi(input.request, listOpenOrdersRoute, {
      query: { page: pageNumber(input.query.page) },
    })
    const missing = missingSettings(input.core.config)
    const rows = orders.items.map((order) => [
      html`${titleOf(order)} <code>${order.uid}</code>`,
      dateTag(order.created_at),
      formatMoney(order.amount_minor, order.currency),
      html`
        ${stateText(order.state)}
        ${order.problem && html`<p class="soft">${order.problem}</p>`}
        ${requestNote(order)}`,
      order.provider === 'manual' && order.state === 'open'
        ? settleForm(order)
        : refundForm(order) || '',
    ])
    const columns = [
      t('order-item'),
      t('order-date'),
      t('order-total'),
      t('order-state'),
      t('order-settle'),
    ]
    return renderConsole(input, URL, {
      body: html`
        ${missing.length > 0 && missingNotice(missing)}
        ${rows.length ? table(t('orders'), columns, rows) : html`<p>${t('nothing-yet')}</p>`}
        ${pager(URL, orders)}
      `,
    })
  },
})

export const submitSettle = postForm(`${URL}/:order_uid/settle`, 'Confirm a transfer', {
  auth: consoleOperator,
  params: Type.Object({ order_uid: Type.String() }),
  async handle({ request, reply, params, body: sent }) {
    const body = { reference: fieldValue(sent, 'reference').trim() }
    const answer = await callApi(request, settleOrderRoute, { params, body })
    return redirectTo(reply, URL, answer.ok ? t('order-settled') : answer.message)
  },
})
