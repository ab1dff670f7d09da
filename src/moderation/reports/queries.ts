import { isVerified } from '../../accounts/people/role-queries.ts'
import { isoTime, type Sql, type Tx } from '../../core/database/sql.ts'
import { wherePublic } from '../../listings/listing/visibility-queries.ts'
import { type Action, isFavorable, type TargetType } from '../decisions.ts'
import type { Target } from '../targets/queries.ts'
import type { AnnouncedReport } from './mail-templates.ts'
import type { CopyrightClaim, ReportKind } from './report-input.ts'

export async function isShownReview(sql: Sql, uid: string): Promise<boolean> {
  const [row] = await sql`select from reviews where uid = ${uid}`
  return row !== undefined
}

export async function isShownTag(sql: Sql, game_uid: string, tag: string): Promise<boolean> {
  const [row] = await sql`
    select from shown_community_tags where game_uid = ${game_uid} and tag = ${tag}`
  return row !== undefined
}

/** Whether everyone can know of a person: by a public listing, a profile or a review. */
export async function isPublicPerson(sql: Sql, uid: string): Promise<boolean> {
  const [row] = await sql`
    select
    from users u
    where u.uid = ${uid} and (
      exists (select from listings l where l.owner_uid = u.uid and ${wherePublic(sql)})
      or exists (select from profiles p where p.user_uid = u.uid and p.is_public
        and ${isVerified(sql)})
      or exists (select from reviews r where r.user_uid = u.uid))`
  return row !== undefined
}

type NewReport = {
  uid: string
  kind: ReportKind
  text: string
  urls: string[]
  copyright: CopyrightClaim | null
  contact_email: string | null
  user_uid: string | null
  reporter_hash: Buffer
  /** Of the network address, for people who are not signed in. */
  network_hash: Buffer | null
  announced_at: Date | null
}

/** False if the reporter, or their network address, has an open report about the target. */
export async function insertReport(
  tx: Tx,
  { type, id, name, game_uid, subject_uid }: Target,
  { copyright, ...report }: NewReport,
): Promise<boolean> {
  const row = {
    ...report,
    target_type: type,
    target_id: id,
    target_name: name,
    game_uid,
    subject_uid,
    copyright: copyright && (tx.json(copyright) as never),
  }
  const { count } = await tx`
    insert into reports ${tx({ ...row, snapshot: tx.json({}) as never })}
    on conflict do nothing`
  return count === 1
}

const usernameOf = (sql: Tx, uid: ReturnType<Tx>) =>
  sql`(select u.username from users u where u.uid = ${uid})`

/** Enough to recognize what was reported; a report must stay small. */
const MAX_SNAPSHOT_FILES = 500

const listingFiles = (tx: Tx) => tx`
  coalesce((
    select jsonb_agg(jsonb_build_object(
      'filename', f.filename, 'size', f.size, 'sha256', f.checksum, 'scan', f.scan)
      order by f.uploaded_at desc, f.uid)
    from (
      select filename, size, checksum, scan, uploaded_at, uid
      from files
      where game_uid = l.uid
      order by uploaded_at desc, uid
      limit ${MAX_SNAPSHOT_FILES}) f), '[]')`

/** The tagline and the description in each other language. */
const listingTranslations = (tx: Tx) => tx`
  coalesce((
    select jsonb_agg(
      concat_ws(E'\n', language, text ->> 'tagline', text ->> 'description') order by language)
    from jsonb_each(l.translations) as translation (language, text)), '[]')`

const listingSnapshot = (tx: Tx, uid: string) => tx`
  select jsonb_build_object(
    'owner', ${usernameOf(tx, tx`l.owner_uid`)}, 'asset_type', l.asset_type,
    'name', l.name, 'tagline', l.tagline, 'description', l.description,
    'translations', ${listingTranslations(tx)},
    'mod_instructions', l.mod_instructions, 'demo_url', l.demo_url,
    'tags', l.tags, 'genres', l.genres, 'accessibility', l.accessibility,
    'adult', l.adult, 'content_warnings', l.content_warnings,
    'authorship', l.authorship, 'authorship_credit', l.authorship_credit, 'ai_uses', l.ai_uses,
    'license_kind', l.license_kind, 'price_cents', l.price_cents,
    'files', ${listingFiles(tx)}) as snapshot
  from all_listings l
  where l.uid = ${uid}`

const fileSnapshot = (tx: Tx, uid: string) => tx`
  select jsonb_build_object(
    'filename', f.filename, 'size', f.size, 'sha256', f.checksum, 'scan', f.scan,
    'uploaded_at', ${isoTime(tx, tx`f.uploaded_at`)},
    'findings', coalesce((
      select jsonb_agg(h.detail order by h.seq)
      from scan_history h
      where h.file_uid = f.uid and h.detail is not null), '[]'),
    'entries', coalesce((
      select jsonb_agg(e.path order by e.position)
      from (
        select path, position from file_entries where file_uid = f.uid order by position limit 500
      ) e), '[]')) as snapshot
  from files f
  where f.uid = ${uid}`

const reviewSnapshot = (tx: Tx, uid: string) => tx`
  select jsonb_build_object(
    'author', ${usernameOf(tx, tx`r.user_uid`)}, 'text', r.text, 'enjoyed', r.enjoyed,
    'quality', r.quality, 'reply', r.reply_text) as snapshot
  from all_reviews r
  where r.uid = ${uid}`

