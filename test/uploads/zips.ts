import { createHash } from 'node:crypto'
import { crc32, deflateRawSync } from 'node:zlib'

/** One entry of a generated zip. The optional fields override the correct values of its headers. */
export type ZipEntry = {
  name: string
  body?: string | Uint8Array
  method?: number
  flags?: number
  /** Unix mode, such as 0o120777 for a symbolic link. */
  mode?: number
  size?: number
  compressed?: number
  crc?: number
  offset?: number
  local_name?: string
  local_method?: number
  extra?: Buffer
  raw?: Uint8Array
  /** The operating system in the header; 3 is Unix. */
  host?: number
  /** Bytes after the entry that belong to no entry. */
  gap?: Uint8Array
}
export type Ending = {
  comment?: string
  count?: number
  start?: number
  length?: number
  after?: Buffer
  wide?: Partial<Wide>
  disk?: number
}
type Wide = { count: number; length: number; start: number; at: number }

const u16 = (...values: number[]) => {
  const bytes = Buffer.alloc(values.length * 2)
  values.forEach((value, i) => {
    bytes.writeUInt16LE(value, i * 2)
  })
  return bytes
}
const u32 = (...values: number[]) => {
  const bytes = Buffer.alloc(values.length * 4)
  values.forEach((value, i) => {
    bytes.writeUInt32LE(value, i * 4)
  })
  return bytes
}
export const u64 = (...values: number[]) => {
  const bytes = Buffer.alloc(values.length * 8)
  values.forEach((value, i) => {
    bytes.writeBigUInt64LE(BigInt(value), i * 8)
  })
  return bytes
}

export const extraField = (id: number, ...parts: Uint8Array[]) =>
  Buffer.concat([u16(id, Buffer.concat(parts).length), ...parts])

export function zip(entries: ZipEntry[], ending: Ending = {}): Buffer {
  const pieces: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const entry of entries) {
    const {
      name,
      body = '',
      method = 8,
      flags = 0x0800,
      mode = 0o100644,
      extra = Buffer.alloc(0),
    } = entry
    const contents = Buffer.from(body)
    const packed = Buffer.from(entry.raw ?? (method === 8 ? deflateRawSync(contents) : contents))
    const crc = entry.crc ?? crc32(contents)
    const size = entry.size ?? contents.length
    const raw_name = Buffer.from(name)
    const local_name = Buffer.from(entry.local_name ?? name)
    const local = Buffer.concat([
      u32(0x04034b50),
      u16(20, flags, entry.local_method ?? method, 0, 0),
      u32(crc, packed.length, Math.min(size, 0xffffffff)),
      u16(local_name.length, 0),
      local_name,
      packed,
      entry.gap ?? Buffer.alloc(0),
    ])
    pieces.push(local)
    directory.push(
      Buffer.concat([
        u32(0x02014b50),
        u16(((entry.host ?? 3) << 8) | 20, 20, flags, method, 0, 0),
        u32(crc, entry.compressed ?? packed.length, size),
        u16(raw_name.length, extra.length, 0, 0, 0),
        u32((mode << 16) >>> 0, entry.offset ?? at),
        raw_name,
        extra,
      ]),
    )
    at += local.length
  }
  return Buffer.concat([
    ...pieces,
    ...directory,
    end(entries.length, at, Buffer.concat(directory).length, ending),
  ])
}

function end(count: number, start: number, length: number, ending: Ending): Buffer {
  const { comment = '', after = Buffer.alloc(0), wide, disk = 0 } = ending
  const recorded = {
    count: ending.count ?? count,
    start: ending.start ?? start,
    length: ending.length ?? length,
  }
  const full = { count, start, length, at: start + length, ...wide }
  const wide_end = Buffer.concat([
    u32(0x06064b50),
    u64(44),
    u16(45, 45),
    u32(0, 0),
    u64(full.count, full.count, full.length, full.start),
    u32(0x07064b50, 0),
    u64(full.at),
    u32(1),
  ])
  return Buffer.concat([
    wide ? wide_end : Buffer.alloc(0),
    u32(0x06054b50),
    u16(disk, disk, recorded.count, recorded.count),
    u32(recorded.length, recorded.start),
    u16(comment.length),
    Buffer.from(comment),
    after,
  ])
}

export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** The EICAR test string, joined here so that scanners do not report this file. */
export const EICAR = [
  'X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR',
  'STANDARD-ANTIVIRUS-TEST-FILE!$H+H*',
].join('-')
