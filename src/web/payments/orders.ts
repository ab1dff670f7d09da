import { Type } from 'typebox'
import type { RouteData } from '../../core/http/route.ts'
import { type LocalText, t } from '../../core/text/text.ts'
import { listOrdersRoute, readOrderRoute, returnOrderRoute } from '../../payments/orders/routes.ts'
import { hasCopyStill } from '../../payments/receipts/kept-copy.ts'
import { formatMoney } from '../../payments/receipts/money.ts'
import { readReceipt } from '../../payments/receipts/receipt.ts'
import { leftOf } from '../../payments/refunds/left.ts'
import { accountTabs } from '../account/tabs.ts'
import { callApi, readApi } from '../call.ts'
import { emptyForm, fieldValue, textArea } from '../components/form.ts'
import { dateTag } from '../components/format.ts'
import { type Html, html } from '../components/html.ts'
import { page, withStoreName } from '../components/layout.ts'
import { narrowPage } from '../components/narrow-page.ts'
import { pageNumber, pager } from '../components/pager.ts'
import { confirmButton } from '../components/secret-field.ts'
import { emptyState, facts, table } from '../components/table.ts'
import { redirectTo } from '../flash-message.ts'
import { getPage, postForm } from '../page-routes.ts'
import { member } from '../visitor.ts'

const URL = '/library/orders'
const MAX_REASON = 1000
/** How often the page of an open order is loaded again, in seconds. */
const REFRESH_SECONDS = 5
type Order = RouteData<typeof readOrderRoute>
const params = Type.Object({ order_uid: Type.String() })

export const stateText = (state: Order['state']): LocalText =>
  ({
    open: t('order-open'),
    paid: t('order-paid'),
    refunded: t('order-refunded'),
    disputed: t('order-disputed'),
    expired: t('order-expired'),
  })[state]

export const titleOf = ({ title, edition_name }: Pick<Order, 'title' | 'edition_name'>) =>
  edition_name ? `${title} – ${edition_name}` : title

export const ordersPage = getPage(URL, 'Your orders', {
  auth: member,
  query: Type.Object({ page: Type.String({ default: '1' }) }),
  async handle(input) {
    const orders = await readApi(input.request, listOrdersRoute, {
      query: { page: pageNumber(input.query.page) },
    })
    const rows = orders.items.map((order) => [
      html`
        <a href="${URL}/${order.uid}">${titleOf(order)}</a>
        ${order.gift && html`<span class="soft">${giftStateText(order.gift.state)}</span>`}`,
      dateTag(order.created_at),
      formatMoney(order.amount_minor, order.currency),
      stateText(order.state),
    ])
    const columns = [t('order-item'), t('order-date'), t('order-total'), t('order-state')]
    return page(input, {
      title: withStoreName(input.core, t('orders')),
      noindex: true,
      body: html`
        <h1>${t('orders')}</h1>
        ${accountTabs('/library/orders')}
        ${rows.length ? table(t('orders'), columns, rows) : emptyState(t('orders-none'), '')}
        ${pager(URL, orders)}
      `,
    })
  },
})

const amounts = (order: Order): Html => {
  const { amount_minor, tax_minor, refunded_minor, currency } = order
  return facts([
    [t('order-number'), html`<code>${order.uid}</code>`],
    [t('order-date'), dateTag(order.created_at)],
    [t('order-seller'), order.seller],
    [t('order-net'), formatMoney(amount_minor - tax_minor, currency)],
    [t('order-tax'), formatMoney(tax_minor, currency)],
    [t('order-total'), formatMoney(amount_minor, currency)],
    refunded_minor > 0 && [t('order-refunded-sum'), formatMoney(refunded_minor, currency)],
    [t('order-state'), stateText(order.state)],
    order.gift && [t('gift-for'), order.gift.to || t('gift-deleted-account')],
    order.gift && [t('gift-state'), giftStateText(order.gift.state)],
  ])
}

