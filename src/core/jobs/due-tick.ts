/** In milliseconds: `due` is the first tick after `since`. */
export type TickTimes = { since: number; due: number }

/**
 * The tick to run now, if one is due, and the times from then on. They begin anew when a clock that
 * was ahead is set right: the schedule would otherwise not run until the clock has caught up. A tick
 * that has run is not run again.
 */
export function dueTick(
  { since, due }: TickTimes,
  now: number,
  tickAfter: (moment: number) => number,
): TickTimes & { tick?: number } {
  if (now < since) return { since: now, due: tickAfter(now) }
  if (now < due) return { since, due }
  const tick = lastTick(due, now, tickAfter)
  return { tick, since: tick, due: tickAfter(tick) }
}

/**
 * The last tick up to now. Halves the time to search, because after a sleep of the machine of three
 * days a schedule of every minute has missed thousands of ticks: 10 seconds, one by one.
 */
function lastTick(due: number, now: number, tickAfter: (moment: number) => number): number {
  let last = due
  let end = now
  while (tickAfter(last) <= now) {
    const middle = Math.floor((last + end) / 2)
    const tick = tickAfter(middle)
    if (tick <= now) last = tick
    else end = middle
  }
  return last
}
