import type { Sql, Tx } from '../../core/database/sql.ts'
import type { Addresses } from '../../core/runtime/config.ts'
import type { Core } from '../../core/runtime/core.ts'
import { crashPoint } from '../../core/runtime/crash-point.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import { invalidField } from '../fields/text.ts'
import { keepContent } from '../media/edit.ts'
import { imageUrl } from '../media/url.ts'
import { recordWithinQuota } from '../storage/quota.ts'
import type { TrailerUpload } from './form.ts'
import { outsideVideo, readOutsideVideo } from './outside-videos.ts'
import {
  deleteCaptions,
  deleteTrailer,
  insertTrailer,
  placeTrailers,
  readTrailerRows,
  replaceVideo,
  type TrailerRow,
  updateCaptions,
  updatePoster,
  updateTitle,
} from './queries.ts'
import type { Trailer } from './schema.ts'
import {
  checkCaptionCount,
  checkTrailerCount,
  checkTrailerOrder,
  readTitle,
  trailerField,
  trailerLimits,
} from './trailer-rules.ts'
import { captionsUrl, videoUrl } from './url.ts'

/** A listing that the caller has locked. */
type Locked = { uid: string }

/** A trailer as answers show it; undefined if its host is no longer accepted. */
export function showTrailer(addresses: Addresses, row: TrailerRow): Trailer | undefined {
  const { uid, title, type, size, width, height, duration_seconds, uploaded_at } = row
  const outside = row.outside_url === null ? undefined : outsideVideo(row.outside_url)
  if (row.outside_url !== null && !outside) return undefined
  const { object_uid } = row
  const file_url = object_uid && type ? videoUrl(addresses, { uid, object_uid, type }) : ''
  return {
    uid,
    kind: outside ? 'outside' : 'file',
    title,
    url: outside?.url ?? file_url,
    type,
    size,
    width,
    height,
    duration_seconds,
    embed_url: outside?.embed_url ?? null,
    embed_host: outside?.host ?? null,
    poster: row.poster ? imageUrl(addresses, row.poster) : '',
    captions: row.languages.map((language) => ({
      language,
      url: captionsUrl(addresses, uid, language),
    })),
    uploaded_at,
  }
}

/** The trailers of a page or of a line of the export. */
export const showTrailers = (addresses: Addresses, rows: readonly TrailerRow[]): Trailer[] =>
  rows.flatMap((row) => showTrailer(addresses, row) ?? [])

/** All trailers of a listing, for its editors. */
export async function readTrailers(core: Core, sql: Sql | Tx, game_uid: string) {
  const rows = await readTrailerRows(sql, game_uid)
  return {
    game_uid,
    trailers: rows.flatMap((row) => {
      const trailer = showTrailer(core.addresses, row)
      const { position, scan, scan_detail } = row
      return trailer ? [{ ...trailer, position, scan, scan_detail }] : []
    }),
    trailers_max: trailerLimits.max,
  }
}

export const addTrailer = (
  core: Core,
  tx: Tx,
  listing: Locked,
  upload: TrailerUpload,
): Promise<void> =>
  recordWithinQuota(core, tx, { game_uid: listing.uid, sender: 'developers' }, () =>
    insertUpload(core, tx, listing, upload),
  )

async function insertUpload(
  core: Core,
  tx: Tx,
  listing: Locked,
  upload: TrailerUpload,
): Promise<void> {
  const { video, title = '' } = upload
  if (!video)
    refuse('FILE_MISSING', { field: 'video' }, explain('video_missing', 'video: send a video'))
  const uid = await insertLast(tx, listing, title, video)
  await core.jobs.send(tx, 'scan.trailer', { object_uid: video.object_uid })
  await changeParts(core, tx, { uid, game_uid: listing.uid, languages: [] }, upload)
  crashPoint('trailer-recording')
}

