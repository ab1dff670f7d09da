/**
 * The records of the zip format, as the press kit and the uploader write them. This file imports
 * nothing, because the uploader is bundled into one file without the server.
 */

/** An entry as the central directory describes it. */
export type ZipEntry = {
  path: string
  kind: 'file' | 'folder' | 'link'
  executable: boolean
  deflated: boolean
  /** The checksum and sizes follow the bytes, because they were not known before. */
  has_descriptor: boolean
  /** As `dosTime` returns it. */
  modified: number
  crc: number
  size: number
  compressed: number
  offset: number
}

/** Bytes of each record without names and zip64 fields. */
export const zipRecordBytes = {
  local_header: 30,
  descriptor: 16,
  directory_record: 46,
  end_of_directory: 22,
} as const

/** The largest numbers of the plain format; a field with this value refers to its zip64 field. */
export const MAX_ZIP_ENTRIES = 0xffff
export const MAX_ZIP_BYTES = 0xffff_ffff
/**
 * From this size on, an entry with a descriptor reserves zip64 sizes. The compressed size is not
 * known yet, and may exceed the original by a few bytes.
 */
const ZIP64_DESCRIPTOR_BYTES = 0xff00_0000

export const zipSignatures = {
  local_header: 0x04034b50,
  descriptor: 0x08074b50,
  directory_record: 0x02014b50,
  end_of_directory: 0x06054b50,
  zip64_end: 0x06064b50,
  zip64_locator: 0x07064b50,
} as const
const UTF8_NAME = 0x0800
const DESCRIPTOR_FOLLOWS = 0x0008
const DEFLATED = 8
const STORED = 0
const VERSION = 20
const ZIP64_VERSION = 45
const MADE_ON_UNIX = 3 << 8
const ZIP64_FIELD = 1
const FOLDER_ATTRIBUTE = 0x10
const modes = { file: 0o100644, folder: 0o040755, link: 0o120777 } as const

/** 1980-01-01 00:00, the first moment that a zip can store. */
export const FIRST_DOS_TIME = 0x0021_0000

/**
 * The date in the upper and the time in the lower 16 bits, limited to the years 1980 to 2107. In
 * UTC, so that the same contents make the same bytes everywhere.
 */
export function dosTime(moment: Date): number {
  const year = Math.min(Math.max(moment.getUTCFullYear() - 1980, 0), 127)
  const date = (year << 9) | ((moment.getUTCMonth() + 1) << 5) | moment.getUTCDate()
  const time =
    (moment.getUTCHours() << 11) | (moment.getUTCMinutes() << 5) | (moment.getUTCSeconds() >> 1)
  return date * 0x10000 + time
}

const hasZip64Sizes = ({ size, has_descriptor }: Pick<ZipEntry, 'size' | 'has_descriptor'>) =>
  size >= (has_descriptor ? ZIP64_DESCRIPTOR_BYTES : MAX_ZIP_BYTES)

/** The record before the bytes of an entry. */
export function localHeader(entry: Omit<ZipEntry, 'offset'>): Buffer {
  const name = Buffer.from(entry.path)
  const zip64 = hasZip64Sizes(entry)
  const header = Buffer.alloc(zipRecordBytes.local_header + name.length + (zip64 ? 20 : 0))
  header.writeUInt32LE(zipSignatures.local_header, 0)
  writeCommonFields(header, 4, entry, zip64)
  if (!entry.has_descriptor) {
    header.writeUInt32LE(entry.crc, 14)
    header.writeUInt32LE(zip64 ? MAX_ZIP_BYTES : entry.compressed, 18)
    header.writeUInt32LE(zip64 ? MAX_ZIP_BYTES : entry.size, 22)
  } else if (zip64) header.fill(0xff, 18, 26)
  header.writeUInt16LE(name.length, 26)
  header.writeUInt16LE(zip64 ? 20 : 0, 28)
  name.copy(header, 30)
  if (zip64) {
    header.writeUInt16LE(ZIP64_FIELD, 30 + name.length)
    header.writeUInt16LE(16, 32 + name.length)
    if (!entry.has_descriptor) {
      header.writeBigUInt64LE(BigInt(entry.size), 34 + name.length)
      header.writeBigUInt64LE(BigInt(entry.compressed), 42 + name.length)
    }
  }
  return header
}

