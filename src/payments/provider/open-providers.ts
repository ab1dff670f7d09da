import type { Config } from '../../core/runtime/config.ts'
import { manualProvider } from './manual/payments.ts'
import type { ProviderName } from './names.ts'
import type { PaymentProvider } from './provider.ts'
import { stripeProvider } from './stripe/payments.ts'

export const providers: Record<ProviderName, PaymentProvider> = {
  stripe: stripeProvider,
  manual: manualProvider,
}

type PaymentConfig = Pick<
  Config,
  'stripe_secret_key' | 'stripe_webhook_secret' | 'payment_instructions'
>

/** Without the secret of webhooks, payments would be noticed late, so both are needed. */
export const takesCards = ({ stripe_secret_key, stripe_webhook_secret }: PaymentConfig): boolean =>
  Boolean(stripe_secret_key && stripe_webhook_secret)

/** Whether people can pay outside of the store, for operators to confirm. */
export const takesTransfers = ({ payment_instructions }: PaymentConfig): boolean =>
  Boolean(payment_instructions)

/** The settings that are missing before the store can sell; operators see them. */
export function missingSettings(config: PaymentConfig): string[] {
  if (takesTransfers(config) && !config.stripe_secret_key && !config.stripe_webhook_secret)
    return []
  return [
    ...(config.stripe_secret_key ? [] : ['STRIPE_SECRET_KEY']),
    ...(config.stripe_webhook_secret ? [] : ['STRIPE_WEBHOOK_SECRET']),
  ]
}

type Seller = { account_ref: string | null; charges_enabled: boolean }

/** How an order of this seller is paid; undefined while nobody can buy from them. */
export function chooseProvider(
  config: PaymentConfig,
  seller: Seller,
  amount_minor: number,
): ProviderName | undefined {
  if (amount_minor === 0) return 'manual'
  if (takesCards(config) && seller.account_ref && seller.charges_enabled) return 'stripe'
  return takesTransfers(config) ? 'manual' : undefined
}
