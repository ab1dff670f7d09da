import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { etagMatches, readRange } from '../http/file-headers.ts'
import { refuse } from '../runtime/errors.ts'
import type { Storage } from './storage.ts'

/** An object that never changes: its checksum is its ETag. */
export type SentObject = { key: string; size: number; type: string; checksum: string }

/** Sends an object or the range of it that was requested, or 304 to a client that has it. */
export async function sendObject(
  storage: Storage,
  { headers, method }: FastifyRequest,
  reply: FastifyReply,
  { key, size, type, checksum }: SentObject,
): Promise<FastifyReply> {
  const etag = `"${checksum}"`
  reply.headers({ etag, 'accept-ranges': 'bytes' })
  if (etagMatches(headers['if-none-match'], etag)) return reply.code(304).send()
  const since = headers['if-range']
  const range = since === undefined || since === etag ? readRange(headers.range, size) : undefined
  if (range === null)
    refuse('RANGE_NOT_SATISFIABLE', { size }, undefined, { 'content-range': `bytes */${size}` })
  const { start, end } = range ?? { start: 0, end: size - 1 }
  if (range) reply.code(206).header('content-range', `bytes ${start}-${end}/${size}`)
  const object =
    method === 'HEAD'
      ? undefined
      : ((await storage.get(key, { start, end })) ?? refuse('NOT_FOUND'))
  reply.type(type).header('content-length', end - start + 1)
  return reply.send(object?.stream ?? Readable.from([]))
}
