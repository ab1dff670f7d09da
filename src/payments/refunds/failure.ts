import type { RefundRow } from './queries.ts'

/** Why a refund failed, as far as it matters to its buyer. */
export const refundFailures = ['card_closed', 'not_sent'] as const
export type RefundFailure = (typeof refundFailures)[number]

/** What the provider answers if the card or account that paid cannot take money any more. */
const CLOSED = new Set(['expired_or_canceled_card', 'lost_or_stolen_card'])

export const failureFor = (reason: string): RefundFailure =>
  CLOSED.has(reason) ? 'card_closed' : 'not_sent'

export const refundFailure = ({ state, answer }: Pick<RefundRow, 'state' | 'answer'>) =>
  state === 'failed' ? failureFor(answer) : null

/** For buyers by API; pages and mails have messages. The words of the provider are for sellers. */
export const failureSentences: Record<RefundFailure, string> = {
  card_closed:
    'The card or account that you paid with does not take money any more. The operators of the ' +
    'store know about it and will contact you.',
  not_sent:
    'The payment provider did not send the refund. The operators of the store know about it and ' +
    'will contact you.',
}
