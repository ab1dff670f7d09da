import type { TestContext } from 'node:test'
import type { Sql } from '../../src/core/database/sql.ts'
import type { Environment } from '../../src/core/runtime/config.ts'
import { uuidv7 } from '../../src/core/security/crypto.ts'
import { startApp } from '../support/app.ts'

export const DAY = 86_400_000
export const ago = (days: number, from = Date.now()) => new Date(from - days * DAY)
let made = 0

export type Maker = { uid: string; username: string }
export type Shown = {
  uid: string
  vanity_name: string
  name: string
  username: string
  owner_uid: string
  asset_id: number
}
type Fields = Record<string, unknown> & {
  uid?: string
  owner?: Maker
  /** Platforms with a clean stable build of the main app. */
  os?: string[]
  band?: string
  reach?: { devices?: number; first_boot_ok_at?: Date | null }
  thumbnail?: boolean
  gallery?: number
}

/** The real server, and rows of a catalog made directly: how they come to be is proven in the rooms that own them. */
export async function stage(t: TestContext, env: Environment = {}) {
  const app = await startApp(t, env)
  return { ...app, ...rows(app.sql) }
}

export function rows(sql: Sql) {
  async function maker(fields: { username?: string; verified?: boolean } = {}): Promise<Maker> {
    const uid = uuidv7()
    const username = fields.username ?? `maker-${++made}`
    const email_verified_at = fields.verified === false ? null : new Date()
    await sql`insert into users ${sql({ uid, username, email: `${username}@example.com`, password_hash: 'none', email_verified_at })}`
    return { uid, username }
  }

  /** A file on a channel of a listing, as a scan that went well leaves it; or as told. */
  async function build(game_uid: string, fields: Record<string, unknown> = {}) {
    const {
      os = 'linux',
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
    const platform = { os, arch: 'x86_64', channel }
    await sql`insert into builds ${sql({ uid, game_uid, app, version: version ?? `1.${++made}`, ...platform, ...more } as any)}`
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
    if (head)
      await sql`insert into channel_heads ${sql({ game_uid, app, ...platform, build_uid: uid } as any)}
        on conflict (game_uid, app, channel, os, arch) do update set build_uid = excluded.build_uid`
    if (band)
      await sql`insert into build_health ${sql({ build_uid: uid, game_uid, band, devices: 100 } as any)}`
    return { build_uid: uid, file_uid }
  }

  async function images(game_uid: string, { thumbnail = true, gallery = 4 } = {}) {
    const image = (slot: string, position: number, width: number, height: number) => ({
      ...{
        uid: uuidv7(),
        game_uid,
        slot,
        position,
        sha256: 'a'.repeat(64),
        type: 'image/png',
        width,
        height,
        size: 1,
      },
    })
    const all = [
      image('cover', 0, 1024, 576),
      ...(thumbnail ? [image('thumbnail', 0, 1280, 720)] : []),
    ]
    for (let n = 0; n < gallery; n++) all.push(image('gallery', n, 1920, 1080))
    await sql`insert into listing_images ${sql(all)}`
  }

  /** A public game with all that the listing check asks for, changed by the fields given. */
  async function listing(fields: Fields = {}): Promise<Shown> {
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
    const { uid: owner_uid, username } = owner ?? (await maker())
    const n = ++made
    const row = {
      ...{
        uid,
        owner_uid,
        vanity_name: `game-${n}`,
        name: `Game ${n}`,
        tagline: `About ${n}`,
        asset_type: 'game',
        status: 'released',
      },
      ...{
        visibility: 'public',
        published_at: ago(1),
        public_since: ago(1),
        session_bucket: '15m',
        net: 'offline',
        players_min: 1,
        players_max: 1,
      },
      ...{
        tags: ['one', 'two', 'three'],
        genres: ['rpg'],
        inputs: ['gamepad'],
        engines: ['engine-x'],
      },
      ...columns,
    }
    const [inserted] = await sql`insert into listings ${sql(row as any)} returning asset_id`
    await images(uid, { thumbnail, gallery })
    for (const one of os) await build(uid, { os: one, band })
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

  /** Many public games at once, each of its own maker or all of one, without images; fields are SQL over the number `n`. */
  async function crowd(
    count: number,
    fields: Record<string, string> = {},
    owner?: Maker,
  ): Promise<string[]> {
    const from = made + 1
    made += count
    const series = sql`generate_series(${from}::int, ${from + count - 1}::int) as n`
    if (!owner)
      await sql`
        insert into users (uid, username, email, password_hash, email_verified_at)
        select md5('user' || n)::uuid, 'crowd-' || n, 'crowd-' || n || '@example.com', 'none', now() from ${series}`
    const extra = Object.entries(fields)
    const listings = await sql<{ uid: string }[]>`
      insert into listings (uid, owner_uid, vanity_name, name, visibility, published_at, status, session_bucket ${sql.unsafe(extra.map(([name]) => `, ${name}`).join(''))})
      select md5('game' || n)::uuid, ${owner ? sql`${owner.uid}::uuid` : sql`md5('user' || n)::uuid`}, 'crowd-' || n, 'Crowd ' || n, 'public', now() - n * interval '1 second', 'development', '15m'
        ${sql.unsafe(extra.map(([, value]) => `, ${value}`).join(''))} from ${series} returning uid`
    await sql`insert into builds (uid, game_uid, version, os, arch) select md5('build' || n)::uuid, md5('game' || n)::uuid, '1', 'linux', 'x86_64' from ${series}`
    await sql`
      insert into files (uid, game_uid, build_uid, os, arch, channel, filename, size, checksum, scan, method)
      select md5('file' || n)::uuid, md5('game' || n)::uuid, md5('build' || n)::uuid, 'linux', 'x86_64', 'stable', 'a.zip', 1, '', 'clean', 'website' from ${series}`
    await sql`
      insert into channel_heads (game_uid, app, channel, os, arch, build_uid)
      select md5('game' || n)::uuid, '', 'stable', 'linux', 'x86_64', md5('build' || n)::uuid from ${series}`
    return listings.map(({ uid }) => uid)
  }

  const set = (uid: string, fields: Record<string, unknown>) =>
    sql`update listings set ${sql(fields as any)} where uid = ${uid}`

  return { maker, build, images, listing, crowd, set }
}

/** How many of so many requests had each status; some at a time, because one by one takes long. */
export async function flood(
  get: (path: string) => Promise<{ status: number }>,
  count: number,
  path: (n: number) => string,
) {
  const statuses: Record<number, number> = {}
  for (let sent = 0; sent < count; sent += 50) {
    const part = Array.from({ length: Math.min(50, count - sent) }, (_, n) => get(path(sent + n)))
    for (const { status } of await Promise.all(part)) statuses[status] = (statuses[status] ?? 0) + 1
  }
  return statuses
}
