import type { Core } from '../../../core/runtime/core.ts'
import { stripeClient } from './client.ts'

/** How old a signature may be; the provider signs each attempt again. */
const TOLERANCE_SECONDS = 300

/** What a message of the provider is about. It says where to look; the record is read anew. */
export type ProviderEvent = {
  id: string
  type: string
  account_ref: string | undefined
  subject:
    | { kind: 'order'; order_uid: string }
    | { kind: 'payment'; payment_ref: string }
    | { kind: 'account' }
    | undefined
}

type EventObject = {
  metadata?: Record<string, string> | null
  client_reference_id?: string | null
  charge?: string | { id: string } | null
  id?: string
}

/** The second one says that the developer disconnected the account from the store. */
const accountEvents = new Set(['account.updated', 'account.application.deauthorized'])

function subjectOf(type: string, object: EventObject): ProviderEvent['subject'] {
  if (accountEvents.has(type)) return { kind: 'account' }
  const order_uid = object.metadata?.order ?? object.client_reference_id
  if (order_uid) return { kind: 'order', order_uid }
  // Disputes and refunds name their charge.
  if (/^(charge\.dispute|charge\.refund|refund)\./.test(type))
    return typeof object.charge === 'string'
      ? { kind: 'payment', payment_ref: object.charge }
      : undefined
  if (type.startsWith('charge.') && object.id) return { kind: 'payment', payment_ref: object.id }
  return undefined
}

/** Undefined if the signature is missing, wrong or too old. Compared in constant time. */
export async function readEvent(
  core: Core,
  body: Buffer,
  signature: string | undefined,
): Promise<ProviderEvent | undefined> {
  const secret = core.config.stripe_webhook_secret
  if (!secret || !signature) return undefined
  const stripe = await stripeClient(core)()
  try {
    const { id, type, account, data } = stripe.webhooks.constructEvent(
      body,
      signature,
      secret,
      TOLERANCE_SECONDS,
    )
    const subject = subjectOf(type, data.object as EventObject)
    return { id, type, account_ref: account, subject }
  } catch {
    return undefined
  }
}
