import { isUtf8 } from 'node:buffer'
import { refuse } from '../runtime/errors.ts'

/** Parses a JSON body strictly: whole UTF-8, no NUL, no half characters, since none of them can be stored as text. */
export function parseJson(bytes: Buffer, parse: (text: string) => unknown): unknown {
  // Clients that always name the type send it with nothing, too; whether something is needed is the schema's matter.
  if (bytes.length === 0) return undefined
  if (!isUtf8(bytes)) refuse('MALFORMED', undefined, 'body: not valid UTF-8')
  const text = bytes.toString('utf8')
  let value: unknown
  try {
    value = isTame(text) ? JSON.parse(text) : parse(text)
  } catch {
    refuse('MALFORMED', undefined, 'body: not valid JSON')
  }
  // Only an escape can bring such a character in: valid UTF-8 holds no half characters, and JSON no raw NUL.
  if (text.includes('\\u')) checkText(value, 'body')
  return value
}

/** Holds nothing that a careful parser would look for: what it does costs more than the parsing. */
const isTame = (text: string) =>
  text.charCodeAt(0) !== BYTE_ORDER_MARK &&
  !text.includes('\\u') &&
  !text.includes('__proto__') &&
  !text.includes('constructor')
const BYTE_ORDER_MARK = 0xfeff

/** More than any form of ours has. */
const MOST_FIELDS = 2000

/** A sent form: names to values, a list where a name repeats. Browsers end lines of text with CR LF; what is kept ends them with LF. */
export function parseForm(bytes: Buffer): Record<string, string | string[]> {
  const fields: Record<string, string | string[]> = Object.create(null)
  let count = 0
  for (const [name, sent] of new URLSearchParams(bytes.toString('utf8'))) {
    if (++count > MOST_FIELDS)
      refuse('MALFORMED', undefined, `form: send at most ${MOST_FIELDS} fields`)
    const value = sent.replaceAll('\r\n', '\n')
    const before = fields[name]
    if (Array.isArray(before)) before.push(value)
    else fields[name] = before === undefined ? value : [before, value]
  }
  checkText(fields, 'form')
  return fields
}

/** Refuses NUL characters and lone surrogates anywhere in a value, keys included. Walks without recursion: depth is the caller's. */
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
    refuse('MALFORMED', undefined, `${part}: NUL characters are not accepted`)
  if (!text.isWellFormed())
    refuse('MALFORMED', undefined, `${part}: the text holds half a character`)
}
