import type { Core } from '../../core/runtime/core.ts'
import { KIB, SECOND_MS } from '../../core/runtime/units.ts'
import { version } from '../../core/runtime/version.ts'
import { OutboundError } from '../../core/security/outbound.ts'
import type { DueDelivery } from './queries.ts'
import {
  type AttemptResult,
  CHAT_RATE_LIMITED,
  type FailedAttempt,
  readAttemptResult,
} from './retry-schedule.ts'
import { signBody } from './signing.ts'
import { webhookProblem, webhookRules } from './webhook-url.ts'

const TIMEOUT_MS = 10 * SECOND_MS
const MAX_BODY_BYTES = 16 * KIB

type Attempt = Pick<DueDelivery, 'uid' | 'kind' | 'body'> & { signing_key: string | null }

/**
 * Makes one attempt. Redirects count as answers, and the URL is resolved and checked for a public
 * address each time.
 */
export async function sendDelivery(
  core: Core,
  url: string,
  { uid, kind, body, signing_key }: Attempt,
): Promise<AttemptResult> {
  const rules = webhookRules(core)
  const problem = webhookProblem(url, rules)
  if (problem) return failedAttempt(problem.message)
  const headers = {
    'content-type': 'application/json',
    'user-agent': `Slipway/${version}`,
    'x-delivery-id': uid,
    // Chat services do not verify signatures.
    ...(kind === 'json' &&
      signing_key && { 'x-delivery-signature': signBody(signing_key, body, new Date()) }),
  }
  try {
    const response = await core.outbound.request({
      url,
      method: 'POST',
      headers,
      body,
      timeout_ms: TIMEOUT_MS,
      loopback: rules.loopback,
      // The status is enough: a slow or endless response body does not matter.
      status_only: true,
      body_of_status: kind === 'chat' ? CHAT_RATE_LIMITED : undefined,
      max_bytes: MAX_BODY_BYTES,
    })
    return readAttemptResult(response, kind, new Date())
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    return failedAttempt(error.message)
  }
}

const failedAttempt = (error: string): FailedAttempt => ({
  delivered: false,
  status: null,
  error,
  retry_after: null,
  is_gone: false,
})
