import { isoTime, type Sql, type Tx } from '../../core/database/sql.ts'
import { transact } from '../../core/database/transaction.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import type { LaunchBand } from '../../listings/fields/launch-bands.ts'
import type { WebReport } from '../../listings/fields/web-build.ts'
import { withdrawalOf } from '../../listings/withdrawn/queries.ts'
import type { Withdrawal } from '../../listings/withdrawn/schema.ts'
import { REJECTED_FILE_DAYS } from '../build-limits.ts'
import { objectUid } from '../files/queries.ts'
import type { ChangelogItem, Coep, Platform, Registration } from './fields.ts'
import type { LaunchHint } from './launch-hint.ts'

export type Build = Platform & {
  uid: string
  game_uid: string
  app: string
  version: string
  build_type: string
  title: string
  description: string
  engine_version: string | null
  changelog_items: ChangelogItem[]
  created_at: Date
  /** How it is started, if its registration or the dashboard says so. */
  launch: LaunchHint | null
  /** Whether it is played in a page of its own process, if it is a build for browsers. */
  isolated: boolean
  /** The architecture it was registered with, even if its first file gives it another. */
  registered_arch: string
}

/** A build, and why it was withdrawn if it was. */
export type ProjectBuild = Build & { withdrawn: Withdrawal | null }

export type BuildFile = Platform & {
  uid: string
  filename: string
  checksum: string
  size: number
  scan: string
  method: string
  key_ref: string | null
  /** What the scanner found. */
  detail: string | null
  /** What the check of a build for browsers found. */
  web: WebReport | null
  uploaded_at: string
  /** The checksum of the zip that the uploader packed, if the stored one was composed. */
  source_checksum: string | null
}
/** How well the build starts on players' devices; null before the first device reports. */
export type BuildHealth = {
  band: LaunchBand
  devices: number
  boot_ok: number
  crash_on_boot: number
  signed_devices: number
  median_session_seconds: number | null
}
export type BuildWithFiles = ProjectBuild & {
  symbols: number
  health: BuildHealth | null
  files: BuildFile[]
}

/**
 * The os or arch that a build `b` was registered with. If that was none, `b.os` and `b.arch` are
 * those of its first file that names a system and was not rejected: triggers of the migrations 0035
 * and 0041 store them.
 */
const registered = (sql: Sql | Tx, column: 'os' | 'arch') =>
  sql`coalesce(b.${sql(`registered_${column}`)}, b.${sql(column)})`

const buildColumns = (sql: Sql | Tx) => sql`
  b.uid, b.game_uid, b.app, b.version, b.build_type, b.os, b.arch, b.channel,
  ${registered(sql, 'arch')} as registered_arch,
  not exists (select from play_unisolated_builds x where x.build_uid = b.uid) as isolated,
  b.title, b.description, b.engine_version, b.changelog_items, b.launch, b.created_at`

/** The fields that registering a build again changes, if they are sent. */
const changeableFields = [
  'title',
  'description',
  'engine_version',
  'demo_url',
  'changelog_items',
] as const

/**
 * Creates or updates the one build per (app, version, build_type, os, arch, channel), also when
 * several requests register it at the same time. A trigger of migration 0035 completes the platform
 * of a build that took it from its first file, so that registering without one finds that build.
 */
