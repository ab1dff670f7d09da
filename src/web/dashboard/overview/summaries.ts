import type { Core } from '../../../core/runtime/core.ts'
import { STATISTICS_DAYS } from '../../../core/runtime/retention.ts'
import type { Visibility } from '../../../listings/fields/fields.ts'
import {
  FAILING,
  type LaunchBand,
  launchBands,
  UNRATED,
} from '../../../listings/fields/launch-bands.ts'
import { type CheckReport, checkListing } from '../../../listings/listing/check.ts'
import { readManyFacts } from '../../../listings/listing/facts-queries.ts'
import { imageUrl } from '../../../listings/media/url.ts'
import { findNearlyFull } from '../../../listings/storage/report.ts'
import { daysBack } from '../../components/chart.ts'
import { nextSteps, type Step } from './next-steps.ts'
import { type ProjectFigures, readProjectFigures } from './queries.ts'

type Project = { uid: string; visibility: Visibility }

export type ProjectSummary = Pick<ProjectFigures, 'open_bugs'> & {
  /** The address of the image, or nothing. */
  thumbnail: string
  /** A value for each of the last days; the last one is today. */
  downloads: number[]
  active_devices: number[]
  /** The worst band of the builds on the stable channel. */
  band: LaunchBand
  has_health_alarm: boolean
  /** Crashes that are not resolved, those that came back included. */
  open_crashes: number
  check: CheckReport
  steps: Step[]
}

/** Reads what the dashboard shows of these projects, with a fixed number of queries. */
export async function readSummaries(
  core: Core,
  projects: readonly Project[],
): Promise<Map<string, ProjectSummary>> {
  if (!projects.length) return new Map()
  const uids = projects.map(({ uid }) => uid)
  const days = daysBack(STATISTICS_DAYS, new Date())
  const [rows, facts, nearly_full] = await Promise.all([
    readProjectFigures(core.sql, uids, days[0]!),
    readManyFacts(core.sql, uids),
    findNearlyFull(core, uids),
  ])
  const figures = new Map(rows.map((row) => [row.uid, row]))
  return new Map(
    projects.flatMap(({ uid, visibility }) => {
      const row = figures.get(uid)
      const known = facts.get(uid)
      // A project may have been deleted in the meantime.
      if (!row || !known) return []
      const check = checkListing(known)
      return [
        [
          uid,
          summaryOf(core, row, {
            visibility,
            check,
            days,
            is_storage_nearly_full: nearly_full.has(uid),
          }),
        ],
      ]
    }),
  )
}

type Rest = {
  visibility: Visibility
  check: CheckReport
  days: string[]
  is_storage_nearly_full: boolean
}

function summaryOf(core: Core, row: ProjectFigures, rest: Rest) {
  const { visibility, check, days, is_storage_nearly_full } = rest
  const { thumbnail, bands, has_drop, open_bugs, open_crashes, regressed_crashes } = row
  const band = worstOf(bands)
  const active_devices = valuesOf(days, row.active_devices)
  const has_health_alarm = has_drop || band === FAILING
  return {
    thumbnail: thumbnail ? imageUrl(core.addresses, thumbnail) : '',
    downloads: valuesOf(days, row.downloads),
    active_devices,
    band,
    has_health_alarm,
    open_bugs,
    open_crashes: open_crashes + regressed_crashes,
    check,
    steps: nextSteps({
      visibility,
      check,
      has_health_alarm,
      has_devices: active_devices.some((devices) => devices > 0),
      open_bugs,
      open_crashes,
      regressed_crashes,
      unanswered_reviews: row.unanswered_reviews,
      is_storage_nearly_full,
    }),
  }
}

function valuesOf(days: string[], counts: ProjectFigures['downloads']): number[] {
  const by_day = new Map(counts.map(({ day, count }) => [day, count]))
  return days.map((day) => by_day.get(day) ?? 0)
}

const worstOf = (bands: readonly LaunchBand[]): LaunchBand =>
  launchBands.filter((band) => band !== UNRATED).findLast((band) => bands.includes(band)) ?? UNRATED
