import { Type } from 'typebox'
import { moderator } from '../../accounts/people/moderator-access.ts'
import { pageData, pageQuery, paging, periodOf, periodQuery } from '../../core/http/paging.ts'
import { Nullable, OneOf, route, Timestamp, Uid } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { isUuid } from '../../core/security/crypto.ts'
import { perAccount } from '../../core/security/limits.ts'
import { outcomes } from '../appeals/queries.ts'
import { actions, grounds, labelsOfDetails, targetTypes } from '../decisions.ts'
import { decisionData, effectData } from '../statement-data.ts'
import { findTarget } from '../targets/queries.ts'
import { decisionStates, findDecision, type LogRow, listDecisions } from './queries.ts'

const ACTIONS = '/api/v1/private/moderation/actions'

const LoggedDecision = Type.Object({
  ...decisionData,
  ...effectData,
  moderator: Nullable(Type.String()),
  statement_uid: Nullable(
    Type.String({ format: 'uuid', description: 'What the person concerned got' }),
  ),
  appeal: Nullable(
    Type.Object({
      uid: Uid,
      text: Type.String(),
      created_at: Timestamp,
      outcome: Nullable(OneOf(outcomes)),
      reasons: Nullable(Type.String()),
      decided_at: Nullable(Timestamp),
      decided_by: Nullable(Type.String()),
    }),
  ),
})

const loggedDecision = ({ created_at, labels, ...row }: LogRow) => ({
  ...row,
  labels: labels && labelsOfDetails(labels),
  created_at: created_at.toISOString(),
})

export const listActionsRoute = route({
  method: 'GET',
  url: ACTIONS,
  summary: 'For moderators: the log of decisions, newest first; all, or those about one target',
  auth: moderator,
  limits: [perAccount(600)],
  query: Type.Object({
    target_type: Type.Optional(OneOf(targetTypes)),
    target_id: Type.Optional(Type.String({ maxLength: 200 })),
    action: Type.Optional(OneOf(actions, { description: 'Only decisions with this action' })),
    ground: Type.Optional(OneOf(grounds, { description: 'Only decisions with this ground' })),
    moderator: Type.Optional(
      Type.String({ maxLength: 60, description: 'The name or uid of who decided' }),
    ),
    person: Type.Optional(
      Type.String({ maxLength: 60, description: 'The name or uid of whom the decision concerns' }),
    ),
    state: Type.Optional(
      OneOf(decisionStates, {
        description: 'in_force: it restricts something; undone: by a moderator or on appeal',
      }),
    ),
    ...periodQuery,
    ...pageQuery,
  }),
  data: Type.Object({ items: Type.Array(LoggedDecision), ...pageData }),
  async handle({ sql, query }) {
    const { page, page_size, ...window } = paging(query)
    const { target_type: type, target_id: id, action, ground, state } = query
    const target =
      type && id !== undefined
        ? { type, id: (await findTarget(sql, type, id))?.id ?? id }
        : undefined
    const { moderator, person } = query
    const filter = { target, action, ground, state, moderator, person }
    const { items, total } = await listDecisions(sql, { ...filter, ...periodOf(query) }, window)
    return { items: items.map(loggedDecision), total, page, page_size }
  },
})

export const readActionRoute = route({
  method: 'GET',
  url: `${ACTIONS}/:action_uid`,
  summary: 'For moderators: a decision with its statement of reasons and its appeal',
  auth: moderator,
  limits: [perAccount(600)],
  params: Type.Object({ action_uid: Type.String() }),
  data: LoggedDecision,
  errors: ['NOT_FOUND'],
  async handle({ sql, params: { action_uid } }) {
    if (!isUuid(action_uid)) refuse('NOT_FOUND')
    return loggedDecision((await findDecision(sql, action_uid)) ?? refuse('NOT_FOUND'))
  },
})

export const logRoutes = [listActionsRoute, readActionRoute]
