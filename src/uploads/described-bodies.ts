import { Type } from 'typebox'
import { appFields, platformFields } from '../builds/builds/schema.ts'
import { FileBytes, OneOf } from '../core/http/route.ts'

/**
 * The forms of uploads for the API description. The handlers read them part by part and check each
 * field with its own error code.
 */

const optionalText = (description: string) => Type.Optional(Type.String({ description }))
const checksum = Type.String({
  description: 'The SHA-256 of the zip in hexadecimal, with or without `sha256:`',
})
const buildFields = {
  build_id: optionalText('The uid of the build'),
  build: optionalText('Instead of build_id: the title of the build'),
  build_type: optionalText('With build: its type'),
  version: optionalText('With build: its version'),
}
const percent = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: 100,
    description:
      'Below 100, this part of the devices gets the build once it is clean, and the channel ' +
      'keeps its own; 100 by default',
  }),
)
const target = { ...buildFields, ...platformFields, percent, ...appFields }

const SessionForm = Type.Object({
  filename: Type.String({ description: 'The name of the zip' }),
  total_size: Type.String({ description: 'The size of the zip in bytes' }),
  checksum,
  ...target,
  format: Type.Optional(
    OneOf(['zip', 'delta'], {
      description: 'delta: what follows is a delta that POST /tool/upload/deltas prepared',
    }),
  ),
  source_checksum: optionalText('With a delta: the SHA-256 of the zip that the uploader packed'),
})

export const describedUpload = {
  headers: {
    'X-Upload-Session-ID': optionalText('For a chunk: the session it belongs to'),
    'Content-Range': optionalText('For a chunk: bytes <start>-<end>/<total_size>'),
  },
  body: {
    'multipart/form-data': Type.Object({
      checksum: Type.Optional(checksum),
      ...target,
      file: FileBytes('The zip, up to 5 GB, or a chunk of it'),
    }),
  },
}

export const describedSession = {
  body: { 'application/x-www-form-urlencoded': SessionForm, 'multipart/form-data': SessionForm },
}

export const describedSymbols = {
  body: {
    'multipart/form-data': Type.Object({
      build_id: Type.String({ description: 'The uid of the build' }),
      checksum: Type.Optional(Type.String({ description: 'The SHA-256 of the file' })),
      file: FileBytes('A Breakpad .sym file, or a zip of them'),
    }),
  },
}
