import { Type } from 'typebox'
import {
  DEVELOPER_TERMS_VERSION,
  requireDeveloperMode,
} from '../../accounts/people/developer-terms.ts'
import { enableDeveloper, lockDeveloperMode } from '../../accounts/people/queries.ts'
import { revokeAccess } from '../../accounts/revocation/revocation.ts'
import { recordSecurityEvent } from '../../accounts/security-events/record.ts'
import { clearIdentityCache } from '../../accounts/sessions/identity.ts'
import { developer, website } from '../../accounts/sessions/schemes.ts'
import { transact } from '../../core/database/transaction.ts'
import { Body, Nullable, OptionalBody, route, Timestamp, Uid } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { HOUR } from '../../core/runtime/units.ts'
import { isUuid } from '../../core/security/crypto.ts'
import { perAccount } from '../../core/security/limits.ts'
import { findForEditor, lockForEditor } from '../listing/edit.ts'
import { GAMES, ListingParams } from '../listing/routes.ts'
import { canManageAdmins } from '../listing/visibility.ts'
import {
  type AdminRow,
  acceptInvite,
  declineInvite,
  deleteAdmin,
  findUser,
  insertInvite,
  readAdmins,
  readInvites,
  setAdminAgents,
} from './queries.ts'

const url = `${GAMES}/:uid/admins`
const MAX_ADMINS = 50
const AdminsData = Type.Object({
  admins: Type.Array(
    Type.Object({
      user_uid: Uid,
      username: Type.String(),
      accepted: Type.Boolean(),
      invited_at: Timestamp,
      accepted_at: Nullable(Timestamp),
    }),
  ),
  agent_access: Type.Boolean({
    description: 'Whether agents of the admins may work on the listing',
  }),
})

const adminsData = (rows: AdminRow[], { admin_agents }: { admin_agents: boolean }) => ({
  agent_access: admin_agents,
  admins: rows.map((row) => ({
    ...row,
    accepted: row.accepted_at !== null,
    invited_at: row.invited_at.toISOString(),
    accepted_at: row.accepted_at?.toISOString() ?? null,
  })),
})

export const listAdmins = route({
  method: 'GET',
  url,
  summary: 'List the admins and open invites of a listing',
  auth: developer('mcp:read', 'mcp:keys.manage'),
  params: ListingParams,
  data: AdminsData,
  errors: ['NOT_FOUND'],
  async handle({ sql, who, params }) {
    const listing = await findForEditor(sql, who, params.uid)
    return adminsData(await readAdmins(sql, listing.uid), listing)
  },
})

export const inviteAdmin = route({
  method: 'POST',
  url,
  summary: 'Invite a person, by username or uid, to administer a listing; only its owner can',
  auth: website,
  step_up: true,
  limits: [perAccount(60, { seconds: HOUR })],
  params: ListingParams,
  body: Body({ username: Type.String({ minLength: 1, maxLength: 64 }) }),
  status: 201,
  data: AdminsData,
  errors: ['NOT_FOUND', 'OWNER_ONLY', 'CONFLICT'],
  handle: ({ core, request, who, params, body }) =>
    transact(core.sql, async (tx) => {
      const listing = await lockForEditor(tx, who, params.uid)
      if (!canManageAdmins(listing)) refuse('OWNER_ONLY')
      const user =
        (await findUser(tx, body.username)) ??
        refuse('NOT_FOUND', { field: 'username' }, explain('no_user', 'There is no such user'))
      if (user.uid === listing.owner_uid)
        refuse(
          'CONFLICT',
          { field: 'username' },
          explain('owner_is_admin', 'The owner runs the listing already'),
        )
      if ((await readAdmins(tx, listing.uid)).length >= MAX_ADMINS)
        refuse(
          'CONFLICT',
          undefined,
          explain('admins', `A listing has at most ${MAX_ADMINS} admins and invites`, {
            count: MAX_ADMINS,
          }),
        )
      if (await insertInvite(tx, listing.uid, user.uid))
        await recordSecurityEvent(
          tx,
          { core, request },
          {
            kind: 'admin_invited',
            user_uid: user.uid,
            game_uid: listing.uid,
          },
        )
      return adminsData(await readAdmins(tx, listing.uid), listing)
    }),
})

