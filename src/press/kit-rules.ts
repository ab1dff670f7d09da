import { checkAll } from '../core/runtime/errors.ts'
import { explain } from '../core/runtime/reasons.ts'
import {
  type Field,
  httpsUrl,
  invalidField,
  isEmpty,
  isPublicHost,
  list,
  longerThan,
  markdown,
  plainText,
  record,
  requiredText,
  unknownField,
} from '../listings/fields/text.ts'
import { zipLimits } from './zip-limits.ts'

const LOCAL_PART = /^[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*$/

/** The most entries of each list, and the most characters of each text. */
export const pressLimits = {
  release_date: 32,
  press_email: 254,
  history: 8000,
  line: 200,
  features: 20,
  awards: 20,
  links: 20,
  link_label: 80,
  quotes: 20,
  quote: 500,
  quote_source: 120,
  credits: 50,
  credit_name: 80,
  credit_role: 80,
} as const

export type PressLink = { label: string; url: string }
export type PressQuote = { quote: string; source: string; url: string }
export type PressCredit = { name: string; role: string }
/** Missing text is an empty string. */
export type PressKit = {
  release_date: string
  website_url: string
  press_email: string
  trailer_url: string
  history: string
  features: string[]
  awards: string[]
  links: PressLink[]
  quotes: PressQuote[]
  credits: PressCredit[]
}

type Reader<T> = (value: unknown, field: string) => T

const readers: { [Name in keyof PressKit]: Reader<PressKit[Name]> } = {
  release_date: (value, field) => plainText(at(field), value, pressLimits.release_date),
  website_url: optionalUrl,
  press_email: readEmail,
  trailer_url: optionalUrl,
  history: (value, field) => markdown(at(field), value, pressLimits.history),
  features: entries(pressLimits.features, readLine),
  awards: entries(pressLimits.awards, readLine),
  links: entries(pressLimits.links, readLink),
  quotes: entries(pressLimits.quotes, readQuote),
  credits: entries(pressLimits.credits, readCredit),
}
const names = Object.keys(readers) as (keyof PressKit)[]

/**
 * Checks a whole press kit; missing fields are cleared. Entries are objects, or one-line strings
 * from the form of the website.
 */
export function checkPressKit(body: unknown): PressKit {
  const kit = record(at('press'), body)
  // A misspelled field is refused, because it would be dropped and the intended field cleared.
  const unknown = Object.keys(kit).find((key) => !Object.hasOwn(readers, key))
  if (unknown !== undefined)
    invalidField(at(unknown), unknownField(`; use one of ${names.join(', ')}`))
  const checks = names.map((name) => [name, () => readers[name](kit[name], name)] as const)
  return checkAll(Object.fromEntries(checks)) as PressKit
}

/** The images of a press zip, in order, without those that exceed a limit. */
export function imagesForZip<T extends { bytes: number }>(images: readonly T[]): T[] {
  let total = 0
  return images.filter(({ bytes }) => {
    if (bytes > zipLimits.image_bytes || total + bytes > zipLimits.total_bytes) return false
    total += bytes
    return true
  })
}

function readLine(value: unknown, field: string): string {
  return requiredText(at(field), value, pressLimits.line)
}

function readLink(value: unknown, field: string): PressLink {
  const { label, url } =
    typeof value === 'string' ? parseLink(value, field) : record(at(field), value)
  return {
    label: requiredText(at(`${field}.label`), label, pressLimits.link_label),
    url: httpsUrl(at(`${field}.url`), url),
  }
}

function readQuote(value: unknown, field: string): PressQuote {
  const { quote, source, url } =
    typeof value === 'string' ? parseQuote(value, field) : record(at(field), value)
  return {
    quote: requiredText(at(`${field}.quote`), quote, pressLimits.quote),
    source: requiredText(at(`${field}.source`), source, pressLimits.quote_source),
    url: optionalUrl(url, `${field}.url`),
  }
}

function readCredit(value: unknown, field: string): PressCredit {
  const { name, role } =
    typeof value === 'string' ? parseCredit(value, field) : record(at(field), value)
  return {
    name: requiredText(at(`${field}.name`), name, pressLimits.credit_name),
    role: plainText(at(`${field}.role`), role, pressLimits.credit_role),
  }
}

// The last bars of a line separate its parts, so that a label or quote may contain one.
function parseLink(line: string, field: string) {
  const bar = line.lastIndexOf('|')
  if (bar < 0) invalidField(at(field), explain('line_link', 'write the line as: Label | https://…'))
  return { label: line.slice(0, bar), url: line.slice(bar + 1) }
}

function parseQuote(line: string, field: string) {
  const parts = line.split('|').map((part) => part.trim())
  const url =
    parts.length > 2 && /^([a-z][a-z0-9+.-]*:\/\/|$)/i.test(parts.at(-1)!) ? parts.pop() : ''
  const source =
    parts.length > 1
      ? parts.pop()
      : invalidField(
          at(field),
          explain(
            'line_quote',
            'write the line as: Quote | Source | https://… (the link is optional)',
          ),
        )
  return { quote: parts.join(' | '), source, url }
}

function parseCredit(line: string, field: string) {
  const [name, role, ...more] = line.split('|')
  if (more.length) invalidField(at(field), explain('line_credit', 'write the line as: Name | Role'))
  return { name, role }
}

function optionalUrl(value: unknown, field: string): string {
  return isEmpty(value) ? '' : httpsUrl(at(field), value)
}

function readEmail(value: unknown, field: string): string {
  const email = plainText(at(field), value, Number.MAX_SAFE_INTEGER)
  if (email === '' || (isEmail(email) && !longerThan(email, pressLimits.press_email))) return email
  invalidField(at(field), explain('press_email', 'use an address such as press@example.com'))
}

function isEmail(text: string): boolean {
  const [local, domain, ...more] = text.split('@')
  if (local === undefined || domain === undefined || more.length) return false
  return local.length <= 64 && LOCAL_PART.test(local) && isPublicHost(domain.toLowerCase())
}

function entries<T>(max: number, read: Reader<T>): Reader<T[]> {
  return (value, field) => {
    if (isEmpty(value)) return []
    const filled = list(at(field), value).flatMap((entry, index) =>
      isBlank(entry) ? [] : [read(entry, `${field}[${index}]`)],
    )
    return filled.length <= max
      ? filled
      : invalidField(
          at(field),
          explain('list_length', `use at most ${max} entries; you sent ${filled.length}`, {
            max,
            count: filled.length,
          }),
        )
  }
}

/** An empty line of the form is not an entry. */
function isBlank(entry: unknown): boolean {
  return typeof entry === 'string' && entry.trim() === ''
}

function at(field: string): Field {
  return { refusal: 'INVALID_PRESS_KIT', field }
}
