import { join } from 'node:path'
import { type ListQuery, readQuery } from '../src/assets/packages/parameters.ts'
import { findPackages } from '../src/assets/packages/search.ts'
import { bitmapRows } from '../src/catalog/search/index/document.ts'
import { find } from '../src/catalog/search/search.ts'
import { startEmbeddedPostgres } from '../src/core/database/embedded/postgres.ts'
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

const makerUid = (n: number) => uidOf(200_000_000 + n)

/** Inserts rows directly into the tables. */
export async function fill(data_dir: string) {
  const database = await startEmbeddedPostgres(data_dir)
  await migrate(database.url, createLog(readConfig({ LOG_LEVEL: 'silent' })))
  const sql = openPool(database.url, 1, 'bench')
  await sql`set session_replication_role = replica`
  await sql`
    insert into users (uid, username, email, password_hash, email_verified_at)
    select uid, 'maker-' || n, 'maker-' || n || '@example.com', 'none', now()
    from unnest(${Array.from({ length: MAKERS }, (_, n) => makerUid(n))}::uuid[])
      with ordinality u (uid, n)`
  for (let from = 0; from < PACKAGES; from += BATCH)
    await insert(sql, from, Math.min(from + BATCH, PACKAGES))
  await flatten(sql)
  await sql`vacuum analyze`
  await sql.end()
  await database.stop()
}

async function insert(sql: Sql, from: number, end: number) {
  const packages = Array.from({ length: end - from }, (_, i) => packageRow(from + i))
  const rows = sql`
    jsonb_to_recordset(${sql.json(packages as never)}) as r (
      uid uuid, name text, tagline text, description text, tags jsonb, license_kind text,
      price_cents int, asset_type text, engine text, published float8, updated float8, owner uuid
    )`
  await sql`
    insert into listings (
      uid, owner_uid, vanity_name, name, tagline, description, asset_type, visibility,
      tags, license_kind, price_cents,
      published_at, updated_at, anonymous_downloads
    )
    select
      uid, owner, 'v-' || uid, name, tagline, description, asset_type, 'public',
      array(select jsonb_array_elements_text(r.tags)), license_kind, price_cents,
      to_timestamp(published), to_timestamp(updated), true
    from ${rows}`
  await sql`
    insert into builds (uid, game_uid, version, engine_version, os, arch, created_at)
    select uid, uid, '1.0', engine, 'linux', 'x86_64', to_timestamp(published)
    from ${rows}`
  await sql`
    insert into files (
      uid, game_uid, build_uid, os, arch, channel, filename, size,
      checksum, scan, method, uploaded_at, has_project_file
    )
    select
      uid, uid, uid, 'linux', 'x86_64', 'stable', 'kit.zip', 1000,
      repeat('a', 64), 'clean', 'website', to_timestamp(published), false
    from ${rows}`
  await sql`
    insert into channel_heads (game_uid, app, channel, os, arch, build_uid)
    select uid, '', 'stable', 'linux', 'x86_64', uid
    from ${rows}`
}

function packageRow(n: number) {
  const { uid, name, tagline, description, tags, license_kind, price_cents, ...dates } = listing(n)
  const next = random(n)
  return {
    uid,
    name,
    tagline,
    description,
    tags,
    license_kind,
    price_cents,
    asset_type: types[Math.floor(next() * types.length)]!,
    engine: engines[Math.floor(next() * engines.length)]!,
    published: dates.published_us / 1e6,
    updated: dates.updated_us / 1e6,
    owner: makerUid(Math.floor(next() * MAKERS)),
  }
}

/**
 * The table of the baseline, denormalized and with the version as a number, to be as fast as
 * possible with LIKE and COUNT.
 */
async function flatten(sql: Sql) {
  await sql`
    create table flat_packages as
    select
      l.uid, l.name as title, l.tagline, l.description, array_to_string(l.tags, ' ') as tags,
      u.username, coalesce(l.license_kind, 'unknown') as cost, l.asset_type,
      split_part(b.engine_version, '.', 1)::int * 100
        + split_part(b.engine_version, '.', 2)::int as engine,
      l.price_cents, l.updated_at
    from listings l
    join users u on u.uid = l.owner_uid
    join builds b on b.game_uid = l.uid`
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
  'by license, reversed': () => ({ ...common, sort: 'cost', reverse: 'true' }),
  'rare word': (next) => ({ ...common, filter: word(30_000 + Math.floor(next() * 30_000)) }),
  'common word': (next) => ({ ...common, filter: word(40 + Math.floor(next() * 80)) }),
  'two words': (next) => ({
    ...common,
    filter: `${word(20 + Math.floor(next() * 300))} ${word(20 + Math.floor(next() * 300))}`,
  }),
  'no match': () => ({ ...common, filter: 'qzxqzx' }),
  'for an older editor': (next) => ({
    ...common,
    godot_version: '3.2',
    filter: word(Math.floor(next() * 100)),
  }),
}

