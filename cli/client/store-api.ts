import type { Readable } from 'node:stream'
import { VERSION } from '../defaults.ts'
import { ApiError } from '../errors.ts'
import { type Data, isObject, readData } from '../http/api.ts'
import { createHttp } from '../http/request.ts'
import { withRetries } from '../http/retry.ts'
import type { StoreSettings } from '../settings.ts'
import type { Ui } from '../terminal/ui.ts'

/** The store as a player reads it: signed out, or with a key of the player. */
export type StoreApi = {
  settings: StoreSettings
  ui: Ui
  signal: AbortSignal
  get: (path: string) => Promise<Data | undefined>
  /** The body of an answer that may be large. */
  stream: (path: string) => Promise<Readable>
  /** Bytes of a file from a link, from `start` to `end` (inclusive). */
  range: (url: string, start: number, end: number) => Promise<Readable>
  /** The public keys that manifests are signed with. */
  keys: () => Promise<unknown[]>
  close: () => void
}

const MAX_ERROR_BYTES = 64 * 1024

export function createStoreApi(settings: StoreSettings, ui: Ui, signal: AbortSignal): StoreApi {
  const http = createHttp(settings, signal)
  const retry = <T>(run: () => Promise<T>) => withRetries({ settings, ui, signal }, run)
  const own_headers = {
    accept: 'application/json',
    'user-agent': `slipway/${VERSION}`,
    ...(settings.token && { authorization: `Bearer ${settings.token}` }),
  }
  const { api_url } = settings
  const open = async (url: string, headers: Record<string, string>, expected: number) => {
    const answer = await http.open({ method: 'GET', url, headers })
    if (answer.status === expected) return answer.body
    const body = await readSome(answer.body)
    readData({ status: answer.status, headers: answer.headers, body }, api_url)
    throw new ApiError({ status: answer.status, message: `HTTP ${answer.status}` })
  }
  return {
    settings,
    ui,
    signal,
    get: (path) =>
      retry(async () => {
        const answer = await http.send({
          method: 'GET',
          url: `${api_url}${path}`,
          headers: own_headers,
        })
        return answer.status === 204 ? undefined : readData(answer, api_url)
      }),
    stream: (path) => retry(() => open(`${api_url}${path}`, own_headers, 200)),
    // Links are signed, and may lead to another server: they never get the key of the player.
    range: (url, start, end) => open(url, { range: `bytes=${start}-${end}` }, 206),
    keys: () =>
      retry(async () => {
        const url = new URL('/.well-known/jwks.json', api_url).href
        const { body } = await http.send({ method: 'GET', url, headers: own_headers })
        const value: unknown = JSON.parse(body.toString('utf8'))
        return isObject(value) && Array.isArray(value.keys) ? value.keys : []
      }),
    close: http.close,
  }
}

async function readSome(body: Readable): Promise<Buffer> {
  const blocks: Buffer[] = []
  let length = 0
  for await (const block of body as AsyncIterable<Buffer>) {
    blocks.push(block)
    length += block.length
    if (length > MAX_ERROR_BYTES) break
  }
  body.destroy()
  return Buffer.concat(blocks)
}
