import { createHash } from 'node:crypto'
import { emit } from './webhooks.ts'
import { type Json, newId, paySession, refundCharge, seconds, type World } from './world.ts'

/** The parts of the provider's HTTP API that the service uses, in its wire format. */

export type ApiCall = {
  method: string
  path: string
  /** Form fields, nested as their names say. */
  form: Json
  body: string
  headers: Record<string, string | undefined>
}
export type ApiAnswer = { status: number; body: Json; headers?: Record<string, string> }

export const failure = (
  status: number,
  message: string,
  { type = 'invalid_request_error', code, param }: Json = {},
): ApiAnswer => ({
  status,
  body: { error: { type, message, ...(code && { code }), ...(param && { param }) } },
})

/** `a[b][0]=c` as `{a: {b: {0: c}}}`; lists stay objects with numbers as names. */
export function parseForm(text: string): Json {
  const form: Json = Object.create(null)
  for (const [name, value] of new URLSearchParams(text)) {
    const names = name.replaceAll(']', '').split('[')
    let target = form
    for (const part of names.slice(0, -1)) target = target[part] ??= Object.create(null)
    target[names.at(-1)!] = value
  }
  return form
}

const missing = (kind: string, id: string) =>
  failure(404, `No such ${kind}: '${id}'`, { code: 'resource_missing', param: 'id' })
const listOf = (path: string, data: Json[], has_more = false) => ({
  status: 200,
  body: { object: 'list', url: path, has_more, data },
})
const ok = (body: Json): ApiAnswer => ({ status: 200, body: publicPart(body) })
/** `account` is how the simulator knows whose an object is; the API names it nowhere. */
const publicPart = ({ account, fee_refunded, ...object }: Json): Json => object

/** The account does not exist, or its owner disconnected it. */
const noAccess = (account: string) =>
  failure(
    403,
    `The provided key does not have access to account '${account}' (or that account does not ` +
      'exist). Application access may have been revoked.',
    { code: 'account_invalid' },
  )

/** Answers a request once per idempotency key, as the provider does. */
export function answer(world: World, call: ApiCall): ApiAnswer {
  if (call.headers.authorization !== `Bearer ${world.secret_key}`)
    return failure(401, 'Invalid API Key provided', { code: 'api_key_invalid' })
  const account = call.headers['stripe-account']
  if (account && !world.accounts.has(account)) return noAccess(account)
  const key = call.headers['idempotency-key']
  if (call.method !== 'POST' || !key) return run(world, call, account)
  const name = `${account ?? ''} ${key}`
  const fingerprint = createHash('sha256').update(`${call.path} ${call.body}`).digest('hex')
  const earlier = world.answers.get(name)
  if (earlier && earlier.fingerprint !== fingerprint)
    return failure(
      400,
      'Keys for idempotent requests can only be used with the same parameters they were first ' +
        'used with.',
      { type: 'idempotency_error' },
    )
  if (earlier) return { ...earlier, headers: { 'idempotent-replayed': 'true' } }
  const first = run(world, call, account)
  if (first.status < 500) world.answers.set(name, { fingerprint, ...first })
  return first
}

function run(world: World, call: ApiCall, account: string | undefined): ApiAnswer {
  const [, , kind = '', id, verb] = call.path.split('/')
  const name = kind === 'checkout' ? 'sessions' : kind
  const handler = handlers[`${call.method} ${name}`]
  if (!handler) return failure(404, `Unrecognized request URL (${call.method}: ${call.path}).`)
  const target = kind === 'checkout' ? call.path.split('/').slice(4) : [id, verb]
  return handler({ world, call, account, id: target[0], verb: target[1] })
}

type Request = {
  world: World
  call: ApiCall
  account: string | undefined
  id: string | undefined
  verb: string | undefined
}
type Handler = (request: Request) => ApiAnswer

/** Objects are visible only to the account that has them. */
const ownedBy = (objects: Map<string, Json>, account: string | undefined): Json[] =>
  [...objects.values()].filter((object) => object.account === account).reverse()
const find = (objects: Map<string, Json>, id: string | undefined, account: string | undefined) => {
  const object = id === undefined ? undefined : objects.get(id)
  return object?.account === account ? object : undefined
}

/** A page of a list, newest first, filtered by the fields that the request names. */
function page(objects: Json[], { call }: Request, filters: string[]): ApiAnswer {
  const { limit = '10', starting_after } = call.form
  const matching = objects.filter((object) =>
    filters.every((name) => call.form[name] === undefined || object[name] === call.form[name]),
  )
  const start = starting_after ? matching.findIndex(({ id }) => id === starting_after) + 1 : 0
  const end = start + Number(limit)
  const data = matching.slice(start, end).map(publicPart)
  return listOf(call.path, data, end < matching.length)
}

