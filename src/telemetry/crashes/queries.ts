import type { Sql, Tx } from '../../core/database/sql.ts'
import type { Analysis } from '../dump/analyze.ts'
import { type Group, isRegression, type Resolution } from './groups.ts'

export type Artifact = 'dump' | 'log'

export type NewCrash = {
  uid: string
  game_uid: string
  build_uid: string
  report_key: Buffer | null
  device: string | null
  app_name: string
  app_version: string
  engine_version: string
  os: string
  arch: string
  user_message: string
  anonymous: boolean
  metadata: Record<string, unknown>
  dump_key: string | null
  dump_size: number | null
  log_key: string | null
  log_size: number | null
}

/** One more of a game's daily allowance, if there is one left. */
export async function takeOfDay(
  tx: Tx,
  game_uid: string,
  what: 'reports' | 'uploads',
  count: number,
  cap: number,
): Promise<boolean> {
  if (count > cap) return false
  const taken = await tx`
    insert into crash_days as d (game_uid, day, ${tx(what)}) values (${game_uid}, (now() at time zone 'utc')::date, ${count})
    on conflict (game_uid, day) do update set ${tx(what)} = d.${tx(what)} + ${count} where d.${tx(what)} + ${count} <= ${cap} returning 1`
  return taken.length === 1
}

export type Known = { uid: string; dump_key: string | null; log_key: string | null }

/** A report that came before, by the sender's own id of it; nobody else adds to it until the transaction ends. */
export async function findReport(
  tx: Tx,
  build_uid: string,
  report_key: Buffer,
): Promise<Known | undefined> {
  const [known] = await tx<
    Known[]
  >`select uid, dump_key, log_key from crashes where build_uid = ${build_uid} and report_key = ${report_key} for update`
  return known
}

/** False when the same report was just stored by another request. */
export async function insertCrash(tx: Tx, crash: NewCrash, group_uid: string): Promise<boolean> {
  const made =
    await tx`insert into crashes ${tx({ ...crash, metadata: tx.json(crash.metadata as never), group_uid })} on conflict do nothing`
  return made.count === 1
}

export type BuildOfCrash = {
  build_uid: string
  version: string
  created_at: Date
  os: string
  arch: string
}

export async function readBuildOfCrash(
  tx: Sql | Tx,
  build_uid: string,
): Promise<BuildOfCrash | undefined> {
  const [build] = await tx<
    BuildOfCrash[]
  >`select uid as build_uid, version, created_at, os, arch from builds where uid = ${build_uid}`
  return build
}

type Seen = { uid: string; game_uid: string; build: BuildOfCrash; at: Date }
type GroupRow = Resolution & { uid: string }

/** Counts a crash into its group, which is made if there is none; a resolved group that is seen again where it should be mended comes back. */
export async function joinGroup(
  tx: Tx,
  crash: Seen,
  group: Group,
  new_uid: string,
): Promise<string> {
  const [row] = await tx<GroupRow[]>`
    insert into crash_groups as g (uid, game_uid, group_key, kind, title, first_seen, last_seen, sample_crash_uid)
    values (${new_uid}, ${crash.game_uid}, ${group.group_key}, ${group.kind}, ${group.title}, ${crash.at}, ${crash.at}, ${crash.uid})
    on conflict (game_uid, group_key) do update set first_seen = least(g.first_seen, excluded.first_seen),
      last_seen = greatest(g.last_seen, excluded.last_seen), sample_crash_uid = excluded.sample_crash_uid,
      title = coalesce(nullif(g.title, ''), excluded.title)
    returning uid, status, resolved_at, resolved_in`
  await tx`
    insert into crash_group_builds as c (group_uid, build_uid, crashes, first_seen, last_seen)
    values (${row!.uid}, ${crash.build.build_uid}, 1, ${crash.at}, ${crash.at})
    on conflict (group_uid, build_uid) do update set crashes = c.crashes + 1, first_seen = least(c.first_seen, excluded.first_seen),
      last_seen = greatest(c.last_seen, excluded.last_seen)`
  if (isRegression(row!, crash.build))
    await tx`update crash_groups set status = 'regressed', regressed_at = ${crash.at}, regressed_build_uid = ${crash.build.build_uid} where uid = ${row!.uid}`
  return row!.uid
}

/** Counts a crash out of a group it turned out not to belong to; a group of nothing goes, and the tickets about it go where the crash went. */
export async function leaveGroup(
  tx: Tx,
  group_uid: string,
  build_uid: string,
  moved_to: string,
): Promise<void> {
  // Whoever is joining at this moment is waited for: what follows sees them.
  await tx`select from crash_groups where uid = ${group_uid} for update`
  await tx`update crash_group_builds set crashes = crashes - 1 where group_uid = ${group_uid} and build_uid = ${build_uid}`
  await tx`delete from crash_group_builds where group_uid = ${group_uid} and build_uid = ${build_uid} and crashes <= 0`
  const [empty] = await tx`
    update crash_groups g set moved_to = ${moved_to}
    where g.uid = ${group_uid} and g.status = 'open' and not exists (select from crash_group_builds where group_uid = g.uid) returning 1`
  if (empty) await tx`delete from crash_groups where uid = ${group_uid}`
}

export type Link = { token_hash: Buffer; crash_uid: string; kind: Artifact; expires_at: Date }

