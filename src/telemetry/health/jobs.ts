import { databaseTime, type Sql, type Tx } from '../../core/database/sql.ts'
import { job } from '../../core/jobs/index.ts'
import type { Core } from '../../core/runtime/core.ts'
import { mailLanguage, writeMail } from '../../core/text/mail-text.ts'
import { dayOf } from '../timestamps.ts'
import { launchBand } from './bands.ts'
import { healthDropMail } from './mail-templates.ts'
import { weighByNetwork } from './network-weights.ts'
import {
  deleteChanges,
  holdHealth,
  newestChange,
  queueStaleBuilds,
  readChanges,
  readDropMail,
  readLaunches,
  recordDrops,
  saveHealth,
  saveReach,
} from './queries.ts'

const today = async (sql: Sql | Tx) => dayOf((await databaseTime(sql)).getTime() * 1000)
/** Limits of one transaction; a run takes as many as it needs. */
const MAX_CHANGES = 20_000
const MAX_BUILDS = 1_000

/** Recomputes the launch health of builds with new events. */
export const updateHealth = job({
  name: 'telemetry.health',
  schedule: '* * * * *',
  expire_seconds: 600,
  async handle({ core, signal, finish }) {
    // Popular games produce changes all the time. Those that arrive during this run are left to
    // the next one, so that a run ends.
    const up_to = await newestChange(core.sql)
    for (;;) {
      signal.throwIfAborted()
      const has_more = await core.sql.begin((tx) => updateSomeBuilds(core, tx, up_to))
      if (!has_more) break
    }
    await finish(async () => {})
  },
})

async function updateSomeBuilds(core: Core, tx: Tx, up_to: number): Promise<boolean> {
  const changes = await readChanges(tx, up_to, MAX_CHANGES)
  if (changes.length === 0) return false
  const builds = [...new Set(changes.map(({ build_uid }) => build_uid))].slice(0, MAX_BUILDS)
  const updated = new Set(builds)
  await updateBuilds(core, tx, builds, await today(tx))
  await deleteChanges(
    tx,
    changes.filter(({ build_uid }) => updated.has(build_uid)).map(({ seq }) => seq),
  )
  return true
}

export async function updateBuilds(
  core: Core,
  tx: Tx,
  builds: string[],
  day: string,
): Promise<void> {
  await holdHealth(tx)
  const launches = await readLaunches(tx, builds, day)
  await saveHealth(
    tx,
    launches.map((row) => ({ ...row, band: launchBand(row, weighByNetwork(row.networks)) })),
  )
  await saveReach(tx, [...new Set(launches.map(({ game_uid }) => game_uid))])
  for (const { uid } of await recordDrops(tx, builds))
    await core.jobs.send(tx, 'telemetry.warn', { uid })
}

/** At midnight devices leave the window without any event. */
export const startHealthDay = job({
  name: 'telemetry.turn-day',
  schedule: '3 0 * * *',
  handle: ({ finish }) => finish(async (tx) => queueStaleBuilds(tx, await today(tx))),
})

export const mailHealthDrop = job<{ uid: string }>({
  name: 'telemetry.warn',
  async handle({ core, data: { uid } }) {
    const drop = await readDropMail(core.sql, uid)
    if (!drop) return
    await core.mail.send({
      id: uid,
      to: drop.email,
      ...writeMail(healthDropMail(drop), mailLanguage(core.config, drop.language)),
      created_at: new Date(),
    })
  },
})
