import { suspensionOf } from '../accounts/people/suspension-queries.ts'
import { objectUid } from '../builds/files/queries.ts'
import type { Sql, Tx } from '../core/database/sql.ts'
import type { StoredBuild } from './entries.ts'

export const orientations = ['any', 'landscape', 'portrait'] as const
export type Orientation = (typeof orientations)[number]

/** A web build that passed its scan, with what its listing says about playing it. */
export type WebBuild = StoredBuild & {
  anonymous_downloads: boolean
  connect_origins: string[]
  embeddable: boolean
  orientation: Orientation
  /** Whether it runs in a page of its own process, which threads need. */
  isolated: boolean
}

export async function readWebBuild(
  sql: Sql,
  game_uid: string,
  file_uid: string,
): Promise<WebBuild | undefined> {
  const [row] = await sql<WebBuild[]>`
    select f.uid, ${objectUid(sql)} as object_uid, f.game_uid, f.size, l.anonymous_downloads,
      coalesce(s.connect_origins, '{}') as connect_origins,
      coalesce(s.embeddable, false) as embeddable,
      coalesce(s.orientation, 'any') as orientation, u.build_uid is null as isolated
    from files f
    join listings l on l.uid = f.game_uid
    left join play_settings s on s.game_uid = l.uid
    left join play_unisolated_builds u on u.build_uid = f.build_uid
    where f.uid = ${file_uid} and f.game_uid = ${game_uid} and f.os = 'web' and f.scan = 'clean'
      and f.web_problem is null`
  return row
}

/** How long the files of a build are served after another took its place on a channel. */
const SUPERSEDED_HOURS = 24

/**
 * Whether a channel delivered the clean file until a release or a rollback a short while ago. What
 * was withdrawn, quarantined or deleted is gone at once.
 */
export async function wasDelivered(
  sql: Sql,
  game_uid: string,
  file_uid: string,
  channels: string[],
): Promise<boolean> {
  const [row] = await sql`
    select
    from files f
    join channel_history h on h.game_uid = f.game_uid and h.from_build_uid = f.build_uid
      and h.os = f.os and h.arch = f.arch
    where f.uid = ${file_uid} and f.game_uid = ${game_uid} and f.scan = 'clean'
      and h.channel = any(${channels}) and h.event in ('upload', 'promote', 'rollback')
      and h.at > now() - ${SUPERSEDED_HOURS} * interval '1 hour'
    limit 1`
  return row !== undefined
}

/** The account that plays, unless it is gone, signed out or may do nothing. */
export async function readPlayer(
  sql: Sql,
  { user_uid, session_uid }: { user_uid: string; session_uid: string | null },
): Promise<{ user_uid: string; show_adult: boolean } | null> {
  const [row] = await sql<{ user_uid: string; show_adult: boolean }[]>`
    select u.uid as user_uid, u.show_adult
    from users u
    where u.uid = ${user_uid}
      and ${suspensionOf(sql)} ->> 'scope' is distinct from 'everything'
      and (${session_uid}::uuid is null or exists (
        select
        from sessions s
        where s.uid = ${session_uid} and s.user_uid = u.uid and s.expires_at > now()))`
  return row ?? null
}

export type PlaySettings = Pick<WebBuild, 'connect_origins' | 'embeddable' | 'orientation'>

export async function readPlaySettings(sql: Sql, game_uid: string): Promise<PlaySettings> {
  const [row] = await sql<PlaySettings[]>`
    select connect_origins, embeddable, orientation
    from play_settings
    where game_uid = ${game_uid}`
  return row ?? { connect_origins: [], embeddable: false, orientation: 'any' }
}

export async function savePlaySettings(
  tx: Tx,
  game_uid: string,
  { connect_origins, embeddable, orientation }: PlaySettings,
): Promise<void> {
  await tx`
    insert into play_settings (game_uid, connect_origins, embeddable, orientation)
    values (${game_uid}, ${connect_origins}, ${embeddable}, ${orientation})
    on conflict (game_uid) do update
    set connect_origins = excluded.connect_origins, embeddable = excluded.embeddable,
      orientation = excluded.orientation, updated_at = now()`
}
