import type { Sql, Tx } from '../../core/database/sql.ts'
import { transact } from '../../core/database/transaction.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import type { LaunchBand } from '../../listings/fields/launch-bands.ts'
import type { ChangelogItem, Platform, Registration } from './fields.ts'

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
}

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
  uploaded_at: string
}
/** How the build starts on players' devices; null before anyone told. */
export type BuildHealth = {
  band: LaunchBand
  devices: number
  boot_ok: number
  crash_on_boot: number
  median_session_seconds: number | null
}
export type BuildWithFiles = Build & {
  symbols: number
  health: BuildHealth | null
  files: BuildFile[]
}

/** How long an upload that was rejected is still listed. */
export const REJECTED_DAYS = 30

/** What registering again changes, where it was sent. */
const changeable = [
  'title',
  'description',
  'engine_version',
  'demo_url',
  'changelog_items',
] as const

/** One build per (app, version, build_type, os, arch, channel), however often and however many at once register it. */
export async function registerBuild(
  sql: Sql,
  game_uid: string,
  registration: Registration,
  body: Record<string, unknown>,
): Promise<Build> {
  const { app_name, changelog_items, ...fields } = registration
  return transact(sql, async (tx) => {
    if (fields.app) await nameApp(tx, game_uid, fields.app, app_name)
    const row = { uid: uuidv7(), game_uid, ...fields, changelog_items: tx.json(changelog_items) }
    const change = Object.fromEntries(
      changeable
        .filter((name) => body[name] !== undefined && body[name] !== null)
        .map((name) => [name, row[name]]),
    )
    const [build] = await tx<Build[]>`
      insert into builds ${tx(row)} on conflict (game_uid, app, version, build_type, os, arch, channel)
      do update set ${tx({ ...change, updated_at: new Date() })} returning *`
    return build!
  })
}

async function nameApp(
  tx: Tx,
  game_uid: string,
  app: string,
  name: string | undefined,
): Promise<void> {
  await tx`
    insert into apps (game_uid, app, name) values (${game_uid}, ${app}, ${name ?? ''})
    on conflict (game_uid, app) do update set name = ${name ?? tx`apps.name`}`
}

export async function findBuild(
  sql: Sql | Tx,
  game_uid: string,
  uid: string,
): Promise<Build | undefined> {
  const [build] = await sql<
    Build[]
  >`select * from builds where uid = ${uid} and game_uid = ${game_uid}`
  return build
}

export type NamedBuild = {
  app: string
  build: string
  build_type: string
  version: string
} & Platform

/** A build by what it is called: the one for exactly this platform before one that names none, and the newest of equals. */
export async function findNamedBuild(
  sql: Sql,
  game_uid: string,
  named: NamedBuild,
): Promise<Build | undefined> {
  const { app, build, build_type, version, os, arch, channel } = named
  const fits = (column: 'os' | 'arch', value: string) =>
    sql`(${value} = '' or ${sql(column)} in (${value}, ''))`
  const [found] = await sql<Build[]>`
    select * from builds where game_uid = ${game_uid} and app = ${app} and version = ${version} and build_type = ${build_type}
      and ${fits('os', os)} and ${fits('arch', arch)} and (${channel} = '' or channel = ${channel})
    order by (os = ${os})::int + (arch = ${arch})::int + (title = ${build})::int desc, created_at desc, uid desc limit 1`
  return found
}

export type BuildFilter = Partial<Platform & { version: string; app: string; uid: string }>

/** One page of a game's builds, newest first, each with its files, and how many there are in all. */
export async function listBuilds(
  sql: Sql,
  game_uid: string,
  filter: BuildFilter,
  page: { limit: number; offset: number },
) {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined)
  const filtered = given.reduce(
    (so_far, [name, value]) => sql`${so_far} and ${sql(`b.${name}`)} = ${value}`,
    sql``,
  )
  const chosen = sql`from builds b where b.game_uid = ${game_uid} ${filtered}`
  const [rows, [count]] = await Promise.all([
    sql<BuildWithFiles[]>`
      select b.*, (select count(*)::int from symbols s where s.build_uid = b.uid) as symbols, ${healthOf(sql)} as health, ${filesOf(sql)} as files
      ${chosen} order by b.created_at desc, b.uid desc limit ${page.limit} offset ${page.offset}`,
    sql`select count(*)::int as total ${chosen}`,
  ])
  return { builds: [...rows], total: count!.total as number }
}

const healthOf = (sql: Sql) => sql`
  (select json_build_object('band', h.band, 'devices', h.devices, 'boot_ok', h.boot_ok, 'crash_on_boot', h.crash_on_boot,
    'median_session_seconds', h.median_session_seconds) from build_health h where h.build_uid = b.uid)`

const filesOf = (sql: Sql) => sql`
  coalesce((select json_agg(json_build_object('uid', f.uid, 'filename', f.filename, 'checksum', f.checksum, 'size', f.size, 'scan', f.scan,
    'os', f.os, 'arch', f.arch, 'channel', f.channel, 'uploaded_at', f.uploaded_at, 'method', f.method, 'key_ref', f.key_ref, 'detail',
    (select h.detail from scan_history h where h.file_uid = f.uid order by h.seq desc limit 1)) order by f.uploaded_at desc, f.uid desc)
    from files f where f.build_uid = b.uid and (f.scan in ('clean', 'scanning') or f.uploaded_at > now() - ${REJECTED_DAYS} * interval '1 day')), '[]')`

/** Deletes a build with all that hangs on it; answers the files whose bytes are now nobody's. */
export async function deleteBuild(
  tx: Tx,
  game_uid: string,
  uid: string,
): Promise<string[] | undefined> {
  const files = await tx`select uid from files where build_uid = ${uid}`
  const gone = await tx`delete from builds where uid = ${uid} and game_uid = ${game_uid}`
  return gone.count === 1 ? files.map((file) => file.uid as string) : undefined
}

/** Of these, the files and symbol files there are records of. */
export async function knownUids(sql: Sql, uids: string[]): Promise<Set<string>> {
  const rows = await sql`
    select uid from files where uid = any(${uids}::uuid[]) union all select uid from symbols where uid = any(${uids}::uuid[])`
  return new Set(rows.map((row) => row.uid as string))
}

export async function forgetRejected(tx: Tx): Promise<void> {
  await tx`delete from files where scan in ('infected', 'error') and uploaded_at < now() - ${REJECTED_DAYS} * interval '1 day'`
}

export type GameInfo = {
  name: string
  vanity_name: string
  asset_type: string
  owner_username: string
  visibility: string
  status: string
  builds: number
}

export async function readGameInfo(sql: Sql, game_uid: string): Promise<GameInfo> {
  const [row] = await sql<GameInfo[]>`
    select l.name, l.vanity_name, l.asset_type, u.username as owner_username, l.visibility, l.status,
      (select count(*)::int from builds where game_uid = l.uid) as builds
    from listings l join users u on u.uid = l.owner_uid where l.uid = ${game_uid}`
  return row!
}
