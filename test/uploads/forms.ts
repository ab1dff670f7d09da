import type { Call } from '../support/app.ts'
import { sha256 } from './zips.ts'

export type Part =
  | { name: string; value: string }
  | { name: string; filename: string; bytes: Uint8Array }
const BOUNDARY = 'form-boundary-7d1b'

/** A multipart form with the parts in the given order. */
export function form(parts: Part[], { headers }: Call = {}): Call {
  const pieces = parts.flatMap((part) => [
    Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="${part.name}"`),
    ...('value' in part
      ? [Buffer.from(`\r\n\r\n${part.value}`)]
      : [
          Buffer.from(
            `; filename="${part.filename}"\r\nContent-Type: application/octet-stream\r\n\r\n`,
          ),
          part.bytes,
        ]),
    Buffer.from('\r\n'),
  ])
  return {
    raw: new Uint8Array(Buffer.concat([...pieces, Buffer.from(`--${BOUNDARY}--\r\n`)])),
    headers: { ...headers, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
  }
}

export type Upload = Record<string, string | undefined>

/** The upload form of deploy keys: the fields, then the file. Undefined fields are left out. */
export const upload = (bytes: Uint8Array, fields: Upload, call: Call = {}, filename = 'game.zip') =>
  form(
    [...fieldsOf({ checksum: sha256(bytes), ...fields }), { name: 'file', filename, bytes }],
    call,
  )

export const fieldsOf = (fields: Upload): Part[] =>
  Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]))