/** What the buyer does next: pay, wait, play, or return it. */
function nextStep(order: Order, instructions: string, keeps_copy: boolean): Html {
  const { state, provider, checkout_url, uid } = order
  if (state === 'open' && order.amount_minor === 0) return html`<p>${t('order-free-waits')}</p>`
  if (state === 'open' && provider === 'manual')
    return html`
      <p>${t('order-transfer', { number: uid })}</p>
      <blockquote>${instructions}</blockquote>
      <p class="soft">${t('order-transfer-wait')}</p>`
  if (state === 'open' && checkout_url)
    return html`
      <p>
        <a class="button button-primary" href="${checkout_url}" rel="noreferrer">
          ${t('order-pay', { total: formatMoney(order.amount_minor, order.currency) })}
        </a>
      </p>
      <p class="soft">${t('order-waits')}</p>`
  if (state === 'paid' && order.gift)
    return html`
      ${giftNote(order.gift, order.refund)}
      <p class="row">
        <a class="button button-quiet" href="${URL}/${uid}/invoice">${t('order-invoice')}</a>
      </p>
      ${returnPart(order)}`
  if (state === 'paid')
    return html`
      <p class="row">
        <a class="button button-primary" href="/library">${t('order-to-library')}</a>
        <a class="button button-quiet" href="${URL}/${uid}/invoice">${t('order-invoice')}</a>
      </p>
      ${returnPart(order)}`
  return html`
    ${state === 'expired' && order.game_uid && againLink(order.game_uid)}
    ${state === 'refunded' && html`<p>${refundedText(order, keeps_copy)}</p>`}
    ${state === 'disputed' && html`<p>${disputedText(order, keeps_copy)}</p>`}
    ${refundMessages(order)}`
}

/** What became of the copy or the gift. The second payment for the same takes nothing away. */
function refundedText({ gift, refunds }: Order, keeps_copy: boolean): LocalText {
  const is_automatic = refunds.at(-1)?.origin === 'store'
  if (gift) return is_automatic ? t('gift-refunded-second') : t('gift-refunded-text')
  if (is_automatic) return keeps_copy ? t('order-refunded-second') : t('order-refunded-unavailable')
  return keeps_copy ? t('order-refunded-kept') : t('order-refunded-text')
}

function disputedText({ gift }: Order, keeps_copy: boolean): LocalText {
  if (gift) return t('gift-disputed-text')
  return keeps_copy ? t('order-disputed-kept') : t('order-disputed-text')
}

/** What the developer or an operator wrote about money that went back. */
const refundMessages = ({ refunds, currency }: Order): Html[] =>
  refunds
    .filter(({ state, message }) => message && (state === 'done' || state === 'sending'))
    .map(
      ({ amount_minor, message }) => html`
        <p>${t('refund-message', { amount: formatMoney(amount_minor, currency) })}</p>
        <blockquote>${message}</blockquote>`,
    )

type Gift = NonNullable<Order['gift']>

const giftStateText = (state: Gift['state']): LocalText =>
  ({
    unpaid: t('gift-unpaid'),
    waiting: t('gift-waiting'),
    accepted: t('gift-accepted'),
    declined: t('gift-declined'),
    returned: t('gift-returned'),
  })[state]

/** What became of a gift, and what the buyer can do about it. */
function giftNote({ state, to }: Gift, refund: Order['refund']): Html {
  if (!to) return html`<p class="notice notice-warn">${t('gift-receiver-deleted')}</p>`
  if (state === 'accepted')
    return html`<p class="notice notice-ok">${t('gift-accepted-text', { receiver: to })}</p>`
  if (state === 'declined')
    return html`<p class="notice notice-warn">${t('gift-declined-text', { receiver: to })}</p>`
  // After the time for returns, taking it back is up to the developer.
  return refund === 'now'
    ? html`<p class="notice">${t('gift-waiting-text', { receiver: to })}</p>`
    : html`<p class="notice">${t('gift-waiting-late', { receiver: to })}</p>`
}

const againLink = (game_uid: string) => html`
  <p><a class="button button-quiet" href="/games/${game_uid}">${t('order-again')}</a></p>`

