import { Type } from 'typebox'
import { operatorInPerson } from '../../accounts/people/operator-access.ts'
import { findPersonByLogin } from '../../accounts/people/operator-queries.ts'
import { clearIdentityCache } from '../../accounts/sessions/identity.ts'
import type { Sql } from '../../core/database/sql.ts'
import { Body, route, Uid } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { HOUR } from '../../core/runtime/units.ts'
import { perAccount } from '../../core/security/limits.ts'
import { AccountExport } from '../../personal-data/export-data.ts'
import { deletePerson, exportPerson } from '../../personal-data/person.ts'

const PERSON = '/api/v1/private/operations/people/:uid'
const params = Type.Object({ uid: Uid })

const requirePerson = async (sql: Sql, uid: string) =>
  (await findPersonByLogin(sql, uid)) ?? refuse('NOT_FOUND')

export const exportPersonRoute = route({
  method: 'POST',
  url: `${PERSON}/export`,
  summary: 'For operators: export everything that is stored about an account',
  description:
    'As the export that people make of their own account. Without hashes of passwords and keys, ' +
    'and without files of projects. The person sees it in their security events.',
  auth: operatorInPerson,
  step_up: true,
  limits: [perAccount(60, { seconds: HOUR })],
  params,
  data: AccountExport,
  errors: ['NOT_FOUND'],
  async handle({ core, sql, request, who, reply, params: { uid } }) {
    const person = await requirePerson(sql, uid)
    reply.header('cache-control', 'private, no-store')
    return exportPerson({ core, request, operator_uid: who.user_uid }, person)
  },
})

export const deletePersonRoute = route({
  method: 'POST',
  url: `${PERSON}/delete`,
  summary: 'For operators: delete an account; this cannot be undone',
  description:
    'Deletes what people delete with their own account. Refused for operators, and for owners of ' +
    'listings unless those are deleted too.',
  auth: operatorInPerson,
  step_up: true,
  limits: [perAccount(60, { seconds: HOUR })],
  params,
  body: Body({
    username: Type.String({
      maxLength: 64,
      description: 'The username of the account, as a confirmation',
    }),
    with_listings: Type.Optional(
      Type.Boolean({ description: 'Also delete the listings of the person' }),
    ),
  }),
  data: Type.Object({ deleted: Type.Boolean() }),
  errors: ['NOT_FOUND', 'CONFLICT'],
  async handle({ core, sql, request, who, params: { uid }, body }) {
    const person = await requirePerson(sql, uid)
    if (body.username.trim().toLowerCase() !== person.username.toLowerCase())
      refuse(
        'MALFORMED',
        { field: 'username' },
        explain('other_username', 'body.username: this is not the username of the account'),
      )
    if (person.operator)
      refuse(
        'CONFLICT',
        undefined,
        explain('delete_operator', 'This person is an operator; remove that role first'),
      )
    const source = { core, request, operator_uid: who.user_uid }
    const deletion = await deletePerson(source, person, body.with_listings ?? false)
    if (!deletion.ok)
      refuse(
        'CONFLICT',
        { listings: deletion.owned.map(({ uid, name }) => ({ uid, name })) },
        explain('person_owns_listings', 'This person owns listings; delete them too or first'),
      )
    clearIdentityCache()
    return { deleted: true }
  },
})

export const personDataRoutes = [exportPersonRoute, deletePersonRoute]
