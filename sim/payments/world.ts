import { randomBytes } from 'node:crypto'

/** The state of the simulated payment provider, in the shapes of the objects of its API. */

// biome-ignore lint/suspicious/noExplicitAny: objects have the shapes of the provider's API
export type Json = Record<string, any>

export type WebhookMode = 'deliver' | 'lost' | 'doubled' | 'late' | 'reordered'
export type FaultMode =
  /** Answers with an error of the provider and does nothing. */
  | 'status'
  /** Performs the request and drops the answer, as a timeout after success. */
  | 'lost'
  /** Drops the connection and does nothing. */
  | 'reset'
  /** The same idempotency key is in use by another request. */
  | 'conflict'
  /** Never answers. */
  | 'silent'
export type Fault = {
  /** A method and path such as `POST /v1/refunds`, or any. */
  on: string
  mode: FaultMode
  status?: number
  /** How many requests fail; by default all until `clearFaults`. */
  times?: number
}

export type Event = Json & { id: string; type: string; account?: string }
export type EarlierAnswer = { fingerprint: string; status: number; body: Json }

export type World = {
  origin: string
  secret_key: string
  webhook_secret: string
  webhook_url: string | undefined
  accounts: Map<string, Json>
  links: Map<string, { account: string; return_url: string; refresh_url: string }>
  sessions: Map<string, Json>
  intents: Map<string, Json>
  charges: Map<string, Json>
  refunds: Map<string, Json>
  disputes: Map<string, Json>
  balance_transactions: Map<string, Json>
  payouts: Map<string, Json>
  events: Event[]
  answers: Map<string, EarlierAnswer>
  calls: { call: string; account: string | undefined; body: string }[]
  faults: Fault[]
  /** The state of new refunds: some ways to pay send them later. */
  refund_status: 'succeeded' | 'pending'
  /** What happens to the next webhook. */
  webhook_plan: () => WebhookMode
  /** Webhooks that wait for `deliverLate`. */
  held: Event[]
  /** Deliveries that have not been answered yet. */
  deliveries: Set<Promise<unknown>>
  /** The answers of the service to webhooks, by event. */
  delivered: { event: string; status: number }[]
}

export const DEMO_SECRET_KEY = 'sk_test_simulator'
export const DEMO_WEBHOOK_SECRET = 'whsec_simulator'

export const emptyWorld = (): World => ({
  origin: '',
  secret_key: DEMO_SECRET_KEY,
  webhook_secret: DEMO_WEBHOOK_SECRET,
  webhook_url: undefined,
  accounts: new Map(),
  links: new Map(),
  sessions: new Map(),
  intents: new Map(),
  charges: new Map(),
  refunds: new Map(),
  disputes: new Map(),
  balance_transactions: new Map(),
  payouts: new Map(),
  events: [],
  answers: new Map(),
  calls: [],
  faults: [],
  refund_status: 'succeeded',
  webhook_plan: () => 'deliver',
  held: [],
  deliveries: new Set(),
  delivered: [],
})

export const newId = (prefix: string) => `${prefix}_${randomBytes(12).toString('hex')}`
export const seconds = () => Math.floor(Date.now() / 1000)

/** The fault of a request, if one was ordered. */
export function takeFault({ faults }: World, call: string): Fault | undefined {
  const index = faults.findIndex(({ on }) => on === call || on === 'any')
  const fault = faults[index]
  if (!fault) return undefined
  if (fault.times !== undefined && --fault.times <= 0) faults.splice(index, 1)
  return fault
}

/** What the provider itself charges for a card payment. */
export const processingFee = (amount: number) => Math.min(amount, Math.round(amount * 0.029) + 30)

const transactionOf = (fields: Json) => ({
  id: newId('txn'),
  object: 'balance_transaction',
  created: seconds(),
  status: 'available',
  ...fields,
})

export function addTransaction(world: World, fields: Json): Json {
  const transaction = transactionOf(fields)
  world.balance_transactions.set(transaction.id, transaction)
  return transaction
}

