import { Type } from 'typebox'
import { recordAudit } from '../accounts/people/audit-queries.ts'
import { moderator } from '../accounts/people/moderator-access.ts'
import { listModerationTeam, setModerator } from '../accounts/people/moderator-queries.ts'
import { operator } from '../accounts/people/operator-access.ts'
import { findPersonByLogin } from '../accounts/people/operator-queries.ts'
import { checkRoleAddress } from '../accounts/people/roles.ts'
import { suspensionScopes } from '../accounts/people/suspension.ts'
import { recordSecurityEvent } from '../accounts/security-events/record.ts'
import { clearIdentityCache } from '../accounts/sessions/identity.ts'
import { website } from '../accounts/sessions/schemes.ts'
import { Body, Nullable, OneOf, route, Timestamp, Uid } from '../core/http/route.ts'
import { refuse } from '../core/runtime/errors.ts'
import { perAccount } from '../core/security/limits.ts'
import { contentWarnings } from '../listings/fields/fields.ts'
import { listingFields } from '../listings/fields/table.ts'
import { decide } from './decide.ts'
import { actions, grounds, targetTypes } from './decisions.ts'
import { listStatements } from './queries.ts'
import { statementData, statementOf } from './statement-data.ts'

const MODERATION = '/api/v1/private/moderation'
const MAX_TEXT = 4000
const MAX_DAYS = 3650

const text = (description: string) =>
  Type.Optional(Type.String({ maxLength: MAX_TEXT, description }))

export const takeAction = route({
  method: 'POST',
  url: `${MODERATION}/actions`,
  summary: 'For moderators: decide on a listing, file, build, review, tag, image or person',
  description:
    'The effect, the entry in the log, the statement of reasons and its mail are stored together. ' +
    'All processes follow within a second. Every action can be undone with `restore`.',
  auth: moderator,
  limits: [perAccount(600)],
  body: Body({
    target_type: OneOf(targetTypes),
    target_id: Type.String({
      maxLength: 200,
      description: 'A uid; for a tag the uid of the listing, a colon and the tag',
    }),
    action: OneOf(actions),
    ground: Type.Optional(
      Type.String({ description: `Required; the law or rule: ${grounds.join(', ')}` }),
    ),
    facts: text('Required; what the decision rests on'),
    statement: text('The sentence that the person concerned gets; the facts without one'),
    labels: Type.Optional(
      Type.Object(
        {
          adult: Type.Optional(Type.Boolean()),
          content_warnings: Type.Optional(
            Type.Array(OneOf(contentWarnings), { maxItems: contentWarnings.length }),
          ),
          tags: Type.Optional(
            Type.Array(Type.String({ maxLength: 200 }), { maxItems: listingFields.tags.max }),
          ),
        },
        { description: 'Required to label a listing: what its labels are from now on' },
      ),
    ),
    suspension: Type.Optional(
      Type.Object(
        {
          scope: OneOf(suspensionScopes),
          days: Type.Union([Type.Integer({ minimum: 1, maximum: MAX_DAYS }), Type.Null()], {
            description: 'Null for good',
          }),
        },
        { description: 'Required to suspend a person' },
      ),
    ),
  }),
  status: 201,
  data: Type.Object({
    action_uid: Uid,
    statement_uid: Nullable(Uid),
  }),
  errors: ['NOT_FOUND', 'CONFLICT', 'GROUND_AND_FACTS_REQUIRED', 'ADULT_CONTENT_OFF', 'MALFORMED'],
  async handle({ core, who, body }) {
    const { action_uid, statement_uid } = await decide(core, who, body)
    return { action_uid, statement_uid }
  },
})

export const listStatementsRoute = route({
  method: 'GET',
  url: `${MODERATION}/statements`,
  summary: 'List the statements of reasons for decisions that concern you, newest first',
  auth: website,
  query: Type.Object({
    game_uid: Type.Optional(
      Type.String({ format: 'uuid', description: 'Only decisions about this listing' }),
    ),
  }),
  data: Type.Object({ items: Type.Array(statementData) }),
  async handle({ sql, who, query: { game_uid } }) {
    const items = await listStatements(sql, who.user_uid, game_uid)
    return { items: items.map(statementOf) }
  },
})

const TeamData = Type.Object({
  items: Type.Array(
    Type.Object({
      username: Type.String(),
      role: OneOf(['operator', 'moderator']),
      since: Timestamp,
    }),
  ),
})

export const listTeamRoute = route({
  method: 'GET',
  url: `${MODERATION}/team`,
  summary: 'For operators: who moderates',
  auth: operator,
  limits: [perAccount(60)],
  data: TeamData,
  async handle({ sql }) {
    const team = await listModerationTeam(sql)
    return { items: team.map((member) => ({ ...member, since: member.since.toISOString() })) }
  },
})

const memberRoute = (method: 'PUT' | 'DELETE', summary: string) =>
  route({
    method,
    url: `${MODERATION}/team/:username`,
    summary,
    auth: operator,
    step_up: true,
    limits: [perAccount(60)],
    params: Type.Object({ username: Type.String() }),
    data: Type.Object({}),
    errors: method === 'PUT' ? ['NOT_FOUND', 'EMAIL_NOT_VERIFIED'] : ['NOT_FOUND'],
    async handle({ core, sql, request, who, params }) {
      const person = (await findPersonByLogin(sql, params.username)) ?? refuse('NOT_FOUND')
      const moderates = method === 'PUT'
      if (moderates) checkRoleAddress(person)
      await sql.begin(async (tx) => {
        if (!(await setModerator(tx, person.uid, moderates, who.user_uid))) return
        await recordAudit(tx, {
          user_uid: who.user_uid,
          game_uid: null,
          action: moderates ? 'moderation.add-moderator' : 'moderation.remove-moderator',
          detail: { person: person.uid },
        })
        await recordSecurityEvent(
          tx,
          { core, request },
          {
            kind: moderates ? 'moderator_added' : 'moderator_removed',
            user_uid: person.uid,
          },
        )
      })
      clearIdentityCache()
      return {}
    },
  })

export const addModeratorRoute = memberRoute('PUT', 'For operators: make a person a moderator')
export const removeModeratorRoute = memberRoute(
  'DELETE',
  'For operators: a person moderates no longer',
)

export const moderationRoutes = [
  takeAction,
  listStatementsRoute,
  listTeamRoute,
  addModeratorRoute,
  removeModeratorRoute,
]
