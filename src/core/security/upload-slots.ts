import type { Route } from '../http/route.ts'
import type { Core } from '../runtime/core.ts'
import { refuse } from '../runtime/errors.ts'
import { perCore } from '../runtime/per-core.ts'
import { requireFreeDisk } from '../storage/free-disk.ts'

const RETRY_SECONDS = 10

/** How many uploads this process receives now, in all and by uploader. */
const uploads = perCore(() => ({ total: 0, by_uploader: new Map<string, number>() }))

export const countUploads = (core: Core): number => uploads(core).total

/** Runs the handler of a route that stores files, if there is room on the disk and a free slot. */
export async function receiveFiles<Answer>(
  core: Core,
  route: Route,
  who: unknown,
  handle: () => Answer,
): Promise<Awaited<Answer>> {
  await requireFreeDisk(core)
  const uploader = uploaderOf(route, who)
  if (uploader !== undefined) takeSlot(core, uploader)
  try {
    return await handle()
  } finally {
    if (uploader !== undefined) freeSlot(core, uploader)
  }
}

/** Whose uploads are counted. Those of players in games are not: they would block developers. */
function uploaderOf({ stores_files }: Route, who: unknown): string | undefined {
  if (stores_files === 'account') return `account ${(who as { user_uid: string }).user_uid}`
  return stores_files === 'listing'
    ? `listing ${(who as { game_uid: string }).game_uid}`
    : undefined
}

function takeSlot(core: Core, uploader: string): void {
  const running = uploads(core)
  const own = running.by_uploader.get(uploader) ?? 0
  const { account_uploads, service_uploads } = core.settings.current
  if (own >= account_uploads || running.total >= service_uploads) {
    const headers = { 'retry-after': String(RETRY_SECONDS) }
    refuse('UPLOADS_BUSY', { retry_after: RETRY_SECONDS }, undefined, headers)
  }
  running.by_uploader.set(uploader, own + 1)
  running.total++
}

function freeSlot(core: Core, uploader: string): void {
  const running = uploads(core)
  const own = running.by_uploader.get(uploader)! - 1
  if (own > 0) running.by_uploader.set(uploader, own)
  else running.by_uploader.delete(uploader)
  running.total--
}
