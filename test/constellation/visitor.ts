import { request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Answer, Call, Client } from '../support/app.ts'

/** An error because a component was down, after which the caller retries. */
export class Disturbance extends Error {}

const AWAY_CODES = new Set([5031, 5030, 5020, 4048])
const PATIENCE_MS = 120_000
const ASK_SECONDS = 60

/**
 * A client with its own IP address, so that rate limits count it alone. `call` throws a Disturbance
 * if a component was down.
 */
export function visitor(url: string, address: string): Client {
  const call = async (method: string, path: string, options: Call = {}): Promise<Answer> => {
    const { status, headers, bytes } = await send(new URL(path, url), address, method, options)
    const text = bytes.toString('utf8')
    const body =
      headers['content-type']?.startsWith('application/json') && text ? JSON.parse(text) : text
    const answer = { status, headers, body }
    if (isAway(answer))
      throw new Disturbance(`${method} ${path}: ${status} ${body.error?.code ?? ''}`)
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
const isAway = ({ status, body }: Answer) =>
  status >= 500 &&
  (typeof body === 'string' ? [502, 503, 504].includes(status) : AWAY_CODES.has(body.error?.code))

export type Sent = { status: number; headers: Record<string, string>; bytes: Buffer }

/** Uses a new connection; throws a Disturbance if it breaks or times out. */
export function send(
  url: URL,
  address: string,
  method: string,
  { token, body, headers = {}, raw }: Call = {},
): Promise<Sent> {
  const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const given = {
    ...(token ? { authorization: `Bearer ${token}` } : {}),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(sent === undefined ? {} : { 'content-length': String(Buffer.byteLength(sent)) }),
    ...headers,
  }
  return new Promise((resolve, reject) => {
    const fail = (error: Error) =>
      reject(new Disturbance(`${method} ${url.pathname}: ${error.message}`))
    const signal = AbortSignal.timeout(ASK_SECONDS * 1000)
    const asked = request(
      url,
      { method, headers: given, agent: false, localAddress: address, signal },
      (response) => {
        const pieces: Buffer[] = []
        response.on('data', (piece: Buffer) => pieces.push(piece)).once('error', fail)
        response.once('end', () =>
          resolve({
            status: response.statusCode!,
            headers: response.headers as Record<string, string>,
            bytes: Buffer.concat(pieces),
          }),
        )
      },
    )
    asked.once('error', fail).end(sent)
  })
}

/** Downloads a URL of any host. */
export async function bytesAt(url: string, address: string): Promise<Buffer> {
  const { status, bytes } = await send(new URL(url), address, 'GET')
  if (status >= 500) throw new Disturbance(`${new URL(url).pathname}: ${status}`)
  if (status !== 200) throw new Error(`${url}: ${status} ${bytes.subarray(0, 300)}`)
  return bytes
}

/** Repeats an idempotent action until no Disturbance interrupts it. */
export async function patiently<T>(
  what: string,
  deed: () => Promise<T>,
  onDisturbed: (told: string) => void = () => {},
): Promise<T> {
  for (const deadline = Date.now() + PATIENCE_MS; ; ) {
    try {
      return await deed()
    } catch (error) {
      if (!(error instanceof Disturbance))
        throw new Error(`${what}: ${(error as Error).message}`, { cause: error })
      if (Date.now() > deadline)
        throw new Error(`${what}: still ${error.message} after ${PATIENCE_MS / 1000} seconds`)
      onDisturbed(error.message)
      await pause(200)
    }
  }
}
