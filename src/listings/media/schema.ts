import { Type } from 'typebox'
import { Uid } from '../../core/http/route.ts'

/** A URL, or an empty string if there is no image. */
const Address = Type.String()

export const MediaData = Type.Object({
  game_uid: Uid,
  cover: Address,
  thumbnail: Address,
  gallery: Type.Array(Type.Object({ uid: Uid, url: Address, position: Type.Integer() })),
  gallery_max: Type.Integer(),
})
