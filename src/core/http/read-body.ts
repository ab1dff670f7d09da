import { refuse } from '../runtime/errors.ts'

/** Reads a small body, or a small part of one, for a route that reads its body itself. */
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
