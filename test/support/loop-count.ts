import { randomInt } from 'node:crypto'
import type { TestContext } from 'node:test'
import { random as seededRandom } from '../../demo/random.ts'

/** Whether this run does the long loops in full: `npm run faults` sets it, `npm test` does not. */
export const IS_FULL_RUN = process.env.FULL_RUN === 'yes'

/** How often a fault is injected or a random history is tried. */
export const loopCount = ({ short, full }: { short: number; full: number }) =>
  IS_FULL_RUN ? full : short

/** Chooses the faults of a run; the same seed chooses the same ones again. */
export const SEED = process.env.SEED ?? String(randomInt(1_000_000))

/** Of the cases of a long loop, the few that a short run tries: others in each run. */
export function chooseCases<Case>(t: TestContext, cases: Case[], short: number): Case[] {
  if (IS_FULL_RUN || cases.length <= short) return cases
  t.diagnostic(`SEED=${SEED} chooses ${short} of ${cases.length} cases`)
  const random = seededRandom(SEED)
  const chosen = [...cases]
  while (chosen.length > short) chosen.splice(random.integer(0, chosen.length - 1), 1)
  return chosen
}
