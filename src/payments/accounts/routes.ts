import { Type } from 'typebox'
import { developer, website } from '../../accounts/sessions/schemes.ts'
import type { Sql } from '../../core/database/sql.ts'
import { Body, nameSchemas, route } from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { perAccount } from '../../core/security/limits.ts'
import { takesCards, takesTransfers } from '../provider/open-providers.ts'
import { ProviderUnavailable } from '../provider/provider.ts'
import { accountPage, createAccount } from '../provider/stripe/accounts.ts'
import { checkAccount } from './check.ts'
import { findAccount, readEmail, saveAccountState, saveTaxDetails } from './queries.ts'

const url = '/api/v1/private/account/payments'

const taxFields = {
  legal_name: Type.String({ maxLength: 200, description: 'Who sells, for receipts' }),
  address: Type.String({ maxLength: 500, description: 'The address of the seller, for receipts' }),
  tax_id: Type.String({ maxLength: 50, description: 'The tax number of the seller, for receipts' }),
  tax_basis_points: Type.Integer({
    minimum: 0,
    maximum: 10_000,
    description: 'The tax that prices include, in hundredths of a percent',
  }),
}
const AccountData = Type.Object({
  is_open: Type.Boolean({ description: 'Whether this store takes payments at all' }),
  by_card: Type.Boolean({ description: 'Whether it takes cards, which needs an account' }),
  has_account: Type.Boolean({ description: 'Whether you have an account at the provider' }),
  is_disconnected: Type.Boolean({
    description: 'Whether you disconnected it from the store; set up another to sell again',
  }),
  charges_enabled: Type.Boolean({ description: 'Whether buyers can pay into it' }),
  requirements: Type.Array(Type.String(), {
    description: 'What the provider still needs, in its own words',
  }),
  ...taxFields,
})
nameSchemas({ PaymentAccount: AccountData })

async function present({ config }: Core, sql: Sql, user_uid: string) {
  const account = await findAccount(sql, user_uid)
  return {
    is_open: takesCards(config) || takesTransfers(config),
    by_card: takesCards(config),
    has_account: Boolean(account?.account_ref),
    is_disconnected: Boolean(account?.disconnected_ref && !account.account_ref),
    charges_enabled: account?.charges_enabled ?? false,
    requirements: account?.requirements ?? [],
    legal_name: account?.legal_name ?? '',
    address: account?.address ?? '',
    tax_id: account?.tax_id ?? '',
    tax_basis_points: account?.tax_basis_points ?? 0,
  }
}

export const readPaymentAccount = route({
  method: 'GET',
  url,
  summary: 'Whether you can sell, and what your account at the payment provider still needs',
  auth: developer('mcp:money'),
  data: AccountData,
  handle: ({ core, sql, who }) => present(core, sql, who.user_uid),
})

export const savePaymentDetails = route({
  method: 'PUT',
  url,
  summary: 'Set what receipts say about you as the seller',
  auth: website,
  body: Body(taxFields),
  data: AccountData,
  async handle({ core, sql, who, body }) {
    await saveTaxDetails(sql, who.user_uid, body)
    return present(core, sql, who.user_uid)
  },
})

export const startPaymentAccount = route({
  method: 'POST',
  url: `${url}/setup`,
  summary: 'Start or continue the set-up of your account at the payment provider',
  description: 'Creates the account the first time. Open `url` in a browser; it works once.',
  auth: website,
  limits: [perAccount(10)],
  data: Type.Object({ url: Type.String({ description: 'A page of the provider' }) }),
  errors: ['EMAIL_NOT_VERIFIED', 'PAYMENTS_CLOSED', 'UNAVAILABLE'],
  async handle({ core, sql, who }) {
    if (!who.email_verified) refuse('EMAIL_NOT_VERIFIED')
    if (!takesCards(core.config)) refuse('PAYMENTS_CLOSED')
    try {
      return { url: await setupPage(core, sql, who.user_uid) }
    } catch (error) {
      if (!(error instanceof ProviderUnavailable)) throw error
      core.log.warn({ err: error }, 'The set-up of payments could not start')
      return refuse('UNAVAILABLE')
    }
  },
})

async function setupPage(core: Core, sql: Sql, user_uid: string): Promise<string> {
  // No webhook may have said that the account was disconnected.
  await checkAccount(core, user_uid)
  const account = await findAccount(sql, user_uid)
  if (account?.account_ref) return accountPage(core, account.account_ref)
  const email = await readEmail(sql, user_uid)
  const replaces = account?.disconnected_ref ?? null
  const state = await createAccount(core, { uid: user_uid, email, replaces })
  await saveAccountState(sql, user_uid, state)
  return accountPage(core, state.account_ref)
}

export const paymentAccountRoutes = [readPaymentAccount, savePaymentDetails, startPaymentAccount]
