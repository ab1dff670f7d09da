import type { InspectVideo, VideoFacts, VideoSource } from './video.ts'

/** The IDs of EBML elements that are read, with their length markers. */
const ids = {
  header: 0x1a45dfa3,
  doc_type: 0x4282,
  segment: 0x18538067,
  info: 0x1549a966,
  timestamp_scale: 0x2ad7b1,
  duration: 0x4489,
  tracks: 0x1654ae6b,
  track: 0xae,
  track_type: 0x83,
  video: 0xe0,
  pixel_width: 0xb0,
  pixel_height: 0xba,
  cluster: 0x1f43b675,
} as const

const VIDEO_TRACK = 1
const MAX_HEAD_BYTES = 1024 * 1024
/** An ID has up to four bytes, a length up to eight. */
const ELEMENT_HEAD = 12
const MAX_ELEMENTS = 2000
const DEFAULT_SCALE = 1_000_000
const NANOSECONDS = 1e9

/** `end` is undefined for an element of unknown length, which a live recording has. */
type Element = { id: number; start: number; end: number | undefined }

/** An EBML file whose header names the type webm. */
export function isWebm(head: Buffer): boolean {
  const header = readElement(head, 0)
  if (header?.id !== ids.header || header.end === undefined) return false
  const type = childrenOf(head, header.start, header.end).find(({ id }) => id === ids.doc_type)
  return type !== undefined && textOf(head, type) === 'webm'
}

/** Reads the elements before the first cluster, or those after it if they are not there. */
export const inspectWebm: InspectVideo = async (source) => {
  const segment = await findSegment(source)
  if (!segment || (segment.end ?? 0) > source.size) return 'damaged'
  const end = segment.end ?? source.size
  let info: Buffer | undefined
  let tracks: Buffer | undefined
  let has_media = false
  let at = segment.start
  for (let count = 0; at < end && count < MAX_ELEMENTS; count++) {
    const element = await elementAt(source, at)
    if (!element || (element.end ?? 0) > end) return 'damaged'
    if (element.id === ids.cluster) has_media = true
    if (element.id === ids.info) info = await contentOf(source, element)
    if (element.id === ids.tracks) tracks = await contentOf(source, element)
    if ((tracks && has_media) || element.end === undefined) break
    at = element.end
  }
  return tracks && has_media ? factsOf(tracks, info) : 'damaged'
}

async function findSegment(source: VideoSource): Promise<Element | undefined> {
  const header = await elementAt(source, 0)
  const segment = header?.end === undefined ? undefined : await elementAt(source, header.end)
  return segment?.id === ids.segment ? segment : undefined
}

async function elementAt({ read, size }: VideoSource, at: number): Promise<Element | undefined> {
  const head = await read(at, Math.min(ELEMENT_HEAD, size - at))
  const element = readElement(head, 0)
  return (
    element && {
      id: element.id,
      start: at + element.start,
      end: element.end === undefined ? undefined : at + element.end,
    }
  )
}

async function contentOf(
  { read }: VideoSource,
  { start, end }: Element,
): Promise<Buffer | undefined> {
  if (end === undefined || end - start > MAX_HEAD_BYTES) return undefined
  return read(start, end - start)
}

/** The head of an element at this place; undefined if it is damaged. */
function readElement(bytes: Buffer, at: number): Element | undefined {
  const id_length = Math.clz32(bytes[at] ?? 0) - 23
  if (id_length > 4 || at + id_length >= bytes.length) return undefined
  const length_at = at + id_length
  const first = bytes[length_at]!
  const length_bytes = Math.clz32(first) - 23
  const start = length_at + length_bytes
  if (length_bytes > 8 || start > bytes.length) return undefined
  let length = first & (0xff >> length_bytes)
  let is_unknown = length === 0xff >> length_bytes
  for (let i = length_at + 1; i < start; i++) {
    length = length * 256 + bytes[i]!
    is_unknown &&= bytes[i] === 0xff
  }
  const id = bytes.readUIntBE(at, id_length)
  return { id, start, end: is_unknown ? undefined : start + length }
}

function childrenOf(bytes: Buffer, start: number, end: number): Required<Element>[] {
  const children: Required<Element>[] = []
  for (let at = start; at < end; ) {
    const child = readElement(bytes, at)
    if (child?.end === undefined || child.end > end || child.end > bytes.length) break
    children.push(child)
    at = child.end
  }
  return children
}

type Content = { start: number; end: number | undefined }

const textOf = (bytes: Buffer, { start, end }: Content) =>
  bytes.toString('latin1', start, end).replace(/\0+$/, '')

const numberOf = (bytes: Buffer, { start, end = start }: Content) =>
  end > start && end - start <= 6 ? bytes.readUIntBE(start, end - start) : 0

const floatOf = (bytes: Buffer, { start, end = start }: Content) =>
  end - start === 8 ? bytes.readDoubleBE(start) : end - start === 4 ? bytes.readFloatBE(start) : 0

function factsOf(tracks: Buffer, info: Buffer | undefined): VideoFacts | 'no video' {
  for (const track of childrenOf(tracks, 0, tracks.length)) {
    if (track.id !== ids.track) continue
    const parts = childrenOf(tracks, track.start, track.end!)
    const type = parts.find(({ id }) => id === ids.track_type)
    const video = parts.find(({ id }) => id === ids.video)
    if (!type || numberOf(tracks, type) !== VIDEO_TRACK || !video) continue
    const sizes = childrenOf(tracks, video.start, video.end!)
    const sizeOf = (wanted: number) => {
      const element = sizes.find(({ id }) => id === wanted)
      return element ? numberOf(tracks, element) : 0
    }
    const width = sizeOf(ids.pixel_width)
    const height = sizeOf(ids.pixel_height)
    if (width && height) return { width, height, duration_seconds: durationOf(info) }
  }
  return 'no video'
}

function durationOf(info: Buffer | undefined): number | null {
  if (!info) return null
  const parts = childrenOf(info, 0, info.length)
  const duration = parts.find(({ id }) => id === ids.duration)
  const scale = parts.find(({ id }) => id === ids.timestamp_scale)
  if (!duration) return null
  const unit = (scale && numberOf(info, scale)) || DEFAULT_SCALE
  return (floatOf(info, duration) * unit) / NANOSECONDS
}
