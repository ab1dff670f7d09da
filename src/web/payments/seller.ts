import { Type } from 'typebox'
import type { RouteData } from '../../core/http/route.ts'
import { t } from '../../core/text/text.ts'
import { checkAccount } from '../../payments/accounts/check.ts'
import {
  readPaymentAccount,
  savePaymentDetails,
  startPaymentAccount,
} from '../../payments/accounts/routes.ts'
import { listSalesRoute, refundOrderRoute } from '../../payments/orders/routes.ts'
import { formatMoney } from '../../payments/receipts/money.ts'
import { backToSettings } from '../account/account-form.ts'
import { callApi, readApi } from '../call.ts'
import {
  emptyForm,
  type FormState,
  fieldForm,
  fieldValue,
  isChecked,
  rejectedForm,
  textArea,
  textField,
} from '../components/form.ts'
import { dateTag } from '../components/format.ts'
import { type Html, html } from '../components/html.ts'
import type { Context } from '../components/layout.ts'
import { narrowPage } from '../components/narrow-page.ts'
import { pageNumber, pager } from '../components/pager.ts'
import { confirmButton, postButton } from '../components/secret-field.ts'
import { redirectTo } from '../flash-message.ts'
import { getPage, postForm } from '../page-routes.ts'
import { member } from '../visitor.ts'
import { stateText, titleOf } from './orders.ts'
import { PAYOUTS_PAGE, payoutsPage } from './payouts.ts'
import { refundAmount } from './typed-amount.ts'

const URL = '/settings/payments'
type Account = RouteData<typeof readPaymentAccount>
type Sale = RouteData<typeof listSalesRoute>['items'][number]

function accountPart(account: Account): Html {
  const { is_open, by_card, has_account, is_disconnected, charges_enabled, requirements } = account
  if (!is_open) return html`<p class="notice">${t('payments-closed')}</p>`
  if (!by_card) return html`<p class="notice">${t('payments-by-transfer')}</p>`
  if (charges_enabled) return html`<p class="notice notice-ok">${t('payments-ready')}</p>`
  return html`
    ${is_disconnected && html`<p class="notice">${t('payments-disconnected')}</p>`}
    <p>${has_account ? t('payments-unfinished') : t('payments-start-text')}</p>
    ${requirements.length > 0 && html`<ul>${requirements.map(requirement)}</ul>`}
    ${postButton(has_account ? t('payments-continue') : t('payments-start'), `${URL}/setup`, {
      kind: 'primary',
    })}`
}

const requirement = (name: string) => html`<li><code>${name}</code></li>`

function detailsForm(account: Account, refused: FormState): Html {
  const state = refused.refused
    ? refused
    : { values: { ...account, tax_percent: account.tax_basis_points / 100 } }
  return fieldForm(
    state,
    {
      action: `${URL}/details`,
      names: ['legal_name', 'address', 'tax_id', 'tax_percent'],
      submit: t('payments-save'),
    },
    html`
      ${textField(state, { name: 'legal_name', label: t('seller-name'), maxlength: 200 })}
      ${textArea(state, { name: 'address', label: t('seller-address'), maxlength: 500 })}
      ${textField(state, { name: 'tax_id', label: t('seller-tax-id'), maxlength: 50 })}
      ${textField(state, {
        name: 'tax_percent',
        label: t('seller-tax-percent'),
        hint: t('seller-tax-percent-hint'),
        maxlength: 6,
      })}
    `,
  )
}

/** Why the provider sent nothing, in its own words, and what to do. */
const failedNote = ({ answer }: Sale['refunds'][number]): Html => html`
  <div class="notice notice-warn">
    <div>
      <p>${t('refund-failed-seller')}</p>
      ${answer && html`<blockquote>${answer}</blockquote>`}
    </div>
  </div>`

const waitingRefund = ({ refunds }: Sale) => refunds.find(({ state }) => state === 'requested')

/** Sends money back, or answers the request of the buyer; false if nothing can be refunded. */
function refundForm(sale: Sale): Html | false {
  const { uid, amount_minor, refunded_minor, currency, state } = sale
  const waiting = waitingRefund(sale)
  const left = amount_minor - refunded_minor
  if (state !== 'paid' || left <= 0) return false
  // Every sale has these fields, so they are labeled without ids.
  const decline = html`
    <p><label><input type="checkbox" name="decline" value="on"> ${t('refund-decline')}</label></p>`
  const fields = html`
    <input type="hidden" name="currency" value="${currency}">
    <div class="field">
      <label>${t('refund-amount')} <input name="amount" maxlength="20"></label>
      <p class="hint">${t('refund-all')}</p>
    </div>
    <div class="field">
      <label>${t('refund-answer')} <input name="reason" maxlength="1000"></label>
    </div>
    ${waiting && decline}`
  return confirmButton({
    label: waiting ? t('refund-decide') : t('refund-send'),
    sentence: t('refund-send-text', { left: formatMoney(left, currency) }),
    action: `${URL}/sales/${uid}/refund`,
    fields,
  })
}

