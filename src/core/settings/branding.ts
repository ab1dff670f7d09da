import { type Explanation, explain } from '../runtime/reasons.ts'

/** Rules of the settings that shape the look of the store. Each explains what is wrong, if any. */

/** Text in the accent color and on it must be readable. */
export const MIN_CONTRAST = 4.5

/** The backgrounds of tokens.css by theme; text on the accent color has the color of the surface. */
export const backgrounds = {
  light: { bg: '#f6f3ec', surface: '#fffdf8', sunken: '#ece7db' },
  dark: { bg: '#0d151d', surface: '#14202b', sunken: '#0a1118' },
} as const
export type ColorTheme = keyof typeof backgrounds

const channels = (color: string) =>
  [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16))

/** The relative luminance of WCAG 2. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = channels(color).map((channel) => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** The contrast of two colors, from 1 to 21. */
export function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y)
  return (light + 0.05) / (dark + 0.05)
}

/** The contrast with the background on which a color is hardest to read. */
export const worstContrast = (color: string, theme: ColorTheme): number =>
  Math.min(...Object.values(backgrounds[theme]).map((background) => contrast(color, background)))

const isReadable = (color: string, theme: ColorTheme) => worstContrast(color, theme) >= MIN_CONTRAST

const STEPS = 100

/** A color for the dark theme: mixed with as little white as makes it readable. */
export function lightened(color: string): string {
  for (let step = 0; step < STEPS; step++) {
    const mixed = mixWithWhite(color, step / STEPS)
    if (isReadable(mixed, 'dark')) return mixed
  }
  return '#ffffff'
}

const mixWithWhite = (color: string, share: number): string =>
  `#${channels(color)
    .map((channel) => Math.round(channel + (255 - channel) * share))
    .map((channel) => channel.toString(16).padStart(2, '0'))
    .join('')}`

const COLOR = /^#[0-9a-f]{6}$/i

/** Why a text is not a color. */
export const colorProblem = (color: string): Explanation | undefined =>
  COLOR.test(color) ? undefined : explain('color', 'use a color such as #1b6f5c')

/** Why a color cannot be the accent of a theme. The ratio is rounded down, so 4.5 is enough. */
export function contrastProblem(color: string, theme: ColorTheme): Explanation | undefined {
  const ratio = Math.floor(worstContrast(color, theme) * 100) / 100
  if (isReadable(color, theme)) return undefined
  return explain(
    'color_contrast',
    `its contrast with the ${theme} background is ${ratio}:1; at least ${MIN_CONTRAST}:1 is needed`,
    { ratio, theme, min: MIN_CONTRAST },
  )
}

/** A backslash would make another host of a path. */
const LINK = /^(?:\/(?![/\\])|https:\/\/|mailto:)[^\s\p{C}\\]*$/u

/** Why a link is neither a path of the store, nor https, nor a mail address. */
export function linkProblem(link: string): Explanation | undefined {
  const is_link = LINK.test(link) && (link.startsWith('/') || URL.canParse(link))
  if (is_link) return undefined
  return explain('store_link', 'use an address that begins with https://, mailto: or /')
}

const EMAIL = /^[^\s@<>"']+@[^\s@<>"']+$/

/** Why a contact is neither a mail address nor an https address. */
export function contactProblem(contact: string): Explanation | undefined {
  const is_contact =
    EMAIL.test(contact) || (contact.startsWith('https://') && !linkProblem(contact))
  if (is_contact) return undefined
  return explain('contact', 'use an email address, or an address that begins with https://')
}

/** Days as YYYY-MM-DD, in UTC and both included; empty for no limit. */
export type Announcement = { text: string; url: string; starts_on: string; ends_on: string }

const isDay = (day: string) => {
  const date = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day)
}

/** What is wrong with an announcement, and with which part of it. */
export function announcementProblem({
  url,
  starts_on,
  ends_on,
}: Announcement): { field: string; problem: Explanation } | undefined {
  for (const [field, day] of Object.entries({ starts_on, ends_on }))
    if (day && !isDay(day))
      return { field, problem: explain('not_date', 'use a date such as 2026-12-31') }
  const problem = url ? linkProblem(url) : undefined
  if (problem) return { field: 'url', problem }
  if (starts_on && ends_on && ends_on < starts_on)
    return {
      field: 'ends_on',
      problem: explain('day_order', 'the last day must not be before the first'),
    }
  return undefined
}

/** Whether an announcement is shown at a time. */
export function isAnnounced({ text, starts_on, ends_on }: Announcement, now: Date): boolean {
  const today = now.toISOString().slice(0, 10)
  return text !== '' && (!starts_on || today >= starts_on) && (!ends_on || today <= ends_on)
}
