import { Type } from 'typebox'
import { requireDeveloperMode } from '../../accounts/people/developer-terms.ts'
import { isDeveloper } from '../../accounts/people/queries.ts'
import { holdRoles } from '../../accounts/revocation/queries.ts'
import { recordSecurityEvent } from '../../accounts/security-events/record.ts'
import { developer, website } from '../../accounts/sessions/schemes.ts'
import { whileSignedIn } from '../../accounts/sessions/sessions.ts'
import { transact } from '../../core/database/transaction.ts'
import { route, Timestamp, Uid } from '../../core/http/route.ts'
import { HOUR } from '../../core/runtime/units.ts'
import { newToken, sha256, uuidv7 } from '../../core/security/crypto.ts'
import { perAccount } from '../../core/security/limits.ts'
import { findForEditor } from '../../listings/listing/edit.ts'
import { issueDeployKey, readCurrentDeployKeys, revokeDeployKeys } from './queries.ts'
import { DEPLOY_PREFIX, visiblePrefix } from './schemes.ts'

const url = '/api/v1/private/games/:uid/deploy-keys'
const params = Type.Object({ uid: Type.String() })

export const listDeployKeys = route({
  method: 'GET',
  url,
  summary: 'Read the deploy key of a project, without its secrets',
  auth: developer('mcp:read', 'mcp:build.write', 'mcp:keys.manage'),
  params,
  data: Type.Object({
    keys: Type.Array(Type.Object({ uid: Uid, prefix: Type.String(), created_at: Timestamp })),
  }),
  errors: ['NOT_FOUND'],
  async handle({ sql, who, params }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    const keys = await readCurrentDeployKeys(sql, uid)
    return { keys: keys.map((key) => ({ ...key, created_at: key.created_at.toISOString() })) }
  },
})

export const createDeployKey = route({
  method: 'POST',
  url,
  summary: 'Issue a deploy key; it is shown once, and the earlier key stops working',
  auth: website,
  step_up: true,
  limits: [perAccount(60, { seconds: HOUR })],
  params,
  status: 201,
  data: Type.Object({
    uid: Uid,
    access_token: Type.String(),
    secret_key: Type.String(),
    prefix: Type.String(),
  }),
  errors: ['NOT_FOUND', 'DEVELOPER_MODE_REQUIRED'],
  async handle({ core, sql, request, who, params }) {
    requireDeveloperMode(await isDeveloper(sql, who))
    const { uid: game_uid } = await findForEditor(sql, who, params.uid)
    const uid = uuidv7()
    const access_token = newToken(DEPLOY_PREFIX)
    const secret_key = newToken('svc_dsk_')
    const prefix = visiblePrefix(access_token)
    const key = {
      uid,
      game_uid,
      issued_by: who.user_uid,
      prefix,
      token_hash: sha256(access_token),
      secret_hash: sha256(secret_key),
    }
    await whileSignedIn(sql, who, async (tx) => {
      // The person may have lost the role since. Who takes it away waits for this.
      await holdRoles(tx, game_uid)
      await findForEditor(tx, who, game_uid)
      await issueDeployKey(tx, key)
      await recordSecurityEvent(tx, { core, request }, { kind: 'deploy_key_created', game_uid })
    })
    return { uid, access_token, secret_key, prefix }
  },
})

export const deleteDeployKeys = route({
  method: 'DELETE',
  url,
  summary: 'Revoke the deploy key of a project',
  auth: website,
  step_up: true,
  params,
  data: Type.Object({ revoked: Type.Integer() }),
  errors: ['NOT_FOUND'],
  async handle({ core, sql, request, who, params }) {
    const { uid: game_uid } = await findForEditor(sql, who, params.uid)
    const revoked = await transact(sql, async (tx) => {
      const count = await revokeDeployKeys(tx, game_uid)
      if (count)
        await recordSecurityEvent(tx, { core, request }, { kind: 'deploy_key_revoked', game_uid })
      return count
    })
    return { revoked }
  },
})

export const deployKeyRoutes = [listDeployKeys, createDeployKey, deleteDeployKeys]
