import { Type } from 'typebox'
import { errors } from '../../core/runtime/errors.ts'
import { type Text, t } from '../../core/text/text.ts'
import { BASE_CURRENCY, decimalAmount, minorDigits } from '../../listings/prices/currencies.ts'
import type { Offer } from '../../listings/prices/offers.ts'
import { type Discovery, isDiscovery } from '../../payments/orders/discovery.ts'
import { createOrderRoute } from '../../payments/orders/routes.ts'
import { type ApiRefusal, callApi, toRefusal } from '../call.ts'
import {
  type FormBody,
  fieldForm,
  fieldValue,
  rejectedForm,
  textField,
} from '../components/form.ts'
import { type Html, html } from '../components/html.ts'
import type { Context } from '../components/layout.ts'
import { narrowPage } from '../components/narrow-page.ts'
import { redirectTo } from '../flash-message.ts'
import { postForm } from '../page-routes.ts'
import { member } from '../visitor.ts'
import { typedAmount } from './typed-amount.ts'

/** The button that starts a purchase. Nothing is paid before the page of the provider. */
export const buyForm = (
  game_uid: string,
  offer: Offer,
  label: Html | Text,
  discovery: Discovery = 'other',
): Html => {
  const key = offer.edition_uid ?? 'listing'
  const { edition_uid, currency, pay_what_you_want } = offer
  return html`
    <form class="buy-form" method="post" action="/games/${game_uid}/buy">
      <input type="hidden" name="currency" value="${currency}">
      <input type="hidden" name="discovery" value="${discovery}">
      ${edition_uid && html`<input type="hidden" name="edition" value="${edition_uid}">`}
      ${pay_what_you_want && amountField(offer)}
      <button class="button ${edition_uid ? 'button-quiet button-small' : 'button-primary button-download'}">
        ${label}
      </button>
      ${couponField(key)}
      ${folded(t('buy-gift'), giftField(`gift-${key}`))}
    </form>
  `
}

/** Where buyers choose the price, in whole units with decimals. */
function amountField({ edition_uid, currency, price_minor, suggested_minor }: Offer): Html {
  const id = `amount-${edition_uid ?? 'listing'}`
  const digits = minorDigits(currency)
  return html`
    <div class="field">
      <label for="${id}">${t('buy-amount', { currency })}</label>
      <input id="${id}" type="number" inputmode="decimal" name="amount"
        min="${decimalAmount(price_minor, currency)}" step="${(10 ** -digits).toFixed(digits)}"
        value="${decimalAmount(suggested_minor ?? price_minor, currency)}">
    </div>`
}

/** For people who have the listing: they can only buy it for others. */
export const giftForm = (game_uid: string, offer: Offer): Html => {
  const { currency, pay_what_you_want } = offer
  return html`
    <form class="buy-form" method="post" action="/games/${game_uid}/buy">
      ${folded(
        t('buy-as-gift'),
        html`
          <input type="hidden" name="currency" value="${currency}">
          ${pay_what_you_want && amountField(offer)}
          ${giftField('gift-listing', { required: true })}
          ${couponInput('listing')}
          <button class="button button-quiet">${t('buy-gift-submit')}</button>
        `,
      )}
    </form>
  `
}

const folded = (summary: Text, content: Html): Html => html`
  <details class="buy-coupon">
    <summary>${summary}</summary>
    ${content}
  </details>`

const giftField = (id: string, { required = false } = {}): Html => html`
  <div class="field">
    <label for="${id}">${t('buy-gift-to')}</label>
    <input id="${id}" name="gift_to" maxlength="254" autocomplete="off" autocapitalize="none"
      spellcheck="false" aria-describedby="${id}-hint"${required && html` required`}>
    <p class="hint" id="${id}-hint">${t('buy-gift-hint')}</p>
  </div>`

const couponInput = (key: string): Html => html`
  <div class="field">
    <label for="coupon-${key}">${t('buy-coupon-code')}</label>
    <input id="coupon-${key}" name="coupon" maxlength="64" autocomplete="off">
  </div>`

const couponField = (key: string): Html => folded(t('buy-coupon'), couponInput(key))

type AmountInput = Context & { body: FormBody; params: { game_id: string } }

const wrongAmount = (currency: string): ApiRefusal => ({
  ok: false,
  status: errors.AMOUNT_TOO_LOW[1],
  code: errors.AMOUNT_TOO_LOW[0],
  field: 'amount',
  message: t('buy-amount-wrong', { currency }),
  details: {},
})

/** Everything that was typed, with what is wrong beside the amount. */
function renderAmount(input: AmountInput, refused: ApiRefusal) {
  const { body, params, reply } = input
  const currency = fieldValue(body, 'currency') || BASE_CURRENCY
  const state = rejectedForm(body, refused)
  const kept = ['currency', 'discovery', 'edition', 'coupon', 'gift_to'].map((name) => {
    const value = fieldValue(body, name)
    return value && html`<input type="hidden" name="${name}" value="${value}">`
  })
  const path = `/games/${encodeURIComponent(params.game_id)}`
  reply.code(refused.status)
  return narrowPage(input, {
    title: t('buy'),
    above: html`<p><a href="${path}">${t('order-again')}</a></p>`,
    body: fieldForm(
      state,
      { action: `${path}/buy`, names: ['amount'], submit: t('buy') },
      html`
        ${kept}
        ${textField(state, {
          name: 'amount',
          label: t('buy-amount', { currency }),
          required: true,
          maxlength: 20,
          inputmode: 'decimal',
        })}`,
    ),
  })
}

export const submitBuy = postForm('/games/:game_id/buy', 'Order a listing', {
  auth: member,
  params: Type.Object({ game_id: Type.String() }),
  async handle(input) {
    const { request, reply, body: sent, params } = input
    const { game_id } = params
    const edition = fieldValue(sent, 'edition')
    const currency = fieldValue(sent, 'currency') || BASE_CURRENCY
    const coupon = fieldValue(sent, 'coupon')
    const gift_to = fieldValue(sent, 'gift_to').trim()
    const amount = fieldValue(sent, 'amount')
    const amount_minor = typedAmount(amount, currency)
    // Without an amount the least price counts, so what is no amount must not be left out.
    if (sent && 'amount' in sent && amount_minor === undefined)
      return renderAmount(input, wrongAmount(currency))
    const discovery = fieldValue(sent, 'discovery')
    const body = {
      game: game_id,
      currency,
      discovery: isDiscovery(discovery) ? discovery : ('other' as const),
      ...(edition && { edition }),
      ...(coupon && { coupon }),
      ...(gift_to && { gift_to }),
      ...(amount_minor !== undefined && { amount_minor }),
    }
    const answer = await callApi(request, createOrderRoute, { body })
    if (answer.ok) return redirectTo(reply, `/library/orders/${answer.data.order.uid}`)
    if (answer.field === 'amount') return renderAmount(input, answer)
    if (answer.status === 404 && answer.field !== 'gift_to') throw toRefusal(answer)
    return redirectTo(reply, `/games/${encodeURIComponent(game_id)}`, answer.message)
  },
})

export const buyLabel = t('buy')
