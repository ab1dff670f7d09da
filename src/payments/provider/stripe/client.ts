import type { Stripe } from 'stripe'
import { drillOutbound } from '../../../core/runtime/drill.ts'
import { once } from '../../../core/runtime/once.ts'
import { perCore } from '../../../core/runtime/per-core.ts'
import { createOutbound, type Outbound } from '../../../core/security/outbound.ts'
import { AccountDisconnected, AccountUnavailable, ProviderUnavailable } from '../provider.ts'

const API = 'https://api.stripe.com'
const TIMEOUT_MS = 15_000
/** How often the client repeats a request that got no answer; it sends the same idempotency key. */
const RETRIES = 2
const MAX_ANSWER_BYTES = 4 * 1024 * 1024

/** Sends the requests of the official client with our own outbound HTTP. */
const httpClient = (outbound: Outbound) => ({
  getClientName: () => 'slipway',
  async makeRequest(
    host: string,
    port: string,
    path: string,
    method: string,
    headers: object,
    body: string,
    protocol: string,
    timeout_ms: number,
  ) {
    const answer = await outbound.request({
      url: `${protocol}://${host}:${port}${path}`,
      method: method as 'GET' | 'POST' | 'DELETE',
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
      ),
      ...(method !== 'GET' && { body }),
      timeout_ms,
      max_bytes: MAX_ANSWER_BYTES,
    })
    return {
      getStatusCode: () => answer.status,
      getHeaders: () => answer.headers as Record<string, string>,
      getRawResponse: () => ({ status: answer.status }),
      toStream: () => {
        throw new Error('Streams are not used')
      },
      toJSON: async () => JSON.parse(answer.body.toString()),
    }
  },
})

/** The client is loaded when it is first needed: most stores sell nothing. */
export const stripeClient = perCore(({ config }) => {
  return once(async (): Promise<Stripe> => {
    const { Stripe: Client } = await import('stripe')
    const { protocol, hostname, port } = new URL(config.stripe_api_url ?? API)
    const origin = new URL(config.stripe_api_url ?? API).origin
    const outbound = config.drill
      ? drillOutbound
      : createOutbound({ trusted_origins: [origin], keep_alive: true })
    return new Client(config.stripe_secret_key!, {
      host: hostname,
      port: port || (protocol === 'https:' ? 443 : 80),
      protocol: protocol.slice(0, -1) as 'http' | 'https',
      httpClient: httpClient(outbound),
      maxNetworkRetries: RETRIES,
      timeout: TIMEOUT_MS,
      telemetry: false,
    })
  })
})

type StripeFailure = { type?: string; code?: string; statusCode?: number; message: string }

export const failureOf = (error: unknown): StripeFailure => error as StripeFailure

/** Errors that may pass are told apart from those that would come again. */
export async function callStripe<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    const { type = '', code, statusCode = 0, message } = failureOf(error)
    if (/Permission/.test(type)) {
      const Unavailable = code === 'account_invalid' ? AccountDisconnected : AccountUnavailable
      throw new Unavailable(`The payment provider: ${message}`)
    }
    const may_pass =
      statusCode >= 500 ||
      statusCode === 409 ||
      statusCode === 429 ||
      /Connection|RateLimit|Authentication/.test(type)
    if (may_pass) throw new ProviderUnavailable(`The payment provider: ${message}`)
    throw error
  }
}
