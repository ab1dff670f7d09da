import { gzipSync } from 'node:zlib'
import type { Reason } from '../../src/core/runtime/reasons.ts'
import { VERSION } from '../defaults.ts'
import { approximateTime, plain } from '../documents/text.ts'
import { ApiError } from '../errors.ts'
import { refusalText, t } from '../messages.ts'
import { pathHint, type Settings } from '../settings.ts'
import type { Ui } from '../terminal/ui.ts'
import { type Answer, type Body, createHttp } from './request.ts'
import { outlastsRetries, withRetries } from './retry.ts'

export type Data = Record<string, unknown>
export type ApiRequest = {
  method?: string
  /** Which of the two addresses to use. */
  to?: 'api' | 'upload'
  path: string
  body?: Body
  headers?: Record<string, string>
  onSent?: (bytes: number) => void
  max_answer_bytes?: number
}
export type Api = {
  settings: Settings
  ui: Ui
  signal: AbortSignal
  /** Sends a request once. */
  sendOnce: (request: ApiRequest) => Promise<Data>
  /** Sends a request, with retries of transient failures. */
  get: (path: string) => Promise<Data>
  send: (request: ApiRequest) => Promise<Data>
  /** Sends a request whose answer has no envelope, with retries. */
  text: (request: ApiRequest) => Promise<string>
  close: () => void
}

export const json = (value: unknown): Body => bytes('application/json', JSON.stringify(value))
/** For routes that accept it, with the header `content-encoding: gzip`. */
export const gzippedJson = (value: unknown): Body =>
  bytes('application/json', gzipSync(JSON.stringify(value)))
export const urlEncoded = (fields: Record<string, string>): Body =>
  bytes('application/x-www-form-urlencoded', String(new URLSearchParams(fields)))

function bytes(type: string, value: string | Buffer): Body {
  const content = Buffer.from(value)
  return {
    type,
    length: content.length,
    async *open() {
      yield content
    },
  }
}

export function createApi(settings: Settings, ui: Ui, signal: AbortSignal): Api {
  const http = createHttp(settings, signal)
  const baseOf = (to: 'api' | 'upload') => (to === 'api' ? settings.api_url : settings.upload_url)
  const answerOf = ({ method = 'GET', to = 'api', path, headers, ...request }: ApiRequest) => {
    const common_headers = {
      'x-access-token': settings.access,
      'x-secret-key': settings.secret,
      accept: 'application/json',
      'user-agent': `slipway/${VERSION}`,
    }
    return http.send({
      ...request,
      method,
      url: `${baseOf(to)}${path}`,
      headers: { ...common_headers, ...headers },
    })
  }
  const sendOnce = async (request: ApiRequest) =>
    readData(await answerOf(request), baseOf(request.to ?? 'api'))
  const textOnce = async (request: ApiRequest) => {
    const answer = await answerOf(request)
    if (answer.status !== 200) readData(answer, baseOf(request.to ?? 'api'))
    return answer.body.toString('utf8')
  }
  const retry_context = { settings, ui, signal }
  const send = (request: ApiRequest) => withRetries(retry_context, () => sendOnce(request))
  const text = (request: ApiRequest) => withRetries(retry_context, () => textOnce(request))
  const get = (path: string) => send({ path })
  return { settings, ui, signal, sendOnce, send, text, get, close: http.close }
}

const MAX_EXCERPT = 200

/**
 * The data of an answer; throws a refusal. An answer without our envelope comes from something
 * between us and the server, such as a proxy.
 */
export function readData(answer: Answer, base: string): Data {
  const { status, headers, body, moved_to } = answer
  const text = body.toString('utf8')
  const envelope = parseObject(text)
  const moved = moved_to ? t('api-moved', { base, host: moved_to }) : undefined
  if (!envelope)
    throw new ApiError({
      status,
      message: withWait(
        t('api-not-json', { status: String(status), content: describeBody(text) }),
        answer,
      ),
      hint: moved ?? pathHint(base) ?? t('api-check-url'),
      ...retryAfter(headers),
    })
  if (envelope.success === true && status >= 200 && status < 300 && isObject(envelope.data))
    return envelope.data
  const error = isObject(envelope.error) ? envelope.error : {}
  const data = isObject(error.data) ? error.data : {}
  throw new ApiError({
    status,
    ...(typeof error.code === 'number' ? { code: error.code } : {}),
    message: withWait(messageOf(error, envelope.data) ?? noReason(status), answer),
    ...(typeof data.current_size === 'number' ? { current_size: data.current_size } : {}),
    ...hintOf(moved ?? (status === 404 ? pathHint(base) : undefined)),
    ...retryAfter(headers),
  })
}

const noReason = (status: number) => t('api-no-reason', { status: String(status) })
const BUILD_WITHDRAWN = 4286

function messageOf(error: Data, data: unknown): string | undefined {
  if (error.code === BUILD_WITHDRAWN && isObject(data) && data.reason)
    return t('api-withdrawn', { reason: plain(String(data.reason)) })
  if (typeof error.message !== 'string') return undefined
  return plain(refusalText({ message: error.message, reasons: reasonsOf(error) }))
}

const reasonsOf = ({ reasons }: Data): Reason[] =>
  Array.isArray(reasons)
    ? reasons.filter(isObject).map(({ id, values }) => ({
        id: String(id),
        ...(isObject(values) ? { values: values as Reason['values'] } : {}),
      }))
    : []

const hintOf = (hint: string | undefined) => (hint ? { hint } : {})

/** The kind of an answer that is not JSON, and how its text begins. */
function describeBody(text: string): string {
  if (text.trim() === '') return t('api-nothing')
  const kind = /^\s*</.test(text) ? t('api-web-page') : t('api-other-content')
  const line = text
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  const start = plain(line).slice(0, MAX_EXCERPT)
  return start ? t('api-content-start', { kind, start }) : kind
}

/** The seconds of a Retry-After, if there are any. */
export function retryAfter(headers: Answer['headers']): { retry_after?: number } {
  const seconds = Number(headers['retry-after'])
  return Number.isFinite(seconds) && seconds > 0 ? { retry_after: seconds } : {}
}

/** Says when to come back, if that is too late for the retries. */
function withWait(message: string, { status, headers }: Answer): string {
  const { retry_after = 0 } = retryAfter(headers)
  return outlastsRetries(status, retry_after)
    ? t('api-wait', { message, time: approximateTime(retry_after) })
    : message
}

export function parseObject(text: string): Data | undefined {
  try {
    const value = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

export const isObject = (value: unknown): value is Data =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