export async function addOutsideVideo(
  tx: Tx,
  listing: Locked,
  { url, title }: { url: unknown; title: unknown },
): Promise<void> {
  const { url: outside_url } = readOutsideVideo(url)
  await insertLast(tx, listing, readTitle(title), { outside_url })
}

async function insertLast(
  tx: Tx,
  { uid: game_uid }: Locked,
  title: string,
  content: Parameters<typeof insertTrailer>[2],
): Promise<string> {
  const position = (await readTrailerRows(tx, game_uid)).length
  checkTrailerCount(position + 1)
  const uid = uuidv7()
  await insertTrailer(tx, { uid, game_uid, position, title }, content)
  return uid
}

async function findTrailer(tx: Tx, listing: Locked, uid: string): Promise<TrailerRow> {
  const rows = await readTrailerRows(tx, listing.uid)
  return rows.find((row) => row.uid === uid.toLowerCase()) ?? refuse('NOT_FOUND')
}

type Change = { trailer: string; upload: TrailerUpload }

/** Replaces the parts of a trailer that were sent. */
export const changeTrailer = (core: Core, tx: Tx, listing: Locked, change: Change): Promise<void> =>
  recordWithinQuota(core, tx, { game_uid: listing.uid, sender: 'developers' }, () =>
    replaceSentParts(core, tx, listing, change),
  )

async function replaceSentParts(
  core: Core,
  tx: Tx,
  listing: Locked,
  { trailer, upload }: Change,
): Promise<void> {
  const { uid, languages, outside_url } = await findTrailer(tx, listing, trailer)
  const { video, title, captions } = upload
  if (Object.keys(upload).length === 0)
    refuse(
      'FILE_MISSING',
      undefined,
      explain('trailer_unchanged', 'Send at least one of title, video, poster and captions'),
    )
  if (outside_url !== null && (video || captions))
    invalidField(
      trailerField(video ? 'video' : 'captions'),
      explain(
        'outside_files',
        'a video of another host has no files here; delete it and upload the video',
      ),
    )
  if (title !== undefined) await updateTitle(tx, uid, title)
  if (video) {
    await replaceVideo(tx, uid, video)
    await core.jobs.send(tx, 'scan.trailer', { object_uid: video.object_uid })
  }
  await changeParts(core, tx, { uid, game_uid: listing.uid, languages }, upload)
}

async function changeParts(
  core: Core,
  tx: Tx,
  trailer: { uid: string; game_uid: string; languages: string[] },
  { poster, captions }: TrailerUpload,
): Promise<void> {
  if (poster) {
    await updatePoster(tx, trailer.uid, poster)
    await keepContent(core, tx, [poster.sha256])
  }
  if (!captions) return
  checkCaptionCount(new Set([...trailer.languages, captions.language]).size)
  await updateCaptions(tx, trailer, captions)
}

export async function removePoster(tx: Tx, listing: Locked, uid: string): Promise<void> {
  const trailer = await findTrailer(tx, listing, uid)
  if (!trailer.poster) refuse('NOT_FOUND')
  await updatePoster(tx, trailer.uid, null)
}

export async function removeCaptions(
  tx: Tx,
  listing: Locked,
  { trailer, language }: { trailer: string; language: string },
): Promise<void> {
  const { uid, languages } = await findTrailer(tx, listing, trailer)
  if (!languages.includes(language)) refuse('NOT_FOUND')
  await deleteCaptions(tx, uid, language)
}

export async function removeTrailer(tx: Tx, listing: Locked, uid: string): Promise<void> {
  const trailer = await findTrailer(tx, listing, uid)
  await deleteTrailer(tx, trailer.uid)
  const remaining = await readTrailerRows(tx, listing.uid)
  await placeTrailers(
    tx,
    listing.uid,
    remaining.map(({ uid }) => uid),
  )
}

export async function orderTrailers(tx: Tx, listing: Locked, order: unknown): Promise<void> {
  const current = (await readTrailerRows(tx, listing.uid)).map(({ uid }) => uid)
  await placeTrailers(tx, listing.uid, checkTrailerOrder(current, order))
}
