import type { InspectVideo, VideoFacts } from './video.ts'

type Box = { type: string; start: number; end: number }

/** More top-level boxes than a file has that is not made of tiny fragments. */
const MAX_BOXES = 2000
/** The index of a long video has a few MB. */
const MAX_INDEX_BYTES = 32 * 1024 * 1024
/** Files for QuickTime only, which browsers do not play. */
const QUICKTIME = 'qt  '

/** The first box of an MP4 file, with the brands that it is compatible with. */
export const isMp4 = (head: Buffer): boolean =>
  head.length >= 12 &&
  head.toString('latin1', 4, 8) === 'ftyp' &&
  head.toString('latin1', 8, 12) !== QUICKTIME

/** Reads the index of an MP4 file: whether it has a video track, how large and how long it is. */
export const inspectMp4: InspectVideo = async ({ read, size }) => {
  let index: Buffer | undefined
  let has_media = false
  let boxes = 0
  for (let start = 0; start < size && boxes < MAX_BOXES; boxes++) {
    const head = await read(start, Math.min(16, size - start))
    const box = readBox(head, { start, end: size })
    if (!box) return 'damaged'
    if (box.type === 'mdat' || box.type === 'moof') has_media = true
    if (box.type === 'moov' && !index) {
      if (box.end - box.start > MAX_INDEX_BYTES) return 'damaged'
      index = await read(box.start, box.end - box.start)
    }
    start = box.end
  }
  return index && has_media ? factsOf(index) : 'damaged'
}

/** The box whose header begins with these bytes; `start` and `end` are those of its contents. */
function readBox(head: Buffer, { start, end }: { start: number; end: number }): Box | undefined {
  if (head.length < 8) return undefined
  const short = head.readUInt32BE(0)
  const header = short === 1 ? 16 : 8
  if (head.length < header) return undefined
  const size = short === 0 ? end - start : short === 1 ? Number(head.readBigUInt64BE(8)) : short
  if (size < header || start + size > end) return undefined
  return { type: head.toString('latin1', 4, 8), start: start + header, end: start + size }
}

/** The boxes in these bytes, up to the first that is damaged. */
function* boxesIn(bytes: Buffer, start = 0, end = bytes.length): Generator<Box> {
  for (let at = start; at < end; ) {
    const box = readBox(bytes.subarray(at, Math.min(at + 16, end)), { start: at, end })
    if (!box) return
    yield box
    at = box.end
  }
}

function findBox(bytes: Buffer, path: string[], start = 0, end = bytes.length): Box | undefined {
  const [type, ...rest] = path
  for (const box of boxesIn(bytes, start, end)) {
    if (box.type !== type) continue
    const inner = rest.length ? findBox(bytes, rest, box.start, box.end) : box
    if (inner) return inner
  }
  return undefined
}

function factsOf(index: Buffer): VideoFacts | 'no video' {
  for (const track of boxesIn(index)) {
    if (track.type !== 'trak') continue
    const handler = findBox(index, ['mdia', 'hdlr'], track.start, track.end)
    const header = findBox(index, ['tkhd'], track.start, track.end)
    if (!handler || handler.end - handler.start < 12 || !header) continue
    const kind = index.toString('latin1', handler.start + 8, handler.start + 12)
    // The track header ends with the width and the height, as 16.16 fixed point.
    if (kind !== 'vide' || header.end - header.start < 8) continue
    const width = index.readUInt32BE(header.end - 8) >>> 16
    const height = index.readUInt32BE(header.end - 4) >>> 16
    if (width && height) return { width, height, duration_seconds: durationOf(index) }
  }
  return 'no video'
}

function durationOf(index: Buffer): number | null {
  const box = findBox(index, ['mvhd'])
  const version = box && index[box.start]
  if (!box || box.end - box.start < (version === 1 ? 32 : 20)) return null
  const scale = index.readUInt32BE(box.start + (version === 1 ? 20 : 12))
  const duration =
    version === 1
      ? Number(index.readBigUInt64BE(box.start + 24))
      : index.readUInt32BE(box.start + 16)
  return scale ? duration / scale : null
}
