import { tableText } from '../../core/text/table-text.ts'
import { type LocalText, type Text, t } from '../../core/text/text.ts'
import type { Visibility } from '../../listings/fields/fields.ts'
import type { LaunchBand } from '../../listings/fields/launch-bands.ts'
import { bands } from '../../telemetry/health/bands.ts'
import { labelOf } from './format.ts'
import { type Html, html } from './html.ts'
import { type IconName, icon } from './icons.ts'

type Tone = 'ok' | 'warn' | 'bad' | 'ink' | 'soft'

/** A status in words, with an icon where it has one: color alone never carries the meaning. */
export const badge = (text: Text, tone: Tone = 'soft', sign?: IconName): Html => {
  const tone_class = tone !== 'soft' && ` label-${tone}`
  return html`<span class="label${tone_class}">${sign && icon(sign)}${text}</span>`
}

/** The icon of each tone of a launch-health band. */
export const bandIcons = { ok: 'ok', warn: 'warn', bad: 'bad', soft: 'wait' } as const
export const bandName = (band: LaunchBand): LocalText => t(`band-${band}`)
export const healthBadge = (band: LaunchBand): Html => {
  const { tone } = bands[band]
  return badge(bandName(band), tone, bandIcons[tone])
}

/** What players read about a band, which is more than its name. */
export const bandLabel = (band: LaunchBand): LocalText =>
  tableText('value', `band_${band}`, bands[band].label)
export const bandExplanation = (band: LaunchBand): LocalText =>
  tableText('hint', `band_${band}`, bands[band].explain('the newest build'), bands[band].limits)

const scans: Record<string, [Tone, IconName, Text]> = {
  clean: ['ok', 'ok', t('scan-clean')],
  scanning: ['soft', 'wait', t('scan-scanning')],
  infected: ['bad', 'bad', t('scan-infected')],
  error: ['bad', 'warn', t('scan-error')],
  quarantined: ['bad', 'warn', t('scan-quarantined')],
  withdrawn: ['warn', 'warn', t('scan-withdrawn')],
}
export const scanBadge = (scan: string): Html => {
  const [tone, sign, text] = scans[scan] ?? scans.error!
  return badge(text, tone, sign)
}

const visibilityTones: Record<Visibility, Tone> = {
  draft: 'warn',
  owner: 'warn',
  invisible: 'soft',
  public: 'ok',
}
export const visibilityBadge = (visibility: Visibility): Html =>
  badge(labelOf(visibility), visibilityTones[visibility])

const states: Record<string, [Tone, IconName]> = {
  ok: ['ok', 'ok'],
  open: ['warn', 'wait'],
  fixed: ['ok', 'ok'],
  resolved: ['ok', 'ok'],
  closed: ['soft', 'minus'],
  regressed: ['bad', 'warn'],
  delivered: ['ok', 'ok'],
  pending: ['soft', 'wait'],
  failed: ['bad', 'bad'],
  failing: ['warn', 'warn'],
  disabled: ['bad', 'bad'],
}
export const stateBadge = (state: string): Html =>
  badge(t(`state-${state}`), ...(states[state] ?? (['soft', 'info'] as [Tone, IconName])))
