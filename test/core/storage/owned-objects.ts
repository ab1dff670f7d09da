import type { TestContext } from 'node:test'
import { sweepRenditions } from '../../../src/assets/images/jobs.ts'
import { sweepScreenshots } from '../../../src/bugs/reports/jobs.ts'
import { screenshotKey } from '../../../src/bugs/reports/screenshots.ts'
import { sweepObjects } from '../../../src/builds/builds/jobs.ts'
import type { Sql } from '../../../src/core/database/sql.ts'
import type { Core } from '../../../src/core/runtime/core.ts'
import { DAY_MS } from '../../../src/core/runtime/units.ts'
import { uuidv7 } from '../../../src/core/security/crypto.ts'
import { emptyTrashJob } from '../../../src/core/storage/jobs.ts'
import { sweepImages } from '../../../src/listings/media/jobs.ts'
import { sweepTrailers } from '../../../src/listings/trailers/jobs.ts'
import { sweepBrandImages } from '../../../src/operator/branding/jobs.ts'
import { sweepSaves } from '../../../src/play/saves/jobs.ts'
import { sweepCrashes } from '../../../src/telemetry/crashes/jobs.ts'
import { sweepPatches } from '../../../src/updates/patches/jobs.ts'
import { sweepUploads } from '../../../src/uploads/sessions/jobs.ts'
import { runJob, startApp } from '../../support/app.ts'
import { copyDatabase } from '../../support/database.ts'

/** Every job that compares a list of objects with the database, and the one of the trash. */
export const sweepJobs = [
  sweepObjects,
  sweepScreenshots,
  sweepSaves,
  sweepCrashes,
  sweepTrailers,
  sweepBrandImages,
  sweepPatches,
  sweepImages,
  sweepRenditions,
  sweepUploads,
  emptyTrashJob,
]

type Store = Pick<Core, 'sql' | 'storage'>

export async function runSweeps(core: Core) {
  for (const job of sweepJobs) await runJob({ core, sql: core.sql }, job)
}

/** An object of a time that sweeps look at, with its record: a screenshot of a bug report. */
export async function addRecorded({ sql, storage }: Store, game_uid: string): Promise<string> {
  const uid = uuidv7(Date.now() - 2 * DAY_MS)
  const key = screenshotKey({ uid, game_uid })
  await sql`
    insert into bugs
      (uid, game_uid, source, message, has_log, screenshot_type, screenshot_size,
       created_at, updated_at)
    values (${uid}, ${game_uid}, 'store', 'm', false, 'image/png', 4, now(), now())`
  await storage.put(key, Buffer.from('four'))
  return key
}

/** An object of that time without a record. */
export async function addOrphan({ storage }: Pick<Core, 'storage'>): Promise<string> {
  const key = `bugs/${uuidv7()}/${uuidv7(Date.now() - 2 * DAY_MS)}`
  await storage.put(key, Buffer.from('four'))
  return key
}

type App = Awaited<ReturnType<typeof startApp>>

/** A service with a copy of the database of another, beside it on the same objects. */
export async function startCopy(t: TestContext, { settings }: Pick<App, 'settings'>, env = {}) {
  const DATABASE_URL = await copyDatabase(t, settings.DATABASE_URL)
  return startApp(t, { ...settings, SLIPWAY_ROLES: 'api,web', DATABASE_URL, ...env })
}

/** A service whose database has a clock that is ahead. */
export function withDatabaseAhead<App extends { core: Core; sql: Sql }>(app: App, ms: number): App {
  const sql = new Proxy(app.sql, {
    apply(target, self, args) {
      const query = Reflect.apply(target, self, args) as Promise<{ now: Date }[]>
      if (!String(args[0]).includes('clock_timestamp() as now')) return query
      return query.then(([row]) => [{ now: new Date(row!.now.getTime() + ms) }])
    },
  })
  return { ...app, sql, core: { ...app.core, sql } }
}
