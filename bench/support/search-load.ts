import { once } from 'node:events'
import type { Document } from '../../src/catalog/search/index/document.ts'
import type { Sql } from '../../src/core/database/sql.ts'
import { listing, ownerOf } from './search-data.ts'

/**
 * Loads the catalog into an empty database without triggers, which takes minutes instead of hours.
 */
const OWNERS = 100_000
const array = (values: readonly string[]) => `{${values.join(',')}}`
const timestamp = (us: number) => new Date(us / 1000).toISOString()
type Value = string | number | null
const text = (value: Value) => (value === null ? '\\N' : String(value))

async function copy(sql: Sql, target: string, count: number, rows: (n: number) => Value[][]) {
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
  await copy(sql, `all_listings (${Object.keys(listingRow(0)).join(', ')})`, count, (n) => [
    Object.values(listingRow(n)),
  ])
  await copy(
    sql,
    'builds (uid, game_uid, version, os, arch)',
    count,
    buildRows(({ uid }, os, arch, build) => [build, uid, '1.0', os, arch]),
  )
  await copy(
    sql,
    'files (uid, game_uid, build_uid, os, arch, channel, filename, size, checksum, scan, method)',
    count,
    buildRows(({ uid }, os, arch, build) => {
      const build_columns = [build, uid, build, os, arch, 'stable']
      return [...build_columns, 'game.zip', 1, 'none', 'clean', 'website']
    }),
  )
  await copy(
    sql,
    'channel_heads (game_uid, app, channel, os, arch, build_uid)',
    count,
    buildRows(({ uid }, os, arch, build) => [uid, '', 'stable', os, arch, build]),
  )
  await copy(
    sql,
    'build_health (build_uid, game_uid, band)',
    count,
    buildRows(({ uid, health }, _os, _arch, build) => [build, uid, health]),
  )
  await copy(
    sql,
    'listing_engine_ranges (game_uid, position, engine, min_version, max_version, renderer)',
    count,
    (n) => {
      const { uid, ranges } = listing(n)
      return ranges.map(({ engine, min_version, max_version, renderer }, i) => {
        return [uid, i, engine, min_version, max_version, renderer]
      })
    },
  )
  await sql`analyze`
}

/** The columns of `all_listings` for a generated listing. */
function listingRow(n: number): Record<string, Value> {
  const document = listing(n)
  const published = timestamp(document.published_us)
  return {
    uid: document.uid,
    owner_uid: document.owner_uid,
    vanity_name: `listing-${n}`,
    name: document.name,
    tagline: document.tagline,
    description: document.description,
    asset_type: document.asset_type,
    status: document.status,
    visibility: 'public',
    adult: String(document.adult),
    created_at: published,
    updated_at: timestamp(document.updated_us),
    published_at: published,
    public_since: published,
    price_cents: document.price_cents,
    license_kind: document.license_kind,
    genres: array(document.genres),
    tags: array(document.tags),
    tone: array(document.tone),
    inputs: array(document.inputs),
    content_warnings: array(document.content_warnings),
    engines: array(document.engines),
    ai_uses: array(document.ai_uses),
    session_bucket: document.session_bucket,
    net: document.net,
    players_min: document.players_min,
    players_max: document.players_max,
    authorship: document.authorship,
  }
}

/** Rows with one build per platform of a listing. */
const buildRows =
  (toRow: (document: Document, os: string, arch: string, build: string) => Value[]) =>
  (n: number) => {
    const document = listing(n)
    return document.platforms.map((platform, i) => {
      const [os, arch] = platform.split('/') as [string, string]
      return toRow(document, os, arch, buildOf(document.uid, i))
    })
  }

/** The baseline: one row per listing with all searched fields, and every index that helps. */
export async function loadBaseline(sql: Sql) {
  await sql`set maintenance_work_mem = '1GB'`
  await sql`
    create unlogged table bench_text as
    select
      l.uid, l.published_at, l.adult,
      coalesce(h.band, 'unrated') = 'problematic' as problem,
      l.asset_type, l.genres, l.tags, l.tone, l.content_warnings,
      l.session_bucket, l.players_min, l.players_max, p.platforms, p.os,
      setweight(to_tsvector('simple', l.name), 'A')
        || setweight(to_tsvector('simple', array_to_string(l.tags, ' ')), 'B')
        || setweight(to_tsvector('simple', l.tagline), 'C')
        || setweight(to_tsvector('simple', l.description), 'D') as words
    from listings l
    left join (
      select game_uid, min(band) as band
      from build_health
      group by 1
    ) h on h.game_uid = l.uid
    left join (
      select game_uid, array_agg(os || '/' || arch) as platforms, array_agg(os) as os
      from channel_heads
      group by 1
    ) p on p.game_uid = l.uid`
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
