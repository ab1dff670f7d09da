import type { Core } from '../../../core/runtime/core.ts'
import { callStripe, stripeClient } from './client.ts'

/** The accounts of developers at the provider. */

export type AccountState = {
  account_ref: string
  charges_enabled: boolean
  /** What the provider still needs, in its own words. */
  requirements: string[]
}

type Account = {
  id: string
  charges_enabled: boolean
  requirements?: { currently_due?: string[] | null } | null
}
const stateOf = ({ id, charges_enabled, requirements }: Account): AccountState => ({
  account_ref: id,
  charges_enabled,
  requirements: requirements?.currently_due ?? [],
})

/** Creates the account of a person, once; another one if they disconnected the one before. */
export async function createAccount(
  core: Core,
  { uid, email, replaces }: { uid: string; email: string; replaces: string | null },
): Promise<AccountState> {
  const stripe = await stripeClient(core)()
  const account = await callStripe(() =>
    stripe.accounts.create(
      { type: 'standard', email, metadata: { person: uid } },
      { idempotencyKey: ['account', uid, replaces].filter(Boolean).join('-') },
    ),
  )
  return stateOf(account)
}

export async function readAccountState(core: Core, account_ref: string): Promise<AccountState> {
  const stripe = await stripeClient(core)()
  return stateOf(await callStripe(() => stripe.accounts.retrieve(account_ref)))
}

/** A page of the provider on which a person gives what their account needs; it works once. */
export async function accountPage(core: Core, account_ref: string): Promise<string> {
  const stripe = await stripeClient(core)()
  const back = `${core.addresses.web_url}/settings/payments`
  const { url } = await callStripe(() =>
    stripe.accountLinks.create({
      account: account_ref,
      type: 'account_onboarding',
      return_url: `${back}?returned=1`,
      refresh_url: back,
    }),
  )
  return url
}
