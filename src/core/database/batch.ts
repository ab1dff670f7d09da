import type { Core } from '../runtime/core.ts'

type Asked<Key, Answer> = { key: Key; answer: PromiseWithResolvers<Answer> }

/**
 * Calls that are made in one turn of the event loop ask the database together. Each is asked after it was made, so none gets an older
 * answer than if it had asked alone. `ask` answers in the order of its keys.
 */
export function batched<Key, Answer>(
  ask: (core: Core, keys: Key[]) => Promise<Answer[]>,
): (core: Core, key: Key) => Promise<Answer> {
  const waiting = new WeakMap<Core, Asked<Key, Answer>[]>()

  async function answerTogether(core: Core) {
    const batch = waiting.get(core) ?? []
    waiting.delete(core)
    try {
      const answers = await ask(
        core,
        batch.map(({ key }) => key),
      )
      batch.forEach(({ answer }, i) => {
        answer.resolve(answers[i] as Answer)
      })
    } catch (error) {
      for (const { answer } of batch) answer.reject(error)
    }
  }

  return (core, key) => {
    const asked: Asked<Key, Answer> = { key, answer: Promise.withResolvers() }
    const batch = waiting.get(core)
    if (batch) batch.push(asked)
    else {
      waiting.set(core, [asked])
      setImmediate(() => void answerTogether(core))
    }
    return asked.answer.promise
  }
}