export async function insertLinks(tx: Tx, links: Link[]): Promise<void> {
  await tx`insert into crash_uploads ${tx(links)}`
}

/** Answers the kinds that had one. */
export async function deleteUnusedLinks(
  tx: Tx,
  crash_uid: string,
  kinds: Artifact[],
): Promise<Set<Artifact>> {
  const gone = await tx<{ kind: Artifact }[]>`
    delete from crash_uploads where crash_uid = ${crash_uid} and kind = any(${kinds}) and used_at is null returning kind`
  return new Set(gone.map(({ kind }) => kind))
}

export type LinkRow = { crash_uid: string; game_uid: string; kind: Artifact; used: boolean }

/** A link that may still be used, or was. */
export async function findLink(sql: Sql, token_hash: Buffer): Promise<LinkRow | undefined> {
  const [row] = await sql<LinkRow[]>`
    select u.crash_uid, c.game_uid, u.kind, u.used_at is not null as used from crash_uploads u join crashes c on c.uid = u.crash_uid
    where u.token_hash = ${token_hash} and u.expires_at > now()`
  return row
}

/** Of several who used a link at once, one has used it. */
export async function useLink(tx: Tx, token_hash: Buffer): Promise<boolean> {
  const used =
    await tx`update crash_uploads set used_at = now() where token_hash = ${token_hash} and used_at is null`
  return used.count === 1
}

/** False when the report has one already, or is gone. */
export async function setArtifact(
  tx: Tx,
  crash_uid: string,
  kind: Artifact,
  key: string,
  size: number,
): Promise<boolean> {
  const set = await tx`
    update crashes set ${tx({ [`${kind}_key`]: key, [`${kind}_size`]: size })} where uid = ${crash_uid} and ${tx(`${kind}_key`)} is null`
  return set.count === 1
}

export type CrashToWalk = {
  uid: string
  game_uid: string
  build_uid: string
  group_uid: string | null
  dump_key: string
  dump_size: number
  created_at: Date
}

export async function readCrashToWalk(sql: Sql, uid: string): Promise<CrashToWalk | undefined> {
  const [row] = await sql<CrashToWalk[]>`
    select uid, game_uid, build_uid, group_uid, dump_key, dump_size, created_at from crashes where uid = ${uid} and dump_key is not null`
  return row
}

/** Nobody else moves the crash between groups until the transaction ends. */
export async function lockCrash(
  tx: Tx,
  uid: string,
): Promise<{ group_uid: string | null } | undefined> {
  const [row] = await tx<
    { group_uid: string | null }[]
  >`select group_uid from crashes where uid = ${uid} for update`
  return row
}

export type WalkResult = {
  analysis: Analysis | { note: string }
  stack: string | null
  missing_symbols: boolean
}

export async function saveWalk(
  tx: Tx,
  uid: string,
  { analysis, stack, missing_symbols }: WalkResult,
): Promise<void> {
  await tx`update crashes set analysis = ${tx.json(analysis as never)}, stack = ${stack}, missing_symbols = ${missing_symbols}, walked_at = now() where uid = ${uid}`
}

export async function moveToGroup(tx: Tx, uid: string, group_uid: string): Promise<void> {
  await tx`update crashes set group_uid = ${group_uid} where uid = ${uid}`
}

/** Crashes that lacked symbols which have come since, newest first. */
export async function findToWalkAgain(sql: Sql, limit: number): Promise<string[]> {
  const rows = await sql<{ uid: string }[]>`
    select c.uid from crashes c where c.missing_symbols and c.dump_key is not null
      and exists (select from symbols s where s.build_uid = c.build_uid and s.created_at > c.walked_at) order by c.created_at desc limit ${limit}`
  return rows.map(({ uid }) => uid)
}

/** Deletes reports that are over; answers where their bytes are. */
export async function deleteOldCrashes(
  tx: Tx,
  days: number,
  limit: number,
): Promise<{ count: number; keys: string[] }> {
  const gone = await tx<{ dump_key: string | null; log_key: string | null }[]>`
    delete from crashes where uid in (select uid from crashes where created_at < now() - ${days} * interval '1 day' order by created_at limit ${limit})
    returning dump_key, log_key`
  return {
    count: gone.length,
    keys: gone.flatMap(({ dump_key, log_key }) =>
      [dump_key, log_key].filter((key) => key !== null),
    ),
  }
}

/** Groups end with their last report. Resolved ones stay, to know the crash should it come back, but nothing of what was said does. */
export async function sweepGroups(tx: Tx, days: number): Promise<void> {
  await tx`delete from crash_groups where last_seen < now() - ${days} * interval '1 day' and status <> 'resolved'`
  await tx`update crash_groups set title = '' where last_seen < now() - ${days} * interval '1 day' and title <> ''`
}

export async function sweepLinks(tx: Tx): Promise<void> {
  await tx`delete from crash_uploads where expires_at < now() - interval '1 day'`
  await tx`delete from crash_days where day < current_date - 7`
}

/** Of these objects, those that a report knows. */
export async function knownKeys(sql: Sql, keys: string[]): Promise<Set<string>> {
  const rows = await sql<{ key: string }[]>`
    select dump_key as key from crashes where dump_key = any(${keys}) union all select log_key from crashes where log_key = any(${keys})`
  return new Set(rows.map(({ key }) => key))
}