const truthy = (value: unknown) => value === 'true'

const handlers: Record<string, Handler> = {
  'POST accounts': ({ world, call }) => {
    const account = {
      id: newId('acct'),
      object: 'account',
      charges_enabled: false,
      country: call.form.country ?? 'US',
      created: seconds(),
      default_currency: 'usd',
      details_submitted: false,
      email: call.form.email ?? null,
      metadata: { ...call.form.metadata },
      payouts_enabled: false,
      requirements: {
        currently_due: ['business_type', 'external_account', 'tos_acceptance.date'],
        disabled_reason: 'requirements.past_due',
        errors: [],
      },
      type: call.form.type ?? 'standard',
    }
    world.accounts.set(account.id, account)
    return ok(account)
  },
  'GET accounts': ({ world, id }) => {
    const account = world.accounts.get(id ?? '')
    return account ? ok(account) : noAccess(id ?? '')
  },
  'POST account_links': ({ world, call }) => {
    const { account, return_url, refresh_url } = call.form
    if (!world.accounts.has(account)) return noAccess(account)
    const link = newId('link')
    world.links.set(link, { account, return_url, refresh_url })
    const expires_at = seconds() + 300
    const url = `${world.origin}/setup/${link}`
    return ok({ object: 'account_link', created: seconds(), expires_at, url })
  },
  'POST sessions': (request) => {
    if (request.verb === 'expire') return expireSession(request)
    return createSession(request)
  },
  'GET sessions': ({ world, call, id, account }) => {
    const session = find(world.sessions, id, account)
    if (!session) return missing('checkout.session', id ?? '')
    const expands = Object.values(call.form.expand ?? {}) as string[]
    return ok(expands.length ? expandSession(world, session, expands) : session)
  },
  'GET payment_intents': ({ world, id, account }) => {
    const intent = find(world.intents, id, account)
    return intent ? ok(intent) : missing('payment_intent', id ?? '')
  },
  'GET charges': (request) => {
    const { world, id, account } = request
    if (!id) return page(ownedBy(world.charges, account), request, ['payment_intent'])
    const charge = find(world.charges, id, account)
    return charge ? ok(charge) : missing('charge', id)
  },
  'POST refunds': ({ world, call, account }) => {
    const { charge: charge_id, payment_intent, amount, refund_application_fee } = call.form
    const charge = find(
      world.charges,
      charge_id ?? world.intents.get(payment_intent)?.latest_charge,
      account,
    )
    if (!charge) return missing('charge', charge_id ?? payment_intent)
    if (truthy(refund_application_fee) && !charge.application_fee_amount)
      return failure(
        400,
        `The charge ${charge.id} does not have an application fee, so it cannot be refunded.`,
        { param: 'refund_application_fee' },
      )
    try {
      const refund = refundCharge(world, charge, {
        ...(amount !== undefined && { amount: Number(amount) }),
        with_fee: truthy(refund_application_fee),
        metadata: { ...call.form.metadata },
      })
      emit(world, 'charge.refunded', charge)
      return ok(refund)
    } catch (error) {
      const code = charge.disputed
        ? 'charge_disputed'
        : charge.refunded
          ? 'charge_already_refunded'
          : 'amount_too_large'
      return failure(400, (error as Error).message, { code })
    }
  },
  'GET refunds': (request) =>
    page(ownedBy(request.world.refunds, request.account), request, ['charge', 'payment_intent']),
  'GET disputes': (request) =>
    page(ownedBy(request.world.disputes, request.account), request, ['charge', 'payment_intent']),
  'GET balance_transactions': (request) =>
    page(ownedBy(request.world.balance_transactions, request.account), request, ['type', 'source']),
  'GET payouts': (request) => page(ownedBy(request.world.payouts, request.account), request, []),
  'GET events': (request) => {
    const { events } = request.world
    const own = events.filter(({ account }) => account === request.account).reverse()
    return page(own, request, ['type'])
  },
  'GET balance': ({ world, account }) => {
    const transactions = ownedBy(world.balance_transactions, account)
    const sumsOf = (state: string) => {
      const sums = new Map(transactions.map(({ currency }) => [currency, 0]))
      for (const { currency, net, status } of transactions)
        if (status === state) sums.set(currency, sums.get(currency)! + net)
      return [...sums].map(([currency, amount]) => ({ amount, currency }))
    }
    const pending = sumsOf('pending')
    return ok({ object: 'balance', available: sumsOf('available'), pending, livemode: false })
  },
}

