import { Type } from 'typebox'
import type { RouteData } from '../../core/http/route.ts'
import { type LocalText, t } from '../../core/text/text.ts'
import type { OrderEventKind } from '../../payments/operations/filters.ts'
import { readOperatorOrderRoute, transferBackRoute } from '../../payments/operations/routes.ts'
import { MAX_REASON, refundOrderRoute, settleOrderRoute } from '../../payments/orders/routes.ts'
import { formatMoney } from '../../payments/receipts/money.ts'
import { type ApiRefusal, callApi, readApi } from '../call.ts'
import {
  checkField,
  emptyForm,
  type FormState,
  fieldForm,
  fieldValue,
  isChecked,
  rejectedForm,
  textArea,
  textField,
} from '../components/form.ts'
import { type Html, html } from '../components/html.ts'
import type { Context } from '../components/layout.ts'
import { facts } from '../components/table.ts'
import { type TimelineEntry, timeline } from '../components/timeline.ts'
import { redirectTo } from '../flash-message.ts'
import { consoleSubsection, renderConsole } from '../operator/console-page.ts'
import { getPage, postForm } from '../page-routes.ts'
import { consoleOperator } from '../visitor.ts'
import { notesOf, OPERATOR_ORDERS } from './operator-orders.ts'
import { stateText, titleOf } from './orders.ts'
import { refundAmount } from './typed-amount.ts'

type Order = RouteData<typeof readOperatorOrderRoute>
const params = Type.Object({ order_uid: Type.String() })
const pathOf = (order_uid: string) => `${OPERATOR_ORDERS}/${encodeURIComponent(order_uid)}`

const eventNames: Record<OrderEventKind, LocalText> = {
  ordered: t('order-event-ordered'),
  expired: t('order-expired'),
  transfer_confirmed: t('order-event-transfer-confirmed'),
  payment: t('order-paid'),
  gift_accepted: t('order-event-gift-accepted'),
  gift_declined: t('order-event-gift-declined'),
  refund_requested: t('order-event-refund-requested'),
  refund_declined: t('order-event-refund-declined'),
  refund_started: t('order-event-refund-started'),
  refund: t('order-refunded'),
  refund_failed: t('order-event-refund-failed'),
  transfer_sent_back: t('order-event-transfer-sent-back'),
  dispute: t('order-disputed'),
  dispute_won: t('order-event-dispute-won'),
}

const eventTones: Partial<Record<OrderEventKind, TimelineEntry['tone']>> = {
  transfer_confirmed: 'ok',
  payment: 'ok',
  gift_accepted: 'ok',
  dispute_won: 'ok',
  refund_requested: 'warn',
  refund_failed: 'bad',
  dispute: 'bad',
}

/** What happened, with its sum, who did it, and what they wrote. */
const eventList = ({ events, currency }: Order): Html =>
  timeline(
    t('order-events'),
    events.map(({ at, kind, amount_minor, by, note }) => ({
      at,
      text: html`
        <strong>${eventNames[kind]}</strong>
        ${amount_minor !== null && html` · ${formatMoney(amount_minor, currency)}`}
        ${by && html` · ${by}`}
        ${note && html`<br><q>${note}</q><br>`}`,
      tone: eventTones[kind] ?? 'soft',
    })),
  )

const orderFacts = (order: Order): Html => {
  const { amount_minor, tax_minor, fee_minor, refunded_minor, currency, reference } = order
  return facts([
    [t('order-number'), html`<code>${order.uid}</code>`],
    [t('order-state'), stateText(order.state)],
    [t('order-buyer'), order.buyer ?? t('gift-deleted-account')],
    [t('order-seller'), order.seller],
    [t('order-total'), formatMoney(amount_minor, currency)],
    [t('order-tax'), formatMoney(tax_minor, currency)],
    [t('order-fee'), formatMoney(fee_minor, currency)],
    refunded_minor > 0 && [t('order-refunded-sum'), formatMoney(refunded_minor, currency)],
    [t('order-provider'), order.provider === 'manual' ? t('order-by-transfer') : 'Stripe'],
    reference && [t('order-reference'), reference],
  ])
}

