import { join } from 'node:path'
import { type ListQuery, readQuery } from '../src/assets/packages/parameters.ts'
import { findPackages } from '../src/assets/packages/search.ts'
import { bitmapRows } from '../src/catalog/search/index/document.ts'
import { find } from '../src/catalog/search/search.ts'
import { startEmbeddedPostgres } from '../src/core/database/embedded-postgres.ts'
import { migrate } from '../src/core/database/migrate.ts'
import { openPool, type Sql } from '../src/core/database/sql.ts'
import { readConfig } from '../src/core/runtime/config.ts'
import { createLog } from '../src/core/runtime/log.ts'
import { editorWords, readEditor } from '../src/listings/fields/editor-versions.ts'
import { startService } from '../src/service.ts'
import { median, scratch } from './support/harness.ts'
import { listing, random, uidOf, word } from './support/search-data.ts'

const PACKAGES = Number(process.env.BENCH_PACKAGES ?? 100_000)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 30)
const MAKERS = 5_000
const BATCH = 2_000
const engines = ['3.2', '3.5', '3.6', '4.0', '4.1', '4.2', '4.3', '4.4', '4.5', '4.6']
const types = ['plugin', 'plugin', 'dev_asset', 'tool']

/**
 * Target: listing or searching 100,000 packages takes the index under 10 ms at p95, and is at least
 * 20 times as fast as the usual approach, LIKE and COUNT over the same rows in the same database.
 */
export async function assetLibrary() {
  const { folder, remove } = scratch()
  const config = readConfig({
    DATA_DIR: join(folder, 'data'),
    PORT: '0',
    METRICS_PORT: 'off',
    LOG_LEVEL: 'silent',
    SLIPWAY_ROLES: 'api',
  })
  try {
    await fill(config.data_dir)
    const service = await startService(config)
    try {
      return await compare(service.core)
    } finally {
      await service.stop()
    }
  } finally {
    remove()
  }
}

/** Inserts rows directly into the tables. */
export async function fill(data_dir: string) {
  const database = await startEmbeddedPostgres(data_dir)
  await migrate(database.url, createLog(readConfig({ LOG_LEVEL: 'silent' })))
  const sql = openPool(database.url, 1, 'bench')
  await sql`set session_replication_role = replica`
  await sql`
    insert into users (uid, username, email, password_hash, email_verified_at)
    select uid, 'maker-' || n, 'maker-' || n || '@example.com', 'none', now() from unnest(${Array.from({ length: MAKERS }, (_, n) => uidOf(200_000_000 + n))}::uuid[]) with ordinality u (uid, n)`
  for (let from = 0; from < PACKAGES; from += BATCH)
    await insert(sql, from, Math.min(from + BATCH, PACKAGES))
  await flatten(sql)
  await sql`vacuum analyze`
  await sql.end()
  await database.stop()
}

async function insert(sql: Sql, from: number, end: number) {
  const made = Array.from({ length: end - from }, (_, i) => {
    const {
      uid,
      name,
      tagline,
      description,
      tags,
      license_kind,
      price_cents,
      published_us,
      updated_us,
    } = listing(from + i)
    const next = random(from + i)
    const about = {
      asset_type: types[Math.floor(next() * types.length)]!,
      engine: engines[Math.floor(next() * engines.length)]!,
    }
    return {
      uid,
      name,
      tagline,
      description,
      tags,
      license_kind,
      price_cents,
      ...about,
      published: published_us / 1e6,
      updated: updated_us / 1e6,
      owner: uidOf(200_000_000 + Math.floor(next() * MAKERS)),
    }
  })
  await sql`
    with r as (select * from jsonb_to_recordset(${sql.json(made as never)}) as r (uid uuid, name text, tagline text, description text, tags jsonb,
        license_kind text, price_cents int, asset_type text, engine text, published float8, updated float8, owner uuid)),
    listed as (insert into listings (uid, owner_uid, vanity_name, name, tagline, description, asset_type, visibility, tags, license_kind, price_cents, published_at,
        updated_at, anonymous_downloads)
      select uid, owner, 'v-' || uid, name, tagline, description, asset_type, 'public', array(select jsonb_array_elements_text(r.tags)), license_kind, price_cents,
        to_timestamp(published), to_timestamp(updated), true from r),
    built as (insert into builds (uid, game_uid, version, engine_version, os, arch, created_at) select uid, uid, '1.0', engine, 'linux', 'x86_64', to_timestamp(published) from r),
    filed as (insert into files (uid, game_uid, build_uid, os, arch, channel, filename, size, checksum, scan, method, uploaded_at, has_project_file)
      select uid, uid, uid, 'linux', 'x86_64', 'stable', 'kit.zip', 1000, repeat('a', 64), 'clean', 'website', to_timestamp(published), false from r)
    insert into channel_heads (game_uid, app, channel, os, arch, build_uid) select uid, '', 'stable', 'linux', 'x86_64', uid from r`
}

/**
 * The table of the baseline, denormalized and with the version as a number, to be as fast as
 * possible with LIKE and COUNT.
 */
async function flatten(sql: Sql) {
  await sql`
    create table flat_packages as
    select l.uid, l.name as title, l.tagline, l.description, array_to_string(l.tags, ' ') as tags, u.username, coalesce(l.license_kind, 'unknown') as cost, l.asset_type,
      split_part(b.engine_version, '.', 1)::int * 100 + split_part(b.engine_version, '.', 2)::int as engine, l.price_cents, l.updated_at
    from listings l join users u on u.uid = l.owner_uid join builds b on b.game_uid = l.uid`
  await sql`create index on flat_packages (updated_at desc)`
  await sql`create index on flat_packages (engine)`
}

