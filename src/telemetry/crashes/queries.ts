import { listingExists } from '../../accounts/people/role-queries.ts'
import type { Sql, Tx } from '../../core/database/sql.ts'
import { retention } from '../../core/runtime/retention.ts'
import type { Analysis } from '../dump/analyze.ts'
import type { ReportedFields } from './fields.ts'
import { type Group, isRegression, type Resolution } from './groups.ts'

/** A file of a crash report. */
export type Artifact = 'dump' | 'log'

export type NewCrash = ReportedFields & {
  uid: string
  game_uid: string
  build_uid: string
  report_key: Buffer | null
  device: string | null
  metadata: Record<string, unknown>
  dump_key: string | null
  dump_size: number | null
  log_key: string | null
  log_size: number | null
}

type Quota = { counter: 'reports' | 'uploads'; count: number; cap: number }

/** Uses up part of a game's daily quota. Returns false if too little is left. */
export async function useQuota(
  tx: Tx,
  game_uid: string,
  { counter, count, cap }: Quota,
): Promise<boolean> {
  if (count > cap) return false
  const column = tx(counter)
  const updated = await tx`
    insert into crash_days as d (game_uid, day, ${column})
    values (${game_uid}, (now() at time zone 'utc')::date, ${count})
    on conflict (game_uid, day) do update
    set ${column} = d.${column} + ${count}
    where d.${column} + ${count} <= ${cap}
    returning 1`
  return updated.length === 1
}

export type ExistingReport = { uid: string; dump_key: string | null; log_key: string | null }

/** Finds and locks an earlier report by the sender's own id. */
export async function findReport(
  tx: Tx,
  build_uid: string,
  report_key: Buffer,
): Promise<ExistingReport | undefined> {
  const [report] = await tx<ExistingReport[]>`
    select uid, dump_key, log_key
    from crashes
    where build_uid = ${build_uid} and report_key = ${report_key}
    for update`
  return report
}

/** Returns false if another request has just stored the same report. */
export async function insertCrash(tx: Tx, crash: NewCrash, group_uid: string): Promise<boolean> {
  const row = { ...crash, metadata: tx.json(crash.metadata as never), group_uid }
  const inserted = await tx`insert into crashes ${tx(row)} on conflict do nothing`
  return inserted.count === 1
}

export type CrashedBuild = {
  build_uid: string
  version: string
  created_at: Date
  os: string
  arch: string
}

export async function readCrashedBuild(
  tx: Sql | Tx,
  build_uid: string,
): Promise<CrashedBuild | undefined> {
  const [build] = await tx<CrashedBuild[]>`
    select b.uid as build_uid, b.version, b.created_at, b.os, b.arch
    from builds b
    where b.uid = ${build_uid}`
  return build
}

export type CrashOccurrence = { uid: string; game_uid: string; build: CrashedBuild; at: Date }
type GroupRow = Resolution & { uid: string }

/**
 * Adds a crash to its group, which is created if needed. A resolved group is marked as regressed if
 * the build should contain the fix.
 */
export async function joinGroup(
  tx: Tx,
  crash: CrashOccurrence,
  group: Group,
  new_uid: string,
): Promise<string> {
  const { uid, game_uid, build, at } = crash
  const [row] = await tx<GroupRow[]>`
    insert into crash_groups as g (uid, game_uid, group_key, kind, title,
      first_seen, last_seen, sample_crash_uid)
    values (${new_uid}, ${game_uid}, ${group.group_key}, ${group.kind}, ${group.title},
      ${at}, ${at}, ${uid})
    on conflict (game_uid, group_key) do update
    set first_seen = least(g.first_seen, excluded.first_seen),
      last_seen = greatest(g.last_seen, excluded.last_seen),
      sample_crash_uid = excluded.sample_crash_uid,
      title = coalesce(nullif(g.title, ''), excluded.title)
    returning uid, status, resolved_at, resolved_in`
  const group_row = row!
  await tx`
    insert into crash_group_builds as c (group_uid, build_uid, crashes, first_seen, last_seen)
    values (${group_row.uid}, ${build.build_uid}, 1, ${at}, ${at})
    on conflict (group_uid, build_uid) do update
    set crashes = c.crashes + 1,
      first_seen = least(c.first_seen, excluded.first_seen),
      last_seen = greatest(c.last_seen, excluded.last_seen)`
  if (isRegression(group_row, build))
    await tx`
      update crash_groups
      set status = 'regressed', regressed_at = ${at}, regressed_build_uid = ${build.build_uid}
      where uid = ${group_row.uid}`
  return group_row.uid
}

/**
 * Removes a crash from the group it was first put into. A group that is empty then is deleted, and
 * its bug reports follow the crash to the new group.
 */
export async function leaveGroup(
  tx: Tx,
  group_uid: string,
  build_uid: string,
  moved_to: string,
): Promise<void> {
  // The lock waits for transactions that are adding to the group, so the statements below see them.
  await tx`select from crash_groups where uid = ${group_uid} for update`
  await tx`
    update crash_group_builds
    set crashes = crashes - 1
    where group_uid = ${group_uid} and build_uid = ${build_uid}`
  await tx`
    delete from crash_group_builds
    where group_uid = ${group_uid} and build_uid = ${build_uid} and crashes <= 0`
  const [empty] = await tx`
    update crash_groups g
    set moved_to = ${moved_to}
    where g.uid = ${group_uid}
      and g.status = 'open'
      and not exists (select from crash_group_builds where group_uid = g.uid)
    returning 1`
  if (empty) await tx`delete from crash_groups where uid = ${group_uid}`
}

export type NewUploadLink = {
  token_hash: Buffer
  crash_uid: string
  kind: Artifact
  expires_at: Date
}

