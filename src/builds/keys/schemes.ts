import type { FastifyRequest } from 'fastify'
import { checkMayPublish } from '../../accounts/people/suspension.ts'
import type { Scheme } from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { isToken, sameBytes, sha256 } from '../../core/security/crypto.ts'
import { findDeployKey } from './queries.ts'

/** A build machine that acts for one game. */
export type Deployer = {
  key_uid: string
  key_ref: string
  game_uid: string
  owner_verified: boolean
  issued_by: string | null
}

export const DEPLOY_PREFIX = 'svc_dat_'
/** How many characters after the prefix identify a key to people. */
const REF_LENGTH = 8
const VISIBLE_LENGTH = DEPLOY_PREFIX.length + REF_LENGTH

/** The beginning of an access token, which may be shown. */
export const visiblePrefix = (access_token: string) => access_token.slice(0, VISIBLE_LENGTH)
const keyRef = (access_token: string) => access_token.slice(DEPLOY_PREFIX.length, VISIBLE_LENGTH)

export const deployKey: Scheme<Deployer> = {
  name: 'deploy key',
  security: [{ deploy_access: [], deploy_secret: [] }],
  errors: [
    'ACCESS_TOKEN_MISSING',
    'SECRET_KEY_MISSING',
    'DEPLOY_KEY_UNKNOWN',
    'DEPLOY_KEY_REVOKED',
    'DEPLOY_KEY_INVALID',
    'SUSPENDED',
  ],
  async identify(core: Core, request: FastifyRequest) {
    const access = readHeader(request, 'x-access-token') ?? refuse('ACCESS_TOKEN_MISSING')
    const secret = readHeader(request, 'x-secret-key') ?? refuse('SECRET_KEY_MISSING')
    const deploy_key = isToken(DEPLOY_PREFIX, access)
      ? await findDeployKey(core.sql, sha256(access))
      : undefined
    if (!deploy_key) refuse('DEPLOY_KEY_UNKNOWN')
    const { secret_hash, revoked, suspension, ...key } = deploy_key
    // Only those who hold the secret learn that a key was revoked.
    if (!sameBytes(secret_hash, sha256(secret))) refuse('DEPLOY_KEY_INVALID')
    // A suspension comes first: it also revokes keys, and is the reason.
    checkMayPublish({ suspension })
    if (revoked) refuse('DEPLOY_KEY_REVOKED')
    return { ...key, key_ref: keyRef(access) }
  },
}

function readHeader(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name]
  return typeof value === 'string' && value.trim() ? value.trim() : undefined
}
