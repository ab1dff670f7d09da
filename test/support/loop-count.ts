/** Whether this run does the long loops in full: `npm run faults` sets it, `npm test` does not. */
export const IS_FULL_RUN = process.env.FULL_RUN === 'yes'

/** How often a fault is injected or a random history is tried. */
export const loopCount = ({ short, full }: { short: number; full: number }) =>
  IS_FULL_RUN ? full : short
