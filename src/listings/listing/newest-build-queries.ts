import type { PendingQuery, Row } from 'postgres'
import type { Sql, Tx } from '../../core/database/sql.ts'

type Fragment = PendingQuery<Row[]>

/**
 * The numbers and words of a version, each as text that sorts as `compareBuildVersions` orders it:
 * numbers by their length and then their digits, and before words.
 */
const segmentKeys = (sql: Sql | Tx, text: Fragment) => sql`
  coalesce((
    select string_agg(
      case when s.segment[1] ~ '^[0-9]'
        then '.1' || lpad(length(ltrim(s.segment[1], '0'))::text, 2, '0')
          || ltrim(s.segment[1], '0')
        else '.2' || s.segment[1]
      end, '' order by s.position)
    from regexp_matches(${text}, '[0-9]+|[a-z\\u0080-\\U0010ffff]+', 'g')
      with ordinality as s (segment, position)
  ), '')`

/** A version in lowercase, without a leading v and without build metadata. */
const plainVersion = (sql: Sql | Tx, version: Fragment) => sql`
  regexp_replace(regexp_replace(lower(btrim(${version})), '^v(?=[0-9])', ''), '[+].*$', '')`

/**
 * A key of a version. By bytes, keys have the order of `compareBuildVersions` of
 * builds/channels/build-order.ts. Zeros at the end of a release do not count, and a release comes
 * after its pre-releases.
 */
export const versionKey = (sql: Sql | Tx, version: Fragment) => sql`
  (
    select
      regexp_replace(${segmentKeys(sql, sql`split_part(v.plain, '-', 1)`)}, '([.]100)+$', '') || ' '
      || case when position('-' in v.plain) = 0 then '~'
        else ${segmentKeys(sql, sql`substr(v.plain, position('-' in v.plain) + 1)`)}
      end
    from (select ${plainVersion(sql, version)} as plain) v
  )`

/**
 * The uid of the newest build that the stable channel of the main app points at, on any platform,
 * while the channel has not expired. It is the build that `newestBuild` finds: by version, then by
 * time of registration. Keys are computed only if there is more than one version.
 */
export const newestStableBuild = (sql: Sql | Tx, game_uid: Fragment) => sql`
  (
    select n.uid
    from channel_heads s
    join builds n on n.uid = s.build_uid
    where s.game_uid = ${game_uid} and s.app = '' and s.channel = 'stable'
      and n.withdrawn_at is null
      and not exists (
        select
        from channels c
        where c.game_uid = s.game_uid and c.app = '' and c.channel = 'stable'
          and c.expires_at <= now()
      )
    order by
      case when min(n.version) over () <> max(n.version) over ()
        then ${versionKey(sql, sql`n.version`)}
      end collate "C" desc,
      date_trunc('milliseconds', n.created_at) desc, n.uid desc
    limit 1
  )`
