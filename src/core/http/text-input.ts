import { isUtf8 } from 'node:buffer'
import { type Refusal, refuse } from '../runtime/errors.ts'
import { explain } from '../runtime/reasons.ts'

export const NOT_JSON = 'body: not valid JSON'
const NOT_UTF8 = 'body: not valid UTF-8'

/** Whether a body was refused because it could not be parsed, and not for its content. */
export const isParseError = ({ refusal, message }: Refusal) =>
  refusal === 'MALFORMED' && (message === NOT_JSON || message === NOT_UTF8)

/**
 * Parses a JSON body strictly: valid UTF-8 without NUL characters and lone surrogates, because the
 * database cannot store those as text.
 */
export function parseJson(bytes: Buffer, parse: (text: string) => unknown): unknown {
  // Some clients send the content type without a body; the schema decides whether one is required.
  if (bytes.length === 0) return undefined
  if (!isUtf8(bytes)) refuse('MALFORMED', undefined, NOT_UTF8)
  const text = bytes.toString('utf8')
  let value: unknown
  try {
    value = isPlain(text) ? JSON.parse(text) : parse(text)
  } catch {
    refuse('MALFORMED', undefined, NOT_JSON)
  }
  // Only an escape can produce such a character: UTF-8 has no lone surrogates, JSON no raw NUL.
  if (text.includes('\\u')) checkText(value, 'body')
  return value
}

/**
 * Whether the text contains nothing that the secure parser looks for. Its checks cost more than
 * parsing.
 */
const isPlain = (text: string) =>
  text.charCodeAt(0) !== BYTE_ORDER_MARK &&
  !text.includes('\\u') &&
  !text.includes('__proto__') &&
  !text.includes('constructor')
const BYTE_ORDER_MARK = 0xfeff

/** More than any of our forms has. */
const MAX_FIELDS = 2000

/**
 * Parses a URL-encoded form into names and values, with a list where a name repeats. Browsers end
 * lines of text with CR LF; stored text uses LF.
 */
export function parseForm(bytes: Buffer): Record<string, string | string[]> {
  const fields: Record<string, string | string[]> = Object.create(null)
  let count = 0
  for (const [name, sent] of new URLSearchParams(bytes.toString('utf8'))) {
    if (++count > MAX_FIELDS)
      refuse('MALFORMED', undefined, `form: send at most ${MAX_FIELDS} fields`)
    const value = sent.replaceAll('\r\n', '\n')
    const existing = fields[name]
    if (Array.isArray(existing)) existing.push(value)
    else fields[name] = existing === undefined ? value : [existing, value]
  }
  checkText(fields, 'form')
  return fields
}

/**
 * Refuses NUL characters and lone surrogates anywhere in a value, keys included. It does not
 * recurse, because the caller controls the depth of the value.
 */
export function checkText(value: unknown, part: string): void {
  const rest: unknown[] = [value]
  while (rest.length) {
    const item = rest.pop()
    if (typeof item === 'string') checkString(item, part)
    else if (Array.isArray(item)) for (const entry of item) rest.push(entry)
    else if (item && typeof item === 'object')
      for (const [key, entry] of Object.entries(item)) rest.push(key, entry)
  }
}

function checkString(text: string, part: string) {
  if (text.includes('\0'))
    refuse(
      'MALFORMED',
      undefined,
      explain('bad_characters', `${part}: NUL characters are not accepted`),
    )
  if (!text.isWellFormed())
    refuse(
      'MALFORMED',
      undefined,
      explain('bad_characters', `${part}: the text contains half of a surrogate pair`),
    )
}
