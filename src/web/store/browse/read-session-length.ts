import type { SessionBucket } from '../../../listings/fields/fields.ts'

const MINUTES_PER_HOUR = 60

/** What people write after a number, folded, in the languages of the website. */
const units: Record<string, number> = {
  ...Object.fromEntries(
    ['m', 'min', 'mins', 'minute', 'minutes', 'minuten'].map((name) => [name, 1]),
  ),
  ...Object.fromEntries(
    ['h', 'hr', 'hrs', 'hour', 'hours', 'std', 'stunde', 'stunden'].map((name) => [
      name,
      MINUTES_PER_HOUR,
    ]),
  ),
}
const articles: Record<string, number> = { a: 1, an: 1, one: 1, eine: 1 }
const lengths: Record<number, SessionBucket> = { 15: '15m', 60: '1h', 180: '3h' }

/** The session length that a folded text names, such as "15 min" or "an hour". */
export function sessionLengthOf(text: string): SessionBucket | undefined {
  const [, amount, unit] = text.match(/^(\d{1,3}|an?|one|eine) ?([a-z]+)\.?$/) ?? []
  if (!amount || !unit || !Object.hasOwn(units, unit)) return undefined
  return lengths[(articles[amount] ?? Number(amount)) * units[unit]!]
}
