import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { crc32 } from 'node:zlib'
import { type FieldPart, type FilePart, readForm } from '../../core/http/multipart.ts'
import type { Core } from '../../core/runtime/core.ts'
import { Refusal, refuse } from '../../core/runtime/errors.ts'
import { explain, withMessage } from '../../core/runtime/reasons.ts'
import type { Storage } from '../../core/storage/storage.ts'
import { invalidField, unknownField } from '../fields/text.ts'
import { announcedBytes, checkQuota } from '../storage/quota.ts'
import {
  checkFileCount,
  checkImage,
  checkKind,
  galleryLimits,
  type ImageSlot,
  imageSlots,
  MAX_ALT,
  type MediaKind,
  readAlt,
  readPosition,
} from './image-rules.ts'
import { inspectImage, type StoredImage, storeImage } from './store.ts'

/** A parsed form, whose images are already in the store. */
export type Upload = {
  kind: MediaKind
  position: number | null
  images: StoredImage[]
  /** What each image shows, where it was sent. */
  alts?: string[]
}

type Fields = { single: Map<string, string>; alts: string[] }

const LARGEST_FIRST = ['gallery', 'cover', 'thumbnail'] as const satisfies MediaKind[]
const LARGEST_IMAGE = imageSlots.gallery.bytes
/** The bytes allowed for boundaries, headers and text fields. */
const FORM_OVERHEAD = 256 * 1024
const formLimits = {
  max_bytes: galleryLimits.per_request * LARGEST_IMAGE + FORM_OVERHEAD,
  max_field_bytes: 4 * MAX_ALT,
  max_parts: 32,
}

/** The time limit of an upload, the same as for builds: five minutes and a second per 512 KiB. */
export const uploadSeconds = (bytes: number) =>
  5 * 60 + Math.ceil(Math.min(bytes, formLimits.max_bytes) / (512 * 1024))

/**
 * Reads `kind`, `position` and the files, in any order. Only one image at a time is in memory; it
 * is checked and stored before the next is read. Files that arrive before `kind` are checked
 * against it at the end.
 */
export async function readUpload(
  core: Core,
  game_uid: string,
  request: IncomingMessage,
): Promise<Upload> {
  const bytes = announcedBytes(request, FORM_OVERHEAD)
  await checkQuota(core, { game_uid, sender: 'developers', bytes })
  const { storage } = core
  const fields: Fields = { single: new Map(), alts: [] }
  const images: StoredImage[] = []
  let memory: Buffer | undefined
  for await (const part of readForm(request, formLimits)) {
    if ('value' in part) storeField(fields, part)
    else {
      const sent_kind = fields.single.get('kind')
      const kind = sent_kind === undefined ? undefined : checkKind(sent_kind)
      checkFile(part, kind, images.length + 1)
      memory ??= Buffer.allocUnsafeSlow(largestImageIn(request))
      const image = await withFileNumber(
        images.length,
        receive(storage, part, kind ? [kind] : LARGEST_FIRST, memory),
      )
      if (image) images.push(image)
    }
  }
  return checkUpload(fields, images)
}

/** A request is larger than its images, so an image needs no more memory than the request. */
function largestImageIn({ headers }: IncomingMessage): number {
  const bytes = headers['content-length']
  return bytes === undefined ? LARGEST_IMAGE : Math.min(Number(bytes), LARGEST_IMAGE)
}

function storeField({ single, alts }: Fields, { name, value }: FieldPart): void {
  if (name === 'file')
    refuse('FILE_MISSING', { field: name }, 'file: send it as a file, with a file name')
  const at = { refusal: 'INVALID_MEDIA', field: name.slice(0, 40) } as const
  if (name === 'alt') {
    alts.push(readAlt(value))
    return
  }
  if (name !== 'kind' && name !== 'position')
    invalidField(at, unknownField('; send kind, position, alt and file'))
  if (single.has(name)) invalidField(at, 'send it once')
  single.set(name, value)
}

function checkFile({ name }: FilePart, kind: MediaKind | undefined, count: number): void {
  if (name !== 'file')
    invalidField({ refusal: 'INVALID_MEDIA', field: name.slice(0, 40) }, 'send every image as file')
  checkFileCount(kind ?? 'gallery', count, 0)
}

function checkUpload({ single, alts }: Fields, images: StoredImage[]): Upload {
  const kind = checkKind(single.get('kind'))
  const position = readPosition(single.get('position'))
  if (position !== null && kind !== 'gallery')
    invalidField({ refusal: 'INVALID_MEDIA', field: 'position' }, 'only gallery images have one')
  const alt_field = { refusal: 'INVALID_MEDIA', field: 'alt' } as const
  if (alts.some(Boolean) && kind !== 'gallery')
    invalidField(alt_field, 'only gallery images have one')
  if (!images.length)
    refuse(
      'FILE_MISSING',
      { field: 'file' },
      explain('image_missing', 'file: send at least one image'),
    )
  if (alts.length > images.length) invalidField(alt_field, 'send one per file, in their order')
  checkFileCount(kind, images.length, 0)
  for (const { size: bytes, ...image } of images) checkImage(kind, { ...image, bytes })
  return { kind, position, images, alts }
}

/** Returns undefined for the empty part that a browser sends for a file input without a file. */
async function receive(
  storage: Storage,
  { filename, bytes }: FilePart,
  slots: readonly ImageSlot[],
  memory: Buffer,
): Promise<StoredImage | undefined> {
  const hash = createHash('sha256')
  const max_bytes = Math.max(...slots.map((slot) => imageSlots[slot].bytes))
  let size = 0
  for await (const chunk of bytes) {
    if (size + chunk.length > max_bytes)
      invalidField(
        { refusal: 'IMAGE_REJECTED', field: slots[0]! },
        explain('image_over_bytes', `it is larger than ${max_bytes} bytes`, { max_bytes }),
      )
    memory.set(chunk, size)
    hash.update(chunk)
    size += chunk.length
  }
  if (size === 0 && filename === '') return undefined
  const received = memory.subarray(0, size)
  const image = await inspectImage(slots, received)
  const sha256 = hash.digest('hex')
  await storeImage(storage, sha256, received)
  return { ...image, sha256, crc32: crc32(received) }
}

/** Adds the number of the file to an error, because a request may contain several. */
async function withFileNumber<T>(index: number, received: Promise<T>): Promise<T> {
  return received.catch((error) => {
    if (!(error instanceof Refusal) || error.refusal !== 'IMAGE_REJECTED') throw error
    const explanation = withMessage(error, (message) => `${message} (file ${index + 1})`)
    refuse('IMAGE_REJECTED', { ...error.data, file: index }, explanation)
  })
}
