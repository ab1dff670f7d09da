import { Agent, type IncomingMessage, request } from 'node:http'
import { request as requestTls, Agent as TlsAgent } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { MINUTE_MS } from '../runtime/units.ts'

const TRIES = 4
const FIRST_WAIT_MS = 100
/** The time limit of the response headers; the body may take longer. */
const HEADERS_MS = MINUTE_MS
const NO_BODY = [204, 205, 304]
const keepAlive = { keepAlive: true, scheduling: 'lifo' } as const
const transports = {
  'http:': { send: request, agent: new Agent(keepAlive) },
  'https:': { send: requestTls, agent: new TlsAgent(keepAlive) },
}

/** Every request to the store may be repeated: its body is in memory. */
export const fetchWithRetry: typeof fetch = async (input, init) => {
  for (let tries = 1; ; tries++) {
    try {
      const answer = await (init?.body instanceof Uint8Array
        ? sendBytes(String(input), init, init.body)
        : fetchWithTimeout(input, init))
      if (tries === TRIES || (answer.status < 500 && answer.status !== 429)) return answer
      await answer.body?.cancel()
    } catch (error) {
      if (tries === TRIES || isTimeout(error)) throw error
    }
    await pause(FIRST_WAIT_MS * 3 ** (tries - 1))
  }
}

/** A request that timed out is not repeated. */
const isTimeout = (error: unknown) =>
  error === TIMEOUT ||
  (error as Error).name === 'TimeoutError' ||
  (error as Error).name === 'AbortError'
const TIMEOUT = new Error('The object store did not answer in time')

const fetchWithTimeout: typeof fetch = async (input, init) => {
  const stop = new AbortController()
  const timer = setTimeout(() => stop.abort(TIMEOUT), HEADERS_MS)
  try {
    // A signed request is valid for one address only.
    return await fetch(input, { ...init, redirect: 'manual', signal: stop.signal })
  } finally {
    clearTimeout(timer)
  }
}

/** Sends the bytes without fetch, which copies them twice and splits them into streams. */
async function sendBytes(
  url: string,
  { method, headers, signal }: RequestInit,
  body: Uint8Array,
): Promise<Response> {
  const { send, agent } = transports[new URL(url).protocol as keyof typeof transports]
  const answered = Promise.withResolvers<IncomingMessage>()
  const options = {
    method,
    headers: headers as Record<string, string>,
    agent,
    ...(signal && { signal }),
  }
  const outgoing = send(url, options, answered.resolve).once('error', answered.reject)
  outgoing.end(body)
  const answer = await answered.promise
  const { statusCode: status = 500, headersDistinct } = answer
  const content = await buffer(answer)
  // The store refused the request early. The caller may reuse the memory of the rest.
  if (!outgoing.writableFinished) outgoing.destroy()
  const fields = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  )
  return new Response(NO_BODY.includes(status) ? null : content, { status, headers: fields })
}
