import { ApiError, NetworkError } from '../errors.ts'
import { isCut, isTransient, MAX_ATTEMPTS, waitBeforeRetry } from '../http/retry.ts'
import { t } from '../messages.ts'
import type { StoreApi } from './store-api.ts'

/** A file on the server, of which any part can be read. */
export type RemoteFile = {
  /** Calls `onBlock` with the bytes from `start` to `end`, in order; it resumes after failures. */
  read: (start: number, end: number, onBlock: (block: Buffer) => Promise<void>) => Promise<void>
}

/** A link that ends soon is renewed before it is used. */
const RENEW_MS = 30_000

/**
 * A file that a path of the API gives links to. They are signed for a few minutes; a long download
 * renews them.
 */
export function openRemoteFile(api: StoreApi, linkPath: () => Promise<string>): RemoteFile {
  let link: { url: string; expires_at: number } | undefined
  /** A link that works for a while, and is not one that was refused. */
  async function currentUrl(refused?: string): Promise<string> {
    if (link && link.url !== refused && link.expires_at - Date.now() > RENEW_MS) return link.url
    const data = await api.get(await linkPath())
    link = { url: String(data?.url), expires_at: Date.parse(String(data?.expires_at)) }
    return link.url
  }

  async function read(start: number, end: number, onBlock: (block: Buffer) => Promise<void>) {
    let at = start
    let failed = 0
    let refused: string | undefined
    while (at <= end) {
      const url = await currentUrl(refused)
      try {
        const body = await api.range(url, at, end)
        for await (const block of body as AsyncIterable<Buffer>) {
          if (at + block.length > end + 1) throw new NetworkError(t('client-too-long'))
          await onBlock(block)
          at += block.length
          failed = 0
          refused = undefined
        }
        if (at <= end) throw new NetworkError(t('network-answer-cut'))
      } catch (error) {
        if (api.signal.aborted) throw error
        // A link may have ended early. A new one that is refused too is refused for good.
        const may_have_ended = error instanceof ApiError && !isTransient(error)
        if (may_have_ended && refused === undefined) {
          refused = url
          continue
        }
        if (!(isTransient(error) || isCut(error))) throw error
        if (++failed >= MAX_ATTEMPTS)
          throw isCut(error) ? new NetworkError(t('network-answer-cut')) : error
        await waitBeforeRetry(failed, error, api)
      }
    }
  }
  return { read }
}