function returnPart(order: Order): Html {
  const { uid, refund, refunds } = order
  const last = refunds.at(-1)
  const notes = html`
    ${last?.state === 'requested' && html`<p class="notice">${t('refund-requested')}</p>`}
    ${last?.state === 'sending' && html`<p class="notice">${sendingText(last)}</p>`}
    ${last?.failure && html`<p class="notice notice-warn">${failedText[last.failure]}</p>`}
    ${last?.state === 'declined' && html`<p class="notice">${t('refund-declined')}</p>`}
    ${last?.state === 'declined' && last.answer && html`<blockquote>${last.answer}</blockquote>`}
    ${refundMessages(order)}`
  if (refund === 'no') return notes
  const reason = textArea(emptyForm, {
    name: 'reason',
    label: t('refund-reason'),
    maxlength: MAX_REASON,
  })
  return html`
    ${notes}
    ${confirmButton({
      label: refund === 'now' ? t('refund-now') : t('refund-request'),
      sentence: returnText(order),
      action: `${URL}/${uid}/return`,
      fields: reason,
    })}`
}

const failedText: Record<NonNullable<Order['refunds'][number]['failure']>, LocalText> = {
  card_closed: t('refund-failed-closed'),
  not_sent: t('refund-failed'),
}

const sendingText = ({ origin }: Order['refunds'][number]): LocalText =>
  origin === 'store' ? t('refund-sending-automatic') : t('refund-sending')

function returnText(order: Order): LocalText {
  const { refund, gift, refunds, currency } = order
  const left = formatMoney(leftOf(order, refunds), currency)
  if (gift)
    return refund === 'now' ? t('gift-return-text', { left }) : t('gift-request-text', { left })
  return refund === 'now' ? t('refund-now-text', { left }) : t('refund-request-text', { left })
}

/** Where buyers come back to. It is loaded again until the payment is confirmed, without script. */
export const orderPage = getPage(`${URL}/:order_uid`, 'An order', {
  auth: member,
  params,
  async handle(input) {
    const order = await readApi(input.request, readOrderRoute, { params: input.params })
    const is_free = order.amount_minor === 0
    const is_waiting = order.state === 'open' && (order.provider !== 'manual' || is_free)
    const { core, who } = input
    const keeps_copy = await hasCopyStill(core.sql, {
      buyer_uid: who.user_uid,
      game_uid: order.game_uid,
    })
    return narrowPage(input, {
      title: titleOf(order),
      head: is_waiting ? html`<meta http-equiv="refresh" content="${REFRESH_SECONDS}">` : html``,
      above: html`<p><a href="${URL}">${t('orders')}</a></p>`,
      body: html`
        ${amounts(order)}
        ${nextStep(order, core.config.payment_instructions ?? '', keeps_copy)}
      `,
    })
  },
})

export const submitReturn = postForm(`${URL}/:order_uid/return`, 'Return an order', {
  auth: member,
  params,
  async handle({ request, reply, params, body: sent }) {
    const body = { reason: fieldValue(sent, 'reason') }
    const answer = await callApi(request, returnOrderRoute, { params, body })
    const path = `${URL}/${encodeURIComponent(params.order_uid)}`
    if (!answer.ok) return redirectTo(reply, path, answer.message)
    const is_sent = answer.data.refunds.at(-1)?.state !== 'requested'
    return redirectTo(reply, path, is_sent ? t('refund-sending') : t('refund-requested'))
  },
})

/** A page that prints well: the browser's own print function makes a PDF of it. */
export const invoicePage = getPage(`${URL}/:order_uid/invoice`, 'The invoice of an order', {
  auth: member,
  params,
  async handle(input) {
    const order = await readApi(input.request, readOrderRoute, { params: input.params })
    // Before the payment there is nothing to invoice; the order says how to pay.
    if (!order.paid_at) return redirectTo(input.reply, `${URL}/${order.uid}`, t('invoice-unpaid'))
    const { seller, store_name } = await readReceipt(input.core, order.uid)
    const lines = [seller.legal_name || seller.username, ...seller.address.split('\n')]
    return narrowPage(input, {
      title: t('invoice-title', { number: order.uid }),
      heading: t('order-invoice'),
      body: html`
        <p>${store_name}</p>
        <address>
          ${lines.map((line) => html`${line}<br>`)}
          ${seller.tax_id && t('invoice-tax-id', { number: seller.tax_id })}
        </address>
        <p><strong>${titleOf(order)}</strong></p>
        ${amounts(order)}
        <p class="soft">${t('invoice-print')}</p>
      `,
    })
  },
})
