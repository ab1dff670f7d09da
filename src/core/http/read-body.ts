import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { createGunzip } from 'node:zlib'
import { refuse } from '../runtime/errors.ts'

/**
 * Reads a small body, for a route that reads its body itself. The connection stays open when the
 * body is too large, so that the client can read the refusal.
 */
export async function readRequestBody(
  raw: IncomingMessage,
  max_bytes: number,
  options?: BodyOptions,
): Promise<Buffer> {
  const chunks = bodyChunks(raw, options)
  // Without this, a client that declares much and sends little would be waited for.
  if (Number(raw.headers['content-length'] ?? 0) > max_bytes) refuse('BODY_TOO_LARGE')
  return readBody(chunks, max_bytes)
}

/** Reads a small part of a body. */
export async function readBody(
  source: AsyncIterable<Uint8Array>,
  max_bytes: number,
): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of source) {
    size += chunk.length
    if (size > max_bytes) refuse('BODY_TOO_LARGE')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

export type BodyOptions = {
  /** The body may be compressed; the caller then limits its decompressed bytes. */
  accepts_gzip?: boolean
}

/** The chunks of a body, decompressed where that is accepted. Stopping early leaves it open. */
export function bodyChunks(
  raw: IncomingMessage,
  { accepts_gzip = false }: BodyOptions = {},
): AsyncIterableIterator<Uint8Array> {
  if (accepts_gzip && isGzip(raw.headers)) return decompress(raw)
  checkCoding(raw.headers)
  return raw.iterator({ destroyOnReturn: false })
}

const codingOf = ({ 'content-encoding': coding = 'identity' }: IncomingHttpHeaders) =>
  coding.trim().toLowerCase()
const isGzip = (headers: IncomingHttpHeaders) => /^(x-)?gzip$/.test(codingOf(headers))

/** A compressed body would be misread. */
export function checkCoding(headers: IncomingHttpHeaders) {
  if (codingOf(headers) !== 'identity')
    refuse('UNSUPPORTED_MEDIA_TYPE', undefined, 'Send the body without Content-Encoding')
}

async function* decompress(raw: IncomingMessage): AsyncGenerator<Uint8Array, void> {
  const gunzip = createGunzip()
  const fail = (error: Error) => gunzip.destroy(error)
  const close = () => {
    if (!raw.complete) fail(new Error('The connection was closed'))
  }
  raw.once('error', fail).once('close', close).pipe(gunzip)
  try {
    yield* gunzip
  } catch (error) {
    if (isGzipError(error)) refuse('MALFORMED', undefined, 'body: not valid gzip')
    throw error
  } finally {
    raw.unpipe(gunzip).off('error', fail).off('close', close)
    gunzip.destroy()
  }
}

const isGzipError = (error: unknown) =>
  String((error as NodeJS.ErrnoException).code ?? '').startsWith('Z_')
