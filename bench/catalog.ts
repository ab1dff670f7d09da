import { join } from 'node:path'
import { exportLines } from '../src/catalog/export/export.ts'
import { type ShelfKind, shelfKinds } from '../src/catalog/shelves/shelf-rules.ts'
import { loadShelf } from '../src/catalog/shelves/shelves.ts'
import { SECTION_SIZE, sectionSpan, sitemapJson, urlset } from '../src/catalog/sitemap/sitemap.ts'
import { countTags } from '../src/catalog/tags/queries.ts'
import { popularTags } from '../src/catalog/tags/tags.ts'
import { readConfig } from '../src/core/runtime/config.ts'
import type { Core } from '../src/core/runtime/core.ts'
import { startService } from '../src/service.ts'
import {
  exportByOffset,
  readShelfNaively,
  sitemapAtOnce,
  sitemapByOffset,
} from './baselines/catalog-queries.ts'
import { fillCatalog } from './support/catalog-rows.ts'
import { median, report, scratch } from './support/harness.ts'

const LISTINGS = Number(process.env.BENCH_LISTINGS ?? 100_000)
const ROUNDS = 9

type Run = () => Promise<unknown>

/**
 * Runs both in turns, so that other load on the machine affects both alike, after one warm-up
 * round.
 */
async function compare(title: string, naive: Run, ours: Run, rounds = ROUNDS) {
  const times = { naive: [] as number[], ours: [] as number[] }
  for (let round = 0; round <= rounds; round++) {
    for (const [name, run] of [
      ['naive', naive],
      ['ours', ours],
    ] as const) {
      const started = performance.now()
      await run()
      if (round > 0) times[name].push(performance.now() - started)
    }
  }
  const perSecond = (all: number[]) => 1000 / median(all)
  return report(
    `${title} (${median(times.naive).toFixed(1)} ms, ${median(times.ours).toFixed(1)} ms)`,
    [
      { name: 'plain SQL for every request', median: perSecond(times.naive) },
      { name: 'Slipway', median: perSecond(times.ours) },
    ],
    'per second',
  )
}

const countBytes = async (chunks: AsyncGenerator<string>) => {
  let bytes = 0
  for await (const chunk of chunks) bytes += chunk.length
  return bytes
}

/** The peak memory of a function above the memory before it. */
async function memoryOf(run: Run): Promise<number> {
  globalThis.gc?.()
  const before = process.memoryUsage.rss()
  let peak = before
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }, 5)
  await run()
  clearInterval(timer)
  return (Math.max(peak, process.memoryUsage.rss()) - before) / 1024 / 1024
}

/**
 * Targets: a shelf, the tags and a part of the sitemap cost the same in a large catalog as in a
 * small one, and the memory of an export does not depend on the size of the catalog.
 */
export async function catalog() {
  const { folder, remove } = scratch()
  const service = await startService(
    readConfig({
      DATA_DIR: join(folder, 'data'),
      PORT: '0',
      METRICS_PORT: 'off',
      LOG_LEVEL: 'silent',
      SLIPWAY_ROLES: 'api',
    }),
  )
  try {
    const { core } = service
    await fillCatalog(core.sql, LISTINGS)
    process.stdout.write(`\n${LISTINGS} listings\n`)
    for (const kind of shelfKinds) await shelves(core, kind)
    await compare(
      'Popular tags with a prefix',
      () => countTags(core.sql, 'tag-1', 20),
      () => popularTags(core, 'tag-1', 20),
    )
    const last = Math.ceil(LISTINGS / SECTION_SIZE)
    await compare(
      `Sitemap, file ${last}`,
      () => sitemapByOffset(core.sql, (last - 1) * SECTION_SIZE, SECTION_SIZE),
      () => countBytes(urlset(core, sectionSpan(last), {})),
      3,
    )
    await compare(
      'JSON sitemap, first page',
      () => sitemapAtOnce(core.sql),
      () => countBytes(sitemapJson(core, 0)),
      3,
    )
    await exports(core)
  } finally {
    await service.stop()
    remove()
  }
}

async function shelves(core: Core, kind: ShelfKind) {
  const now = new Date()
  const slow = LISTINGS > 200_000 ? 2 : 5
  await compare(
    `Shelf ${kind}`,
    () => readShelfNaively(core, kind, now, 12),
    () => loadShelf(core, kind, { os: null, limit: 12, now }),
    slow,
  )
}

async function exports(core: Core) {
  const count = Math.min(LISTINGS, 20_000)
  const after = LISTINGS - count
  await compare(
    `Export of the last ${count} listings`,
    () => exportByOffset(core, after),
    () => countBytes(exportLines(core, after, Number.POSITIVE_INFINITY)),
    1,
  )
  const flat = await memoryOf(() => countBytes(exportLines(core, 0, Number.POSITIVE_INFINITY)))
  process.stdout.write(`  memory for all ${LISTINGS} of them: ${Math.round(flat)} MB\n`)
}
