import { authorshipLabels } from '../../listings/fields/taxonomy.ts'

/** How people say what the catalog spells in slugs. A word without an entry is its slug, spelled out. */
const said: Record<string, string> = {
  rpg: 'RPG',
  'visual-novel': 'Visual novel',
  'tower-defense': 'Tower defense',
  '15m': 'A quarter of an hour',
  '1h': 'An hour',
  '3h': 'An evening',
  endless: 'Endless',
  offline: 'Alone, offline',
  local: 'Together on one machine',
  online: 'Together online',
  local_online: 'Together, here or online',
  keyboard_mouse: 'Keyboard and mouse',
  vr: 'VR',
  human: sentence(authorshipLabels.human),
  human_agent: sentence(authorshipLabels.human_agent),
  agent_heavy: sentence(authorshipLabels.agent_heavy),
  runtime: 'While it runs',
  game_asset: 'Game asset',
  dev_asset: 'Developer asset',
  windows: 'Windows',
  macos: 'macOS',
  linux: 'Linux',
  ios: 'iOS',
  web: 'Browser',
  cc0: 'CC0',
  'cc-by': 'CC BY',
  'cc-by-sa': 'CC BY-SA',
  x86_64: '64-bit',
  x86: '32-bit',
  arm64: 'ARM 64-bit',
  development: 'In development',
}

export const say = (slug: string): string =>
  Object.hasOwn(said, slug) ? said[slug]! : sentence(slug.replace(/[-_]/g, ' '))
export const sayAll = (slugs: readonly string[]): string => slugs.map(say).join(', ')

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

export const shortOs: Record<string, string> = {
  windows: 'Win',
  macos: 'Mac',
  linux: 'Linux',
  android: 'Android',
  ios: 'iOS',
  web: 'Browser',
}

export const price = (cents: number): string =>
  cents === 0 ? 'Free' : `$${(cents / 100).toFixed(2)}`

const units = ['bytes', 'kB', 'MB', 'GB'] as const
export function size(bytes: number): string {
  const step = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1)
  const value = bytes / 1000 ** step
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[step]}`
}

const days = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
})
export const day = (at: string | Date): string => days.format(new Date(at))

const numbers = new Intl.NumberFormat('en-US')
export const number = (value: number): string => numbers.format(value)
export const count = (value: number, one: string, many = `${one}s`): string =>
  `${number(value)} ${value === 1 ? one : many}`

export function duration(seconds: number): string {
  const hours = Math.floor(seconds / 3600)
  return hours ? count(hours, 'hour') : count(Math.floor(seconds / 60), 'minute')
}

export const players = (min: number | null, max: number | null): string => {
  if (!min || !max) return ''
  return min === max ? count(min, 'player') : `${min} to ${max} players`
}

/** What each band of launch health says to someone who wonders whether it will start. */
export const healthWords = {
  excellent: {
    tone: 'ok',
    label: 'Starts reliably',
    text: 'At least 98% of devices that tried the newest build started it, and at most 1% crashed before that.',
  },
  healthy: {
    tone: 'ok',
    label: 'Starts well',
    text: 'At least 93% of devices started the newest build, and at most 3% crashed before that.',
  },
  mixed: {
    tone: 'warn',
    label: 'Starts mostly',
    text: 'At least 80% of devices started the newest build. Some crashed before they got there.',
  },
  problematic: {
    tone: 'bad',
    label: 'Often fails to start',
    text: 'Fewer than 80% of devices started the newest build, or more than 10% crashed before that.',
  },
  unrated: {
    tone: 'soft',
    label: 'Too new to say',
    text: 'Too few devices have started the newest build to say how well it does.',
  },
} as const
export type Band = keyof typeof healthWords
