import { randomBytes } from 'node:crypto'
import { open } from 'node:fs/promises'
import { changedWhileReading } from '../errors.ts'
import { unreadable } from '../zip/tree.ts'
import type { Body } from './request.ts'

export type Part =
  | { name: string; value: string }
  | { name: string; filename: string; path: string; start: number; length: number }

const BLOCK = 1024 * 1024

/** A form of known length whose files are read while they are sent. */
export function multipart(parts: readonly Part[]): Body {
  const boundary = `slipway-${randomBytes(12).toString('hex')}`
  const heads = parts.map((part) => Buffer.from(head(boundary, part)))
  const tail = Buffer.from(`--${boundary}--\r\n`)
  const lengths = parts.map(
    (part, i) =>
      heads[i]!.length + ('path' in part ? part.length : Buffer.byteLength(part.value)) + 2,
  )
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    length: lengths.reduce((sum, length) => sum + length, tail.length),
    async *open() {
      for (const [i, part] of parts.entries()) {
        yield heads[i]!
        if ('path' in part) yield* readRange(part)
        else yield Buffer.from(part.value)
        yield Buffer.from('\r\n')
      }
      yield tail
    },
  }
}

function head(boundary: string, part: Part): string {
  const start = `--${boundary}\r\nContent-Disposition: form-data; name="${part.name}"`
  if (!('path' in part)) return `${start}\r\n\r\n`
  const filename = part.filename.replace(/[\r\n"]/g, (character) => encodeURIComponent(character))
  return `${start}; filename="${filename}"\r\nContent-Type: application/octet-stream\r\n\r\n`
}

/** Reads into two alternating buffers: the consumer has used one when it requests the next. */
async function* readRange({
  path,
  start,
  length,
}: {
  path: string
  start: number
  length: number
}): AsyncGenerator<Buffer> {
  const handle = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? changedWhileReading(path) : unreadable(path, error)
  })
  try {
    const buffers = [
      Buffer.allocUnsafeSlow(Math.min(BLOCK, length)),
      Buffer.allocUnsafeSlow(Math.min(BLOCK, length)),
    ]
    for (let done = 0, turn = 0; done < length; turn ^= 1) {
      const buffer = buffers[turn]!
      const { bytesRead } = await handle.read(
        buffer,
        0,
        Math.min(BLOCK, length - done),
        start + done,
      )
      if (bytesRead === 0) throw changedWhileReading(path)
      done += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await handle.close()
  }
}
