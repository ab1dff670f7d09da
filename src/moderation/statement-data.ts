import { Type } from 'typebox'
import { suspensionScopes } from '../accounts/people/suspension.ts'
import { Nullable, OneOf, Timestamp, Uid } from '../core/http/route.ts'
import { DAY_MS } from '../core/runtime/units.ts'
import {
  actions,
  grounds,
  labelsOfDetails,
  origins,
  REVERSIBLE_DAYS,
  targetTypes,
} from './decisions.ts'
import type { StatementRow } from './queries.ts'

/** A decision in the log and in a statement of reasons. */
export const decisionData = {
  uid: Uid,
  target_type: OneOf(targetTypes),
  target_id: Type.String(),
  target_name: Type.String(),
  action: OneOf(actions),
  ground: OneOf(grounds),
  facts: Type.String(),
  statement: Type.String(),
  created_at: Timestamp,
}

/** What a decision set, and whether it still does. */
export const effectData = {
  in_force: Type.Boolean({
    description: 'Whether the decision restricts something and was not undone',
  }),
  undone: Type.Boolean({ description: 'Whether it was undone, by a moderator or on appeal' }),
  origin: OneOf(origins, {
    description: 'report: it decided reports about the target; sweep: a search for known content',
  }),
  labels: Nullable(
    Type.Object(
      {
        adult: Type.Optional(Type.Boolean()),
        content_warnings: Type.Optional(Type.Array(Type.String())),
        tags: Type.Optional(Type.Array(Type.String())),
      },
      { description: 'For corrected labels: what the decision set' },
    ),
  ),
  suspension: Nullable(
    Type.Object(
      {
        scope: OneOf(suspensionScopes),
        days: Nullable(Type.Integer({ description: 'Null for good' })),
      },
      { description: 'For suspensions: from what, and for how long' },
    ),
  ),
}

export const statementData = Type.Object({
  ...decisionData,
  ...effectData,
  may_appeal: Type.Boolean({ description: 'Whether you can appeal now' }),
  appeal_until: Timestamp,
  appeal: Nullable(
    Type.Object({
      text: Type.String(),
      created_at: Timestamp,
      outcome: Nullable(OneOf(['upheld', 'reversed'])),
      reasons: Nullable(Type.String()),
      decided_at: Nullable(Timestamp),
    }),
  ),
})

export const statementOf = (row: StatementRow) => ({
  ...row,
  labels: row.labels && labelsOfDetails(row.labels),
  created_at: row.created_at.toISOString(),
  appeal_until: new Date(row.created_at.getTime() + REVERSIBLE_DAYS * DAY_MS).toISOString(),
})
