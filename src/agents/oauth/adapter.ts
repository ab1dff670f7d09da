import type { Adapter, AdapterPayload } from 'oidc-provider'
import { clearIdentityCache } from '../../accounts/sessions/identity.ts'
import type { Core } from '../../core/runtime/core.ts'
import { isUuid, sha256, uuidv7 } from '../../core/security/crypto.ts'
import { OAUTH_SECRET_FIELD } from '../../core/security/sealed-columns.ts'
import { resourceOf, toolServers } from '../mcp/tool-servers.ts'
import { userCodeHash } from './device-client.ts'
import {
  consumeRecord,
  deleteRecord,
  endGrant,
  endGrantOfRecord,
  type FoundRecord,
  findRecord,
  findSessionRecord,
  saveRecord,
} from './queries.ts'

/** Ids are credentials, so only their hashes are stored; found records get their id back. */
export function oauthAdapter(core: Core, kind: string, alreadyUsedError: () => Error): Adapter {
  const { sql } = core
  const audienceOf = (aud: unknown) =>
    toolServers.find((server) => resourceOf(core.addresses, server) === aud)?.kind ?? null
  const toPayload = (
    id: string | undefined,
    row: FoundRecord | undefined,
  ): AdapterPayload | undefined =>
    row && {
      ...row.payload,
      ...(kind === 'Client' || id === undefined ? {} : { jti: id }),
      ...(row.secret_sealed ? { client_secret: openSecret(core, id!, row) } : {}),
      ...(row.consumed_at ? { consumed: Math.floor(row.consumed_at.getTime() / 1000) } : {}),
    }
  return {
    async upsert(
      id,
      { jti: _, client_secret, consumed: __, userCode: user_code, ...payload },
      expires_in,
    ) {
      const sealed = client_secret
        ? core.secrets.seal(id, OAUTH_SECRET_FIELD, client_secret)
        : undefined
      await saveRecord(sql, {
        kind,
        id_hash: sha256(id),
        uid: uuidv7(),
        payload,
        grant_hash: payload.grantId ? sha256(payload.grantId) : null,
        user_uid: payload.accountId && isUuid(payload.accountId) ? payload.accountId : null,
        client_id: kind === 'Client' ? id : (payload.clientId ?? null),
        audience: kind === 'AccessToken' ? audienceOf(payload.aud) : null,
        secret_version: sealed?.key_version ?? null,
        secret_sealed: sealed?.sealed ?? null,
        user_code_hash: user_code ? userCodeHash(core, user_code) : null,
        expires_at: expires_in ? new Date(Date.now() + expires_in * 1000) : null,
      })
    },
    find: async (id) => toPayload(id, await findRecord(sql, kind, sha256(id))),
    findByUid: async (uid) => toPayload(undefined, await findSessionRecord(sql, uid)),
    // The page of devices is not that of the library; see device.ts.
    findByUserCode: async () => undefined,
    async consume(id) {
      if (await consumeRecord(sql, kind, sha256(id))) return
      // Used twice: one of the two callers stole it, and it is unknown which. End the grant.
      await endGrantOfRecord(sql, kind, sha256(id))
      clearIdentityCache()
      throw alreadyUsedError()
    },
    async destroy(id) {
      await deleteRecord(sql, kind, sha256(id))
      clearIdentityCache()
    },
    async revokeByGrantId(id) {
      await endGrant(sql, sha256(id))
      clearIdentityCache()
    },
  }
}

const openSecret = (core: Core, id: string, row: FoundRecord) =>
  core.secrets.open(id, OAUTH_SECRET_FIELD, {
    key_version: row.secret_version!,
    sealed: row.secret_sealed!,
  })
