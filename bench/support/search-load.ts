import { once } from 'node:events'
import type { Sql } from '../../src/core/database/sql.ts'
import { listing, ownerOf } from './search-data.ts'

/**
 * Loads the catalog into an empty database without triggers, which takes minutes instead of hours.
 */
const OWNERS = 100_000
const array = (values: readonly string[]) => `{${values.join(',')}}`
const moment = (us: number) => new Date(us / 1000).toISOString()
const text = (value: string | number | null) => (value === null ? '\\N' : String(value))

async function copy(
  sql: Sql,
  target: string,
  count: number,
  rows: (n: number) => (string | number | null)[][],
) {
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    const into = await tx.unsafe(`copy ${target} from stdin`).writable()
    let part = ''
    for (let n = 0; n < count; n++) {
      for (const row of rows(n)) part += `${row.map(text).join('\t')}\n`
      if (part.length < 1 << 18 && n < count - 1) continue
      if (!into.write(part)) await once(into, 'drain')
      part = ''
    }
    into.end()
    await once(into, 'finish')
  })
}

const buildOf = (uid: string, i: number) => uid.replace('-8000-', `-900${i}-`)

export async function load(sql: Sql, count: number) {
  await copy(sql, 'users (uid, username, email, password_hash)', Math.min(count, OWNERS), (n) => [
    [ownerOf(n), `maker-${n}`, `maker-${n}@example.com`, 'none'],
  ])
  const columns =
    'uid, owner_uid, vanity_name, name, tagline, description, asset_type, status, visibility, adult, created_at, updated_at, published_at, public_since, price_cents, license_kind, genres, tags, tone, inputs, content_warnings, engines, ai_uses, session_bucket, net, players_min, players_max, authorship'
  await copy(sql, `listings (${columns})`, count, (n) => {
    const l = listing(n)
    const published = moment(l.published_us)
    // biome-ignore format: one row of a table
    return [[
      l.uid, l.owner_uid, `listing-${n}`, l.name, l.tagline, l.description, l.asset_type, l.status, 'public', String(l.adult), published, moment(l.updated_us),
      published, published, l.price_cents, l.license_kind, array(l.genres), array(l.tags), array(l.tone), array(l.inputs), array(l.content_warnings),
      array(l.engines), array(l.ai_uses), l.session_bucket, l.net, l.players_min, l.players_max, l.authorship,
    ]]
  })
  const each =
    (
      make: (
        l: ReturnType<typeof listing>,
        os: string,
        arch: string,
        build: string,
        i: number,
      ) => (string | number | null)[],
    ) =>
    (n: number) => {
      const l = listing(n)
      return l.platforms.map((platform, i) =>
        make(l, platform.split('/')[0]!, platform.split('/')[1]!, buildOf(l.uid, i), i),
      )
    }
  await copy(
    sql,
    'builds (uid, game_uid, version, os, arch)',
    count,
    each((l, os, arch, build) => [build, l.uid, '1.0', os, arch]),
  )
  await copy(
    sql,
    'files (uid, game_uid, build_uid, os, arch, channel, filename, size, checksum, scan, method)',
    count,
    each((l, os, arch, build) => [
      build,
      l.uid,
      build,
      os,
      arch,
      'stable',
      'game.zip',
      1,
      'none',
      'clean',
      'website',
    ]),
  )
  await copy(
    sql,
    'channel_heads (game_uid, app, channel, os, arch, build_uid)',
    count,
    each((l, os, arch, build) => [l.uid, '', 'stable', os, arch, build]),
  )
  await copy(
    sql,
    'build_health (build_uid, game_uid, band)',
    count,
    each((l, _os, _arch, build) => [build, l.uid, l.health]),
  )
  await copy(
    sql,
    'listing_engine_ranges (game_uid, position, engine, min_version, max_version, renderer)',
    count,
    (n) => {
      const l = listing(n)
      return l.ranges.map((range, i) => [
        l.uid,
        i,
        range.engine,
        range.min_version,
        range.max_version,
        range.renderer,
      ])
    },
  )
  await sql`analyze`
}

/** The baseline: one row per listing with all searched fields, and every index that helps. */
export async function loadBaseline(sql: Sql) {
  await sql`set maintenance_work_mem = '1GB'`
  await sql`
    create unlogged table bench_text as select l.uid, l.published_at, l.adult, coalesce(h.band, 'unrated') = 'problematic' as problem, l.asset_type, l.genres, l.tags, l.tone,
      l.content_warnings, l.session_bucket, l.players_min, l.players_max, p.platforms, p.os,
      setweight(to_tsvector('simple', l.name), 'A') || setweight(to_tsvector('simple', array_to_string(l.tags, ' ')), 'B') ||
        setweight(to_tsvector('simple', l.tagline), 'C') || setweight(to_tsvector('simple', l.description), 'D') as words
    from listings l
    left join (select game_uid, min(band) as band from build_health group by 1) h on h.game_uid = l.uid
    left join (select game_uid, array_agg(os || '/' || arch) as platforms, array_agg(os) as os from channel_heads group by 1) p on p.game_uid = l.uid`
  for (const index of [
    'gin (words)',
    'gin (tags)',
    'gin (genres)',
    'gin (platforms)',
    '(published_at desc)',
    '(uid)',
  ])
    await sql.unsafe(
      `create index on bench_text using ${index.startsWith('(') ? 'btree ' : ''}${index}`,
    )
  await sql`create index on listing_engine_ranges (engine)`
  await sql`analyze bench_text`
}
