import type { TestContext } from 'node:test'
import type { Sql } from '../../src/core/database/sql.ts'
import type { Environment } from '../../src/core/runtime/config.ts'
import { DAY_MS } from '../../src/core/runtime/units.ts'
import { uuidv7 } from '../../src/core/security/crypto.ts'
import { type Answer, type Call, startApp } from '../support/app.ts'
import { newAddress } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'

export const ago = (days: number, from = Date.now()) => new Date(from - days * DAY_MS)

/** Fields that hide a listing from shelves, tags and everything that is indexed. */
export const hidden = [
  { visibility: 'draft' },
  { visibility: 'owner' },
  { visibility: 'invisible' },
  { adult: true },
]
/** Fields that exclude a listing from feeds, sitemaps, the export and llms.txt. */
export const notIndexable = [...hidden, { indexable: false }]

let made = 0

export type Developer = { uid: string; username: string }
export type CreatedListing = {
  uid: string
  vanity_name: string
  name: string
  username: string
  owner_uid: string
  asset_id: number
}
type Fields = Record<string, unknown> & {
  uid?: string
  owner?: Developer
  /** Platforms with a clean stable build of the main app. */
  os?: string[]
  band?: string
  reach?: { devices?: number; first_boot_ok_at?: Date | null }
  thumbnail?: boolean
  gallery?: number
}

/** The real server, with rows of a catalog inserted directly instead of through the API. */
export async function startCatalog(t: TestContext, env: Environment = {}) {
  const app = await startApp(t, env)
  return { ...app, ...catalogRows(app.sql) }
}

const sharedCatalog = sharedInFile((t) => startCatalog(t, { PROXY_HOPS: '1' }))

/**
 * The service that the tests of a file share, without the listings of earlier tests. Each request
 * has a client address of its own, because of the rate limits.
 */
export async function emptyCatalog(t: TestContext) {
  const app = await sharedCatalog(t)
  await app.sql`delete from all_listings`
  const fromNewAddress = (options: Call = {}) => ({
    ...options,
    headers: { ...newAddress(), ...options.headers },
  })
  return {
    ...app,
    get: (path: string, options?: Call) => app.get(path, fromNewAddress(options)),
    call: (method: string, path: string, options?: Call) =>
      app.call(method, path, fromNewAddress(options)),
  }
}

/** A build of a listing with one file, clean and at the head of stable unless given otherwise. */
export async function insertBuild(
  sql: Sql,
  game_uid: string,
  fields: Record<string, unknown> = {},
) {
  const {
    os = 'linux',
    arch = 'x86_64',
    app = '',
    channel = 'stable',
    scan = 'clean',
    head = true,
    band,
    uploaded_at = new Date(),
    version,
    ...more
  } = fields
  const uid = uuidv7()
  const file_uid = uuidv7()
  const platform = { os, arch, channel }
  const row = { uid, game_uid, app, version: version ?? `1.${++made}`, ...platform, ...more }
  await sql`insert into builds ${sql(row as any)}`
  const file = {
    uid: file_uid,
    game_uid,
    build_uid: uid,
    ...platform,
    filename: 'a.zip',
    size: 1,
    checksum: 'a'.repeat(64),
    scan,
    method: 'website',
    uploaded_at,
  }
  await sql`insert into files ${sql(file as any)}`
  const channel_head = { game_uid, app, ...platform, build_uid: uid }
  if (head)
    await sql`
      insert into channel_heads ${sql(channel_head as any)}
      on conflict (game_uid, app, channel, os, arch)
      do update set build_uid = excluded.build_uid`
  const health = { build_uid: uid, game_uid, band, devices: 100 }
  if (band) await sql`insert into build_health ${sql(health as any)}`
  return { build_uid: uid, file_uid }
}