const HALF_HOUR = 1800
const DAY = 86_400

/** The least that can be charged, in the smallest unit of each currency; otherwise 50. */
const minimums: Record<string, number> = {
  czk: 1500,
  dkk: 250,
  gbp: 30,
  hkd: 400,
  krw: 700,
  mxn: 1000,
  nok: 300,
  pln: 200,
  sek: 300,
}

function createSession({ world, call, account }: Request): ApiAnswer {
  const { form } = call
  const connected = world.accounts.get(account ?? '')
  if (!connected?.charges_enabled)
    return failure(400, 'Your account cannot currently make live charges.', {
      code: 'account_invalid',
    })
  const items = Object.values(form.line_items ?? {}) as Json[]
  const amount = items.reduce(
    (sum, { price_data, quantity = '1' }) =>
      sum + Number(price_data?.unit_amount) * Number(quantity),
    0,
  )
  const currency = items[0]?.price_data?.currency
  if (form.mode !== 'payment' || !currency || !(amount > 0))
    return failure(400, 'Invalid line_items', { param: 'line_items' })
  if (amount < (minimums[currency] ?? 50))
    return failure(400, "The Checkout Session's total amount is less than the minimum amount.", {
      code: 'amount_too_small',
      param: 'line_items',
    })
  const ends_in = Number(form.expires_at ?? seconds() + DAY) - seconds()
  if (!(ends_in >= HALF_HOUR && ends_in <= DAY))
    return failure(
      400,
      'The `expires_at` timestamp must be at least 30 minutes and at most 24 hours from Checkout ' +
        'Session creation.',
      { param: 'expires_at' },
    )
  const application_fee_amount = Number(form.payment_intent_data?.application_fee_amount ?? 0)
  if (application_fee_amount > amount)
    return failure(400, 'The application fee exceeds the amount', {
      param: 'payment_intent_data[application_fee_amount]',
    })
  const id = newId('cs_test')
  const intent = {
    id: newId('pi'),
    object: 'payment_intent',
    account,
    amount,
    amount_received: 0,
    application_fee_amount,
    currency,
    latest_charge: null,
    metadata: { ...form.payment_intent_data?.metadata },
    status: 'requires_payment_method',
  }
  world.intents.set(intent.id, intent)
  const session = {
    id,
    object: 'checkout.session',
    account,
    amount_subtotal: amount,
    amount_total: amount,
    application_fee_amount,
    cancel_url: form.cancel_url ?? null,
    client_reference_id: form.client_reference_id ?? null,
    created: seconds(),
    currency,
    customer_details: null,
    expires_at: Number(form.expires_at ?? seconds() + 86_400),
    livemode: false,
    metadata: { ...form.metadata },
    mode: 'payment',
    payment_intent: intent.id,
    payment_status: 'unpaid',
    status: 'open',
    success_url: form.success_url ?? null,
    url: `${world.origin}/c/pay/${id}`,
  }
  world.sessions.set(id, session)
  return ok(session)
}

function expireSession({ world, id, account }: Request): ApiAnswer {
  const session = find(world.sessions, id, account)
  if (!session) return missing('checkout.session', id ?? '')
  if (session.status !== 'open')
    return failure(400, `Only open sessions can be expired; this one is ${session.status}.`)
  endSession(world, session)
  return ok(session)
}

/** The session was not paid in time, or was ended by the service. */
export function endSession(world: World, session: Json) {
  Object.assign(session, { status: 'expired', url: null })
  emit(world, 'checkout.session.expired', session)
}

/** The buyer pays on the hosted page. */
export function completeSession(world: World, session: Json, country: string | null = null): Json {
  const charge = paySession(world, session, country)
  emit(world, 'charge.succeeded', charge)
  emit(world, 'checkout.session.completed', session)
  return charge
}

function expandSession(world: World, session: Json, expands: string[]): Json {
  const intent = world.intents.get(session.payment_intent)!
  const charge = world.charges.get(intent.latest_charge)
  const transaction = charge && world.balance_transactions.get(charge.balance_transaction)
  const wants = (path: string) => expands.some((text) => text.startsWith(path))
  if (!wants('payment_intent')) return session
  const latest_charge =
    charge && wants('payment_intent.latest_charge')
      ? publicPart({
          ...charge,
          ...(wants('payment_intent.latest_charge.balance_transaction') && {
            balance_transaction: publicPart(transaction!),
          }),
        })
      : intent.latest_charge
  return { ...session, payment_intent: publicPart({ ...intent, latest_charge }) }
}
