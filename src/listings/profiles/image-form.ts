import type { IncomingMessage } from 'node:http'
import { Type } from 'typebox'
import { type FilePart, readForm } from '../../core/http/multipart.ts'
import { FileBytes, OneOf } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { KIB } from '../../core/runtime/units.ts'
import { choice, invalidField } from '../fields/text.ts'
import { MAX_PROFILE_IMAGE_BYTES, type ProfileSlot, profileSlots } from './image-rules.ts'

/** The form, for the API description. */
export const profileImageForm = {
  body: {
    'multipart/form-data': Type.Object({
      kind: OneOf(profileSlots),
      file: FileBytes('A PNG, JPEG or WebP image; of an animation, the first frame is kept'),
    }),
  },
}

const formLimits = {
  max_bytes: MAX_PROFILE_IMAGE_BYTES + 64 * KIB,
  max_field_bytes: KIB,
  max_parts: 8,
}

export const checkSlot = (value: unknown): ProfileSlot =>
  choice({ refusal: 'INVALID_MEDIA', field: 'kind' }, value, profileSlots)

/** Reads `kind` and one file, in any order. */
export async function readProfileImage(
  request: IncomingMessage,
): Promise<{ slot: ProfileSlot; bytes: Buffer }> {
  let kind: string | undefined
  let bytes: Buffer | undefined
  for await (const part of readForm(request, formLimits)) {
    if ('value' in part && part.name === 'kind') kind = part.value
    else if (part.name !== 'file') refuseField(part.name)
    else if ('value' in part)
      refuse('FILE_MISSING', { field: 'file' }, 'file: send it as a file, with a file name')
    else if (bytes) invalidField({ refusal: 'INVALID_MEDIA', field: 'file' }, 'send one image')
    else bytes = await readFile(part, kind ?? 'file')
  }
  const slot = checkSlot(kind)
  return {
    slot,
    bytes:
      bytes ??
      refuse('FILE_MISSING', { field: 'file' }, explain('no_image', 'file: send an image')),
  }
}

const refuseField = (name: string): never =>
  invalidField(
    { refusal: 'INVALID_MEDIA', field: name.slice(0, 40) },
    'there is no such field; send kind and file',
  )

/** Undefined for the empty part that a browser sends for a file input without a file. */
async function readFile({ filename, bytes }: FilePart, field: string): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of bytes) {
    size += chunk.length
    if (size > MAX_PROFILE_IMAGE_BYTES)
      invalidField(
        { refusal: 'IMAGE_REJECTED', field: field.slice(0, 40) },
        explain('image_over_bytes', `it is larger than ${MAX_PROFILE_IMAGE_BYTES} bytes`, {
          max_bytes: MAX_PROFILE_IMAGE_BYTES,
        }),
      )
    chunks.push(chunk)
  }
  return size === 0 && filename === '' ? undefined : Buffer.concat(chunks)
}
