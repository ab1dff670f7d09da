import { Readable } from 'node:stream'
import { VERSION } from '../defaults.ts'
import { ApiError, withText } from '../errors.ts'
import { type Data, parseObject, readData, retryAfter } from '../http/api.ts'
import { type Answer, createHttp } from '../http/request.ts'
import { withRetries } from '../http/retry.ts'
import { type LoginContext, tokenSource } from '../login/login.ts'
import { t } from '../messages.ts'
import type { StoreSettings } from '../settings.ts'
import type { Ui } from '../terminal/ui.ts'

/** The store as a player reads it: signed out, signed in, or with a key of the player. */
export type StoreApi = {
  settings: StoreSettings
  ui: Ui
  signal: AbortSignal
  get: (path: string) => Promise<Data | undefined>
  isSignedIn: () => Promise<boolean>
  /** The body of an answer that may be large. The caller retries, also while it reads. */
  stream: (path: string) => Promise<Readable>
  /** Bytes of a file from a link, from `start` to `end` (inclusive). */
  range: (url: string, start: number, end: number) => Promise<Readable>
  /** The public keys that manifests are signed with. */
  keys: () => Promise<unknown[]>
  close: () => void
}

const EMAIL_NOT_VERIFIED = 4096
const CHANNEL_NOT_ACCESSIBLE = 4074
const MAX_ERROR_BYTES = 64 * 1024

export function createStoreApi(
  settings: StoreSettings,
  { ui, signal, env }: Pick<LoginContext, 'ui' | 'signal' | 'env'>,
): StoreApi {
  const source = tokenSource({ settings, ui, signal, env })
  const http = createHttp(settings, signal)
  const retry = <T>(run: () => Promise<T>) => withRetries({ settings, ui, signal }, run)
  const own_headers = {
    accept: 'application/json',
    'user-agent': `slipway/${VERSION}`,
  }
  const { api_url } = settings
  /** Sends a request with the token of the player, and once more if that ended early. */
  async function authorized<Result extends { status: number }>(
    send: (headers: Record<string, string>) => Promise<Result>,
  ): Promise<Result> {
    const headersWith = (token: string | undefined) =>
      token ? { ...own_headers, authorization: `Bearer ${token}` } : own_headers
    const token = await source.token()
    const answer = await send(headersWith(token))
    if (answer.status !== 401 || !token) return answer
    const renewed = await source.token(token)
    if (renewed === token) return answer
    if ('body' in answer && answer.body instanceof Readable) answer.body.destroy()
    return send(headersWith(renewed))
  }
  /** The data of an answer. A refusal says whether signing in would help. */
  async function readAnswer(answer: Answer): Promise<Data> {
    try {
      return readData(answer, api_url)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const hint = playerHint(error, (await source.token()) !== undefined)
      throw hint ? withText(error, { hint }) : error
    }
  }
  return {
    settings,
    ui,
    signal,
    get: (path) =>
      retry(async () => {
        const url = `${api_url}${path}`
        const answer = await authorized((headers) => http.send({ method: 'GET', url, headers }))
        return answer.status === 204 ? undefined : readAnswer(answer)
      }),
    isSignedIn: async () => (await source.token()) !== undefined,
    async stream(path) {
      const url = `${api_url}${path}`
      const answer = await authorized((headers) => http.open({ method: 'GET', url, headers }))
      const { status, headers } = answer
      if (status === 200) return answer.body
      await readAnswer({ status, headers, body: await readSome(answer.body) })
      throw new ApiError({ status, message: t('api-no-reason', { status: String(status) }) })
    },
    // Links are signed, and may lead to another server: they never get the key of the player.
    async range(url, start, end) {
      const headers = { range: `bytes=${start}-${end}` }
      const answer = await http.open({ method: 'GET', url, headers })
      if (answer.status === 206) return answer.body
      answer.body.destroy()
      throw refusedDownload(answer)
    },
    keys: () =>
      retry(async () => {
        const url = new URL('/.well-known/jwks.json', api_url).href
        const answer = await http.send({ method: 'GET', url, headers: own_headers })
        const value = parseObject(answer.body.toString('utf8'))
        if (answer.status === 200 && Array.isArray(value?.keys)) return value.keys
        readData(answer, api_url)
        throw new ApiError({ status: answer.status, message: t('client-no-keys') })
      }),
    close: http.close,
  }
}

/** Servers of files answer in their own words, which are not for players. */
function refusedDownload({ status, headers }: Pick<Answer, 'status' | 'headers'>): ApiError {
  return new ApiError({
    status,
    message:
      status === 200 ? t('client-no-ranges') : t('client-refused', { status: String(status) }),
    hint: t('client-refused-hint'),
    ...retryAfter(headers),
  })
}

/** What a player can do about a refusal; some codes mean something else to developers. */
function playerHint({ status, code, hint }: ApiError, is_signed_in: boolean): string | undefined {
  if (status === 402) return t('login-buy')
  if (is_signed_in) {
    if (code === EMAIL_NOT_VERIFIED) return t('login-verify')
    if (code === CHANNEL_NOT_ACCESSIBLE) return t('login-join-beta')
    return status === 404 && !hint ? t('login-not-shown') : undefined
  }
  if (status === 401 || status === 403) return t('login-needed')
  return status === 404 && !hint ? t('login-maybe-needed') : undefined
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
