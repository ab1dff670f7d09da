import type { RouteData } from '../../core/http/route.ts'
import { type Text, t } from '../../core/text/text.ts'
import { readPayoutsRoute } from '../../payments/payouts/routes.ts'
import type { PayoutState } from '../../payments/provider/provider.ts'
import { formatMoney } from '../../payments/receipts/money.ts'
import { callApi } from '../call.ts'
import { badge } from '../components/badge.ts'
import { dateTag } from '../components/format.ts'
import { type Html, html } from '../components/html.ts'
import { narrowPage } from '../components/narrow-page.ts'
import { emptyState, table } from '../components/table.ts'
import { getPage } from '../page-routes.ts'
import { member } from '../visitor.ts'

export const PAYOUTS_PAGE = '/settings/payments/payouts'
type Balance = RouteData<typeof readPayoutsRoute>

const stateBadges: Record<PayoutState, Html> = {
  pending: badge(t('payout-pending')),
  in_transit: badge(t('payout-in-transit'), 'warn'),
  paid: badge(t('payout-paid'), 'ok'),
  failed: badge(t('payout-failed'), 'bad'),
  canceled: badge(t('payout-canceled')),
}

function sumTable({ available, pending }: Balance): Html {
  const codes = [...new Set([...available, ...pending].map(({ currency }) => currency))]
  if (!codes.length) return html`<p class="soft">${t('balance-empty')}</p>`
  const sumIn = (sums: Balance['available'], code: string) =>
    formatMoney(sums.find(({ currency }) => currency === code)?.amount_minor ?? 0, code)
  return table(
    t('balance'),
    [t('currency'), t('balance-available'), t('balance-pending')],
    codes.map((code) => [code, sumIn(available, code), sumIn(pending, code)]),
  )
}

const payoutTable = ({ payouts }: Balance): Html =>
  payouts.length
    ? table(
        t('payouts'),
        [t('payout-arrives'), t('payout-amount'), t('column-status')],
        payouts.map(({ arrives_at, amount_minor, currency, state, failure }) => [
          dateTag(arrives_at),
          formatMoney(amount_minor, currency),
          html`${stateBadges[state]}${failure && html`<br><small>${failure}</small>`}`,
        ]),
      )
    : emptyState(t('payouts-none'), t('payouts-none-text'))

const notice = (text: Text): Html => html`<p class="notice"><span>${text}</span></p>`

function balancePart(balance: Balance): Html {
  if (!balance.provider) return notice(t('payouts-no-account'))
  if (balance.provider === 'manual') return notice(t('payouts-by-transfer'))
  return html`
    <p class="soft">${t('balance-text')}</p>
    <h2 class="spaced-heading">${t('balance')}</h2>
    ${sumTable(balance)}
    <h2 class="spaced-heading">${t('payouts')}</h2>
    ${payoutTable(balance)}`
}

/** The provider may not answer, which is no fault of this page. */
export const payoutsPage = getPage(PAYOUTS_PAGE, 'Balance and payouts of a seller', {
  auth: member,
  async handle(input) {
    const answer = await callApi(input.request, readPayoutsRoute)
    const refused = (message: Text) => html`
      <p class="notice notice-warn" role="alert"><span>${message}</span></p>
      <p><a class="button button-quiet" href="${PAYOUTS_PAGE}">${t('payouts-again')}</a></p>`
    return narrowPage(input, {
      title: t('payouts-title'),
      secret: true,
      body: html`
        ${answer.ok ? balancePart(answer.data) : refused(answer.message)}
        <p class="aside"><a href="/settings/payments">${t('payments-title')}</a></p>
      `,
    })
  },
})
