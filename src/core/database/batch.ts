import type { Core } from '../runtime/core.ts'
import { perCore } from '../runtime/per-core.ts'

type PendingCall<Key, Answer> = { key: Key; answer: PromiseWithResolvers<Answer> }

/**
 * Calls made in one turn of the event loop share one query. The query runs after the call was made,
 * so no caller gets an older answer than with a query of its own. `query` answers in the order of
 * its keys.
 */
export function batched<Key, Answer>(
  query: (core: Core, keys: Key[]) => Promise<Answer[]>,
): (core: Core, key: Key) => Promise<Answer> {
  const pendingOf = perCore(() => ({ calls: [] as PendingCall<Key, Answer>[] }))

  async function answerAll(core: Core) {
    const pending = pendingOf(core)
    const { calls } = pending
    pending.calls = []
    try {
      const keys = calls.map(({ key }) => key)
      const answers = await query(core, keys)
      for (const [i, { answer }] of calls.entries()) answer.resolve(answers[i] as Answer)
    } catch (error) {
      for (const { answer } of calls) answer.reject(error)
    }
  }

  return (core, key) => {
    const { calls } = pendingOf(core)
    const call: PendingCall<Key, Answer> = { key, answer: Promise.withResolvers() }
    if (calls.push(call) === 1) setImmediate(() => void answerAll(core))
    return call.answer.promise
  }
}
