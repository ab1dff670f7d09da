import { Type } from 'typebox'
import { NullableReset } from '../../accounts/people/account-data.ts'
import { recordAudit } from '../../accounts/people/audit-queries.ts'
import { operator } from '../../accounts/people/operator-access.ts'
import {
  countOperators,
  lockOperators,
  markVerified,
  setOperator,
} from '../../accounts/people/operator-queries.ts'
import { checkRoleAddress } from '../../accounts/people/roles.ts'
import { suspensionScopes } from '../../accounts/people/suspension.ts'
import { requestReset, stopWaitingReset } from '../../accounts/second-factor/resets.ts'
import type { EventKind } from '../../accounts/security-events/kinds.ts'
import { type RequestSource, recordSecurityEvent } from '../../accounts/security-events/record.ts'
import { clearIdentityCache, type Identity } from '../../accounts/sessions/identity.ts'
import type { Tx } from '../../core/database/sql.ts'
import { pageData, pageQuery, paging } from '../../core/http/paging.ts'
import { Nullable, OneOf, route, Timestamp, Uid } from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { perAccount } from '../../core/security/limits.ts'
import { findPeople, findPersonByUid, type PersonRow } from './queries.ts'

const PEOPLE = '/api/v1/private/operations/people'
const limits = [perAccount(120, { bucket: 'operations people' })]
const params = Type.Object({ uid: Uid })

const Suspension = Type.Object({
  scope: OneOf(suspensionScopes),
  until: Nullable(Timestamp),
  statement: Type.String({ description: 'The sentence that the person got' }),
})

const Person = Type.Object({
  uid: Uid,
  username: Type.String(),
  email: Type.String(),
  email_verified: Type.Boolean(),
  developer: Type.Boolean({ description: 'Whether developer mode is on' }),
  operator: Type.Boolean(),
  moderator: Type.Boolean(),
  suspension: Type.Union([Suspension, Type.Null()], {
    description: 'The suspension that is in force; null without one',
  }),
  created_at: Timestamp,
  listings: Type.Integer({ description: 'How many the person owns' }),
  sessions: Type.Integer({ description: 'How many browsers are signed in' }),
  mail_bounces: Type.Integer({
    description: 'How many mails to the address the mail server refused for good',
  }),
  second_factor: Type.Boolean({ description: 'Whether signing in takes a second step' }),
  second_factor_reset: NullableReset,
})

const showPerson = ({ created_at, ...person }: PersonRow) => ({
  ...person,
  created_at: created_at.toISOString(),
})

const readPerson = async ({ sql }: Core, uid: string) =>
  showPerson((await findPersonByUid(sql, uid)) ?? refuse('NOT_FOUND'))

export const listPeopleRoute = route({
  method: 'GET',
  url: PEOPLE,
  summary: 'For operators: people by the beginning of their name or address, the newest first',
  auth: operator,
  limits,
  query: Type.Object({
    q: Type.String({
      default: '',
      maxLength: 320,
      description: 'How the username or the email address begins',
    }),
    ...pageQuery,
  }),
  data: Type.Object({ items: Type.Array(Person), ...pageData }),
  async handle({ sql, query }) {
    const { limit, offset, page, page_size } = paging(query)
    const { rows, total } = await findPeople(sql, query.q.trim(), { limit, offset })
    return { items: rows.map(showPerson), total, page, page_size }
  },
})

export const readPersonRoute = route({
  method: 'GET',
  url: `${PEOPLE}/:uid`,
  summary: 'For operators: an account',
  auth: operator,
  limits,
  params,
  data: Person,
  errors: ['NOT_FOUND'],
  handle: ({ core, params }) => readPerson(core, params.uid),
})

type PersonChange = { uid: string; action: string; kind?: EventKind }
type OperatorSource = RequestSource & { who: Identity }

