import { ApiError, NetworkError } from '../errors.ts'
import { isTransient, MAX_ATTEMPTS, waitBeforeRetry } from '../http/retry.ts'
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
  async function currentUrl(): Promise<string> {
    if (link && link.expires_at - Date.now() > RENEW_MS) return link.url
    const data = await api.get(await linkPath())
    link = { url: String(data?.url), expires_at: Date.parse(String(data?.expires_at)) }
    return link.url
  }

  async function read(start: number, end: number, onBlock: (block: Buffer) => Promise<void>) {
    let at = start
    for (let failed = 0; at <= end; ) {
      try {
        const body = await api.range(await currentUrl(), at, end)
        for await (const block of body as AsyncIterable<Buffer>) {
          if (at + block.length > end + 1) throw new NetworkError(t('client-too-long'))
          await onBlock(block)
          at += block.length
          failed = 0
        }
        if (at <= end) throw new NetworkError(t('network-answer-cut'))
      } catch (error) {
        if (api.signal.aborted) throw error
        // A link that was refused may have ended; a new one says why there is none.
        const was_refused = error instanceof ApiError && [403, 404, 410].includes(error.status)
        if (was_refused && link) link = undefined
        else if (++failed >= MAX_ATTEMPTS || !(isTransient(error) || isCut(error))) throw error
        await waitBeforeRetry(Math.max(failed, 1), error, api)
        if (was_refused) failed++
      }
    }
  }
  return { read }
}

/** A connection that broke while the body arrived. */
const isCut = (error: unknown) =>
  ['ECONNRESET', 'EPIPE', 'ETIMEDOUT'].includes((error as NodeJS.ErrnoException).code ?? '')