export const removeAdmin = route({
  method: 'DELETE',
  url: `${url}/:user_uid`,
  summary: 'Remove an admin or an invite; admins may remove themselves',
  auth: website,
  step_up: true,
  params: Type.Object({ uid: Type.String(), user_uid: Type.String() }),
  data: AdminsData,
  errors: ['NOT_FOUND', 'OWNER_ONLY'],
  async handle({ core, request, who, params }) {
    const data = await transact(core.sql, async (tx) => {
      const listing = await lockForEditor(tx, who, params.uid)
      if (!canManageAdmins(listing) && params.user_uid !== who.user_uid) refuse('OWNER_ONLY')
      if (!isUuid(params.user_uid)) refuse('NOT_FOUND')
      const former = { user_uid: params.user_uid, game_uid: listing.uid }
      if (params.user_uid.toLowerCase() !== listing.owner_uid)
        await revokeAccess({ core, request }, tx, former)
      if (!(await deleteAdmin(tx, listing.uid, params.user_uid))) refuse('NOT_FOUND')
      await recordSecurityEvent(
        tx,
        { core, request },
        {
          kind: 'admin_removed',
          user_uid: params.user_uid,
          game_uid: listing.uid,
        },
      )
      return adminsData(await readAdmins(tx, listing.uid), listing)
    })
    clearIdentityCache()
    return data
  },
})

export const changeAgentAccess = route({
  method: 'PUT',
  url: `${GAMES}/:uid/agent-access`,
  summary: 'Allow or forbid that agents of the admins work on a listing; only its owner can',
  description: 'Turning it off also revokes the keys that admins have for this listing.',
  auth: website,
  params: ListingParams,
  body: Body({ admins: Type.Boolean() }),
  data: Type.Object({ agent_access: Type.Boolean() }),
  errors: ['NOT_FOUND', 'OWNER_ONLY'],
  async handle({ core, who, params, body }) {
    await transact(core.sql, async (tx) => {
      const listing = await lockForEditor(tx, who, params.uid)
      if (!canManageAdmins(listing)) refuse('OWNER_ONLY')
      await setAdminAgents(tx, listing, body.admins)
    })
    clearIdentityCache()
    return { agent_access: body.admins }
  },
})

export const listInvites = route({
  method: 'GET',
  url: '/api/v1/private/invites',
  summary: 'List the invites of the signed-in user',
  auth: website,
  data: Type.Object({
    invites: Type.Array(
      Type.Object({
        uid: Uid,
        game_uid: Uid,
        vanity_name: Type.String(),
        name: Type.String(),
        invited_by: Type.String(),
        invited_at: Timestamp,
      }),
    ),
  }),
  async handle({ sql, who }) {
    const rows = await readInvites(sql, who.user_uid)
    return {
      invites: rows.map(({ username, invited_at, ...row }) => ({
        ...row,
        uid: row.game_uid,
        invited_by: username,
        invited_at: invited_at.toISOString(),
      })),
    }
  },
})

/** A user has at most one invite for each listing, so the uid of the listing identifies it. */
const InviteParams = Type.Object({ uid: Type.String() })

export const acceptInviteRoute = route({
  method: 'POST',
  url: '/api/v1/private/invites/:uid/accept',
  summary: 'Accept an invite; needs developer mode, which accept_terms turns on in the same step',
  auth: website,
  params: InviteParams,
  body: OptionalBody({ accept_terms: Type.Optional(Type.Boolean()) }),
  data: Type.Object({ game_uid: Uid }),
  errors: ['NOT_FOUND', 'DEVELOPER_MODE_REQUIRED'],
  handle: ({ core, sql, request, who, params, body }) =>
    transact(sql, async (tx) => {
      if (body?.accept_terms) await enableDeveloper(tx, who.user_uid, DEVELOPER_TERMS_VERSION)
      requireDeveloperMode(await lockDeveloperMode(tx, who.user_uid))
      if (!isUuid(params.uid) || !(await acceptInvite(tx, params.uid, who.user_uid)))
        refuse('NOT_FOUND')
      const event = { kind: 'admin_joined', game_uid: params.uid } as const
      await recordSecurityEvent(tx, { core, request }, event)
      return { game_uid: params.uid }
    }),
})

export const declineInviteRoute = route({
  method: 'POST',
  url: '/api/v1/private/invites/:uid/decline',
  summary: 'Decline an invite',
  auth: website,
  params: InviteParams,
  data: Type.Object({}),
  errors: ['NOT_FOUND'],
  async handle({ sql, who, params }) {
    if (!isUuid(params.uid) || !(await declineInvite(sql, params.uid, who.user_uid)))
      refuse('NOT_FOUND')
    return {}
  },
})

export const listingPeopleRoutes = [
  listAdmins,
  inviteAdmin,
  removeAdmin,
  changeAgentAccess,
  listInvites,
  acceptInviteRoute,
  declineInviteRoute,
]
