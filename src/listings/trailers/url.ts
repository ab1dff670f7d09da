import type { Addresses } from '../../core/runtime/config.ts'
import { type VideoType, videoEndings } from './trailer-rules.ts'

export const VIDEO_PREFIX = 'trailers/'

/** The key of a video in the object store. */
export const videoKey = ({ game_uid, object_uid }: { game_uid: string; object_uid: string }) =>
  `${VIDEO_PREFIX}${game_uid}/${object_uid}`

export const objectOfKey = (key: string) => key.slice(key.lastIndexOf('/') + 1)

type Video = { uid: string; object_uid: string; type: VideoType }

/** The URL of a video. A video that replaces another one has its own. */
export const videoUrl = ({ web_url }: Addresses, { uid, object_uid, type }: Video) =>
  `${web_url}/media/trailers/${uid}/${object_uid}.${videoEndings[type]}`

export const captionsUrl = ({ web_url }: Addresses, uid: string, language: string) =>
  `${web_url}/media/trailers/${uid}/captions/${language}.vtt`