export async function insertLinks(tx: Tx, links: NewUploadLink[]): Promise<void> {
  await tx`insert into crash_uploads ${tx(links)}`
}

/** Returns the kinds for which there was an unused link. */
export async function deleteUnusedLinks(
  tx: Tx,
  crash_uid: string,
  kinds: Artifact[],
): Promise<Set<Artifact>> {
  const deleted = await tx<{ kind: Artifact }[]>`
    delete from crash_uploads
    where crash_uid = ${crash_uid} and kind = any(${kinds}) and used_at is null
    returning kind`
  return new Set(deleted.map(({ kind }) => kind))
}

export type UploadLinkRow = { crash_uid: string; game_uid: string; kind: Artifact; used: boolean }

/** A link that has not expired, used or not. */
export async function findLink(sql: Sql, token_hash: Buffer): Promise<UploadLinkRow | undefined> {
  const [link] = await sql<UploadLinkRow[]>`
    select u.crash_uid, c.game_uid, u.kind, u.used_at is not null as used
    from crash_uploads u
    join crashes c on c.uid = u.crash_uid
    where u.token_hash = ${token_hash} and u.expires_at > now() and ${listingExists(sql, 'c')}`
  return link
}

/** Returns true for exactly one of several concurrent requests. */
export async function useLink(tx: Tx, token_hash: Buffer): Promise<boolean> {
  const updated = await tx`
    update crash_uploads
    set used_at = now()
    where token_hash = ${token_hash} and used_at is null`
  return updated.count === 1
}

/** Returns false if the report already has this artifact, or was deleted. */
export async function setArtifact(
  tx: Tx,
  crash_uid: string,
  kind: Artifact,
  { key, size }: { key: string; size: number },
): Promise<boolean> {
  const updated = await tx`
    update crashes
    set ${tx({ [`${kind}_key`]: key, [`${kind}_size`]: size })}
    where uid = ${crash_uid} and ${tx(`${kind}_key`)} is null`
  return updated.count === 1
}

export type CrashWithDump = {
  uid: string
  game_uid: string
  build_uid: string
  dump_key: string
  created_at: Date
}

export async function readCrashWithDump(sql: Sql, uid: string): Promise<CrashWithDump | undefined> {
  const [crash] = await sql<CrashWithDump[]>`
    select uid, game_uid, build_uid, dump_key, created_at
    from crashes
    where uid = ${uid} and dump_key is not null`
  return crash
}

/** Locks a crash, so that no other transaction moves it between groups. */
export async function lockCrash(
  tx: Tx,
  uid: string,
): Promise<{ group_uid: string | null } | undefined> {
  const [crash] = await tx<{ group_uid: string | null }[]>`
    select group_uid
    from crashes
    where uid = ${uid}
    for update`
  return crash
}

export type AnalysisResult = {
  analysis: Analysis | { note: string }
  stack: string | null
  missing_symbols: boolean
}

export async function saveAnalysis(
  tx: Tx,
  uid: string,
  { analysis, stack, missing_symbols }: AnalysisResult,
): Promise<void> {
  await tx`
    update crashes
    set analysis = ${tx.json(analysis as never)}, stack = ${stack},
      missing_symbols = ${missing_symbols}, walked_at = now()
    where uid = ${uid}`
}

export async function moveToGroup(tx: Tx, uid: string, group_uid: string): Promise<void> {
  await tx`update crashes set group_uid = ${group_uid} where uid = ${uid}`
}

/** Crashes that lacked symbols which were uploaded since, newest first. */
export async function findCrashesWithNewSymbols(sql: Sql, limit: number): Promise<string[]> {
  const rows = await sql<{ uid: string }[]>`
    select c.uid
    from crashes c
    where c.missing_symbols
      and c.dump_key is not null
      and exists (
        select from symbols s
        where s.build_uid = c.build_uid and s.created_at > c.walked_at)
    order by c.created_at desc
    limit ${limit}`
  return rows.map(({ uid }) => uid)
}

/** Deletes reports past their retention. Returns the storage keys of their files. */
export async function deleteOldCrashes(
  tx: Tx,
  retention_days: number,
  limit: number,
): Promise<{ count: number; keys: string[] }> {
  const deleted = await tx<{ dump_key: string | null; log_key: string | null }[]>`
    delete from crashes
    where uid in (
      select uid
      from crashes
      where created_at < now() - ${retention_days} * interval '1 day'
      order by created_at
      limit ${limit})
    returning dump_key, log_key`
  const keys = deleted.flatMap(({ dump_key, log_key }) => [dump_key, log_key])
  return { count: deleted.length, keys: keys.filter((key) => key !== null) }
}

/**
 * Deletes groups past their retention. Resolved groups stay, so that a regression is noticed, but
 * without their title, which may quote a player.
 */
export async function deleteOldGroups(tx: Tx, retention_days: number): Promise<void> {
  const is_old = tx`last_seen < now() - ${retention_days} * interval '1 day'`
  await tx`delete from crash_groups where ${is_old} and status <> 'resolved'`
  await tx`update crash_groups set title = '' where ${is_old} and title <> ''`
}

export async function deleteOldLinks(tx: Tx): Promise<void> {
  await tx`
    delete from crash_uploads
    where expires_at < now() - ${retention.crash_upload_days} * interval '1 day'`
  await tx`delete from crash_days where day < current_date - ${retention.crash_counter_days}::int`
}

/** Those of these storage keys that belong to a report. */
export async function referencedKeys(sql: Sql, keys: string[]): Promise<Set<string>> {
  const rows = await sql<{ key: string }[]>`
    select dump_key as key
    from crashes
    where dump_key = any(${keys})
    union all
    select log_key
    from crashes
    where log_key = any(${keys})`
  return new Set(rows.map(({ key }) => key))
}
