import type { Tx } from '../../core/database/sql.ts'
import { job } from '../../core/jobs/index.ts'
import type { Core } from '../../core/runtime/core.ts'
import { dayOf } from '../timestamps.ts'
import { launchBand } from './bands.ts'
import {
  forgetNews,
  newestNews,
  readFigures,
  readNews,
  readWarningMail,
  recordFalls,
  saveHealth,
  saveReach,
  tellOfLeavers,
} from './queries.ts'

const today = () => dayOf(Date.now() * 1000)
/** As many as one transaction takes; more come in the next round of the same run. */
const NEWS_A_ROUND = 20_000
const BUILDS_A_ROUND = 1_000

/** Every minute, and soon after news: the health of builds that there is something new to know of. */
export const health = job({
  name: 'telemetry.health',
  schedule: '* * * * *',
  expire_seconds: 600,
  async handle({ core, signal, finish }) {
    // Of a game that is played there are always news: what comes meanwhile is the next run's.
    const up_to = await newestNews(core.sql)
    for (;;) {
      signal.throwIfAborted()
      const more = await core.sql.begin((tx) => recompute(core, tx, up_to))
      if (!more) break
    }
    await finish(async () => {})
  },
})

async function recompute(core: Core, tx: Tx, up_to: number): Promise<boolean> {
  const news = await readNews(tx, up_to, NEWS_A_ROUND)
  if (news.length === 0) return false
  const builds = [...new Set(news.map(({ build_uid }) => build_uid))].slice(0, BUILDS_A_ROUND)
  const taken = new Set(builds)
  await recomputeBuilds(core, tx, builds, today())
  await forgetNews(
    tx,
    news.filter(({ build_uid }) => taken.has(build_uid)).map(({ seq }) => seq),
  )
  return true
}

export async function recomputeBuilds(
  core: Core,
  tx: Tx,
  builds: string[],
  day: string,
): Promise<void> {
  const figures = (await readFigures(tx, builds, day)).map((row) => ({
    ...row,
    band: launchBand(row),
  }))
  await saveHealth(tx, figures)
  await saveReach(tx, [...new Set(figures.map(({ game_uid }) => game_uid))])
  for (const { uid } of await recordFalls(tx, builds))
    await core.jobs.send(tx, 'telemetry.warn', { uid })
}

/** Devices leave the window without telling anyone. */
export const turnDay = job({
  name: 'telemetry.turn-day',
  schedule: '3 0 * * *',
  handle: ({ finish }) => finish((tx) => tellOfLeavers(tx, today())),
})

export const warn = job<{ uid: string }>({
  name: 'telemetry.warn',
  async handle({ core, data: { uid } }) {
    const mail = await readWarningMail(core.sql, uid)
    if (!mail) return
    const {
      game_name,
      version,
      band,
      previous_version,
      previous_band,
      devices,
      boot_ok,
      crash_on_boot,
    } = mail
    const text = `${game_name} ${version} starts worse than ${previous_version}: it is ${band}, the version before is ${previous_band}.

Of ${devices} devices in the last 30 days, ${boot_ok} started it and ${crash_on_boot} crashed before they did.

You can roll the stable channel back, or look at the crash reports of this build.
`
    const subject = `${game_name} ${version} is ${band} on players' devices`.replace(
      /[\x00-\x1f\x7f]/g,
      ' ',
    )
    await core.mail.send({ id: uid, to: mail.email, subject, text, created_at: new Date() })
  },
})
