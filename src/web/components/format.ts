/** The one spelling of labels, dates, prices and counts on pages. */
import { formatBytes as bytesInEnglish } from '../../core/runtime/format-bytes.ts'
import { perLanguage } from '../../core/text/intl-text.ts'
import type { Language } from '../../core/text/languages.ts'
import { writeEnglish } from '../../core/text/messages.ts'
import { tableText } from '../../core/text/table-text.ts'
import { LocalText, listTexts, type Text, t } from '../../core/text/text.ts'
import { fieldValueLabels, spellOut } from '../../listings/fields/labels.ts'
import { type Currency, majorUnits } from '../../listings/prices/currencies.ts'
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
  universal: 'Universal',
  stable: 'Stable',
  beta: 'Beta',
  scanning: 'Scanning',
  clean: 'Clean',
  infected: 'Infected',
  error: 'Error',
  withdrawn: 'Withdrawn',
  compatible: 'Compatible',
  incompatible: 'Incompatible',
  unknown: 'Unknown',
  standard: 'Standard',
  deluxe: 'Deluxe',
  beta_access: 'Beta access',
  bundle: 'Bundle',
}
export const valueLabels: Readonly<Record<string, string>> = labels

export const labelOf = (value: string): Text =>
  Object.hasOwn(labels, value) ? tableText('value', value, labels[value]!) : spellOut(value)
export const labelsOf = (values: readonly string[]): LocalText =>
  listTexts(values.map(labelOf), 'unit')

/** The system of a build and, where it is known, its processor as builds name it. */
export const platformLabel = (os: string, arch = ''): Text => {
  const system = os ? labelOf(os) : t('any-system')
  return arch ? t('platform', { system, arch }) : system
}

const prices = perLanguage(
  (locale) => new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD' }),
)
export const formatPrice = (cents: number): LocalText =>
  cents === 0 ? t('price-free') : new LocalText((language) => prices(language).format(cents / 100))

const amounts = new Map<Currency, (language: Language) => Intl.NumberFormat>()
const amountFormat = (currency: Currency) => {
  const format =
    amounts.get(currency) ??
    perLanguage((locale) => new Intl.NumberFormat(locale, { style: 'currency', currency }))
  amounts.set(currency, format)
  return format
}
/** An amount in the smallest unit of any currency. */
export const formatAmount = (amount_minor: number, currency: Currency): LocalText =>
  amount_minor === 0
    ? t('price-free')
    : new LocalText((language) =>
        amountFormat(currency)(language).format(majorUnits(amount_minor, currency)),
      )

const dates = perLanguage(
  (locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }),
)
/** A day in UTC, such as "Jun 5, 2026". */
export const formatDate = (at: string | Date): LocalText =>
  new LocalText((language) => dates(language).format(new Date(at)))

/** A day, and a moment with its time of day, in UTC; the exact value is in the markup. */
export const dateTag = (at: string): Html =>
  html`<time datetime="${at}" title="${at}">${formatDate(at)}</time>`
export const dateTimeTag = (at: string): Html =>
  html`<time datetime="${at}" title="${at}">${formatDate(at)}, ${at.slice(11, 16)}</time>`

export function formatDuration(seconds: number): LocalText {
  if (seconds < 60) return t('duration-seconds', { seconds })
  const minutes = Math.round(seconds / 60)
  return minutes < 60
    ? t('duration-minutes', { minutes })
    : t('duration-hours', { hours: Math.floor(minutes / 60), minutes: minutes % 60 })
}

/** The time a player has played a listing. Less than a minute is not shown. */
export const formatPlayTime = (seconds: number): LocalText | false =>
  seconds >= 60 && t('play-time', { duration: formatDuration(seconds) })

const numbers = perLanguage((locale) => new Intl.NumberFormat(locale))
export const formatNumber = (value: number): LocalText =>
  new LocalText((language) => numbers(language).format(value))

/** A number with its noun, whose plural forms are in the message `count-` and the noun. */
export const formatCount = (count: number, noun: Noun): LocalText => t(`count-${noun}`, { count })
type Noun =
  | 'check'
  | 'copy'
  | 'crash'
  | 'delivery'
  | 'device'
  | 'download'
  | 'field'
  | 'hour'
  | 'issue'
  | 'listing'
  | 'player'
  | 'review'
  | 'screenshot'
  | 'suggestion'
  | 'symbol-file'
  | 'time'

const ratings = perLanguage(
  (locale) => new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 }),
)
/** An average of points, such as 4.2. */
export const formatRating = (points: number): LocalText =>
  new LocalText((language) => ratings(language).format(points))

const languageDisplayNames = perLanguage(
  (locale) => new Intl.DisplayNames(locale, { type: 'language' }),
)
/** The name of a language by its BCP 47 code. */
export const languageName = (code: string): LocalText =>
  new LocalText((language) =>
    writeEnglish(language, languageDisplayNames(language).of(code) ?? code),
  )

const percents = perLanguage(
  (locale) => new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 }),
)
const exactPercents = perLanguage(
  (locale) =>
    new Intl.NumberFormat(locale, {
      style: 'percent',
      minimumFractionDigits: 1,
      maximumFractionDigits: 1,
    }),
)
export const formatPercent = (part: number, total: number): Text =>
  total
    ? new LocalText((language) =>
        (part === total ? percents : exactPercents)(language).format(part / total),
      )
    : '–'

export const formatPlayers = (min: number | null, max: number | null): Text => {
  if (!min || !max) return ''
  return min === max ? formatCount(min, 'player') : t('player-range', { min, max })
}

/** A size such as 15.6 MiB, with the decimal sign of the language. */
export const formatBytes = (bytes: number): LocalText =>
  new LocalText((language) => bytesInEnglish(bytes).replace('.', decimalSign(language)))

const decimalSign = (language: Language) => numbers(language).format(0.5).charAt(1)
