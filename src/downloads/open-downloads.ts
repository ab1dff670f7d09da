import type { ServerResponse } from 'node:http'
import type { Core } from '../core/runtime/core.ts'
import { perCore } from '../core/runtime/per-core.ts'
import { onModeration } from '../listings/moderated/epoch.ts'
import { findCleanFiles } from './queries.ts'

type OpenDownloads = Map<string, Set<ServerResponse>>

/** The downloads that this process is sending, by file. */
const openDownloads = perCore((core): OpenDownloads => {
  const open: OpenDownloads = new Map()
  onModeration(core, () => void endWithdrawn(core, open))
  return open
})

/**
 * Ends the download if its file is withdrawn while it is sent. Call it before the state of the file
 * is read: a file that is withdrawn in between is then among the open downloads.
 */
export function followDownload(core: Core, file_uid: string, response: ServerResponse): void {
  const open = openDownloads(core)
  const responses = open.get(file_uid) ?? new Set()
  open.set(file_uid, responses.add(response))
  response.once('close', () => {
    responses.delete(response)
    if (!responses.size && open.get(file_uid) === responses) open.delete(file_uid)
  })
}

/** Ends the downloads of files that were quarantined, taken down or rejected. */
async function endWithdrawn(core: Core, open: OpenDownloads): Promise<void> {
  const uids = [...open.keys()]
  if (!uids.length) return
  // Without the database nothing is known to be clean.
  const clean = await findCleanFiles(core.sql, uids).catch(() => new Set<string>())
  for (const uid of uids)
    if (!clean.has(uid))
      // A reset also discards what is on its way to a slow reader.
      for (const response of open.get(uid) ?? []) response.socket?.resetAndDestroy()
}
