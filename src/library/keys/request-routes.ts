import { type Static, Type } from 'typebox'
import { recordAudit } from '../../accounts/people/audit-queries.ts'
import { checkMayPublish } from '../../accounts/people/suspension.ts'
import { developer, player } from '../../accounts/sessions/schemes.ts'
import { transact } from '../../core/database/transaction.ts'
import {
  Body,
  Checked,
  Nullable,
  nameSchemas,
  OneOf,
  route,
  Timestamp,
  Uid,
} from '../../core/http/route.ts'
import { checkAll, refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { HOUR } from '../../core/runtime/units.ts'
import { isUuid, uuidv7 } from '../../core/security/crypto.ts'
import { perAccount } from '../../core/security/limits.ts'
import { choice, httpsUrl, markdown, requiredText } from '../../listings/fields/text.ts'
import { findForEditor, lockForEditor } from '../../listings/listing/edit.ts'
import type { ListingFor } from '../../listings/listing/queries.ts'
import { openPage } from '../../listings/page/page.ts'
import { grantCopy } from '../copy-queries.ts'
import {
  decideRequest,
  insertRequest,
  type RequestRow,
  readRequests,
  requestKinds,
  requestStates,
  setTakesRequests,
  takesRequests,
} from './request-queries.ts'

const ListingParams = Type.Object({ uid: Type.String() })
const url = '/api/v1/private/games/:uid/key-requests'
const auth = developer('mcp:keys.manage')
export const requestLimits = { outlet: 120, message: 2000 } as const
const at = (field: string) => ({ refusal: 'INVALID_KEY_REQUEST' as const, field })

const RequestData = Type.Object({
  uid: Uid,
  username: Type.String(),
  kind: OneOf(requestKinds),
  outlet: Type.String({ description: 'The publication or channel' }),
  url: Type.String(),
  message: Type.String(),
  state: OneOf(requestStates),
  created_at: Timestamp,
  decided_at: Nullable(Timestamp),
})
nameSchemas({ KeyRequest: RequestData })
const RequestsData = Type.Object({
  open: Type.Boolean({ description: 'Whether people can ask' }),
  requests: Type.Array(RequestData, { description: 'Those that wait first; at most 500' }),
})

const showRequest = (row: RequestRow): Static<typeof RequestData> => ({
  ...row,
  created_at: row.created_at.toISOString(),
  decided_at: row.decided_at?.toISOString() ?? null,
})

/** Only owners give copies. */
const ownedBy = (listing: ListingFor): ListingFor =>
  listing.is_owner ? listing : refuse('OWNER_ONLY')

export const listKeyRequestsRoute = route({
  method: 'GET',
  url,
  summary: 'List the requests of journalists and creators for a copy of your listing',
  auth,
  params: ListingParams,
  data: RequestsData,
  errors: ['NOT_FOUND', 'OWNER_ONLY'],
  async handle({ sql, who, params }) {
    const { uid } = ownedBy(await findForEditor(sql, who, params.uid))
    const [open, requests] = await Promise.all([takesRequests(sql, uid), readRequests(sql, uid)])
    return { open, requests: requests.map(showRequest) }
  },
})

export const openKeyRequestsRoute = route({
  method: 'PUT',
  url,
  summary: 'Set whether journalists and creators can ask for a copy of your listing',
  auth,
  params: ListingParams,
  body: Body({ open: Type.Boolean() }),
  data: Type.Object({ open: Type.Boolean() }),
  errors: ['NOT_FOUND', 'OWNER_ONLY'],
  async handle({ sql, who, params, body: { open } }) {
    await transact(sql, async (tx) => {
      const { uid } = ownedBy(await lockForEditor(tx, who, params.uid))
      await setTakesRequests(tx, uid, open)
    })
    return { open }
  },
})

export const requestKeyRoute = route({
  method: 'POST',
  url,
  summary: 'Ask the developer for a copy, as a journalist or creator',
  auth: player('player:write'),
  limits: [perAccount(20, { seconds: HOUR })],
  params: ListingParams,
  body: Body({
    kind: Checked(OneOf(requestKinds)),
    outlet: Checked(Type.String({ maxLength: requestLimits.outlet })),
    url: Checked(Type.String({ description: 'Where your work is published, https' })),
    message: Type.Optional(Checked(Type.String({ maxLength: requestLimits.message }))),
  }),
  status: 201,
  data: Type.Object({ uid: Uid, state: OneOf(requestStates) }),
  errors: [
    'NOT_FOUND',
    'EMAIL_NOT_VERIFIED',
    'KEY_REQUESTS_CLOSED',
    'INVALID_KEY_REQUEST',
    'CONFLICT',
  ],
  async handle({ core, sql, who, params, body }) {
    checkMayPublish(who)
    if (!who.email_verified) refuse('EMAIL_NOT_VERIFIED')
    const { uid: game_uid } = await openPage(core, who, params.uid)
    if (!(await takesRequests(sql, game_uid))) refuse('KEY_REQUESTS_CLOSED')
    const checked = checkAll({
      kind: () => choice(at('kind'), body.kind, requestKinds),
      outlet: () => requiredText(at('outlet'), body.outlet, requestLimits.outlet),
      url: () => httpsUrl(at('url'), body.url),
      message: () => markdown(at('message'), body.message, requestLimits.message),
    })
    const uid = uuidv7()
    const is_new = await insertRequest(sql, { uid, game_uid, user_uid: who.user_uid, ...checked })
    if (!is_new)
      refuse('CONFLICT', undefined, explain('key_requested', 'You asked for a copy already'))
    return { uid, state: 'waiting' as const }
  },
})

export const decideKeyRequestRoute = route({
  method: 'POST',
  url: `${url}/:request_uid`,
  summary: 'Give a journalist or creator the copy that they asked for, or decline; they are mailed',
  auth,
  params: Type.Object({ uid: Type.String(), request_uid: Type.String() }),
  body: Body({ decision: OneOf(['approve', 'decline']) }),
  data: Type.Object({ uid: Uid, state: OneOf(requestStates) }),
  errors: ['NOT_FOUND', 'OWNER_ONLY'],
  async handle({ core, sql, who, params, body }) {
    const { request_uid } = params
    const state = body.decision === 'approve' ? ('approved' as const) : ('declined' as const)
    await transact(sql, async (tx) => {
      const { uid: game_uid } = ownedBy(await lockForEditor(tx, who, params.uid))
      const request = isUuid(request_uid)
        ? await decideRequest(tx, game_uid, request_uid, state)
        : undefined
      const { user_uid } = request ?? refuse('NOT_FOUND')
      if (state === 'approved') await grantCopy(tx, { user_uid, game_uid, source: 'key' })
      const { user_uid: decided_by } = who
      await recordAudit(tx, {
        user_uid: decided_by,
        game_uid,
        action: 'library.decide-key-request',
        detail: { request: request_uid, state },
      })
      await core.jobs.send(tx, 'library.mail-key-request', { request_uid, id: uuidv7() })
    })
    return { uid: request_uid, state }
  },
})

export const keyRequestRoutes = [
  listKeyRequestsRoute,
  openKeyRequestsRoute,
  requestKeyRoute,
  decideKeyRequestRoute,
]
