import type { IncomingMessage } from 'node:http'
import { refuse } from '../runtime/errors.ts'

/**
 * Reads a small body, for a route that reads its body itself. The connection stays open when the
 * body is too large, so that the client can read the refusal.
 */
export const readRequestBody = (raw: IncomingMessage, max_bytes: number) =>
  readBody(raw.iterator({ destroyOnReturn: false }), max_bytes)

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