export async function registerBuild(
  sql: Sql,
  game_uid: string,
  registration: Registration,
  body: Record<string, unknown>,
): Promise<Build & { created: boolean }> {
  const { app_name, changelog_items, coep, launch, ...fields } = registration
  return transact(sql, async (tx) => {
    if (fields.app) await saveApp(tx, game_uid, fields.app, app_name)
    const row = { uid: uuidv7(), game_uid, ...fields, changelog_items: tx.json(changelog_items) }
    const changes = Object.fromEntries(
      changeableFields
        .filter((name) => body[name] !== undefined && body[name] !== null)
        .map((name) => [name, row[name]]),
    )
    const [build] = await tx<(Build & { created: boolean })[]>`
      with b as (
        insert into builds ${tx(row)}
        on conflict (game_uid, app, version, build_type, os, arch, channel)
        do update set ${tx({ ...changes, updated_at: new Date() })}
        returning uid, game_uid, app, version, build_type, os, arch, channel, registered_arch,
          title, description, engine_version, changelog_items, launch, created_at,
          xmax = 0 as created
      )
      select ${buildColumns(tx)}, b.created
      from b`
    if (launch !== undefined)
      await tx`
        update builds set launch = ${launch && tx.json(launch)} where uid = ${build!.uid}`
    const registered_build = { ...build!, ...(launch !== undefined && { launch }) }
    if (!coep) return registered_build
    await saveCoep(tx, build!.uid, coep)
    return { ...registered_build, isolated: coep === 'on' }
  })
}

async function saveCoep(tx: Tx, build_uid: string, coep: Coep): Promise<void> {
  if (coep === 'on') await tx`delete from play_unisolated_builds where build_uid = ${build_uid}`
  else
    await tx`
      insert into play_unisolated_builds (build_uid)
      values (${build_uid})
      on conflict do nothing`
}

async function saveApp(
  tx: Tx,
  game_uid: string,
  app: string,
  name: string | undefined,
): Promise<void> {
  await tx`
    insert into apps (game_uid, app, name)
    values (${game_uid}, ${app}, ${name ?? ''})
    on conflict (game_uid, app) do update set name = ${name ?? tx`apps.name`}`
}

export async function findBuild(
  sql: Sql | Tx,
  game_uid: string,
  uid: string,
): Promise<ProjectBuild | undefined> {
  const [build] = await sql<ProjectBuild[]>`
    select ${buildColumns(sql)}, ${withdrawalOf(sql)} as withdrawn
    from builds b
    where b.uid = ${uid} and b.game_uid = ${game_uid}`
  return build
}

export type BuildName = {
  app: string
  build: string
  build_type: string
  version: string
} & Platform

/**
 * Finds a build by name and version. A build for exactly this platform is preferred to one that was
 * registered without one, and the newest of equal matches is taken.
 */
export async function findNamedBuild(
  sql: Sql,
  game_uid: string,
  name: BuildName,
): Promise<Build | undefined> {
  const { app, build: title, build_type, version, os, arch, channel } = name
  const matches = (column: 'os' | 'arch', value: string) =>
    sql`(${value} in ('', b.${sql(column)}) or ${registered(sql, column)} = '')`
  const isExact = (column: 'os' | 'arch', value: string) =>
    sql`(${value} in (b.${sql(column)}, ${registered(sql, column)}))::int`
  const [build] = await sql<Build[]>`
    select ${buildColumns(sql)}
    from builds b
    where b.game_uid = ${game_uid} and b.app = ${app} and b.version = ${version}
      and b.build_type = ${build_type}
      and ${matches('os', os)} and ${matches('arch', arch)}
      and (${channel} = '' or b.channel = ${channel})
    order by ${isExact('os', os)} + ${isExact('arch', arch)} + (b.title = ${title})::int desc,
      b.created_at desc, b.uid desc
    limit 1`
  return build
}

export type BuildFilter = Partial<Platform & { version: string; app: string; uid: string }>

/** One page of a game's builds, newest first, each with its files, and the total count. */
export async function listBuilds(
  sql: Sql,
  game_uid: string,
  filter: BuildFilter,
  page: { limit: number; offset: number },
) {
  const conditions = Object.entries(filter)
    .filter(([, value]) => value !== undefined)
    .reduce((all, [name, value]) => sql`${all} and b.${sql(name)} = ${value}`, sql``)
  const matching = sql`from builds b where b.game_uid = ${game_uid} ${conditions}`
  const [rows, [count]] = await Promise.all([
    sql<BuildWithFiles[]>`
      select ${buildColumns(sql)}, ${withdrawalOf(sql)} as withdrawn,
        (select count(*)::int from symbols s where s.build_uid = b.uid) as symbols,
        ${selectHealth(sql)} as health,
        ${selectFiles(sql)} as files
      ${matching}
      order by b.created_at desc, b.uid desc
      limit ${page.limit} offset ${page.offset}`,
    sql`select count(*)::int as total ${matching}`,
  ])
  return { builds: [...rows], total: count!.total as number }
}

