import { Agent, type IncomingMessage, request } from 'node:http'
import { request as requestTls, Agent as TlsAgent } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'

const TRIES = 4
const FIRST_WAIT_MS = 100
/** For the head of an answer; its body may take as long as it keeps coming. */
const ANSWER_MS = 60_000
const NO_BODY = [204, 205, 304]
const keptAlive = { keepAlive: true, scheduling: 'lifo' } as const
const ways = {
  'http:': { send: request, agent: new Agent(keptAlive) },
  'https:': { send: requestTls, agent: new TlsAgent(keptAlive) },
}

/** Everything asked of the store may be asked twice; bodies are in memory. */
export const fetchWithRetry: typeof fetch = async (input, init) => {
  for (let tries = 1; ; tries++) {
    try {
      const answer = await (init?.body instanceof Uint8Array
        ? sendBytes(String(input), init, init.body)
        : ask(input, init))
      if (tries === TRIES || (answer.status < 500 && answer.status !== 429)) return answer
      await answer.body?.cancel()
    } catch (error) {
      if (tries === TRIES || isLate(error)) throw error
    }
    await pause(FIRST_WAIT_MS * 3 ** (tries - 1))
  }
}

/** Who waited that long does not wait again. */
const isLate = (error: unknown) =>
  error === LATE ||
  (error as Error).name === 'TimeoutError' ||
  (error as Error).name === 'AbortError'
const LATE = new Error('the store did not answer in time')

const ask: typeof fetch = async (input, init) => {
  const stop = new AbortController()
  const timer = setTimeout(() => stop.abort(LATE), ANSWER_MS)
  try {
    return await fetch(input, { ...init, signal: stop.signal })
  } finally {
    clearTimeout(timer)
  }
}

/** The bytes as they are: fetch copies them twice and cuts them into streams, which costs more than all else about an upload. */
async function sendBytes(
  url: string,
  { method, headers, signal }: RequestInit,
  body: Uint8Array,
): Promise<Response> {
  const { send, agent } = ways[new URL(url).protocol as keyof typeof ways]
  const answered = Promise.withResolvers<IncomingMessage>()
  const asked = {
    method,
    headers: headers as Record<string, string>,
    agent,
    ...(signal && { signal }),
  }
  send(url, asked, answered.resolve).once('error', answered.reject).end(body)
  const answer = await answered.promise
  const { statusCode: status = 500, headersDistinct } = answer
  const said = await buffer(answer)
  const fields = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  )
  return new Response(NO_BODY.includes(status) ? null : said, { status, headers: fields })
}
