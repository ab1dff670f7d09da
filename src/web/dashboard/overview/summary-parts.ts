import { STATISTICS_DAYS } from '../../../core/runtime/retention.ts'
import { type LocalText, t } from '../../../core/text/text.ts'
import { UNRATED } from '../../../listings/fields/launch-bands.ts'
import { badge, healthBadge } from '../../components/badge.ts'
import { sparkBars } from '../../components/chart.ts'
import { formatCount } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { icon } from '../../components/icons.ts'
import type { Step } from './next-steps.ts'
import type { ProjectSummary } from './summaries.ts'

export const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)

export const downloadSpark = ({ downloads }: ProjectSummary): Html =>
  sparkBars(downloads, downloadText(downloads))
export const activeSpark = ({ active_devices }: ProjectSummary): Html =>
  sparkBars(active_devices, activeText(active_devices))

const downloadText = (values: readonly number[]): LocalText =>
  t('overview-downloads-peak', {
    total: formatCount(sumOf(values), 'download'),
    peak: Math.max(...values),
    days: STATISTICS_DAYS,
  })

const activeText = (values: readonly number[]): LocalText =>
  t('health-devices-peak', {
    peak: formatCount(Math.max(...values), 'device'),
    today: formatCount(values.at(-1)!, 'device'),
  })

/** The launch health of the stable channel, or an alarm. */
export function healthMark({ band, has_health_alarm }: ProjectSummary): Html | false {
  if (has_health_alarm) return badge(t('overview-health-alarm'), 'bad', 'warn')
  return band !== UNRATED && healthBadge(band)
}

export const stepLink = (base: string, { text, path, is_urgent }: Step): Html => html`
  <a class="next-step${is_urgent && ' next-step-urgent'}" href="${base}/${path}">
    ${icon(is_urgent ? 'warn' : 'right')}<span>${text}</span>
  </a>`
