/** Sizes, times and counts as people read them; the exact value stands in the markup beside. */
import { type Html, html } from './html.ts'

const UNITS = ['B', 'kB', 'MB', 'GB'] as const

export function bytes(size: number): string {
  const step = Math.min(UNITS.length - 1, size < 1000 ? 0 : Math.floor(Math.log10(size) / 3))
  const value = size / 1000 ** step
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[step]}`
}

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

export function day(text: string): string {
  const date = new Date(text)
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`
}

/** A moment, in UTC, exact for programs. */
export const moment = (text: string): Html =>
  html`<time datetime="${text}" title="${text}">${day(text)}, ${text.slice(11, 16)}</time>`
export const date = (text: string): Html =>
  html`<time datetime="${text}" title="${text}">${day(text)}</time>`

export function duration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

export const share = (part: number, whole: number): string =>
  whole ? `${((part / whole) * 100).toFixed(part === whole ? 0 : 1)} %` : '–'

export const dollars = (cents: number): string =>
  cents === 0 ? 'Free' : `$${(cents / 100).toFixed(2)}`

export const count = (number: number, one: string, several = `${one}s`): string =>
  `${number.toLocaleString('en')} ${number === 1 ? one : several}`

/** keyboard_mouse → Keyboard mouse */
export const spoken = (word: string): string => {
  const text = word.replace(/[_-]+/g, ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

const systems: Record<string, string> = {
  windows: 'Windows',
  macos: 'macOS',
  linux: 'Linux',
  android: 'Android',
  ios: 'iOS',
  web: 'Web',
}
export const platform = (os: string, arch = ''): string =>
  [systems[os] ?? (os || 'any system'), arch].filter(Boolean).join(' ')