/** The payment of a session succeeds: as on the hosted page, after the card was accepted. */
export function paySession(world: World, session: Json, country: string | null = null): Json {
  if (session.status !== 'open') throw new Error(`The session is ${session.status}`)
  const { account, amount_total: amount, currency } = session
  const intent = world.intents.get(session.payment_intent)!
  const fee = processingFee(amount)
  const application_fee = session.application_fee_amount ?? 0
  const charge_id = newId('ch')
  const transaction = addTransaction(world, {
    account,
    amount,
    currency,
    fee: fee + application_fee,
    fee_details: [
      { type: 'stripe_fee', amount: fee, currency },
      { type: 'application_fee', amount: application_fee, currency },
    ],
    net: amount - fee - application_fee,
    source: charge_id,
    status: 'pending',
    available_on: seconds() + 2 * 86_400,
    type: 'charge',
  })
  const charge = {
    id: charge_id,
    object: 'charge',
    account,
    amount,
    amount_captured: amount,
    amount_refunded: 0,
    application_fee_amount: application_fee,
    balance_transaction: transaction.id,
    captured: true,
    created: seconds(),
    currency,
    disputed: false,
    metadata: intent.metadata,
    paid: true,
    payment_intent: intent.id,
    refunded: false,
    status: 'succeeded',
  }
  world.charges.set(charge.id, charge)
  Object.assign(intent, {
    status: 'succeeded',
    amount_received: amount,
    latest_charge: charge.id,
  })
  const address = {
    city: null,
    country,
    line1: null,
    line2: null,
    postal_code: null,
    state: null,
  }
  const customer_details = {
    address,
    email: 'buyer@mail.example',
    name: 'Card Holder',
    phone: null,
    tax_exempt: 'none',
    tax_ids: [],
  }
  Object.assign(session, { status: 'complete', payment_status: 'paid', customer_details })
  return charge
}

/** Sends money back. Throws text if there is less left. */
export function refundCharge(
  world: World,
  charge: Json,
  { amount, with_fee, metadata = {} }: { amount?: number; with_fee: boolean; metadata?: Json },
): Json {
  const left = charge.amount - charge.amount_refunded
  const sum = amount ?? left
  if (charge.disputed) throw new Error('The charge has been charged back.')
  if (left === 0) throw new Error(`Charge ${charge.id} has already been refunded.`)
  if (sum < 1 || sum > left)
    throw new Error(`Refund amount (${sum}) is greater than unrefunded amount on charge (${left})`)
  const { account, currency, id } = charge
  charge.amount_refunded += sum
  charge.refunded = charge.amount_refunded === charge.amount
  const fee_total = charge.application_fee_amount
  const fee_back = with_fee
    ? Math.round((fee_total * charge.amount_refunded) / charge.amount) - (charge.fee_refunded ?? 0)
    : 0
  charge.fee_refunded = (charge.fee_refunded ?? 0) + fee_back
  const transaction = addTransaction(world, {
    account,
    amount: -sum,
    currency,
    fee: -fee_back,
    fee_details: [{ type: 'application_fee', amount: -fee_back, currency }],
    net: fee_back - sum,
    type: 'refund',
  })
  const refund = {
    id: newId('re'),
    object: 'refund',
    account,
    amount: sum,
    balance_transaction: transaction.id,
    charge: id,
    created: seconds(),
    currency,
    metadata,
    payment_intent: charge.payment_intent,
    status: world.refund_status,
  }
  transaction.source = refund.id
  world.refunds.set(refund.id, refund)
  return refund
}

/** A refund fails after it was accepted, and its money comes back to the account. */
export function failRefund(world: World, refund: Json, reason: string): Json {
  const { account, amount, currency } = refund
  const charge = world.charges.get(refund.charge)!
  charge.amount_refunded -= amount
  charge.refunded = false
  const transaction = addTransaction(world, {
    account,
    amount,
    currency,
    fee: 0,
    fee_details: [],
    net: amount,
    source: refund.id,
    type: 'refund_failure',
  })
  const failure_balance_transaction = transaction.id
  return Object.assign(refund, {
    status: 'failed',
    failure_reason: reason,
    failure_balance_transaction,
  })
}

/** The bank of the buyer takes the money back. */
export function disputeCharge(world: World, charge: Json, reason = 'fraudulent'): Json {
  const { account, currency } = charge
  const amount = charge.amount - charge.amount_refunded
  charge.disputed = true
  const transaction = addTransaction(world, {
    account,
    amount: -amount,
    currency,
    fee: 1500,
    fee_details: [{ type: 'stripe_fee', amount: 1500, currency }],
    net: -amount - 1500,
    type: 'adjustment',
  })
  const dispute = {
    id: newId('dp'),
    object: 'dispute',
    account,
    amount,
    balance_transactions: [transaction],
    charge: charge.id,
    created: seconds(),
    currency,
    payment_intent: charge.payment_intent,
    reason,
    status: 'needs_response',
  }
  transaction.source = dispute.id
  world.disputes.set(dispute.id, dispute)
  return dispute
}

/** The dispute ends; if the seller wins, the money comes back. */
export function closeDispute(world: World, dispute: Json, status: 'won' | 'lost'): Json {
  dispute.status = status
  if (status === 'won') {
    const charge = world.charges.get(dispute.charge)!
    charge.disputed = false
    const { account, amount, currency } = dispute
    addTransaction(world, {
      account,
      amount,
      currency,
      fee: 0,
      fee_details: [],
      net: amount,
      source: dispute.id,
      type: 'adjustment',
    })
  }
  return dispute
}
