import type { Core } from '../../core/runtime/core.ts'
import { perCore } from '../../core/runtime/per-core.ts'
import { SECOND_MS } from '../../core/runtime/units.ts'

/** The channel of the trigger that announces decisions of moderators. */
const CHANNEL = 'moderation'

const stateOf = perCore(() => ({ epoch: 0 }))

/** Changes with every decision of a moderator, for the keys of caches that may be seconds old. */
export const moderationEpoch = (core: Core): number => stateOf(core).epoch

/**
 * Follows the decisions that any process stores. A replica may be a second behind, so what was read
 * from it within that second is read again.
 */
export async function followModeration(core: Core): Promise<void> {
  const state = stateOf(core)
  const advance = () => {
    state.epoch++
    setTimeout(() => state.epoch++, SECOND_MS).unref()
  }
  await core.sql.listen(CHANNEL, advance, advance)
}
