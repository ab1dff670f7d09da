import { Type } from 'typebox'
import { moderator } from '../../accounts/people/moderator-access.ts'
import { moderationRole } from '../../accounts/people/moderator-queries.ts'
import { teamNeedsSecondFactor } from '../../accounts/second-factor/requirement.ts'
import { viewer } from '../../accounts/sessions/schemes.ts'
import { Body, Nullable, OneOf, route, Timestamp, Uid } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { isUuid } from '../../core/security/crypto.ts'
import { perAccount, perIp } from '../../core/security/limits.ts'
import { actions, grounds, targetTypes } from '../decisions.ts'
import { findStatement } from '../queries.ts'
import { statementData, statementOf } from '../statement-data.ts'
import { checkAppellant, decideAppeal, fileAppeal } from './appeal.ts'
import { decidersOf, mayDecideAppeal } from './deciders.ts'
import { listAppealsToDecide, outcomes } from './queries.ts'

export const MAX_APPEAL = 4000

const STATEMENT = '/api/v1/public/statements/:statement_uid'
const APPEALS = '/api/v1/private/moderation/appeals'

const params = Type.Object({ statement_uid: Type.String() })
const tokenText = 'The token of the mail; not needed if you are signed in'

export const readStatementRoute = route({
  method: 'GET',
  url: STATEMENT,
  summary: 'Read a statement of reasons and its appeal, with the token of its mail',
  description: 'Works for people who are suspended. Without the token only for the recipient.',
  auth: viewer,
  limits: [perIp(60, { bucket: 'statements' })],
  params,
  query: Type.Object({ token: Type.String({ default: '', description: tokenText }) }),
  data: statementData,
  errors: ['NOT_FOUND'],
  cache: 'no-store',
  async handle({ core, sql, who, params: { statement_uid }, query: { token } }) {
    await checkAppellant(core, statement_uid, { who, token })
    return statementOf((await findStatement(sql, statement_uid)) ?? refuse('NOT_FOUND'))
  },
})

export const fileAppealRoute = route({
  method: 'POST',
  url: `${STATEMENT}/appeal`,
  summary: 'Appeal once against a decision of the moderation team',
  description: 'Within 180 days, also for people who are suspended: with the token of the mail.',
  auth: viewer,
  limits: [perIp(60, { bucket: 'appeals' })],
  params,
  body: Body({
    token: Type.Optional(Type.String({ description: tokenText })),
    text: Type.String({ maxLength: MAX_APPEAL, description: 'Why the decision is wrong' }),
  }),
  status: 201,
  data: Type.Object({ appeal_uid: Uid }),
  errors: ['NOT_FOUND', 'APPEAL_NOT_POSSIBLE', 'MALFORMED'],
  cache: 'no-store',
  async handle({ core, who, params: { statement_uid }, body: { token = '', text } }) {
    await checkAppellant(core, statement_uid, { who, token })
    return { appeal_uid: await fileAppeal(core, statement_uid, text) }
  },
})

export const listAppealsRoute = route({
  method: 'GET',
  url: APPEALS,
  summary: 'For moderators: appeals that wait for a decision, the oldest first',
  auth: moderator,
  limits: [perAccount(600)],
  query: Type.Object({
    appeal_uid: Type.Optional(Type.String({ format: 'uuid', description: 'Only this one' })),
  }),
  data: Type.Object({
    items: Type.Array(
      Type.Object({
        uid: Uid,
        text: Type.String({ description: 'Why the decision is wrong, for the person concerned' }),
        created_at: Timestamp,
        target_type: OneOf(targetTypes),
        target_id: Type.String(),
        target_name: Type.String(),
        action: OneOf(actions),
        ground: OneOf(grounds),
        facts: Type.String(),
        statement: Type.String(),
        moderator: Nullable(Type.String()),
        may_decide: Type.Boolean({ description: 'Whether you may decide on it' }),
        deciders: Type.Array(Type.String(), { description: 'The names of those who may' }),
      }),
    ),
  }),
  async handle({ core, sql, who, query: { appeal_uid } }) {
    const needs_second_factor = await teamNeedsSecondFactor(core)
    const appeals = await listAppealsToDecide(sql, needs_second_factor, appeal_uid)
    const is_operator = (await moderationRole(sql, who.user_uid)) === 'operator'
    return {
      items: appeals.map((appeal) => {
        const { moderator_uid, subject_uid, action_uid, others, subject_in_team, ...data } = appeal
        return {
          ...data,
          created_at: data.created_at.toISOString(),
          may_decide: mayDecideAppeal(appeal, { user_uid: who.user_uid, is_operator }),
          deciders: decidersOf(appeal),
        }
      }),
    }
  },
})

export const decideAppealRoute = route({
  method: 'POST',
  url: `${APPEALS}/:appeal_uid/decision`,
  summary: 'For moderators: decide an appeal against the decision of somebody else',
  description:
    'The moderator of the first decision is refused (4030) unless nobody else could decide. ' +
    '`reversed` undoes the decision in the same transaction. The person concerned is mailed.',
  auth: moderator,
  limits: [perAccount(600)],
  params: Type.Object({ appeal_uid: Type.String() }),
  body: Body({
    outcome: OneOf(outcomes, {
      description: 'upheld: the decision stays; reversed: it is undone',
    }),
    reasons: Type.String({ maxLength: MAX_APPEAL, description: 'Mailed to the person' }),
  }),
  data: Type.Object({}),
  errors: ['NOT_FOUND', 'APPEAL_NOT_POSSIBLE', 'GROUND_AND_FACTS_REQUIRED'],
  async handle({ core, who, params: { appeal_uid }, body }) {
    if (!isUuid(appeal_uid)) refuse('NOT_FOUND')
    await decideAppeal(core, who, { uid: appeal_uid, ...body })
    return {}
  },
})

export const appealRoutes = [
  readStatementRoute,
  fileAppealRoute,
  listAppealsRoute,
  decideAppealRoute,
]
