import { Type } from 'typebox'
import { findPersonByLogin } from '../accounts/people/operator-queries.ts'
import { signOutCookies } from '../accounts/sessions/cookies.ts'
import { clearIdentityCache, type Identity } from '../accounts/sessions/identity.ts'
import { checkOwnPassword } from '../accounts/sessions/recent-sign-in.ts'
import { website } from '../accounts/sessions/schemes.ts'
import type { Sql } from '../core/database/sql.ts'
import { Body, route } from '../core/http/route.ts'
import { refuse } from '../core/runtime/errors.ts'
import { explain } from '../core/runtime/reasons.ts'
import { HOUR } from '../core/runtime/units.ts'
import { perAccount } from '../core/security/limits.ts'
import { AccountExport } from './export-data.ts'
import { deletePerson, exportPerson } from './person.ts'

const Password = Type.String({ minLength: 1, maxLength: 512 })

/** The session may have outlived the account for a moment. */
const requirePerson = async (sql: Sql, { user_uid }: Identity) =>
  (await findPersonByLogin(sql, user_uid)) ?? refuse('UNAUTHENTICATED')

export const exportAccountRoute = route({
  method: 'POST',
  url: '/api/v1/private/account/export',
  summary: 'Export everything that is stored about your account',
  description: 'Without hashes of passwords and keys, and without files of projects.',
  auth: website,
  limits: [perAccount(20, { seconds: HOUR })],
  body: Body({ password: Password }),
  data: AccountExport,
  errors: ['INVALID_CREDENTIALS'],
  async handle({ core, sql, request, who, body, reply }) {
    const proof = { password: body.password, field: 'password' }
    await checkOwnPassword({ core, request, who }, proof)
    reply.header('cache-control', 'private, no-store')
    const person = await requirePerson(sql, who)
    return exportPerson({ core, request }, person)
  },
})

export const deleteAccountRoute = route({
  method: 'POST',
  url: '/api/v1/private/account/delete',
  summary: 'Delete your account; this cannot be undone',
  description:
    'Deletes the account with its sessions, keys, copies, play time, reviews and tags. Bug ' +
    'reports stay with their projects, without your name. Refused while you own projects.',
  auth: website,
  body: Body({
    username: Type.String({ maxLength: 64, description: 'Your username, as a confirmation' }),
    password: Password,
  }),
  data: Type.Object({ deleted: Type.Boolean() }),
  errors: ['INVALID_CREDENTIALS', 'CONFLICT'],
  async handle({ core, sql, request, who, body, reply }) {
    if (body.username.trim().toLowerCase() !== who.username.toLowerCase())
      refuse(
        'MALFORMED',
        { field: 'username' },
        explain('not_your_username', 'body.username: this is not your username'),
      )
    const proof = { password: body.password, field: 'password' }
    await checkOwnPassword({ core, request, who }, proof)
    const deletion = await deletePerson({ core, request }, await requirePerson(sql, who), false)
    if (!deletion.ok)
      refuse(
        'CONFLICT',
        { listings: deletion.owned.map(({ uid, name }) => ({ uid, name })) },
        explain('own_projects', 'You own projects; delete them first'),
      )
    clearIdentityCache()
    reply.header('set-cookie', signOutCookies(core))
    return { deleted: true }
  },
})

export const personalDataRoutes = [exportAccountRoute, deleteAccountRoute]
