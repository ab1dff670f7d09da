import type { Sql, Tx } from '../database/sql.ts'
import { crashPoint } from '../runtime/crash-point.ts'
import type { Log } from '../runtime/log.ts'
import { DAY_MS, SECOND_MS } from '../runtime/units.ts'
import { isUuid, uuidTime, uuidv7 } from '../security/crypto.ts'
import { type OwnerMarker, readMarker, writeMarker } from './owner-marker.ts'
import { recordedPrefixes, stillExpected } from './recorded-objects.ts'
import type { Storage } from './storage.ts'

/** Why nothing may be removed from the object store. */
export const ownerRefusals = [
  /** The marker is that of another catalog. */
  'other_catalog',
  /** Another database wrote the marker since this one was copied. */
  'older_database',
  /** The database server was restored, promoted or exchanged. */
  'restored_database',
  /** There is no marker, and most objects have no record in this database. */
  'unknown_objects',
] as const
export type OwnerRefusal = (typeof ownerRefusals)[number]

/**
 * Whether the objects in the store belong to this database. Only then they may be removed: a
 * database that was restored from a backup does not know the newest objects, and takes them for
 * garbage.
 */
export type StoreOwner = {
  /** Reads the marker, unless that was done within the last seconds. */
  refusal: () => Promise<OwnerRefusal | undefined>
  /** Checks again, and writes a new token into the database and into the marker. */
  renew: () => Promise<OwnerRefusal | undefined>
  /** An operator says that the objects belong to this database. */
  confirm: () => Promise<OwnerRefusal | undefined>
}

type Server = { system_identifier: string | null; timeline: number | null; database_oid: number }
type OwnerRow = Partial<Server> & { catalog_uid: string; knows_token: boolean }

const RECENT_MS = 20 * SECOND_MS
/** Long enough for a marker that was copied with its objects, by whatever tool. */
const TOKEN_DAYS = 100
const SAMPLE_PER_PREFIX = 200
/** Of the sampled objects, this share must have a record. */
const MIN_RECORDED_SHARE = 0.9

export function createStoreOwner(sql: Sql, storage: Storage, log: Log): StoreOwner {
  let recent: { at: number; result: Promise<OwnerRefusal | undefined> } | undefined

  /** Each process reports it, because an operator may read the log of only one of them. */
  let reported: OwnerRefusal | undefined

  async function check(): Promise<OwnerRefusal | undefined> {
    const refusal = await findRefusal(sql, storage)
    await saveRefusal(sql, refusal)
    if (refusal !== reported) reportChange(log, refusal)
    reported = refusal
    return refusal
  }
  /** Shares the result with everybody who needs it in the next seconds; a failure is not kept. */
  function remember(result: Promise<OwnerRefusal | undefined>) {
    const entry = { at: performance.now(), result }
    recent = entry
    result.catch(() => {
      if (recent === entry) recent = undefined
    })
    return result
  }
  return {
    refusal() {
      if (recent && performance.now() - recent.at < RECENT_MS) return recent.result
      return remember(check())
    },
    renew: () =>
      remember(
        check().then(async (refusal) => {
          if (!refusal) await writeOwner(sql, storage)
          return refusal
        }),
      ),
    async confirm() {
      const refusal = await findRefusal(sql, storage)
      await writeOwner(sql, storage)
      await remember(check())
      return refusal
    },
  }
}

const ACTION =
  'nothing is removed until an operator confirms in the console or with "npm run admin -- ' +
  'storage confirm"; see "When the clean-up of objects is refused" in docs/backup.md'

function reportChange(log: Log, refusal: OwnerRefusal | undefined) {
  if (refusal) log.error({ refusal }, `the object store may not belong to this database: ${ACTION}`)
  else log.info('the object store belongs to this database; objects are removed again')
}

async function findRefusal(sql: Sql, storage: Storage): Promise<OwnerRefusal | undefined> {
  const marker = await readMarker(storage)
  const owner = await readOwner(sql, marker)
  if (marker && marker.catalog_uid !== owner.catalog_uid) return 'other_catalog'
  if (marker && !owner.knows_token) return 'older_database'
  if (isOtherServer(owner, await readServer(sql))) return 'restored_database'
  if (!marker && !(await areObjectsRecorded(sql, storage))) return 'unknown_objects'
  return undefined
}

