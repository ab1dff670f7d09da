import { type Static, Type } from 'typebox'
import { Nullable, nameSchemas, OneOf, Timestamp, Uid } from '../../core/http/route.ts'
import { eventActors, eventKinds } from './kinds.ts'
import type { EventRow } from './queries.ts'

const Text = Type.String()

export const EventData = Type.Object({
  uid: Uid,
  at: Timestamp,
  kind: OneOf(eventKinds),
  username: Type.Union([Text, Type.Null()], {
    description: 'Whom it concerns; null for an unknown name and a deleted account',
  }),
  game_uid: Nullable(Uid),
  actor: OneOf(eventActors, { description: 'By what it was done; visitor is not signed in' }),
  actor_name: Type.Union([Text, Type.Null()], {
    description: 'Who did it; null if nobody was signed in, or you may not see it',
  }),
  network: Type.Union([Text, Type.Null()], {
    description: 'The /24 or /48 of the address; null for what other people did',
  }),
  browser: Type.Union([Text, Type.Null()], { description: 'Null if it is not known' }),
  system: Type.Union([Text, Type.Null()], { description: 'Null if it is not known' }),
  request_id: Type.Union([Text, Type.Null()], {
    description: 'The X-Request-Id of the request; null without one',
  }),
  detail: Type.Record(Text, Text, { description: 'Such as the method of a sign-in' }),
})
nameSchemas({ SecurityEvent: EventData })

/** Everything about an event, as operators see it. */
export const eventData = (row: EventRow): Static<typeof EventData> => ({
  ...row,
  at: row.at.toISOString(),
  detail: Object.fromEntries(
    Object.entries(row.detail).map(([name, value]) => [name, String(value)]),
  ),
})

/**
 * The event as the person with this uid sees it: not where other people acted from, nor which
 * operator acted. The people of a listing know each other.
 */
export function eventDataFor(viewer_uid: string, row: EventRow): Static<typeof EventData> {
  const is_own = row.actor_uid === null || row.actor_uid === viewer_uid
  if (is_own) return eventData(row)
  const hidden = { network: null, browser: null, system: null, request_id: null }
  const actor_name = row.game_uid ? row.actor_name : null
  return eventData({ ...row, ...hidden, actor_name })
}
