import type { Visibility } from '../../listings/fields/fields.ts'
import { valueLabel } from '../../listings/fields/labels.ts'
import type { LaunchBand } from '../../listings/fields/launch-bands.ts'
import { bands } from '../../telemetry/health/bands.ts'
import { type Html, html } from './html.ts'
import { type IconName, icon } from './icons.ts'

type Tone = 'ok' | 'warn' | 'bad' | 'ink' | 'soft'

/** A status in words, with an icon where it has one: color alone never carries the meaning. */
export const badge = (text: string, tone: Tone = 'soft', sign?: IconName): Html => {
  const tone_class = tone !== 'soft' && ` label-${tone}`
  return html`<span class="label${tone_class}">${sign && icon(sign)}${text}</span>`
}

/** The icon of each tone of a launch-health band. */
export const bandIcons = { ok: 'ok', warn: 'warn', bad: 'bad', soft: 'wait' } as const
export const healthBadge = (band: LaunchBand): Html => {
  const { tone } = bands[band]
  return badge(band, tone, bandIcons[tone])
}

const scans: Record<string, [Tone, IconName, string]> = {
  clean: ['ok', 'ok', 'scan clean'],
  scanning: ['soft', 'wait', 'scanning'],
  infected: ['bad', 'bad', 'threat found'],
  error: ['bad', 'warn', 'scan failed'],
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
  badge(valueLabel('visibility', visibility), visibilityTones[visibility])

const states: Record<string, [Tone, IconName]> = {
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
  badge(state, ...(states[state] ?? (['soft', 'info'] as [Tone, IconName])))
