import { setImmediate as nextTurn } from 'node:timers/promises'

/** How long a loop may block the event loop. */
const SLICE_MS = 5
/** Reading the clock costs more than a typical step, so it is read once per this many steps. */
const STEPS_PER_CHECK = 32

/**
 * A function to call between the steps of long work. It yields to the event loop when a slice has
 * passed since the last time.
 */
export function yieldWhenSlow(): () => Promise<void> | undefined {
  let started = performance.now()
  return () => {
    if (performance.now() - started < SLICE_MS) return undefined
    return nextTurn().then(() => {
      started = performance.now()
    })
  }
}

/** A long loop over untrusted data that yields to the event loop between its steps. */
export async function forEachInSlices(steps: number, step: (index: number) => void): Promise<void> {
  const yieldIfSlow = yieldWhenSlow()
  for (let index = 0; index < steps; index++) {
    step(index)
    if (index % STEPS_PER_CHECK === 0) await yieldIfSlow()
  }
}

/** Runs tasks one at a time, in the order they were added. */
export function createSerialQueue(): <T>(task: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (task) => {
    const result = last.then(task)
    last = result.catch(() => {})
    return result
  }
}
