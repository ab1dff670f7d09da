import type { Core } from '../../core/runtime/core.ts'
import { findOrder } from '../orders/queries.ts'
import { providers } from '../provider/open-providers.ts'
import { AccountUnavailable } from '../provider/provider.ts'
import { findLedgerProblems, type LedgerProblem, listLedgerOrders, sumOrder } from './queries.ts'

type Options = {
  /** Only orders that were paid since then are compared with the provider. */
  since: Date
  signal: AbortSignal
  progress?: (checked: number) => void
}

const BATCH = 100

/** The ledger against itself, the orders, and the records of the provider. */
export async function verifyLedger(
  core: Core,
  { since, signal, progress }: Options,
): Promise<{ problems: LedgerProblem[]; checked: number }> {
  const problems = [...(await findLedgerProblems(core.sql))]
  let checked = 0
  for (let after: string | undefined; !signal.aborted; ) {
    const uids = await listLedgerOrders(core.sql, since, after, BATCH)
    for (const uid of uids) {
      if (signal.aborted) break
      const problem = await compareWithProvider(core, uid).catch(unlessAccount)
      if (problem) problems.push({ order_uid: uid, problem })
      checked++
    }
    progress?.(checked)
    if (uids.length < BATCH) break
    after = uids.at(-1)
  }
  return { problems, checked }
}

/** An account that the provider refuses is a problem of its orders, and ends nothing. */
function unlessAccount(error: unknown): string {
  if (error instanceof AccountUnavailable) return error.message
  throw error
}

/** What the provider and the ledger say differently about an order. */
async function compareWithProvider(core: Core, uid: string): Promise<string | undefined> {
  const order = await findOrder(core.sql, uid)
  if (!order) return undefined
  const provider = providers[order.provider]
  const { payment, refunds } = await provider.settle(core, order)
  const disputes = payment ? await provider.dispute(core, order) : []
  const sums = await sumOrder(core.sql, uid)
  const sent = refunds.filter(({ failure }) => failure === undefined)
  const refunded = sent.reduce((sum, { amount_minor }) => sum + amount_minor, 0)
  const disputed = disputes
    .filter(({ state }) => state !== 'won')
    .reduce((sum, { amount_minor }) => sum + amount_minor, 0)
  const paid = payment?.amount_minor ?? 0
  const pairs = [
    ['paid', paid, sums.paid_minor],
    ['refunded', refunded, sums.refunded_minor],
    ['disputed', disputed, sums.disputed_minor],
  ] as const
  const wrong = pairs.find(([, there, here]) => there !== here)
  if (!wrong) return undefined
  const [name, there, here] = wrong
  return `${name}: ${there} ${order.currency} at the provider, ${here} in the ledger`
}