function saleRow(sale: Sale): Html {
  const { amount_minor, fee_minor, currency, state, refunds } = sale
  const waiting = waitingRefund(sale)
  return html`
    <article class="panel">
      <p>
        <strong>${titleOf(sale)}</strong> · ${dateTag(sale.created_at)} ·
        ${formatMoney(amount_minor, currency)} · ${stateText(state)}
      </p>
      <p class="soft">${t('sale-fee', { fee: formatMoney(fee_minor, currency) })}</p>
      ${waiting && html`<p class="notice">${t('refund-request-note')} ${waiting.reason}</p>`}
      ${refunds.at(-1)?.state === 'failed' && failedNote(refunds.at(-1)!)}
      ${refundForm(sale)}
    </article>`
}

async function renderPayments(context: Context, state: FormState, page_text = '1') {
  const [account, sales] = await Promise.all([
    readApi(context.request, readPaymentAccount),
    readApi(context.request, listSalesRoute, { query: { page: pageNumber(page_text) } }),
  ])
  const saleList = html`
    ${sales.items.map(saleRow)}
    ${pager(URL, sales)}`
  return narrowPage(context, {
    title: t('payments-title'),
    body: html`
      ${accountPart(account)}
      ${account.is_open && html`<p><a href="${PAYOUTS_PAGE}">${t('payouts-title')}</a></p>`}
      <h2 class="spaced-heading">${t('seller-details')}</h2>
      <p class="soft">${t('seller-details-text')}</p>
      ${detailsForm(account, state)}
      <h2 class="spaced-heading">${t('sales')}</h2>
      ${sales.total ? saleList : html`<p class="soft">${t('nothing-yet')}</p>`}
      ${backToSettings}
    `,
  })
}

export const paymentsPage = getPage(URL, 'Selling: account, receipts and sales', {
  auth: member,
  query: Type.Object({
    page: Type.String({ default: '1' }),
    returned: Type.Optional(Type.String()),
  }),
  async handle(input) {
    const { core, who, query } = input
    // The person comes back from the provider: what it knows now may not have arrived yet.
    if (query.returned) await checkAccount(core, who.user_uid).catch(() => {})
    return renderPayments(input, emptyForm, query.page)
  },
})

/** The page of the provider opens by a link, because a form may not lead to another site. */
export const submitSetup = postForm(`${URL}/setup`, 'Start the set-up of payments', {
  auth: member,
  async handle(input) {
    const answer = await callApi(input.request, startPaymentAccount)
    if (!answer.ok) return redirectTo(input.reply, URL, answer.message)
    return narrowPage(input, {
      title: t('payments-title'),
      secret: true,
      body: html`
        <p>${t('payments-leave')}</p>
        <p>
          <a class="button button-primary" href="${answer.data.url}" rel="noreferrer">
            ${t('payments-open-provider')}
          </a>
        </p>
        ${backToSettings}
      `,
    })
  },
})

const basisPoints = (text: string): number => Math.round(Number(text.replace(',', '.') || 0) * 100)

export const submitDetails = postForm(`${URL}/details`, 'Save what receipts say', {
  auth: member,
  async handle(input) {
    const { request, reply, body: sent } = input
    const body = {
      legal_name: fieldValue(sent, 'legal_name').trim(),
      address: fieldValue(sent, 'address').trim(),
      tax_id: fieldValue(sent, 'tax_id').trim(),
      tax_basis_points: basisPoints(fieldValue(sent, 'tax_percent')),
    }
    const answer = await callApi(request, savePaymentDetails, { body })
    if (answer.ok) return redirectTo(reply, URL, t('payments-saved'))
    reply.code(answer.status)
    const field = answer.field === 'tax_basis_points' ? 'tax_percent' : answer.field
    return renderPayments(input, rejectedForm(sent, { ...answer, field }))
  },
})

export const submitSaleRefund = postForm(`${URL}/sales/:order_uid/refund`, 'Refund a sale', {
  auth: member,
  params: Type.Object({ order_uid: Type.String() }),
  async handle({ request, reply, params, body: sent }) {
    const body = {
      ...refundAmount(fieldValue(sent, 'amount'), fieldValue(sent, 'currency')),
      reason: fieldValue(sent, 'reason'),
      decline: isChecked(sent, 'decline'),
    }
    const answer = await callApi(request, refundOrderRoute, { params, body })
    return redirectTo(reply, URL, answer.ok ? t('payments-saved') : answer.message)
  },
})

export const sellerPages = [paymentsPage, payoutsPage, submitSetup, submitDetails, submitSaleRefund]
