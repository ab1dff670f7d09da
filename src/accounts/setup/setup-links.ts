import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { DAY_MS } from '../../core/runtime/units.ts'
import { isToken, newToken, sameBytes, sha256, uuidv7 } from '../../core/security/crypto.ts'
import { hasOperators } from '../people/operator-queries.ts'
import { insertSetupLink, listSetupLinks } from './queries.ts'

const PREFIX = 'svc_set_'
const VALID_MS = DAY_MS

/**
 * The address at which whoever has it becomes the first operator; undefined if there is an
 * operator. The token is in the fragment, which browsers do not send and servers do not log.
 */
export async function createSetupLink({
  sql,
  addresses,
}: Pick<Core, 'sql' | 'addresses'>): Promise<string | undefined> {
  if (await hasOperators(sql)) return undefined
  const token = newToken(PREFIX)
  const expires_at = new Date(Date.now() + VALID_MS)
  await insertSetupLink(sql, { uid: uuidv7(), token_hash: sha256(token), expires_at })
  return `${addresses.web_url}/setup#${token}`
}

/** The uid of the link; refuses a token that is unknown, used or expired. */
export async function checkSetupToken({ sql }: Pick<Core, 'sql'>, token: string): Promise<string> {
  const links = isToken(PREFIX, token) ? await listSetupLinks(sql) : []
  const token_hash = sha256(token)
  const link = links.find((candidate) => sameBytes(candidate.token_hash, token_hash))
  return link?.uid ?? refuse('SETUP_LINK_INVALID')
}
