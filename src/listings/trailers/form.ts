import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { type FieldPart, type FilePart, readForm } from '../../core/http/multipart.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { KIB } from '../../core/runtime/units.ts'
import type { Storage } from '../../core/storage/storage.ts'
import { type Field, invalidField } from '../fields/text.ts'
import { imageSlots } from '../media/image-rules.ts'
import { inspectImage, type StoredImage, storeImage } from '../media/store.ts'
import { announcedBytes, checkQuota } from '../storage/quota.ts'
import { readCaptions } from './captions.ts'
import { readLanguage, readTitle, trailerField, trailerLimits } from './trailer-rules.ts'
import { videoKey } from './url.ts'
import { type StoredVideo, storeVideo } from './video.ts'

/** A parsed form, whose video and poster are already in the store. */
export type TrailerUpload = {
  title?: string
  video?: StoredVideo
  poster?: StoredImage
  captions?: { language: string; content: string }
}

/** The bytes allowed for boundaries, headers and text fields. */
const FORM_OVERHEAD = 256 * KIB
const formLimits = {
  max_bytes:
    trailerLimits.video_bytes +
    imageSlots.poster.bytes +
    trailerLimits.captions_bytes +
    FORM_OVERHEAD,
  max_field_bytes: 4 * trailerLimits.title,
  max_parts: 8,
}

/** The time limit of an upload, the same as for builds: five minutes and a second per 512 KiB. */
export const uploadSeconds = (bytes: number) =>
  5 * 60 + Math.ceil(Math.min(bytes, formLimits.max_bytes) / (512 * KIB))

type Parts = {
  fields: Map<string, string>
  video?: StoredVideo
  poster?: StoredImage
  captions?: string
}

/** Reads the parts of a trailer in any order. If the form is refused, its video is removed. */
export async function readTrailerForm(
  core: Core,
  game_uid: string,
  request: IncomingMessage,
): Promise<TrailerUpload> {
  const bytes = announcedBytes(request, FORM_OVERHEAD)
  await checkQuota(core, { game_uid, sender: 'developers', bytes })
  const { storage } = core
  const parts: Parts = { fields: new Map() }
  try {
    for await (const part of readForm(request, formLimits))
      if ('value' in part) readField(parts, part)
      else await readFile(storage, game_uid, parts, part)
    return combine(parts)
  } catch (error) {
    await removeUpload(storage, game_uid, parts)
    throw error
  }
}

/** Removes the video of an upload that was refused. Other content is swept. */
export async function removeUpload(
  storage: Storage,
  game_uid: string,
  { video }: Pick<TrailerUpload, 'video'>,
): Promise<void> {
  if (video) await storage.discard(videoKey({ game_uid, object_uid: video.object_uid }))
}

const fileParts = ['video', 'poster', 'captions'] as const
const fieldParts = ['title', 'language']

function readField({ fields }: Parts, { name, value }: FieldPart): void {
  if (fileParts.some((part) => part === name))
    refuse('FILE_MISSING', { field: name }, `${name}: send it as a file, with a file name`)
  const at = trailerField(name.slice(0, 40))
  if (!fieldParts.includes(name))
    invalidField(at, `there is no such field; send ${[...fieldParts, ...fileParts].join(', ')}`)
  if (fields.has(name)) invalidField(at, 'send it once')
  fields.set(name, value)
}

async function readFile(
  storage: Storage,
  game_uid: string,
  parts: Parts,
  { name, filename, bytes }: FilePart,
): Promise<void> {
  const part = fileParts.find((known) => known === name)
  const at = trailerField(name.slice(0, 40))
  if (!part) invalidField(at, `there is no such file; send ${fileParts.join(', ')}`)
  const content = await withFirstChunk(bytes)
  // A browser sends an empty part for a file input without a file.
  if (!content && filename === '') return
  if (!content) invalidField(at, explain('file_empty', 'the file is empty'))
  if (parts[part] !== undefined) invalidField(at, 'send it once')
  if (part === 'video') parts.video = await storeVideo(storage, game_uid, content)
  if (part === 'poster') parts.poster = await storePoster(storage, content)
  if (part === 'captions')
    parts.captions = readCaptions(await readWhole(at, content, trailerLimits.captions_bytes))
}

/** The same bytes; undefined if there are none. */
async function withFirstChunk(
  bytes: AsyncIterable<Uint8Array>,
): Promise<AsyncIterable<Uint8Array> | undefined> {
  const chunks = bytes[Symbol.asyncIterator]()
  let first = await chunks.next()
  while (!first.done && first.value.length === 0) first = await chunks.next()
  if (first.done) return undefined
  return (async function* () {
    for (let step: IteratorResult<Uint8Array> = first; !step.done; step = await chunks.next())
      yield step.value
  })()
}

async function readWhole(
  at: Field,
  bytes: AsyncIterable<Uint8Array>,
  max_bytes: number,
): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of bytes) {
    size += chunk.length
    if (size > max_bytes)
      invalidField(
        at,
        explain('file_bytes', `the file has more than ${max_bytes} bytes`, { max_bytes }),
      )
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

async function storePoster(
  storage: Storage,
  content: AsyncIterable<Uint8Array>,
): Promise<StoredImage> {
  const at = { refusal: 'IMAGE_REJECTED', field: 'poster' } as const
  const bytes = await readWhole(at, content, imageSlots.poster.bytes)
  const image = await inspectImage(['poster'], bytes)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  await storeImage(storage, sha256, bytes)
  return { ...image, sha256 }
}

function combine({ fields, video, poster, captions }: Parts): TrailerUpload {
  const title = fields.get('title')
  const language = fields.get('language')
  if (captions === undefined && language)
    refuse(
      'FILE_MISSING',
      { field: 'captions' },
      explain('captions_missing', 'captions: send a file for this language'),
    )
  return {
    ...(title !== undefined && { title: readTitle(title) }),
    ...(video && { video }),
    ...(poster && { poster }),
    ...(captions !== undefined && {
      captions: { language: readLanguage(language), content: captions },
    }),
  }
}