type Core = Awaited<ReturnType<typeof startService>>['core']
const common = { godot_version: '4.4', support: 'official+community', type: 'addon' }
/** The queries of editors, with different words each time. */
const shapes: Record<string, (next: () => number) => ListQuery> = {
  'first page': () => common,
  'tenth page': () => ({ ...common, page: '9' }),
  'a category': () => ({ ...common, category: '2' }),
  'by name': () => ({ ...common, sort: 'name' }),
  'by licence, turned round': () => ({ ...common, sort: 'cost', reverse: 'true' }),
  'rare word': (next) => ({ ...common, filter: word(30_000 + Math.floor(next() * 30_000)) }),
  'common word': (next) => ({ ...common, filter: word(40 + Math.floor(next() * 80)) }),
  'two words': (next) => ({
    ...common,
    filter: `${word(20 + Math.floor(next() * 300))} ${word(20 + Math.floor(next() * 300))}`,
  }),
  nothing: () => ({ ...common, filter: 'qzxqzx' }),
  'for an older editor': (next) => ({
    ...common,
    godot_version: '3.2',
    filter: word(Math.floor(next() * 100)),
  }),
}

async function compare(core: Core) {
  const ways = {
    index: (query: ListQuery) => byIndex(core, query),
    whole: (query: ListQuery) => whole(core, query),
    like: (query: ListQuery) => byLike(core.sql, query),
  }
  const start = performance.now()
  await core.checks.search!()
  process.stdout.write(
    `\nthe index of ${PACKAGES} packages was read in ${((performance.now() - start) / 1000).toFixed(1)} s`,
  )
  process.stdout.write(`\n${PACKAGES} packages: milliseconds, p50 / p95 (${ROUNDS} rounds)\n`)
  process.stdout.write(
    `  ${''.padEnd(26)} ${'index'.padStart(15)} ${'with the rows'.padStart(17)} ${'LIKE + COUNT'.padStart(17)}    index    whole\n`,
  )
  const all: Record<keyof typeof ways, number[]> = { index: [], whole: [], like: [] }
  for (const [name, shape] of Object.entries(shapes)) {
    const taken: typeof all = { index: [], whole: [], like: [] }
    const next = random(1)
    for (let round = -3; round < ROUNDS; round++) {
      const query = shape(next)
      const totals = new Set<number>()
      for (const way of Object.keys(ways) as (keyof typeof ways)[]) {
        const start = performance.now()
        totals.add(await ways[way](query))
        if (round >= 0) taken[way].push(performance.now() - start)
      }
      if (!query.filter && totals.size !== 1)
        throw new Error(`${name}: the ways disagree: ${[...totals]}`)
    }
    for (const way of Object.keys(ways) as (keyof typeof ways)[]) all[way].push(...taken[way])
    line(name, taken)
  }
  line('all of them', all)
  const [p95, ratio] = [at(all.index, 0.95), median(all.like) / median(all.index)]
  process.stdout.write(
    `  index p95 ${p95.toFixed(2)} ms (target: under 10); LIKE + COUNT takes ${ratio.toFixed(0)} times as long (target: 20)\n`,
  )
  return { p95, ratio }
}

const at = (figures: number[], part: number) =>
  figures.toSorted((a, b) => a - b)[
    Math.min(figures.length - 1, Math.floor(figures.length * part))
  ]!

function line(name: string, { index, whole, like }: Record<'index' | 'whole' | 'like', number[]>) {
  const pair = (figures: number[], width: number) =>
    `${median(figures).toFixed(2)} / ${at(figures, 0.95).toFixed(2)}`.padStart(width)
  const times = (figures: number[]) => `${(median(like) / median(figures)).toFixed(1)}x`.padStart(8)
  process.stdout.write(
    `  ${name.padEnd(26)} ${pair(index, 15)} ${pair(whole, 17)} ${pair(like, 17)} ${times(index)} ${times(whole)}\n`,
  )
}

/** The same query on the index only. */
async function byIndex(core: Core, query: ListQuery): Promise<number> {
  const { categories, sort, reverse, editor, text, offset, limit } = readQuery(query)!
  const include = [categories.map((category) => bitmapRows.get(`package ${category}`)!)]
  const plan = {
    include,
    sort: sort === 'updated' ? ('released' as const) : sort,
    reverse,
    editors: editorWords(editor!),
    offset,
    limit,
  }
  return (await find(core, { q: text }, false, plan)).total
}

async function whole(core: Core, query: ListQuery): Promise<number> {
  return (
    await findPackages(core, null, readQuery(query)!, { editor: null, os: null, signed_in: false })
  ).total
}

const columns: Record<string, string> = {
  updated: 'updated_at',
  name: 'title',
  cost: 'cost',
  rating: 'updated_at',
}

async function byLike(sql: Sql, query: ListQuery): Promise<number> {
  const { categories, text, sort, reverse, offset, limit } = readQuery(query)!
  const { major, minor } = readEditor(query.godot_version!)!
  const words = text.split(' ').filter(Boolean)
  const like = (one: string) =>
    sql`and (title ilike ${`%${one}%`} or tags ilike ${`%${one}%`} or tagline ilike ${`%${one}%`} or description ilike ${`%${one}%`})`
  const where = sql`where asset_type = any(${categories}) and engine between ${major * 100} and ${major * 100 + minor} ${words.length ? words.map(like) : sql``}`
  const order = (sort === 'updated') !== reverse ? sql`desc` : sql`asc`
  const [rows, [counted]] = [
    await sql`select uid, title, username, cost, asset_type, engine, price_cents, updated_at from flat_packages ${where} order by ${sql(columns[sort]!)} ${order} limit ${limit} offset ${offset}`,
    await sql`select count(*)::int as total from flat_packages ${where}`,
  ]
  return rows && counted!.total
}
