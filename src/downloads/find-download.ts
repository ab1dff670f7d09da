import type { Identity } from '../accounts/sessions/identity.ts'
import { authorizeFileAccess, refuseChannels } from '../builds/channels/access.ts'
import { findGameOfFile, readFileChannels, readVisibleFiles } from '../builds/files/queries.ts'
import { findWithdrawnFile } from '../builds/withdrawals/queries.ts'
import type { Core } from '../core/runtime/core.ts'
import { refuse } from '../core/runtime/errors.ts'
import { isUuid } from '../core/security/crypto.ts'
import type { DownloadTarget } from './authorize-download.ts'

/**
 * Finds a file that a channel delivers, or did before, which the viewer sees. For a file on another
 * channel, a signed-in viewer of the listing learns the reason; anyone else gets 404.
 */
export async function findDownload(
  { sql }: Core,
  who: Identity | null,
  file_uid: string,
): Promise<DownloadTarget> {
  const game_uid = isUuid(file_uid) ? await findGameOfFile(sql, file_uid) : undefined
  const { listing, access } = await authorizeFileAccess(sql, who, game_uid ?? refuse('NOT_FOUND'))
  const options = { file_uid, with_delivered: true }
  const [file] = await readVisibleFiles(sql, listing.uid, access, options)
  if (file) return { listing, file, is_manager: access.all }
  const withdrawn_file = await findWithdrawnFile(sql, listing.uid, access, file_uid)
  if (withdrawn_file) {
    const { withdrawn, ...file } = withdrawn_file
    return { listing, file, withdrawn, is_manager: access.all }
  }
  const channels = who ? await readFileChannels(sql, listing.uid, file_uid) : []
  if (!who || !channels.length) refuse('NOT_FOUND')
  return refuseChannels(sql, listing.uid, who.user_uid, channels)
}