const selectHealth = (sql: Sql) => sql`(
  select json_build_object(
    'band', h.band, 'devices', h.devices, 'boot_ok', h.boot_ok, 'crash_on_boot', h.crash_on_boot,
    'signed_devices', h.signed_devices, 'median_session_seconds', h.median_session_seconds)
  from build_health h
  where h.build_uid = b.uid)`

const isListedFile = (sql: Sql) => sql`
  (f.scan in ('clean', 'scanning', 'withdrawn')
    or f.uploaded_at > now() - ${REJECTED_FILE_DAYS} * interval '1 day')`

const lastScanDetail = (sql: Sql) => sql`
  (select h.detail from scan_history h where h.file_uid = f.uid order by h.seq desc limit 1)`

const webReport = (sql: Sql) => sql`
  case when f.os = 'web' and f.web_limits is not null then json_build_object(
    'problem', f.web_problem, 'detail', f.web_detail, 'warnings', f.web_warnings) end`

const selectFiles = (sql: Sql) => sql`
  coalesce((
    select json_agg(
      json_build_object(
        'uid', f.uid, 'filename', f.filename, 'checksum', f.checksum, 'size', f.size,
        'os', f.os, 'arch', f.arch, 'channel', f.channel, 'scan', f.scan,
        'uploaded_at', ${isoTime(sql, sql`f.uploaded_at`)},
        'method', f.method, 'key_ref', f.key_ref, 'detail', ${lastScanDetail(sql)},
        'web', ${webReport(sql)}, 'source_checksum', f.source_checksum)
      order by f.uploaded_at desc, f.uid desc)
    from files f
    where f.build_uid = b.uid and ${isListedFile(sql)}), '[]')`

/** Deletes a build and everything that refers to it; returns the uids of its stored objects. */
export async function deleteBuild(
  tx: Tx,
  game_uid: string,
  uid: string,
): Promise<string[] | undefined> {
  const objects = await tx`
    select distinct ${objectUid(tx)} as uid
    from files f
    where f.build_uid = ${uid}`
  const deleted = await tx`delete from builds where uid = ${uid} and game_uid = ${game_uid}`
  return deleted.count === 1 ? objects.map((object) => object.uid as string) : undefined
}

/** Which of these uids are those of objects that a file or a symbol file has. */
export async function findRecordedUids(sql: Sql, uids: string[]): Promise<Set<string>> {
  const rows = await sql`
    select uid from files where uid = any(${uids}::uuid[]) and object_uid is null
    union all
    select object_uid from files where object_uid = any(${uids}::uuid[])
    union all
    select uid from symbols where uid = any(${uids}::uuid[])`
  return new Set(rows.map((row) => row.uid as string))
}

export async function deleteOldRejectedFiles(tx: Tx): Promise<void> {
  await tx`
    delete from files
    where scan in ('infected', 'error')
      and uploaded_at < now() - ${REJECTED_FILE_DAYS} * interval '1 day'`
}

export type GameInfo = {
  name: string
  vanity_name: string
  asset_type: string
  owner_username: string
  visibility: string
  status: string
  price_cents: number
  builds: number
}

export async function readGameInfo(sql: Sql, game_uid: string): Promise<GameInfo> {
  const [row] = await sql<GameInfo[]>`
    select l.name, l.vanity_name, l.asset_type, u.username as owner_username,
      l.visibility, l.status, l.price_cents,
      (select count(*)::int from builds where game_uid = l.uid) as builds
    from listings l
    join users u on u.uid = l.owner_uid
    where l.uid = ${game_uid}`
  return row!
}
