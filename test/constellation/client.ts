import { request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Answer, Call, Client } from '../support/app.ts'

/** A request failed because a component was down; the caller may retry. */
export class Unavailable extends Error {}

const UNAVAILABLE_CODES = new Set([5031, 5030, 5020, 4048])
const RETRY_SECONDS = 120
const REQUEST_SECONDS = 60

/**
 * A client with its own IP address, so that rate limits count it alone. `call` throws Unavailable
 * if a component was down.
 */
export function clientAt(address: string, url: string): Client {
  const call = async (method: string, path: string, options: Call = {}): Promise<Answer> => {
    const { status, headers, bytes } = await send(new URL(path, url), address, method, options)
    const text = bytes.toString('utf8')
    const body =
      headers['content-type']?.startsWith('application/json') && text ? JSON.parse(text) : text
    const answer = { status, headers, body }
    if (isUnavailable(answer))
      throw new Unavailable(`${method} ${path}: ${status} ${body.error?.code ?? ''}`)
    return answer
  }
  return {
    call,
    get: (path, options) => call('GET', path, options),
    post: (path, body, options) => call('POST', path, { body, ...options }),
    put: (path, body, options) => call('PUT', path, { body, ...options }),
    patch: (path, body, options) => call('PATCH', path, { body, ...options }),
    del: (path, options) => call('DELETE', path, options),
  }
}

/**
 * Whether nginx reports a process that died during the request, or the service a component that is
 * down: with a code to programs, with a page to people.
 */
const isUnavailable = ({ status, body }: Answer) =>
  status >= 500 &&
  (typeof body === 'string'
    ? [502, 503, 504].includes(status)
    : UNAVAILABLE_CODES.has(body.error?.code))

type RawResponse = { status: number; headers: Record<string, string>; bytes: Buffer }

/** Uses a new connection; throws Unavailable if it breaks or times out. */
function send(
  url: URL,
  address: string,
  method: string,
  { token, body, headers = {}, raw }: Call = {},
): Promise<RawResponse> {
  const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const allHeaders = {
    ...(token ? { authorization: `Bearer ${token}` } : {}),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(payload === undefined ? {} : { 'content-length': String(Buffer.byteLength(payload)) }),
    ...headers,
  }
  return new Promise((resolve, reject) => {
    const fail = (error: Error) =>
      reject(new Unavailable(`${method} ${url.pathname}: ${error.message}`))
    const signal = AbortSignal.timeout(REQUEST_SECONDS * 1000)
    const outgoing = request(
      url,
      { method, headers: allHeaders, agent: false, localAddress: address, signal },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk)).once('error', fail)
        response.once('end', () =>
          resolve({
            status: response.statusCode!,
            headers: response.headers as Record<string, string>,
            bytes: Buffer.concat(chunks),
          }),
        )
      },
    )
    outgoing.once('error', fail).end(payload)
  })
}

/** Downloads a URL of any host. */
export async function download(url: string, address: string): Promise<Buffer> {
  const { status, bytes } = await send(new URL(url), address, 'GET')
  if (status >= 500) throw new Unavailable(`${new URL(url).pathname}: ${status}`)
  if (status !== 200) throw new Error(`${url}: ${status} ${bytes.subarray(0, 300)}`)
  return bytes
}

/** Repeats an idempotent action until it does not throw Unavailable. */
export async function retryWhileDown<T>(
  name: string,
  action: () => Promise<T>,
  onRetry: () => void = () => {},
): Promise<T> {
  for (const deadline = performance.now() + RETRY_SECONDS * 1000; ; ) {
    try {
      return await action()
    } catch (error) {
      if (!(error instanceof Unavailable))
        throw new Error(`${name}: ${(error as Error).message}`, { cause: error })
      if (performance.now() > deadline)
        throw new Error(`${name}: still unavailable after ${RETRY_SECONDS} s: ${error.message}`)
      onRetry()
      await pause(200)
    }
  }
}
