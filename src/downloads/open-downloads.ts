import type { ServerResponse } from 'node:http'
import type { Core } from '../core/runtime/core.ts'
import { perCore } from '../core/runtime/per-core.ts'
import { onModeration } from '../listings/moderated/epoch.ts'
import { findCleanFiles } from './queries.ts'

/** A request for a file. Before its bytes are sent it can still be refused in words. */
export type OpenDownload = { response: ServerResponse; is_sending: boolean; is_withdrawn: boolean }
type OpenDownloads = Map<string, Set<OpenDownload>>

/** The downloads that this process is sending, by file. */
const openDownloads = perCore((core): OpenDownloads => {
  const open: OpenDownloads = new Map()
  onModeration(core, () => void endWithdrawn(core, open))
  return open
})

/**
 * Ends the download if its file is withdrawn while it is sent. Call it before the state of the file
 * is read: a file that is withdrawn in between is then among the open downloads, and refused.
 */
export function followDownload(
  core: Core,
  file_uid: string,
  response: ServerResponse,
): OpenDownload {
  const open = openDownloads(core)
  const download: OpenDownload = { response, is_sending: false, is_withdrawn: false }
  const downloads = open.get(file_uid) ?? new Set()
  open.set(file_uid, downloads.add(download))
  response.once('close', () => {
    downloads.delete(download)
    if (!downloads.size && open.get(file_uid) === downloads) open.delete(file_uid)
  })
  return download
}

/** Ends the downloads of files that were quarantined, taken down or rejected. */
async function endWithdrawn(core: Core, open: OpenDownloads): Promise<void> {
  const uids = [...open.keys()]
  if (!uids.length) return
  // Without the database nothing is known to be clean.
  const clean = await findCleanFiles(core.sql, uids).catch(() => new Set<string>())
  for (const uid of uids)
    if (!clean.has(uid)) for (const download of open.get(uid) ?? []) end(download)
}

function end(download: OpenDownload) {
  download.is_withdrawn = true
  // A reset also discards what is on its way to a slow reader.
  if (download.is_sending) download.response.socket?.resetAndDestroy()
}