function catalogRows(sql: Sql) {
  async function createDeveloper(
    fields: { username?: string; verified?: boolean } = {},
  ): Promise<Developer> {
    const uid = uuidv7()
    const username = fields.username ?? `maker-${++made}`
    const email_verified_at = fields.verified === false ? null : new Date()
    const email = `${username}@example.com`
    const row = { uid, username, email, password_hash: 'none', email_verified_at }
    await sql`insert into users ${sql(row)}`
    return { uid, username }
  }

  const build = (game_uid: string, fields: Record<string, unknown> = {}) =>
    insertBuild(sql, game_uid, fields)

  async function images(game_uid: string, { thumbnail = true, gallery = 4 } = {}) {
    const image = (slot: string, position: number, width: number, height: number) => ({
      uid: uuidv7(),
      game_uid,
      slot,
      position,
      sha256: 'a'.repeat(64),
      type: 'image/png',
      width,
      height,
      size: 1,
    })
    const rows = [
      image('cover', 0, 1024, 576),
      ...(thumbnail ? [image('thumbnail', 0, 1280, 720)] : []),
    ]
    for (let n = 0; n < gallery; n++) rows.push(image('gallery', n, 1920, 1080))
    await sql`insert into listing_images ${sql(rows)}`
  }

  /** A public game that passes the listing check, changed by the given fields. */
  async function createListing(fields: Fields = {}): Promise<CreatedListing> {
    const {
      owner,
      os = ['linux'],
      band,
      reach,
      thumbnail,
      gallery,
      uid = uuidv7(),
      ...columns
    } = fields
    const { uid: owner_uid, username } = owner ?? (await createDeveloper())
    const n = ++made
    const row = {
      uid,
      owner_uid,
      vanity_name: `game-${n}`,
      name: `Game ${n}`,
      tagline: `About ${n}`,
      asset_type: 'game',
      status: 'released',
      visibility: 'public',
      published_at: ago(1),
      public_since: ago(1),
      session_bucket: '15m',
      net: 'offline',
      players_min: 1,
      players_max: 1,
      tags: ['one', 'two', 'three'],
      genres: ['rpg'],
      inputs: ['gamepad'],
      engines: ['engine-x'],
      ...columns,
    }
    const [inserted] = await sql`insert into listings ${sql(row as any)} returning asset_id`
    await images(uid, { thumbnail, gallery })
    for (const system of os) await build(uid, { os: system, band })
    if (reach) await sql`insert into listing_reach ${sql({ game_uid: uid, ...reach } as any)}`
    return {
      uid,
      vanity_name: row.vanity_name,
      name: row.name,
      username,
      owner_uid,
      asset_id: inserted!.asset_id,
    }
  }

  /**
   * Many public games without images, each of its own developer or all of one. The values of
   * `fields` are SQL expressions over the number `n`.
   */
  async function createManyListings(
    count: number,
    fields: Record<string, string> = {},
    owner?: Developer,
  ): Promise<string[]> {
    const from = made + 1
    made += count
    const series = sql`generate_series(${from}::int, ${from + count - 1}::int) as n`
    if (!owner)
      await sql`
        insert into users (uid, username, email, password_hash, email_verified_at)
        select md5('user' || n)::uuid, 'crowd-' || n, 'crowd-' || n || '@example.com', 'none', now()
        from ${series}`
    const extra_columns = sql.unsafe(
      Object.keys(fields)
        .map((name) => `, ${name}`)
        .join(''),
    )
    const extra_values = sql.unsafe(
      Object.values(fields)
        .map((value) => `, ${value}`)
        .join(''),
    )
    const owner_uid = owner ? sql`${owner.uid}::uuid` : sql`md5('user' || n)::uuid`
    const listings = await sql<{ uid: string }[]>`
      insert into listings (
        uid, owner_uid, vanity_name, name, visibility, published_at, status, session_bucket
        ${extra_columns})
      select md5('game' || n)::uuid, ${owner_uid}, 'crowd-' || n, 'Crowd ' || n, 'public',
        now() - n * interval '1 second', 'development', '15m' ${extra_values}
      from ${series}
      returning uid`
    await sql`
      insert into builds (uid, game_uid, version, os, arch)
      select md5('build' || n)::uuid, md5('game' || n)::uuid, '1', 'linux', 'x86_64'
      from ${series}`
    await sql`
      insert into files (
        uid, game_uid, build_uid, os, arch, channel, filename, size, checksum, scan, method)
      select md5('file' || n)::uuid, md5('game' || n)::uuid, md5('build' || n)::uuid,
        'linux', 'x86_64', 'stable', 'a.zip', 1, '', 'clean', 'website'
      from ${series}`
    await sql`
      insert into channel_heads (game_uid, app, channel, os, arch, build_uid)
      select md5('game' || n)::uuid, '', 'stable', 'linux', 'x86_64', md5('build' || n)::uuid
      from ${series}`
    return listings.map(({ uid }) => uid)
  }

  const updateListing = (uid: string, fields: Record<string, unknown>) =>
    sql`update listings set ${sql(fields as any)} where uid = ${uid}`

  return { createDeveloper, build, images, createListing, createManyListings, updateListing }
}

type Get = (path: string, options: { headers: Record<string, string> }) => Promise<Answer>

/**
 * Sends requests in batches of 50, from so many addresses in turn, and counts the responses by
 * status. The service must trust one proxy, unless there is one address.
 */
export async function countStatuses(
  get: Get,
  { count, addresses = 1 }: { count: number; addresses?: number },
  path: (n: number) => string,
) {
  const statuses: Record<number, number> = {}
  const send = (n: number) =>
    get(path(n), { headers: { 'x-forwarded-for': `10.0.0.${n % addresses}` } })
  for (let sent = 0; sent < count; sent += 50) {
    const batch = Array.from({ length: Math.min(50, count - sent) }, (_, n) => send(sent + n))
    for (const { status } of await Promise.all(batch))
      statuses[status] = (statuses[status] ?? 0) + 1
  }
  return statuses
}
