import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { crashPoint } from '../../core/runtime/crash-point.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import type { Storage } from '../../core/storage/storage.ts'
import { invalidField } from '../fields/text.ts'
import { inspectMp4, isMp4 } from './mp4.ts'
import { trailerField, trailerLimits, type VideoType } from './trailer-rules.ts'
import { videoKey } from './url.ts'
import { inspectWebm, isWebm } from './webm.ts'

export type VideoFacts = { width: number; height: number; duration_seconds: number | null }
/** A file with random access. */
export type VideoSource = {
  size: number
  read: (start: number, length: number) => Promise<Buffer>
}
/** The facts of a file whose container is known by its first bytes, or what is wrong with it. */
export type InspectVideo = (source: VideoSource) => Promise<VideoFacts | 'damaged' | 'no video'>

/** A video whose bytes are in the store, not yet scanned. */
export type StoredVideo = VideoFacts & {
  object_uid: string
  type: VideoType
  size: number
  sha256: string
}

const HEAD_BYTES = 4096
/** A video of this size is one that nobody can show. */
const MAX_PIXELS = 16_384
const MAX_SECONDS = 24 * 3600
const at = trailerField('video')

/** Stores a video as it arrives and checks its content. A video that is refused is removed. */
export async function storeVideo(
  storage: Storage,
  game_uid: string,
  bytes: AsyncIterable<Uint8Array>,
): Promise<StoredVideo> {
  const object_uid = uuidv7()
  const key = videoKey({ game_uid, object_uid })
  const hash = createHash('sha256')
  try {
    const { size } = await storage.put(key, hashed(bytes, hash))
    crashPoint('video-stored')
    const facts = await inspectVideo(storedSource(storage, key, size))
    return { object_uid, size, sha256: hash.digest('hex'), ...facts }
  } catch (error) {
    await storage.discard(key)
    throw error
  }
}

async function* hashed(
  bytes: AsyncIterable<Uint8Array>,
  hash: { update: (chunk: Uint8Array) => unknown },
): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const chunk of bytes) {
    size += chunk.length
    if (size > trailerLimits.video_bytes)
      invalidField(
        at,
        explain('file_bytes', `the file has more than ${trailerLimits.video_bytes} bytes`, {
          max_bytes: trailerLimits.video_bytes,
        }),
      )
    hash.update(chunk)
    yield chunk
  }
}

const storedSource = (storage: Storage, key: string, size: number): VideoSource => ({
  size,
  async read(start, length) {
    if (length <= 0) return Buffer.alloc(0)
    const object = await storage.get(key, { start, end: start + length - 1 })
    if (!object) throw new Error('The video is missing from storage')
    return buffer(object.stream)
  },
})

/** The type of a video is that of its content; its name and its headers can be wrong. */
export async function inspectVideo(source: VideoSource): Promise<VideoFacts & { type: VideoType }> {
  const head = await source.read(0, Math.min(HEAD_BYTES, source.size))
  const type = isMp4(head) ? 'video/mp4' : isWebm(head) ? 'video/webm' : undefined
  if (!type) invalidField(at, explain('not_video', 'it is not an MP4 or WebM video'))
  const facts = await (type === 'video/mp4' ? inspectMp4 : inspectWebm)(source)
  if (facts === 'no video') invalidField(at, explain('no_video_track', 'it has no video track'))
  if (facts === 'damaged' || Math.max(facts.width, facts.height) > MAX_PIXELS)
    invalidField(at, explain('video_damaged', 'the video is damaged or cut short; export it again'))
  const seconds = Math.round(facts.duration_seconds ?? 0)
  return { ...facts, type, duration_seconds: seconds > 0 && seconds < MAX_SECONDS ? seconds : null }
}