const referenceField = (state: FormState, name = 'reference'): Html =>
  textField(state, {
    name,
    label: t('order-reference'),
    required: true,
    maxlength: 200,
    autocomplete: 'off',
  })

const messageField = (state: FormState, name = 'reason'): Html =>
  textArea(state, { name, label: t('refund-answer'), maxlength: MAX_REASON, rows: 3 })

/** The forms of the page; one that was refused shows why. */
type FormName = 'settle' | 'refund' | 'sent' | 'returned'
type Refused = { form: FormName; state: FormState }

type FormPart = {
  name: FormName
  title: LocalText
  text: LocalText
  names: string[]
  fields: (state: FormState) => Html
}

/** What an operator can do about an order now. */
function formsOf(order: Order): FormPart[] {
  const { provider, state, left_minor, by_hand_minor, currency, refunds } = order
  const is_transfer = provider === 'manual'
  const is_requested = refunds.some((refund) => refund.state === 'requested')
  const settle: FormPart = {
    name: 'settle',
    title: t('order-settle-title'),
    text: state === 'expired' ? t('order-settle-late') : t('order-settle-text'),
    names: ['reference'],
    fields: (form) => referenceField(form),
  }
  const sent: FormPart = {
    name: 'sent',
    title: t('order-sent-title'),
    text: t('order-sent-text', { amount: formatMoney(by_hand_minor, currency) }),
    names: ['sent_reference'],
    fields: (form) => referenceField(form, 'sent_reference'),
  }
  const refund: FormPart = {
    name: 'refund',
    title: t('order-refund-title'),
    text: t('refund-send-text', { left: formatMoney(left_minor, currency) }),
    names: ['amount', 'reason'],
    fields: (form) => html`
      <input type="hidden" name="currency" value="${currency}">
      ${textField(form, {
        name: 'amount',
        label: t('refund-amount'),
        hint: t('refund-all'),
        maxlength: 20,
        inputmode: 'decimal',
      })}
      ${messageField(form)}
      ${is_requested && checkField(form, { name: 'decline', label: t('refund-decline') })}`,
  }
  const returned: FormPart = {
    name: 'returned',
    title: t('order-returned-title'),
    text: t('order-returned-text'),
    names: ['returned_reference', 'returned_reason'],
    fields: (form) => html`
      ${referenceField(form, 'returned_reference')}
      ${messageField(form, 'returned_reason')}`,
  }
  return [
    ...(is_transfer && (state === 'open' || state === 'expired') ? [settle] : []),
    ...(by_hand_minor > 0 ? [sent] : []),
    ...(left_minor > 0 ? [refund] : []),
    ...(left_minor > 0 && is_transfer ? [returned] : []),
  ]
}

/** Folded, because each changes who has the money and the copy. */
function formPart(order: Order, part: FormPart, refused: Refused | undefined): Html {
  const { name, title, text, names, fields } = part
  const state = refused?.form === name ? refused.state : emptyForm
  const form = { action: `${OPERATOR_ORDERS}/${order.uid}/${name}`, names, submit: title }
  return html`
    <details class="confirm"${state.refused && html` open`}>
      <summary class="button button-quiet button-small">${title}</summary>
      ${fieldForm(state, form, html`<p>${text}</p>${fields(state)}`)}
    </details>`
}

async function renderOrder(context: Context, order_uid: string, refused?: Refused) {
  const order = await readApi(context.request, readOperatorOrderRoute, { params: { order_uid } })
  const forms = formsOf(order)
  const notes = notesOf(order)
  return renderConsole(context, OPERATOR_ORDERS, {
    title: titleOf(order),
    body: html`
      <p><a href="${OPERATOR_ORDERS}">${t('orders')}</a></p>
      ${notes.map((note) => html`<p class="notice notice-warn"><span>${note}</span></p>`)}
      ${orderFacts(order)}
      <div class="rows">${forms.map((part) => formPart(order, part, refused))}</div>
      ${consoleSubsection('events', t('order-events'), eventList(order))}`,
  })
}