const methods = ['index', 'page', 'like'] as const
type Method = (typeof methods)[number]
type Times = Record<Method, number[]>
const noTimes = (): Times => ({ index: [], page: [], like: [] })
const print = (line: string) => process.stdout.write(`${line}\n`)

async function compare(core: Core) {
  const run: Record<Method, (query: ListQuery) => Promise<number>> = {
    index: (query) => totalFromIndex(core, query),
    page: (query) => totalFromPage(core, query),
    like: (query) => totalFromLike(core.sql, query),
  }
  const start = performance.now()
  await core.checks.search!()
  const load_seconds = ((performance.now() - start) / 1000).toFixed(1)
  print(`\nThe index of ${PACKAGES} packages was loaded in ${load_seconds} s`)
  print(`${PACKAGES} packages: milliseconds, p50 / p95 (${ROUNDS} rounds)`)
  printColumns('', 'index', 'with the rows', 'LIKE + COUNT', 'index', 'rows')
  const all = noTimes()
  for (const [name, shape] of Object.entries(shapes)) {
    const times = noTimes()
    const next = random(1)
    for (let round = -3; round < ROUNDS; round++) {
      const query = shape(next)
      const totals = new Set<number>()
      for (const method of methods) {
        const start = performance.now()
        totals.add(await run[method](query))
        if (round >= 0) times[method].push(performance.now() - start)
      }
      if (!query.filter && totals.size !== 1)
        throw new Error(`${name}: the totals differ: ${[...totals]}`)
    }
    for (const method of methods) all[method].push(...times[method])
    printTimes(name, times)
  }
  printTimes('all of them', all)
  const p95 = percentile(all.index, 0.95)
  const ratio = median(all.like) / median(all.index)
  print(
    `  index p95 ${p95.toFixed(2)} ms (target: under 10); ` +
      `LIKE + COUNT takes ${ratio.toFixed(0)} times as long (target: 20)`,
  )
  return { p95, ratio }
}

const percentile = (figures: number[], part: number) =>
  figures.toSorted((a, b) => a - b)[
    Math.min(figures.length - 1, Math.floor(figures.length * part))
  ]!

const widths = [15, 17, 17, 8, 8]
const printColumns = (name: string, ...cells: string[]) =>
  print(`  ${name.padEnd(26)} ${cells.map((cell, i) => cell.padStart(widths[i]!)).join(' ')}`)

function printTimes(name: string, { index, page, like }: Times) {
  const pair = (figures: number[]) =>
    `${median(figures).toFixed(2)} / ${percentile(figures, 0.95).toFixed(2)}`
  const times = (figures: number[]) => `${(median(like) / median(figures)).toFixed(1)}x`
  printColumns(name, pair(index), pair(page), pair(like), times(index), times(page))
}

/** The same query on the index only. */
async function totalFromIndex(core: Core, query: ListQuery): Promise<number> {
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

/** The complete route: the index, and the rows of the page from the database. */
async function totalFromPage(core: Core, query: ListQuery): Promise<number> {
  const viewer = { editor: null, os: null, signed_in: false }
  return (await findPackages(core, null, readQuery(query)!, viewer)).total
}

const columns: Record<string, string> = {
  updated: 'updated_at',
  name: 'title',
  cost: 'cost',
  rating: 'updated_at',
}

/** The baseline. */
async function totalFromLike(sql: Sql, query: ListQuery): Promise<number> {
  const { categories, text, sort, reverse, offset, limit } = readQuery(query)!
  const { major, minor } = readEditor(query.godot_version!)!
  const words = text.split(' ').filter(Boolean)
  const contains = (word: string) => {
    const pattern = `%${word}%`
    return sql`
      and (
        title ilike ${pattern} or tags ilike ${pattern}
        or tagline ilike ${pattern} or description ilike ${pattern}
      )`
  }
  const where = sql`
    where asset_type = any(${categories})
      and engine between ${major * 100} and ${major * 100 + minor}
      ${words.length ? words.map(contains) : sql``}`
  const order = (sort === 'updated') !== reverse ? sql`desc` : sql`asc`
  await sql`
    select uid, title, username, cost, asset_type, engine, price_cents, updated_at
    from flat_packages
    ${where}
    order by ${sql(columns[sort]!)} ${order}
    limit ${limit} offset ${offset}`
  const [row] = await sql`select count(*)::int as total from flat_packages ${where}`
  return row!.total
}
