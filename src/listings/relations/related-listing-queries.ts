import type { Sql, Tx } from '../../core/database/sql.ts'

/** Which other listings `o` an editor may see named: public ones, and hidden ones they run. */
export const editorMayName = (sql: Sql | Tx, editor_uid: string) => sql`(
  o.visibility = 'public' or o.owner_uid = ${editor_uid} or exists (
    select
    from listing_admins a
    where a.game_uid = o.uid and a.user_uid = ${editor_uid} and a.accepted_at is not null
  )
)`

/** The engine versions a listing `l` declares compatibility with, as JSON. */
export const engineRanges = (sql: Sql | Tx) => sql`
  coalesce((
    select json_agg(json_build_object(
      'engine', r.engine, 'min_version', r.min_version, 'max_version', r.max_version,
      'renderer', r.renderer, 'platform', r.platform
    ) order by r.position)
    from listing_engine_ranges r
    where r.game_uid = l.uid
  ), '[]')`
