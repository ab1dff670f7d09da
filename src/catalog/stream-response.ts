import type { OutgoingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { STALLED_READER_MS } from '../core/http/connections.ts'
import type { Input } from '../core/http/route.ts'
import { refuse } from '../core/runtime/errors.ts'
import { limitKey } from '../core/security/client-address.ts'

/** Each stream holds a part of the catalog in memory for as long as the client takes. */
const MAX_STREAMS = 200
const MAX_STREAMS_PER_ADDRESS = 60
const streams_by_address = new Map<string, number>()

type StreamInput = Pick<
  Input<unknown, unknown, unknown, unknown>,
  'core' | 'ip' | 'request' | 'reply'
>

/**
 * Sends text as it is generated, no faster than the client reads it. Headers are sent with the
 * first chunk, so that an error before it has a normal error response; a later error aborts the
 * response, which the client can detect.
 */
export async function streamText(
  input: StreamInput,
  type: string,
  chunks: AsyncGenerator<string>,
): Promise<void> {
  const address = limitKey(input.ip)
  const open = streams_by_address.get(address) ?? 0
  const total = streams_by_address.values().reduce((sum, count) => sum + count, 0)
  if (open >= MAX_STREAMS_PER_ADDRESS || total >= MAX_STREAMS)
    refuse('TOO_MANY_REQUESTS', undefined, 'Too many open downloads; finish one before the next')
  streams_by_address.set(address, open + 1)
  try {
    await send(input, type, chunks)
  } finally {
    const remaining = streams_by_address.get(address)! - 1
    if (remaining) streams_by_address.set(address, remaining)
    else streams_by_address.delete(address)
  }
}

async function send(
  { core, request, reply }: StreamInput,
  type: string,
  chunks: AsyncGenerator<string>,
): Promise<void> {
  const first = await chunks.next()
  reply.type(type).hijack()
  reply.raw.setTimeout(STALLED_READER_MS)
  const response = reply.raw.writeHead(200, reply.getHeaders() as OutgoingHttpHeaders)
  if (request.method === 'HEAD') {
    await chunks.return(undefined)
    return void response.end()
  }
  const body = Readable.from(startingWith(first, chunks), { objectMode: true, highWaterMark: 1 })
  await pipeline(body, response).catch((error) => {
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE')
      core.log.error(
        { id: request.id, err: error, url: request.routeOptions.url },
        'streamed response aborted',
      )
  })
}

async function* startingWith(first: IteratorResult<string>, rest: AsyncGenerator<string>) {
  // When the client disconnects, the generator must stop as well.
  try {
    if (!first.done) yield first.value
    yield* rest
  } finally {
    await rest.return(undefined)
  }
}
