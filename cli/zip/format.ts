/** One entry as the zip's directory tells it. */
export type Entry = {
  path: string
  kind: 'file' | 'folder' | 'link'
  executable: boolean
  deflated: boolean
  /** Sizes follow the bytes, because they were not known before. */
  trailed: boolean
  crc: number
  size: number
  compressed: number
  offset: number
}

const FULL16 = 0xffff
const FULL32 = 0xffffffff
/** Names are UTF-8. */
const UTF8 = 0x0800
const TRAILED = 0x0008
const ON_UNIX = 3
const modes = { file: 0o100644, folder: 0o040755, link: 0o120777 } as const
/** Every entry is of the first day a zip can tell: the same tree makes the same bytes, whenever and wherever. */
const [TIME, DATE] = [0, 0x21]
/** From here on the two sizes of a file whose bytes come first are written wide, since what it packs to is not known yet. */
const WIDE = 0xff000000

const isWide = ({ size, trailed }: Pick<Entry, 'size' | 'trailed'>) =>
  size >= (trailed ? WIDE : FULL32)

/** What stands before the bytes of an entry. */
export function localHeader(entry: Omit<Entry, 'offset'>): Buffer {
  const name = Buffer.from(entry.path)
  const wide = isWide(entry)
  const header = Buffer.alloc(30 + name.length + (wide ? 20 : 0))
  header.writeUInt32LE(0x04034b50, 0)
  common(header, 4, entry, wide)
  if (!entry.trailed) {
    header.writeUInt32LE(entry.crc, 14)
    header.writeUInt32LE(wide ? FULL32 : entry.compressed, 18)
    header.writeUInt32LE(wide ? FULL32 : entry.size, 22)
  } else if (wide) header.fill(0xff, 18, 26)
  header.writeUInt16LE(name.length, 26)
  header.writeUInt16LE(wide ? 20 : 0, 28)
  name.copy(header, 30)
  if (wide) {
    header.writeUInt16LE(1, 30 + name.length)
    header.writeUInt16LE(16, 32 + name.length)
    if (!entry.trailed) {
      header.writeBigUInt64LE(BigInt(entry.size), 34 + name.length)
      header.writeBigUInt64LE(BigInt(entry.compressed), 42 + name.length)
    }
  }
  return header
}

/** What stands after the bytes of an entry whose sizes come last. */
export function trailer(entry: Pick<Entry, 'crc' | 'size' | 'compressed' | 'trailed'>): Buffer {
  const wide = isWide(entry)
  const bytes = Buffer.alloc(wide ? 24 : 16)
  bytes.writeUInt32LE(0x08074b50, 0)
  bytes.writeUInt32LE(entry.crc, 4)
  if (wide) {
    bytes.writeBigUInt64LE(BigInt(entry.compressed), 8)
    bytes.writeBigUInt64LE(BigInt(entry.size), 16)
  } else {
    bytes.writeUInt32LE(entry.compressed, 8)
    bytes.writeUInt32LE(entry.size, 12)
  }
  return bytes
}

export function directoryRecord(entry: Entry): Buffer {
  const name = Buffer.from(entry.path)
  const large = [entry.size, entry.compressed, entry.offset].filter((value) => value >= FULL32)
  const record = Buffer.alloc(46 + name.length + (large.length ? 4 + 8 * large.length : 0))
  record.writeUInt32LE(0x02014b50, 0)
  record.writeUInt16LE((ON_UNIX << 8) | 45, 4)
  common(record, 6, entry, large.length > 0 || isWide(entry))
  record.writeUInt32LE(entry.crc, 16)
  record.writeUInt32LE(Math.min(entry.compressed, FULL32), 20)
  record.writeUInt32LE(Math.min(entry.size, FULL32), 24)
  record.writeUInt16LE(name.length, 28)
  record.writeUInt16LE(record.length - 46 - name.length, 30)
  const mode = modes[entry.kind] | (entry.kind === 'file' && entry.executable ? 0o111 : 0)
  record.writeUInt32LE(((mode << 16) | (entry.kind === 'folder' ? 0x10 : 0)) >>> 0, 38)
  record.writeUInt32LE(Math.min(entry.offset, FULL32), 42)
  name.copy(record, 46)
  if (large.length) {
    record.writeUInt16LE(1, 46 + name.length)
    record.writeUInt16LE(8 * large.length, 48 + name.length)
    for (const [i, value] of large.entries())
      record.writeBigUInt64LE(BigInt(value), 50 + name.length + 8 * i)
  }
  return record
}

/** Version, flags, method and time, which both headers have in this order. */
function common(
  bytes: Buffer,
  at: number,
  { deflated, trailed }: Pick<Entry, 'deflated' | 'trailed'>,
  wide: boolean,
) {
  bytes.writeUInt16LE(wide ? 45 : 20, at)
  bytes.writeUInt16LE(UTF8 | (trailed ? TRAILED : 0), at + 2)
  bytes.writeUInt16LE(deflated ? 8 : 0, at + 4)
  bytes.writeUInt16LE(TIME, at + 6)
  bytes.writeUInt16LE(DATE, at + 8)
}

/** The end of the directory, in the wide form as well where a number needs it. */
export function endOfDirectory(count: number, start: number, length: number): Buffer {
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(Math.min(count, FULL16), 8)
  end.writeUInt16LE(Math.min(count, FULL16), 10)
  end.writeUInt32LE(Math.min(length, FULL32), 12)
  end.writeUInt32LE(Math.min(start, FULL32), 16)
  if (count < FULL16 && length < FULL32 && start < FULL32) return end
  const wide = Buffer.alloc(56 + 20)
  wide.writeUInt32LE(0x06064b50, 0)
  wide.writeBigUInt64LE(44n, 4)
  wide.writeUInt16LE((ON_UNIX << 8) | 45, 12)
  wide.writeUInt16LE(45, 14)
  wide.writeBigUInt64LE(BigInt(count), 24)
  wide.writeBigUInt64LE(BigInt(count), 32)
  wide.writeBigUInt64LE(BigInt(length), 40)
  wide.writeBigUInt64LE(BigInt(start), 48)
  wide.writeUInt32LE(0x07064b50, 56)
  wide.writeBigUInt64LE(BigInt(start + length), 64)
  wide.writeUInt32LE(1, 72)
  return Buffer.concat([wide, end])
}
