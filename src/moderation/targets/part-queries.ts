import type { Sql } from '../../core/database/sql.ts'
import type { TargetType } from '../decisions.ts'
import { whereModerated } from './queries.ts'
import { listingTimes } from './state-queries.ts'
import { type ListingTimes, listingStates, type StateName } from './states.ts'

/** What belongs to a listing, a build or a person, and can be decided on by itself. */
export const partTypes = ['listing', 'build', 'file', 'image', 'review', 'community_tag'] as const
export type PartType = (typeof partTypes)[number]

export const partsOf: Partial<Record<TargetType, readonly PartType[]>> = {
  listing: ['build', 'file', 'image', 'review', 'community_tag'],
  build: ['file'],
  person: ['listing', 'review', 'image'],
}

export type PartRow = {
  target_id: string
  name: string
  text: string
  state: StateName
  /** The hash of an image. */
  sha256: string | null
  created_at: Date | null
}

type Owner = { type: TargetType; id: string }
type Rows = ReturnType<Sql>

const builds = (sql: Sql, { id }: Owner): Rows => sql`
  select b.uid::text as target_id,
    concat_ws(' ', nullif(b.app, ''), b.version, nullif(b.os, ''), nullif(b.arch, '')) as name,
    b.channel as text, null as sha256, b.created_at,
    case
      when b.quarantined_at is not null then 'quarantined'
      when b.withdrawn_at is not null then 'withdrawn'
      else 'clean'
    end as state
  from builds b
  where b.game_uid = ${id}`

const files = (sql: Sql, { type, id }: Owner): Rows => sql`
  select f.uid::text as target_id, f.filename as name, b.version as text, null as sha256,
    f.uploaded_at as created_at, f.scan as state
  from files f
  join builds b on b.uid = f.build_uid
  where ${type === 'build' ? sql`f.build_uid` : sql`f.game_uid`} = ${id}`

const images = (sql: Sql, { type, id }: Owner): Rows => {
  const stored = type === 'person' ? sql`profile_images` : sql`listing_images`
  const owner = type === 'person' ? sql`user_uid` : sql`game_uid`
  return sql`
    select i.uid::text as target_id, i.slot as name, '' as text, i.sha256, i.created_at,
      'public' as state
    from ${stored} i
    where i.${owner} = ${id}
    union all
    select r.uid::text, r.image ->> 'slot', '', r.sha256,
      (r.image ->> 'created_at')::timestamptz, 'removed'
    from removed_images r
    where r.${owner} = ${id}`
}

const reviews = (sql: Sql, { type, id }: Owner): Rows => sql`
  select r.uid::text as target_id,
    ${type === 'person' ? sql`l.name` : sql`u.username`} as name,
    r.text, null as sha256, r.created_at,
    case when r.removed_at is null then 'public' else 'removed' end as state
  from all_reviews r
  join users u on u.uid = r.user_uid
  join all_listings l on l.uid = r.game_uid
  where ${type === 'person' ? sql`r.user_uid` : sql`r.game_uid`} = ${id}`

const tags = (sql: Sql, { id }: Owner): Rows => sql`
  select c.game_uid || ':' || c.tag as target_id, c.tag as name, '' as text, null as sha256,
    null::timestamptz as created_at,
    case
      when c.removed_at is not null then 'removed'
      when s.tag is null then 'not_shown'
      else 'public'
    end as state
  from community_tags c
  left join shown_community_tags s on s.game_uid = c.game_uid and s.tag = c.tag
  where c.game_uid = ${id}`

/** Operators see all listings of a person, moderators those that others can know of. */
const listings = (sql: Sql, { id }: Owner, is_operator: boolean): Rows => sql`
  select l.uid::text as target_id, l.name, l.tagline as text, null as sha256, l.created_at,
    ${listingTimes(sql)}
  from all_listings l
  where l.owner_uid = ${id} and (${is_operator} or ${whereModerated(sql)})`

const sources: Record<PartType, (sql: Sql, owner: Owner, is_operator: boolean) => Rows> = {
  listing: listings,
  build: builds,
  file: files,
  image: images,
  review: reviews,
  community_tag: tags,
}

export type PartQuery = {
  type: PartType
  is_operator: boolean
  limit: number
  offset: number
}

/** The parts of one type, the newest first. */
export async function listParts(
  sql: Sql,
  owner: Owner,
  { type, is_operator, limit, offset }: PartQuery,
): Promise<{ items: PartRow[]; total: number }> {
  const source = sources[type]
  const [rows, [counted]] = await Promise.all([
    sql<(PartRow & ListingTimes)[]>`
      ${source(sql, owner, is_operator)}
      order by created_at desc nulls last, target_id desc
      limit ${limit} offset ${offset}`,
    sql<{ total: number }[]>`
      select count(*)::int as total
      from (${source(sql, owner, is_operator)}) parts`,
  ])
  const items =
    type === 'listing' ? rows.map((row) => ({ ...row, state: listingStates(row)[0]!.state })) : rows
  return { items, total: counted!.total }
}
