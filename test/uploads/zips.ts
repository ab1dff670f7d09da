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

const NOTHING = Buffer.alloc(0)

export function zip(entries: ZipEntry[], ending: Ending = {}): Buffer {
  const pieces: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const entry of entries) {
    const { name, body = '', method = 8, flags = 0x0800, mode = 0o100644, extra = NOTHING } = entry
    const contents = body === '' ? NOTHING : Buffer.from(body)
    const packed = Buffer.from(entry.raw ?? (method === 8 ? deflateRawSync(contents) : contents))
    const crc = entry.crc ?? crc32(contents)
    const size = entry.size ?? contents.length
    const raw_name = Buffer.from(name)
    const local_name = Buffer.from(entry.local_name ?? name)
    // Written in place: some tests make zips of 200,000 entries.
    const local = Buffer.alloc(30)
    local.writeUInt32LE(0x04034b50, 0)
    local.writeUInt16LE(20, 4)
    local.writeUInt16LE(flags, 6)
    local.writeUInt16LE(entry.local_method ?? method, 8)
    local.writeUInt32LE(crc, 14)
    local.writeUInt32LE(packed.length, 18)
    local.writeUInt32LE(Math.min(size, 0xffffffff), 22)
    local.writeUInt16LE(local_name.length, 26)
    pieces.push(local, local_name, packed)
    if (entry.gap) pieces.push(Buffer.from(entry.gap))
    const listed = Buffer.alloc(46)
    listed.writeUInt32LE(0x02014b50, 0)
    listed.writeUInt16LE(((entry.host ?? 3) << 8) | 20, 4)
    listed.writeUInt16LE(20, 6)
    listed.writeUInt16LE(flags, 8)
    listed.writeUInt16LE(method, 10)
    listed.writeUInt32LE(crc, 16)
    listed.writeUInt32LE(entry.compressed ?? packed.length, 20)
    listed.writeUInt32LE(size, 24)
    listed.writeUInt16LE(raw_name.length, 28)
    listed.writeUInt16LE(extra.length, 30)
    listed.writeUInt32LE((mode << 16) >>> 0, 38)
    listed.writeUInt32LE(entry.offset ?? at, 42)
    directory.push(listed, raw_name, extra)
    at += local.length + local_name.length + packed.length + (entry.gap?.length ?? 0)
  }
  const listed = Buffer.concat(directory)
  return Buffer.concat([...pieces, listed, end(entries.length, at, listed.length, ending)])
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
