import { holdRole, holdRoles } from '../accounts/revocation/queries.ts'
import type { Identity } from '../accounts/sessions/identity.ts'
import { hasRecentSignIn } from '../accounts/sessions/step-up.ts'
import { DEFAULT_CHANNEL } from '../builds/builds/fields.ts'
import type { Deployer } from '../builds/keys/schemes.ts'
import { requestSeconds } from '../builds/upload-limits.ts'
import type { Sql, Tx } from '../core/database/sql.ts'
import { type ErrorName, refuse } from '../core/runtime/errors.ts'
import { explain } from '../core/runtime/reasons.ts'
import { findForEditor } from '../listings/listing/edit.ts'
import type { Uploader } from './queries.ts'

/** Options of every route that receives files: the upload role, and the raw body. */
export const uploadRouteOptions = {
  role: 'upload',
  raw_body: true,
  receive_seconds: requestSeconds,
} as const

export const uploadErrors: ErrorName[] = [
  'EMAIL_NOT_VERIFIED',
  'FILE_MISSING',
  'BUILD_NOT_SPECIFIED',
  'BUILD_NOT_REGISTERED',
  'INVALID_UPLOAD',
  'UPLOAD_TOO_LARGE',
  'CHECKSUM_MISMATCH',
  'TOO_MANY_UPLOADS',
  'STORAGE_QUOTA_EXCEEDED',
]

/** The content of a file is known once it has arrived. */
export const contentErrors: ErrorName[] = ['CONTENT_BLOCKED']

function requireVerifiedOwner({ owner_verified }: { owner_verified: boolean }) {
  if (!owner_verified)
    refuse(
      'EMAIL_NOT_VERIFIED',
      undefined,
      explain('owner_email', 'The owner of the game must verify their email address first'),
    )
}

/** Who sends a file. */
export type Sender = {
  uploader: Uploader
  /** Whether the file may be for the stable channel. */
  may_release: boolean
}

/** Build machines are not interactive; the deploy key was issued with a proof. */
export const senderByDeployKey = (who: Deployer): Sender => ({
  uploader: uploaderByDeployKey(who),
  may_release: true,
})

export const senderBySession = async (
  sql: Sql,
  who: Identity,
  uid_or_name: string,
): Promise<Sender> => ({
  uploader: await uploaderBySession(sql, who, uid_or_name),
  may_release: await hasRecentSignIn(sql, who, new Date()),
})

/** A file for stable reaches all players after its scan, so it takes a proof as promoting does. */
export function checkMayRelease({ may_release }: Sender, { channel }: { channel: string }): void {
  if (channel === DEFAULT_CHANNEL && !may_release) refuse('STEP_UP_REQUIRED', { step_up: true })
}

/** A build machine with a deploy key. */
export function uploaderByDeployKey(who: Deployer): Uploader {
  requireVerifiedOwner(who)
  return {
    game_uid: who.game_uid,
    method: 'deploy_key',
    key_ref: who.key_ref,
    uploaded_by: who.issued_by,
  }
}

/** A person who runs the project, on the website. */
async function uploaderBySession(sql: Sql, who: Identity, uid_or_name: string): Promise<Uploader> {
  const listing = await findForEditor(sql, who, uid_or_name)
  requireVerifiedOwner(listing)
  return { game_uid: listing.uid, method: 'website', key_ref: null, uploaded_by: who.user_uid }
}

/**
 * Refuses an upload whose person lost the role while it was received, in the transaction that
 * stores it. Who takes the role away waits for it.
 */
export async function holdUploaderRole(
  tx: Tx,
  { game_uid, method, uploaded_by }: Uploader,
): Promise<void> {
  await holdRoles(tx, game_uid)
  if (uploaded_by && (await holdRole(tx, uploaded_by, game_uid))) return
  refuse(method === 'deploy_key' ? 'DEPLOY_KEY_REVOKED' : 'NOT_FOUND')
}
