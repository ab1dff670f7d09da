import type { Coding, MediaType } from './media-types.ts'

/** How the bytes of an entry are in the zip. */
export type Packing = 'stored' | 'deflated'

/**
 * How an entry is sent.
 * - `as_is`: the bytes in the zip are the answer.
 * - `gzip_wrap`: the deflated bytes in the zip with a gzip header and trailer around them, which
 *   costs no compression. (The coding `deflate` needs another checksum, which a zip does not have;
 *   every client that accepts it accepts gzip too.)
 * - `unpack`: the inflated bytes.
 * - `decode`: the inflated bytes, and those decoded from the coding of the file itself.
 */
export type Form = { how: 'as_is' | 'gzip_wrap' | 'unpack' | 'decode'; coding?: Coding }

/** Whether an Accept-Encoding header accepts a coding. */
export function accepts(header: string | undefined, coding: string): boolean {
  let any = false
  for (const part of (header ?? '').toLowerCase().split(',')) {
    const [name, ...parameters] = part.split(';').map((text) => text.trim())
    const is_refused = parameters.some((text) => /^q=0(\.0*)?$/.test(text))
    if (name === coding) return !is_refused
    if (name === '*') any = !is_refused
  }
  return any
}

/** A range is of the file itself, so nothing is compressed for the way. */
export function chooseForm(
  packing: Packing,
  { coding }: MediaType,
  header: string | undefined,
  has_range: boolean,
): Form {
  const unpacked = packing === 'stored' ? 'as_is' : 'unpack'
  if (coding) return accepts(header, coding) ? { how: unpacked, coding } : { how: 'decode' }
  if (packing === 'deflated' && !has_range && accepts(header, 'gzip'))
    return { how: 'gzip_wrap', coding: 'gzip' }
  return { how: unpacked }
}
