import { Type } from 'typebox'
import { developer } from '../../accounts/sessions/schemes.ts'
import { Nullable, nameSchemas, OneOf, route, Timestamp } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { perAccount } from '../../core/security/limits.ts'
import { findAccount } from '../accounts/queries.ts'
import { type ProviderName, providerNames } from '../provider/names.ts'
import { providers, takesCards, takesTransfers } from '../provider/open-providers.ts'
import { type Balance, ProviderUnavailable, payoutStates } from '../provider/provider.ts'

const Currency = Type.String({ description: 'ISO 4217, such as USD' })
const Sum = Type.Object({
  currency: Currency,
  amount_minor: Type.Integer({
    description: 'In minor units; less than zero where refunds took more than there was',
  }),
})
const PayoutData = Type.Object({
  ref: Type.String({ description: 'Its name at the provider' }),
  currency: Currency,
  amount_minor: Type.Integer({ description: 'In minor units of the currency' }),
  state: OneOf(payoutStates, { description: 'As the provider reports it' }),
  failure: Type.String({ description: 'Why it failed, in the words of the provider' }),
  arrives_at: Timestamp,
})
const BalanceData = Type.Object({
  provider: Nullable(
    OneOf(providerNames, {
      description: 'Who holds your money: the provider, or the store (manual); null for nobody',
    }),
  ),
  available: Type.Array(Sum, { description: 'What the provider can pay out, by currency' }),
  pending: Type.Array(Sum, { description: 'What buyers paid and is not available yet' }),
  payouts: Type.Array(PayoutData, { description: 'The last 20, the newest first' }),
})
nameSchemas({ PayoutBalance: BalanceData, Payout: PayoutData })

/** Who has what buyers paid to a seller. */
function holderOf(
  config: Parameters<typeof takesCards>[0],
  account_ref: string | null,
): ProviderName | null {
  if (takesCards(config) && account_ref) return 'stripe'
  return takesTransfers(config) ? 'manual' : null
}

const presentPayouts = ({ payouts, ...sums }: Balance) => ({
  ...sums,
  payouts: payouts.map((payout) => ({ ...payout, arrives_at: payout.arrives_at.toISOString() })),
})

export const readPayoutsRoute = route({
  method: 'GET',
  url: '/api/v1/private/account/payouts',
  summary: 'Read your balance and payouts as the payment provider reports them',
  auth: developer('mcp:money'),
  limits: [perAccount(30)],
  data: BalanceData,
  errors: ['FORBIDDEN', 'UNAVAILABLE'],
  async handle({ core, sql, who }) {
    if (who.game_uid)
      refuse(
        'FORBIDDEN',
        undefined,
        'This key is bound to one project; use one for the whole account',
      )
    const { config } = core
    const account = await findAccount(sql, who.user_uid)
    const provider = holderOf(config, account?.account_ref ?? null)
    if (!provider) return { provider, available: [], pending: [], payouts: [] }
    try {
      const balance = await providers[provider].balance(core, account?.account_ref ?? '')
      return { provider, ...presentPayouts(balance) }
    } catch (error) {
      if (!(error instanceof ProviderUnavailable)) throw error
      core.log.warn({ err: error }, 'A balance could not be read')
      return refuse(
        'UNAVAILABLE',
        undefined,
        explain(
          'provider_unavailable',
          'The payment provider does not answer; try again in a minute, or look at its own site',
        ),
      )
    }
  },
})

export const payoutRoutes = [readPayoutsRoute]