/** Changes an account and records who did it; nothing is recorded if nothing changed. */
async function changePerson(
  source: OperatorSource,
  { uid, action, kind }: PersonChange,
  change: (tx: Tx) => Promise<boolean>,
) {
  const { core, who } = source
  await readPerson(core, uid)
  await core.sql.begin(async (tx) => {
    if (!(await change(tx))) return
    const detail = { person: uid }
    await recordAudit(tx, { user_uid: who.user_uid, game_uid: null, action, detail })
    if (kind) await recordSecurityEvent(tx, source, { kind, user_uid: uid })
  })
  clearIdentityCache()
  return readPerson(core, uid)
}

export const verifyPersonRoute = route({
  method: 'POST',
  url: `${PEOPLE}/:uid/verify`,
  summary: 'For operators: mark the address of a person as verified',
  auth: operator,
  limits,
  params,
  data: Person,
  errors: ['NOT_FOUND'],
  handle: ({ core, request, who, params: { uid } }) =>
    changePerson({ core, request, who }, { uid, action: 'operator.verify-person' }, (tx) =>
      markVerified(tx, uid),
    ),
})

export const makeOperatorRoute = route({
  method: 'PUT',
  url: `${PEOPLE}/:uid/operator`,
  summary: 'For operators: make a person an operator',
  auth: operator,
  step_up: true,
  limits,
  params,
  data: Person,
  errors: ['NOT_FOUND', 'EMAIL_NOT_VERIFIED'],
  async handle({ core, request, who, params: { uid } }) {
    checkRoleAddress(await readPerson(core, uid))
    const change = { uid, action: 'operator.make-operator', kind: 'operator_added' } as const
    return changePerson({ core, request, who }, change, (tx) => setOperator(tx, uid, true))
  },
})

export const removeOperatorRoute = route({
  method: 'DELETE',
  url: `${PEOPLE}/:uid/operator`,
  summary: 'For operators: take the role of operator from a person, who is not the last one',
  auth: operator,
  step_up: true,
  limits,
  params,
  data: Person,
  errors: ['NOT_FOUND', 'CONFLICT'],
  handle: ({ core, request, who, params: { uid } }) =>
    changePerson(
      { core, request, who },
      { uid, action: 'operator.remove-operator', kind: 'operator_removed' },
      async (tx) => {
        await lockOperators(tx)
        const is_removed = await setOperator(tx, uid, false)
        if (is_removed && (await countOperators(tx)) === 0)
          refuse(
            'CONFLICT',
            undefined,
            explain('last_operator', 'This is the last operator; make another person one first'),
          )
        return is_removed
      },
    ),
})

const refuseOwn = (): never =>
  refuse(
    'FORBIDDEN',
    undefined,
    explain('own_second_factor', 'Ask another operator to reset your own second factor'),
  )

export const requestResetRoute = route({
  method: 'PUT',
  url: `${PEOPLE}/:uid/second-factor-reset`,
  summary: 'For operators: remove the second factor of a person after a waiting time',
  description:
    'The person is mailed at once and can stop it. A reset that waits already stays as it is. ' +
    'Afterwards they sign in with their password alone.',
  auth: operator,
  step_up: true,
  limits,
  params,
  data: Person,
  errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT'],
  async handle({ core, request, who, params: { uid } }) {
    if (uid.toLowerCase() === who.user_uid) refuseOwn()
    const kind = 'second_factor_reset_requested'
    const change = { uid, action: 'operator.request-second-factor-reset', kind } as const
    return changePerson({ core, request, who }, change, (tx) => requestReset(core, tx, uid))
  },
})

export const cancelResetRoute = route({
  method: 'DELETE',
  url: `${PEOPLE}/:uid/second-factor-reset`,
  summary: 'For operators: stop the reset of a second factor that waits',
  auth: operator,
  limits,
  params,
  data: Person,
  errors: ['NOT_FOUND'],
  handle: ({ core, request, who, params: { uid } }) =>
    changePerson(
      { core, request, who },
      { uid, action: 'operator.stop-second-factor-reset' },
      (tx) => stopWaitingReset({ core, request }, tx, { user_uid: uid }),
    ),
})

export const operatorPeopleRoutes = [
  listPeopleRoute,
  readPersonRoute,
  verifyPersonRoute,
  makeOperatorRoute,
  removeOperatorRoute,
  requestResetRoute,
  cancelResetRoute,
]
