import { sha256 } from '../../core/security/crypto.ts'

/** As in migration 0009: listings fall into so many boxes by the end of their uid. */
export const BOXES = 65_536

/** A day's way through the boxes: box → (box × step + start) mod BOXES, which meets each of them once because the step is odd. */
export type DailyOrder = { date: string; step: number; start: number }

/** The day on every shelf, everywhere: it changes at midnight UTC. */
export const dateOf = (now: Date) => now.toISOString().slice(0, 10)

export function dailyOrder(date: string): DailyOrder {
  const bytes = sha256(date)
  return { date, step: bytes.readUInt16BE(0) | 1, start: bytes.readUInt16BE(2) }
}

export const placeOf = ({ step, start }: DailyOrder, box: number) => (box * step + start) % BOXES

/** The boxes at the places from `from` up to, not including, `to`. */
export function boxesAt({ step, start }: DailyOrder, from: number, to: number): number[] {
  const back = inverse(step)
  return Array.from({ length: to - from }, (_, i) => ((from + i - start + BOXES) * back) % BOXES)
}

/** The number that undoes a multiplication by an odd one: each round doubles the bits that are right. */
function inverse(step: number): number {
  let found = 1
  for (let i = 0; i < 5; i++) found = Math.imul(found, 2 - Math.imul(step, found)) & (BOXES - 1)
  return found
}

export type Window = { from: number; to: number }
const FIRST_WINDOW = 512
const SMALLEST_WINDOW = 16
const GROWTH = 4
/** Boxes up to this many are looked up one by one; more are as good as all. */
export const MOST_BOXES_LISTED = 8192

/** How far into the day's order to look, and then how much further, until the end. `first` is what was enough the last time. */
export function* windows(first = FIRST_WINDOW): Generator<Window> {
  for (let from = 0, size = first; from < BOXES; size *= GROWTH) {
    const to = size > MOST_BOXES_LISTED ? BOXES : Math.min(from + size, BOXES)
    yield { from, to }
    from = to
  }
}

/** The window that will probably be enough tomorrow, when `needed` boxes were today. */
export const nextWindow = (needed: number) =>
  Math.min(Math.max(Math.ceil(needed * 1.5), SMALLEST_WINDOW), BOXES)
