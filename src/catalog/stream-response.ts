import type { OutgoingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Input } from '../core/http/route.ts'
import { refuse } from '../core/runtime/errors.ts'
import { limitKey } from '../core/security/client-address.ts'

/** Each holds some of the catalog in memory for as long as its receiver likes. */
const MOST = 200
const MOST_OF_ONE = 60
const underway = new Map<string, number>()

/** A receiver that takes nothing for so long is gone. */
const STALLED_MS = 60_000

/**
 * Sends text as it comes to be, never faster than it is taken. Nothing is sent before the first piece is there, so that what fails at once is
 * refused like everything else; what fails later breaks the answer off, and its receiver can tell.
 */
export async function streamText(
  input: Pick<Input<unknown, unknown, unknown, unknown>, 'core' | 'ip' | 'request' | 'reply'>,
  type: string,
  pieces: AsyncGenerator<string>,
): Promise<void> {
  const address = limitKey(input.ip)
  const mine = underway.get(address) ?? 0
  const all = underway.values().reduce((sum, count) => sum + count, 0)
  if (mine >= MOST_OF_ONE || all >= MOST)
    refuse('TOO_MANY_REQUESTS', undefined, 'Take one to its end before the next')
  underway.set(address, mine + 1)
  try {
    await stream(input, type, pieces)
  } finally {
    const left = underway.get(address)! - 1
    if (left) underway.set(address, left)
    else underway.delete(address)
  }
}

async function stream(
  {
    core,
    request,
    reply,
  }: Pick<Input<unknown, unknown, unknown, unknown>, 'core' | 'request' | 'reply'>,
  type: string,
  pieces: AsyncGenerator<string>,
): Promise<void> {
  const first = await pieces.next()
  reply.type(type).hijack()
  reply.raw.setTimeout(STALLED_MS)
  const response = reply.raw.writeHead(200, reply.getHeaders() as OutgoingHttpHeaders)
  if (request.method === 'HEAD') {
    await pieces.return(undefined)
    return void response.end()
  }
  const all = Readable.from(startingWith(first, pieces), { objectMode: true, highWaterMark: 1 })
  await pipeline(all, response).catch((error) => {
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE')
      core.log.error({ err: error, url: request.routeOptions.url }, 'an answer broke off')
  })
}

async function* startingWith(first: IteratorResult<string>, rest: AsyncGenerator<string>) {
  // Whoever stops listening stops the rest as well.
  try {
    if (!first.done) yield first.value
    yield* rest
  } finally {
    await rest.return(undefined)
  }
}