const orderPage = getPage(`${OPERATOR_ORDERS}/:order_uid`, 'An order for operators', {
  auth: consoleOperator,
  params,
  handle: (input) => renderOrder(input, input.params.order_uid),
})

/** The names of fields that differ from those of the API: a page has each name once. */
const fieldNames: Record<FormName, Record<string, string>> = {
  settle: {},
  refund: { amount_minor: 'amount' },
  sent: { reference: 'sent_reference' },
  returned: { reference: 'returned_reference', reason: 'returned_reason' },
}

type Answer = { ok: true } | (ApiRefusal & { ok: false })

/** Back to the order, or the form again with what is wrong beside its field. */
function answerForm(
  input: Context & { body: Parameters<typeof rejectedForm>[0]; params: { order_uid: string } },
  answer: Answer,
  { form, done }: { form: FormName; done: LocalText },
) {
  const { order_uid } = input.params
  if (answer.ok) return redirectTo(input.reply, pathOf(order_uid), done)
  input.reply.code(answer.status)
  const field = fieldNames[form][answer.field ?? ''] ?? answer.field
  const state = rejectedForm(input.body, { ...answer, field })
  return renderOrder(input, order_uid, { form, state })
}

const submitSettle = postForm(`${OPERATOR_ORDERS}/:order_uid/settle`, 'Confirm a transfer', {
  auth: consoleOperator,
  params,
  async handle(input) {
    const body = { reference: fieldValue(input.body, 'reference').trim() }
    const answer = await callApi(input.request, settleOrderRoute, { params: input.params, body })
    return answerForm(input, answer, { form: 'settle', done: t('order-settled') })
  },
})

const submitRefund = postForm(`${OPERATOR_ORDERS}/:order_uid/refund`, 'Refund an order', {
  auth: consoleOperator,
  params,
  async handle(input) {
    const { request, params, body: sent } = input
    const body = {
      ...refundAmount(fieldValue(sent, 'amount'), fieldValue(sent, 'currency')),
      reason: fieldValue(sent, 'reason').trim(),
      decline: isChecked(sent, 'decline'),
    }
    const answer = await callApi(request, refundOrderRoute, { params, body })
    const done = body.decline ? t('order-declined') : t('order-refund-started')
    return answerForm(input, answer, { form: 'refund', done })
  },
})

const submitSent = postForm(`${OPERATOR_ORDERS}/:order_uid/sent`, 'Record a refund by hand', {
  auth: consoleOperator,
  params,
  async handle(input) {
    const reference = fieldValue(input.body, 'sent_reference').trim()
    const body = { how: 'sent' as const, reference, reason: '' }
    const answer = await callApi(input.request, transferBackRoute, { params: input.params, body })
    return answerForm(input, answer, { form: 'sent', done: t('order-sent-done') })
  },
})

const submitReturned = postForm(
  `${OPERATOR_ORDERS}/:order_uid/returned`,
  'Record a transfer that the bank returned',
  {
    auth: consoleOperator,
    params,
    async handle(input) {
      const { request, params, body: sent } = input
      const body = {
        how: 'returned' as const,
        reference: fieldValue(sent, 'returned_reference').trim(),
        reason: fieldValue(sent, 'returned_reason').trim(),
      }
      const answer = await callApi(request, transferBackRoute, { params, body })
      return answerForm(input, answer, { form: 'returned', done: t('order-returned-done') })
    },
  },
)

export const operatorOrderPages = [
  orderPage,
  submitSettle,
  submitRefund,
  submitSent,
  submitReturned,
]