async function readOwner(sql: Sql, marker: OwnerMarker | null): Promise<OwnerRow> {
  const token = marker && isUuid(marker.token) ? marker.token : null
  const [row] = await sql<OwnerRow[]>`
    select catalog_uid, system_identifier, timeline, database_oid,
      exists (select from storage_owner_tokens where token = ${token}) as knows_token
    from storage_owner`
  if (!row) throw new Error('The table storage_owner is empty')
  return row
}

/** Values that are not known on one side, such as on a managed database, are not compared. */
const isOtherServer = (known: Partial<Server>, current: Server) =>
  (['system_identifier', 'timeline', 'database_oid'] as const).some(
    (name) => (known[name] ?? current[name]) !== (current[name] ?? known[name]),
  )

/**
 * A dump that is loaded elsewhere has another database, and mostly another system identifier. A
 * promoted replica and a point-in-time recovery have another timeline.
 */
async function readServer(sql: Sql): Promise<Server> {
  const [row] = await sql<{ database_oid: number }[]>`
    select oid::bigint as database_oid
    from pg_database
    where datname = current_database()`
  const whenDenied = () => [{ value: null }]
  const [system] = await sql<{ value: string | null }[]>`
    select system_identifier::text as value
    from pg_control_system()`.catch(whenDenied)
  const [timeline] = await sql<{ value: number | null }[]>`
    select ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int as value
  `.catch(whenDenied)
  return {
    system_identifier: system!.value,
    timeline: timeline!.value,
    database_oid: row!.database_oid,
  }
}

async function saveRefusal(sql: Sql, refusal: OwnerRefusal | undefined): Promise<void> {
  await sql`
    update storage_owner
    set refusal = ${refusal ?? null},
      refused_at = ${refusal ? sql`now()` : null}
    where refusal is distinct from ${refusal ?? null}`
}

/**
 * The token is in the database before it is in the marker, so that the marker never has one that
 * the database does not know, wherever this is interrupted.
 */
async function writeOwner(sql: Sql, storage: Storage): Promise<void> {
  const token = uuidv7()
  const server = await readServer(sql)
  const catalog_uid = await sql.begin(async (tx: Tx) => {
    await tx`set local synchronous_commit = on`
    await tx`insert into storage_owner_tokens (token) values (${token})`
    await tx`
      delete from storage_owner_tokens
      where written_at < now() - ${TOKEN_DAYS} * interval '1 day'`
    const [row] = await tx<{ catalog_uid: string }[]>`
      update storage_owner
      set system_identifier = coalesce(${server.system_identifier}, system_identifier),
        timeline = coalesce(${server.timeline}, timeline),
        database_oid = ${server.database_oid}
      returning catalog_uid`
    return row!.catalog_uid
  })
  crashPoint('owner-recorded')
  await writeMarker(storage, { catalog_uid, token })
}

/**
 * A store without a marker: an empty one, or one that a version without markers has filled. Then
 * the database must have records of its objects. Those of the last day may not have one yet.
 */
async function areObjectsRecorded(sql: Sql, storage: Storage): Promise<boolean> {
  let recorded = 0
  let total = 0
  for (const prefix of recordedPrefixes) {
    const keys = (await sample(storage, prefix)).filter(isOld)
    const expected = await stillExpected(sql, keys)
    recorded += keys.filter((key) => expected.has(key)).length
    total += keys.length
  }
  return recorded >= total * MIN_RECORDED_SHARE
}

async function sample(storage: Storage, prefix: string): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of storage.list(prefix)) if (keys.push(key) === SAMPLE_PER_PREFIX) break
  return keys
}

function isOld(key: string): boolean {
  const uid = key.match(/[0-9a-f-]{36}/g)?.findLast(isUuid)
  return !uid || key.startsWith('images/') || Date.now() - uuidTime(uid) > DAY_MS
}
