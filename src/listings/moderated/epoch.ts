import type { Core } from '../../core/runtime/core.ts'
import { perCore } from '../../core/runtime/per-core.ts'
import { SECOND_MS } from '../../core/runtime/units.ts'

/** The channel of the trigger that announces decisions of moderators. */
const CHANNEL = 'moderation'

type ModerationState = { epoch: number; listeners: Set<() => void> }

const stateOf = perCore((): ModerationState => ({ epoch: 0, listeners: new Set() }))

/** Changes with every decision of a moderator, for the keys of caches that may be seconds old. */
export const moderationEpoch = (core: Core): number => stateOf(core).epoch

/** Calls a function when a decision was stored, and when one may have been missed. */
export const onModeration = (core: Core, listener: () => void): void =>
  void stateOf(core).listeners.add(listener)

/**
 * Follows the decisions that any process stores. A replica may be a second behind, so what was read
 * from it within that second is read again.
 */
export async function followModeration(core: Core): Promise<void> {
  const state = stateOf(core)
  const advance = () => {
    state.epoch++
    for (const listener of state.listeners) listener()
    setTimeout(() => state.epoch++, SECOND_MS).unref()
  }
  await core.sql.listen(CHANNEL, advance, advance)
}
