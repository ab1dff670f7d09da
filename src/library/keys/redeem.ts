import type { Tx } from '../../core/database/sql.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { sha256 } from '../../core/security/crypto.ts'
import { grantCopy } from '../copy-queries.ts'
import { type KeyRow, lockKey, markRedeemed } from './queries.ts'
import { type KeyProblem, keyProblem, readKey } from './redeem-key.ts'

export const hashKey = (key: string): Buffer => sha256(`redeem key ${key}`)

const messages = {
  mistyped: explain('key_mistyped', 'key: this is not a key; check it for typing mistakes'),
  unknown: explain('key_unknown', 'key: there is no such key'),
  redeemed: explain('key_redeemed', 'key: this key was redeemed already'),
  revoked: explain('key_revoked', 'key: this key was revoked; contact whoever gave it to you'),
  expired: explain('key_expired', 'key: this key has expired; contact whoever gave it to you'),
}

const refuseKey = (state: KeyProblem | 'mistyped' | 'unknown'): never =>
  refuse('KEY_NOT_VALID', { field: 'key', state }, messages[state])

/**
 * Gives the copy that a key is for. The key stays usable for somebody else if the person has that
 * copy already.
 */
export async function redeemKey(tx: Tx, typed: string, user_uid: string): Promise<KeyRow> {
  const hash = hashKey(readKey(typed) ?? refuseKey('mistyped'))
  const key = (await lockKey(tx, hash)) ?? refuseKey('unknown')
  const problem = keyProblem(key, new Date())
  if (problem) refuseKey(problem)
  const { game_uid, edition } = key
  const copy = { user_uid, game_uid, source: 'key' as const, ...(edition && { edition }) }
  const { gifts } = await grantCopy(tx, copy)
  if (gifts === 0)
    refuse(
      'CONFLICT',
      { field: 'key' },
      explain('key_owned', 'key: you have this already; the key is still valid for somebody else'),
    )
  await markRedeemed(tx, hash, user_uid)
  return key
}
