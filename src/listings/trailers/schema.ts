import { type Static, Type } from 'typebox'
import { FileBytes, Nullable, nameSchemas, OneOf, Timestamp, Uid } from '../../core/http/route.ts'
import { scanStates, trailerKinds, trailerLimits, videoTypes } from './trailer-rules.ts'

const Text = Type.String()
const { title } = trailerLimits

const CaptionsData = Type.Object({ language: Text, url: Text })

/**
 * A trailer. `url` is the video file, or the page of a video on another host. What only a file has
 * is null for the others, and the other way round. `poster` is a URL, or empty without an image.
 */
export const TrailerData = Type.Object({
  uid: Uid,
  kind: OneOf(trailerKinds),
  title: Text,
  url: Text,
  type: Nullable(OneOf(videoTypes)),
  size: Nullable(Type.Integer()),
  width: Nullable(Type.Integer()),
  height: Nullable(Type.Integer()),
  duration_seconds: Nullable(Type.Integer()),
  embed_url: Nullable(Text),
  embed_host: Nullable(Text),
  poster: Text,
  captions: Type.Array(CaptionsData),
  uploaded_at: Timestamp,
})
export type Trailer = Static<typeof TrailerData>

const OwnTrailerData = Type.Object({
  ...TrailerData.properties,
  position: Type.Integer(),
  scan: OneOf(scanStates),
  scan_detail: Nullable(Text),
})

export const TrailersData = Type.Object({
  game_uid: Uid,
  trailers: Type.Array(OwnTrailerData),
  trailers_max: Type.Integer(),
})
nameSchemas({
  Trailer: TrailerData,
  OwnTrailer: OwnTrailerData,
  ListingTrailers: TrailersData,
  TrailerCaptions: CaptionsData,
})

const parts = {
  title: Type.Optional(Type.String({ maxLength: title, description: 'What the video shows' })),
  poster: Type.Optional(FileBytes('The image before it plays, with the rules of the gallery')),
  language: Type.Optional(
    Type.String({ description: 'The BCP 47 code of the language of the captions' }),
  ),
  captions: Type.Optional(FileBytes('Captions as WebVTT, up to 1 MB')),
}

/** The forms that are read part by part in form.ts, for the API description. */
export const trailerForm = {
  body: {
    'multipart/form-data': Type.Object({
      ...parts,
      video: FileBytes('An MP4 or WebM video, up to 100 MB'),
    }),
  },
}
export const trailerPartsForm = {
  body: {
    'multipart/form-data': Type.Object({
      ...parts,
      video: Type.Optional(FileBytes('Replaces the video; it is scanned again')),
    }),
  },
}