/** The record after the bytes of an entry whose checksum and sizes were not known before. */
export function dataDescriptor(
  entry: Pick<ZipEntry, 'crc' | 'size' | 'compressed' | 'has_descriptor'>,
): Buffer {
  const zip64 = hasZip64Sizes(entry)
  const bytes = Buffer.alloc(zip64 ? 24 : zipRecordBytes.descriptor)
  bytes.writeUInt32LE(zipSignatures.descriptor, 0)
  bytes.writeUInt32LE(entry.crc, 4)
  if (zip64) {
    bytes.writeBigUInt64LE(BigInt(entry.compressed), 8)
    bytes.writeBigUInt64LE(BigInt(entry.size), 16)
  } else {
    bytes.writeUInt32LE(entry.compressed, 8)
    bytes.writeUInt32LE(entry.size, 12)
  }
  return bytes
}

export function directoryRecord(entry: ZipEntry): Buffer {
  const name = Buffer.from(entry.path)
  const { size, compressed, offset } = entry
  const large = [size, compressed, offset].filter((value) => value >= MAX_ZIP_BYTES)
  const record = Buffer.alloc(46 + name.length + (large.length ? 4 + 8 * large.length : 0))
  record.writeUInt32LE(zipSignatures.directory_record, 0)
  record.writeUInt16LE(MADE_ON_UNIX | ZIP64_VERSION, 4)
  writeCommonFields(record, 6, entry, large.length > 0 || hasZip64Sizes(entry))
  record.writeUInt32LE(entry.crc, 16)
  record.writeUInt32LE(Math.min(compressed, MAX_ZIP_BYTES), 20)
  record.writeUInt32LE(Math.min(size, MAX_ZIP_BYTES), 24)
  record.writeUInt16LE(name.length, 28)
  record.writeUInt16LE(record.length - 46 - name.length, 30)
  const mode = modes[entry.kind] | (entry.kind === 'file' && entry.executable ? 0o111 : 0)
  const attributes = (mode << 16) | (entry.kind === 'folder' ? FOLDER_ATTRIBUTE : 0)
  record.writeUInt32LE(attributes >>> 0, 38)
  record.writeUInt32LE(Math.min(offset, MAX_ZIP_BYTES), 42)
  name.copy(record, 46)
  if (large.length) {
    record.writeUInt16LE(ZIP64_FIELD, 46 + name.length)
    record.writeUInt16LE(8 * large.length, 48 + name.length)
    for (const [index, value] of large.entries())
      record.writeBigUInt64LE(BigInt(value), 50 + name.length + 8 * index)
  }
  return record
}

/** Version, flags, method and time, which both headers contain in this order. */
function writeCommonFields(
  bytes: Buffer,
  position: number,
  entry: Pick<ZipEntry, 'deflated' | 'has_descriptor' | 'modified'>,
  zip64: boolean,
) {
  bytes.writeUInt16LE(zip64 ? ZIP64_VERSION : VERSION, position)
  bytes.writeUInt16LE(UTF8_NAME | (entry.has_descriptor ? DESCRIPTOR_FOLLOWS : 0), position + 2)
  bytes.writeUInt16LE(entry.deflated ? DEFLATED : STORED, position + 4)
  bytes.writeUInt32LE(entry.modified, position + 6)
}

/** The end of the central directory, preceded by its zip64 form where a number needs it. */
export function endOfDirectory(count: number, start: number, length: number): Buffer {
  const end = Buffer.alloc(zipRecordBytes.end_of_directory)
  end.writeUInt32LE(zipSignatures.end_of_directory, 0)
  end.writeUInt16LE(Math.min(count, MAX_ZIP_ENTRIES), 8)
  end.writeUInt16LE(Math.min(count, MAX_ZIP_ENTRIES), 10)
  end.writeUInt32LE(Math.min(length, MAX_ZIP_BYTES), 12)
  end.writeUInt32LE(Math.min(start, MAX_ZIP_BYTES), 16)
  if (count < MAX_ZIP_ENTRIES && length < MAX_ZIP_BYTES && start < MAX_ZIP_BYTES) return end
  const zip64 = Buffer.alloc(56 + 20)
  zip64.writeUInt32LE(zipSignatures.zip64_end, 0)
  zip64.writeBigUInt64LE(44n, 4)
  zip64.writeUInt16LE(MADE_ON_UNIX | ZIP64_VERSION, 12)
  zip64.writeUInt16LE(ZIP64_VERSION, 14)
  zip64.writeBigUInt64LE(BigInt(count), 24)
  zip64.writeBigUInt64LE(BigInt(count), 32)
  zip64.writeBigUInt64LE(BigInt(length), 40)
  zip64.writeBigUInt64LE(BigInt(start), 48)
  zip64.writeUInt32LE(zipSignatures.zip64_locator, 56)
  zip64.writeBigUInt64LE(BigInt(start + length), 64)
  zip64.writeUInt32LE(1, 72)
  return Buffer.concat([zip64, end])
}
