/** Why an operator must look at an order. */
export type OrderProblem =
  | { code: 'amount_differs'; amount_minor: number; currency: string }
  | { code: 'state_differs'; from: string; to: string }
  | { code: 'refund_failed'; reason: string }
  | { code: 'not_checked'; reason: string }
  | { code: 'ledger_differs'; reason: string }

export const problemCodes = [
  'amount_differs',
  'state_differs',
  'refund_failed',
  'not_checked',
  'ledger_differs',
] as const satisfies readonly OrderProblem['code'][]

const MAX_REASON = 500

/** In English, for the API and for a version of the service that does not know the codes. */
export function problemSentence(problem: OrderProblem): string {
  switch (problem.code) {
    case 'amount_differs':
      return `The provider reports ${problem.amount_minor} ${problem.currency}`
    case 'state_differs':
      return `The provider's record makes a ${problem.from} order ${problem.to}`
    case 'refund_failed':
      return `A refund failed: ${problem.reason}`
    case 'not_checked':
    case 'ledger_differs':
      return problem.reason
  }
}

/** With a text of the provider as long as is kept. */
export const shortProblem = (problem: OrderProblem): OrderProblem =>
  'reason' in problem ? { ...problem, reason: problem.reason.slice(0, MAX_REASON) } : problem

/** Details of another sentence are old: the previous version changes the sentence only. */
export const currentDetails = (
  problem: string,
  details: OrderProblem | null,
): OrderProblem | null => (details && problemSentence(details) === problem ? details : null)
