import { request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Answer, Call, Client } from '../support/app.ts'

/** Nobody's fault: something was away, and says or shows that it was. Whoever meets one asks again. */
export class Disturbance extends Error {}

const AWAY_CODES = new Set([5031, 5030, 5020, 4048])
const PATIENCE_MS = 120_000
const ASK_SECONDS = 60

/** Someone at an address of their own, so that limits by address count them alone; `call` throws a Disturbance where the service was away. */
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

/** What nginx says of a process that died under a request, and what the service says of a part that is away: to programs by a code, to people by a page. */
const isAway = ({ status, body }: Answer) =>
  status >= 500 &&
  (typeof body === 'string' ? [502, 503, 504].includes(status) : AWAY_CODES.has(body.error?.code))

export type Sent = { status: number; headers: Record<string, string>; bytes: Buffer }

/** On a connection of its own; one that breaks or says nothing is a Disturbance. */
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

/** The bytes at an address, wherever it leads. */
export async function bytesAt(url: string, address: string): Promise<Buffer> {
  const { status, bytes } = await send(new URL(url), address, 'GET')
  if (status >= 500) throw new Disturbance(`${new URL(url).pathname}: ${status}`)
  if (status !== 200) throw new Error(`${url}: ${status} ${bytes.subarray(0, 300)}`)
  return bytes
}

/** Does something that may be done twice, until nothing disturbs it. */
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