const personSnapshot = (tx: Tx, uid: string) => tx`
  select jsonb_build_object(
    'username', u.username, 'bio', coalesce(p.bio, ''),
    'links', coalesce(p.links, '{}')) as snapshot
  from users u
  left join profiles p on p.user_uid = u.uid and p.is_public
  where u.uid = ${uid}`

const messageSnapshot = (tx: Tx, uid: string) => tx`
  select jsonb_build_object('message', b.message) as snapshot
  from bugs b
  where b.uid = ${uid}`

/** The target as it is now, without mail addresses and keys. */
const snapshotOf = (tx: Tx, { type, id, name }: Target) => {
  switch (type) {
    case 'listing':
      return listingSnapshot(tx, id)
    case 'file':
      return fileSnapshot(tx, id)
    case 'review':
      return reviewSnapshot(tx, id)
    case 'person':
      return personSnapshot(tx, id)
    case 'bug_message':
      return messageSnapshot(tx, id)
    default:
      return tx`select jsonb_build_object('name', ${name}::text) as snapshot`
  }
}

/** Keeps what the target is at this moment, and the content of its images. */
export async function saveSnapshot(tx: Tx, uid: string, target: Target): Promise<void> {
  await tx`
    update reports
    set snapshot = taken.snapshot
    from (${snapshotOf(tx, target)}) taken
    where uid = ${uid}`
  if (target.type === 'listing')
    await tx`
      insert into report_images (report_uid, sha256, type, size)
      select distinct on (i.sha256) ${uid}::uuid, i.sha256, i.type, i.size
      from shown_images i
      where i.game_uid = ${target.id}`
  if (target.type === 'person')
    await tx`
      insert into report_images (report_uid, sha256, type, size)
      select distinct on (i.sha256) ${uid}::uuid, i.sha256, i.type, i.size
      from profile_images i
      where i.user_uid = ${target.id}`
}

export type ReportState = {
  uid: string
  target_type: TargetType
  target_name: string
  kind: ReportKind
  created_at: Date
  decided_at: Date | null
  action: Action | null
}

export async function readReport(sql: Sql, uid: string): Promise<ReportState | undefined> {
  const [row] = await sql<ReportState[]>`
    select r.uid, r.target_type, r.target_name, r.kind, r.created_at, r.decided_at, a.action
    from reports r
    left join moderation_actions a on a.uid = r.action_uid
    where r.uid = ${uid}`
  return row
}

/** What reporters learn of a decision. */
export const outcomeOf = (action: Action | null) =>
  action === null ? null : isFavorable(action) ? 'no_action' : 'action_taken'

/** A target that was deleted, as its open reports name it. */
export async function findReported(
  tx: Tx,
  type: TargetType,
  id: string,
): Promise<Target | undefined> {
  const [target] = await tx<Target[]>`
    select target_type as type, target_id as id, target_name as name, null as game_uid,
      null as subject_uid
    from reports
    where target_type = ${type} and target_id = ${id.toLowerCase()} and decided_at is null
    limit 1`
  return target
}

/** Closes every open report about a target with a decision; returns their uids. */
export async function closeReports(
  tx: Tx,
  { type, id }: Target,
  action_uid: string,
): Promise<string[]> {
  const rows = await tx<{ uid: string }[]>`
    update reports
    set decided_at = now(), action_uid = ${action_uid}, network_hash = null
    where target_type = ${type} and target_id = ${id} and decided_at is null
    returning uid`
  await tx`
    delete from moderation_assignments where target_type = ${type} and target_id = ${id}`
  return rows.map(({ uid }) => uid)
}

/** Seconds until the next mail to the team may be sent, which is every 10 minutes at most. */
export async function secondsToTeamMail(tx: Tx, interval_seconds: number): Promise<number> {
  const [row] = await tx<{ seconds: number }[]>`
    select coalesce(
      greatest(0, ceil(${interval_seconds} - extract(epoch from now() - max(announced_at)))),
      0)::int as seconds
    from reports`
  return row!.seconds
}

export const findReportsToAnnounce = (sql: Sql): Promise<(AnnouncedReport & { uid: string })[]> =>
  sql`
    select uid, target_type, target_name, kind
    from reports
    where announced_at is null
    order by created_at, uid
    limit 1000`

export async function markAnnounced(tx: Tx, uids: readonly string[]): Promise<void> {
  await tx`update reports set announced_at = now() where uid = any(${[...uids]}::uuid[])`
}

export type ReportMail = ReportState & { to: string; language: string | null }

/** A report and whom to answer, if there is an address: the contact, else the verified account. */
export async function findReportMail(sql: Sql, uid: string): Promise<ReportMail | undefined> {
  const [row] = await sql<ReportMail[]>`
    select r.uid, r.target_type, r.target_name, r.kind, r.created_at, r.decided_at, a.action,
      coalesce(r.contact_email, u.email) as to, u.language
    from reports r
    left join moderation_actions a on a.uid = r.action_uid
    left join users u on u.uid = r.user_uid and ${isVerified(sql)}
    where r.uid = ${uid} and coalesce(r.contact_email, u.email) is not null`
  return row
}

/** Removes addresses that nothing is mailed to any more. */
export async function forgetAddresses(tx: Tx, days: number): Promise<void> {
  await tx`
    update reports
    set contact_email = null
    where contact_email is not null and decided_at < now() - ${days} * interval '1 day'`
}
