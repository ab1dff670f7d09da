import { isoTime, type Sql, type Tx } from '../../core/database/sql.ts'
import type { ImageType } from '../media/image-rules.ts'
import type { StoredImage } from '../media/store.ts'
import type { ScanState, VideoType } from './trailer-rules.ts'
import type { StoredVideo } from './video.ts'

type Poster = { sha256: string; type: ImageType }

/** A trailer with the languages of its captions. Either `outside_url` or the video is null. */
export type TrailerRow = {
  uid: string
  position: number
  title: string
  outside_url: string | null
  object_uid: string | null
  type: VideoType | null
  size: number | null
  width: number | null
  height: number | null
  duration_seconds: number | null
  scan: ScanState
  scan_detail: string | null
  uploaded_at: string
  poster: Poster | null
  languages: string[]
}

/** The trailers of the listing `l`, as JSON in their order: all, or only those that are public. */
export const trailersColumn = (sql: Sql | Tx, which: 'all' | 'public' = 'public') => sql`
  coalesce((
    select json_agg(json_build_object(
      'uid', v.uid, 'position', v.position, 'title', v.title, 'outside_url', v.outside_url,
      'object_uid', v.object_uid, 'type', v.type, 'size', v.size,
      'width', v.width, 'height', v.height, 'duration_seconds', v.duration_seconds,
      'scan', v.scan, 'scan_detail', v.scan_detail,
      'uploaded_at', ${isoTime(sql, sql`v.uploaded_at`)},
      'poster', case when v.poster_sha256 is not null then
        json_build_object('sha256', v.poster_sha256, 'type', v.poster_type)
      end,
      'languages', array(
        select c.language
        from trailer_captions c
        where c.trailer_uid = v.uid
        order by c.language
      )
    ) order by v.position, v.uid)
    from listing_trailers v
    where v.game_uid = l.uid and (v.scan = 'clean' or ${which === 'all'})
  ), '[]')`

/** All trailers of a listing, in their order. */
export async function readTrailerRows(sql: Sql | Tx, game_uid: string): Promise<TrailerRow[]> {
  const [row] = await sql<{ trailers: TrailerRow[] }[]>`
    select ${trailersColumn(sql, 'all')} as trailers
    from listings l
    where l.uid = ${game_uid}`
  return row?.trailers ?? []
}

type NewTrailer = { uid: string; game_uid: string; position: number; title: string }

export async function insertTrailer(
  tx: Tx,
  trailer: NewTrailer,
  content: StoredVideo | { outside_url: string },
): Promise<void> {
  const scan = 'outside_url' in content ? 'clean' : 'scanning'
  await tx`insert into listing_trailers ${tx({ ...trailer, ...content, scan })}`
}

/** The new video is scanned before it is public. */
export async function replaceVideo(tx: Tx, uid: string, video: StoredVideo): Promise<void> {
  const columns = { ...video, scan: 'scanning', scan_detail: null, uploaded_at: new Date() }
  await tx`update listing_trailers set ${tx(columns)} where uid = ${uid}`
}

export async function updateTitle(tx: Tx, uid: string, title: string): Promise<void> {
  await tx`update listing_trailers set title = ${title} where uid = ${uid} and title <> ${title}`
}

export async function updatePoster(tx: Tx, uid: string, poster: StoredImage | null): Promise<void> {
  await tx`
    update listing_trailers
    set poster_sha256 = ${poster?.sha256 ?? null}, poster_type = ${poster?.type ?? null},
      poster_width = ${poster?.width ?? null}, poster_height = ${poster?.height ?? null},
      poster_size = ${poster?.size ?? null}
    where uid = ${uid}`
}

export async function updateCaptions(
  tx: Tx,
  trailer: { uid: string; game_uid: string },
  { language, content }: { language: string; content: string },
): Promise<void> {
  const row = { trailer_uid: trailer.uid, game_uid: trailer.game_uid, language, content }
  await tx`
    insert into trailer_captions ${tx(row)}
    on conflict (trailer_uid, language) do update set content = ${content}, updated_at = now()`
}

export async function deleteCaptions(tx: Tx, uid: string, language: string): Promise<void> {
  await tx`delete from trailer_captions where trailer_uid = ${uid} and language = ${language}`
}

export async function deleteTrailer(tx: Tx, uid: string): Promise<void> {
  await tx`delete from listing_trailers where uid = ${uid}`
}

/** Numbers the trailers from 0 in the order of the uids. */
export async function placeTrailers(tx: Tx, game_uid: string, uids: string[]): Promise<void> {
  await tx`
    update listing_trailers v
    set position = o.place - 1
    from unnest(${uids}::uuid[]) with ordinality o (uid, place)
    where v.game_uid = ${game_uid} and v.uid = o.uid and v.position <> o.place - 1`
}

export type ServedVideo = {
  game_uid: string
  object_uid: string
  type: VideoType
  size: number
  sha256: string
  scan: ScanState
}

/** The video of a trailer of a listing that exists. */
export async function findVideo(sql: Sql, uid: string): Promise<ServedVideo | undefined> {
  const [video] = await sql<ServedVideo[]>`
    select v.game_uid, v.object_uid, v.type, v.size, v.sha256, v.scan
    from listing_trailers v
    join listings l on l.uid = v.game_uid
    where v.uid = ${uid} and v.object_uid is not null`
  return video
}

/** Captions of a trailer of a listing that exists. */
export async function findCaptions(
  sql: Sql,
  uid: string,
  language: string,
): Promise<{ game_uid: string; content: string } | undefined> {
  const [captions] = await sql<{ game_uid: string; content: string }[]>`
    select c.game_uid, c.content
    from trailer_captions c
    join listings l on l.uid = c.game_uid
    where c.trailer_uid = ${uid} and c.language = ${language}`
  return captions
}

export type VideoToScan = { game_uid: string; size: number; waited_seconds: number }

/** A video that waits for its scan; undefined once it is scanned, replaced or deleted. */
export async function readVideoToScan(
  sql: Sql,
  object_uid: string,
): Promise<VideoToScan | undefined> {
  const [video] = await sql<VideoToScan[]>`
    select v.game_uid, v.size,
      extract(epoch from now() - v.uploaded_at)::float8 as waited_seconds
    from listing_trailers v
    where v.object_uid = ${object_uid} and v.scan = 'scanning'`
  return video
}

/** Stores the result of a scan, unless the video was replaced or deleted meanwhile. */
export async function settleVideoScan(
  tx: Tx,
  object_uid: string,
  { state, detail }: { state: ScanState; detail: string | null },
): Promise<void> {
  await tx`
    update listing_trailers
    set scan = ${state}, scan_detail = ${detail}
    where object_uid = ${object_uid} and scan = 'scanning'`
}

/** Those of the objects that a trailer refers to. Rejected videos are removed. */
export async function findRecordedVideos(sql: Sql, object_uids: string[]): Promise<Set<string>> {
  const rows = await sql<{ object_uid: string }[]>`
    select object_uid
    from listing_trailers
    where object_uid = any(${object_uids}::uuid[]) and scan in ('scanning', 'clean')`
  return new Set(rows.map(({ object_uid }) => object_uid))
}
