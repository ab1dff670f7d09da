/** The one spelling of labels, dates, prices and counts on pages. */
import { fieldValueLabels, spellOut } from '../../listings/fields/labels.ts'
import { type Html, html } from './html.ts'

/**
 * Labels of stored values; those of listing fields are in the field table. A value without an entry
 * is shown as its own words.
 */
const labels: Record<string, string> = {
  ...fieldValueLabels,
  windows: 'Windows',
  macos: 'macOS',
  linux: 'Linux',
  ios: 'iOS',
  web: 'Browser',
  x86_64: '64-bit',
  x86: '32-bit',
  arm64: 'ARM 64-bit',
}

export const labelOf = (value: string): string =>
  Object.hasOwn(labels, value) ? labels[value]! : spellOut(value)
export const labelsOf = (values: readonly string[]): string => values.map(labelOf).join(', ')

/** Names of platforms that fit on a card. */
const shortPlatforms: Record<string, string> = { windows: 'Win', macos: 'Mac' }
export const shortPlatformLabel = (os: string): string => shortPlatforms[os] ?? labelOf(os)

/** The system of a build and, where it is known, its processor as builds name it. */
export const platformLabel = (os: string, arch = ''): string =>
  [os ? labelOf(os) : 'any system', arch].filter(Boolean).join(' ')

export const formatPrice = (cents: number): string =>
  cents === 0 ? 'Free' : `$${(cents / 100).toFixed(2)}`

const dates = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' })
/** A day in UTC, such as "Jun 5, 2026". */
export const formatDate = (at: string | Date): string => dates.format(new Date(at))

/** A day, and a moment with its time of day, in UTC; the exact value is in the markup. */
export const dateTag = (at: string): Html =>
  html`<time datetime="${at}" title="${at}">${formatDate(at)}</time>`
export const dateTimeTag = (at: string): Html =>
  html`<time datetime="${at}" title="${at}">${formatDate(at)}, ${at.slice(11, 16)}</time>`

export function formatDuration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** The time a player has played a listing. Less than a minute is not shown. */
export const formatPlayTime = (seconds: number): string | false =>
  seconds >= 60 && `${formatDuration(seconds)} played`

const numbers = new Intl.NumberFormat('en-US')
export const formatNumber = (value: number): string => numbers.format(value)
export const formatCount = (value: number, singular: string, plural = `${singular}s`): string =>
  `${formatNumber(value)} ${value === 1 ? singular : plural}`

export const formatPercent = (part: number, total: number): string =>
  total ? `${((part / total) * 100).toFixed(part === total ? 0 : 1)}%` : '–'

export const formatPlayers = (min: number | null, max: number | null): string => {
  if (!min || !max) return ''
  return min === max ? formatCount(min, 'player') : `${min} to ${max} players`
}
