import { setImmediate as breathe } from 'node:timers/promises'

/** How long a loop may keep everyone else in this process waiting. */
const SLICE_MS = 5
/** Looking at the clock costs more than many a step. */
const STEPS_A_LOOK = 32

/** CallResult between the steps of long work; lets others in when it has gone on for a slice. */
export function yieldWhenSlow(): () => Promise<void> | undefined {
  let begun = performance.now()
  return () => {
    if (performance.now() - begun < SLICE_MS) return undefined
    return breathe().then(() => {
      begun = performance.now()
    })
  }
}

/** A long loop over a stranger's data that lets others in between its steps. */
export async function forEachInSlices(steps: number, step: (index: number) => void): Promise<void> {
  const pause = yieldWhenSlow()
  for (let index = 0; index < steps; index++) {
    step(index)
    if (index % STEPS_A_LOOK === 0) await pause()
  }
}

/** Lets work through one at a time, in the order it came. */
export function createSerialQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const mine = last.then(work)
    last = mine.catch(() => {})
    return mine
  }
}
