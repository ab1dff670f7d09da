import type { Sql, Tx } from '../../src/core/database/sql.ts'
import { withoutIndexes } from './without-indexes.ts'

const tables = ['users', 'all_listings', 'builds', 'files', 'channel_heads', 'listing_images']

/**
 * Generates a catalog of `count` listings in the database: nine of ten public, tags by Zipf's law,
 * one or two platforms, one of twenty rated, one of five hundred reviewed. It is the same for the
 * same count.
 */
export async function fillCatalog(sql: Sql, count: number): Promise<void> {
  await sql.begin(async (tx) => {
    // The rows are inserted in their final state. What triggers would record is not measured.
    await tx`set local session_replication_role = replica`
    await createFunctions(tx)
    await withoutIndexes(tx, tables, async () => {
      await insertListings(tx, count)
      await insertBuilds(tx, 'linux', count, 1)
      await insertBuilds(tx, 'windows', count, 2)
      await insertBuilds(tx, 'web', count, 9)
      await insertDetails(tx, count)
    })
  })
  await sql`vacuum analyze`
}

/** `id` and `chance` derive the same values from the same number in every run. */
async function createFunctions(tx: Tx) {
  await tx`
    create or replace function pg_temp.id(kind text, n int)
    returns uuid language sql immutable
    as $$ select md5(kind || n)::uuid $$`
  await tx`
    create or replace function pg_temp.chance(kind text, n int)
    returns float8 language sql immutable
    as $$ select ('x' || left(md5(kind || '?' || n), 8))::bit(32)::bigint / 4294967296.0 $$`
}

async function insertListings(tx: Tx, count: number) {
  const users = Math.ceil(count / 5)
  await tx`
    insert into users (uid, username, email, password_hash, email_verified_at)
    select
      pg_temp.id('user', n), 'maker-' || n, n || '@example.com', 'none',
      case when n % 50 > 0 then now() end
    from generate_series(0, ${users}::int) as n`
  const asset_type = tx`
    (array[
      'game', 'game', 'game', 'game', 'application',
      'tool', 'mod', 'plugin', 'game_asset', 'dev_asset'
    ])[1 + n % 10]`
  const tags = tx`
    array(
      select distinct 'tag-' || floor(power(5000, pg_temp.chance('t' || k, n)))::int
      from generate_series(1, 8) as k
    )`
  await tx`
    insert into listings (
      uid, owner_uid, vanity_name, name, tagline, description,
      asset_type, status, visibility, adult, indexable,
      published_at, public_since, updated_at,
      session_bucket, net, players_min, players_max, genres, tags, inputs, engines, price_cents
    )
    select
      pg_temp.id('game', n), pg_temp.id('user', n % ${users}::int), 'game-' || n,
      'Game number ' || n, 'A line about it', repeat('Some words about game ' || n || '. ', 20),
      ${asset_type}, (array['released', 'development', 'prototype'])[1 + n % 3],
      case when n % 10 = 7 then 'draft' else 'public' end, n % 37 = 0, n % 41 > 0,
      now() - (${count}::int - n) * interval '40 seconds', now(),
      now() - (${count}::int - n) * interval '20 seconds',
      (array['15m', '1h', '3h', 'endless'])[1 + (n / 10) % 4], 'offline', 1, 4, '{rpg}',
      ${tags}, '{gamepad}', array[case when n % 7 = 0 then 'svc-engine' else 'engine-x' end],
      case when n % 3 = 0 then 999 else 0 end
    from generate_series(1, ${count}::int) as n`
}

/** Builds for one of `divisor` listings, each the head of its channel with a scanned file. */
async function insertBuilds(tx: Tx, os: string, count: number, divisor: number) {
  const numbers = tx`generate_series(1, ${count}::int) as n where n % ${divisor}::int = 0`
  await tx`
    insert into builds (uid, game_uid, version, os, arch)
    select pg_temp.id(${os}, n), pg_temp.id('game', n), '1', ${os}, 'x86_64'
    from ${numbers}`
  await tx`
    insert into files (
      uid, game_uid, build_uid, os, arch, channel,
      filename, size, checksum, scan, method, uploaded_at
    )
    select
      pg_temp.id(${`file ${os}`}, n), pg_temp.id('game', n), pg_temp.id(${os}, n),
      ${os}, 'x86_64', 'stable',
      'a.zip', 1, '', 'clean', 'website',
      now() - pg_temp.chance('up', n) * interval '900 days'
    from ${numbers}`
  await tx`
    insert into channel_heads (game_uid, app, channel, os, arch, build_uid)
    select pg_temp.id('game', n), '', 'stable', ${os}, 'x86_64', pg_temp.id(${os}, n)
    from ${numbers}`
}

/** Health, images, community tags, copies and reviews. */
async function insertDetails(tx: Tx, count: number) {
  const series = tx`generate_series(1, ${count}::int) as n`
  await tx`
    insert into build_health (build_uid, game_uid, band, devices)
    select
      pg_temp.id('linux', n), pg_temp.id('game', n),
      (array['excellent', 'healthy', 'mixed', 'problematic'])[1 + (n / 20) % 4], 100
    from ${series}
    where n % 20 = 1`
  await tx`
    insert into listing_images (
      uid, game_uid, slot, position, sha256, type, width, height, size
    )
    select
      pg_temp.id(slot || place, n), pg_temp.id('game', n), slot, place,
      md5(n::text) || md5(n::text), 'image/png', 1280, 720, 1
    from ${series}
    cross join (
      values
        ('cover', 0), ('thumbnail', 0),
        ('gallery', 0), ('gallery', 1), ('gallery', 2), ('gallery', 3)
    ) as s (slot, place)`
  await tx`
    insert into community_tags (game_uid, tag, votes)
    select pg_temp.id('game', n), 'fan-' || n % 300, 3 + n % 9
    from ${series}
    where n % 23 = 0`
  await tx`
    insert into licences (user_uid, game_uid, source)
    select pg_temp.id('user', 1), pg_temp.id('game', n), 'grant'
    from ${series}
    where n % 491 = 0`
  await tx`
    insert into reviews (uid, game_uid, user_uid, free_copy, enjoyed, quality, created_at)
    select
      pg_temp.id('review', n), pg_temp.id('game', n), pg_temp.id('user', 1), false, true, 5,
      now() - pg_temp.chance('r', n) * interval '200 days'
    from ${series}
    where n % 491 = 0`
}
