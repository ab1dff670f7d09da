import { Type } from 'typebox'
import { FileBytes, nameSchemas, OneOf, Uid } from '../../core/http/route.ts'
import { MAX_ALT, mediaKinds } from './image-rules.ts'

/** A URL, or an empty string if there is no image. */
const Address = Type.String()

/** `alt` is what the image shows, or empty. */
export const GalleryImageData = Type.Object({
  uid: Uid,
  url: Address,
  position: Type.Integer(),
  alt: Type.String(),
})

export const MediaData = Type.Object({
  game_uid: Uid,
  cover: Address,
  thumbnail: Address,
  gallery: Type.Array(GalleryImageData),
  gallery_max: Type.Integer(),
})
nameSchemas({ ListingImages: MediaData, GalleryImage: GalleryImageData })

/** What the rule for the order of a gallery accepts. */
export const galleryOrder = Type.Array(Uid, {
  description: 'The uid of every gallery image, exactly once',
})

/** The form that adds images, for the API description. It is read part by part in form.ts. */
export const mediaForm = {
  body: {
    'multipart/form-data': Type.Object({
      kind: OneOf(mediaKinds),
      position: Type.Optional(
        Type.String({ description: 'The place in the gallery, from 0; at the end by default' }),
      ),
      alt: Type.Optional(
        Type.String({
          maxLength: MAX_ALT,
          description: 'What a gallery image shows; repeat it once per file, in their order',
        }),
      ),
      file: FileBytes('An image; a gallery takes up to ten parts of this name'),
    }),
  },
}
