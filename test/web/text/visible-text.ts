import { Parser } from 'htmlparser2'
import { currencyCodes } from '../../../src/listings/prices/currencies.ts'

/**
 * Finds text of a page that does not come from a message. A page in the pseudo-language en-XA has
 * accents on every letter of a message, so plain words are either text outside the messages, or
 * content, or one of the names below.
 */
export const PSEUDO_ENGLISH = { 'accept-language': 'en-XA' }
export const PSEUDO_LANGUAGES = {
  LANGUAGES: 'en,en-XA',
  // A store of another name, so that the name of the software is found too.
  STORE_NAME: 'Harbor-Bell',
  POWERED_BY: 'off',
}

/** Names, codes and units that are the same in every language. */
const ALLOWED: readonly RegExp[] = [
  /\bHarbor-Bell\b/g,
  /\b(?:API|llms\.txt|SHA-256)\b/g,
  // Platforms as a card shortens them, and processors.
  /\b(?:Win|Mac|Wasm32)\b/g,
  // Sizes, and the unit of a duration.
  /\b\d[\d.,]* (?:B|KiB|MiB|GiB|s|h)\b/g,
  // The dates of Intl, which has no pseudo-language, and moments in attributes.
  /\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{1,2}, \d{4}\b/g,
  /\b\d{4}-\d\d-\d\dT[\d:.]+Z\b/g,
  // The languages that the footer offers.
  /\bEnglish\b|\ben-XA\b/g,
  // Codes of currencies.
  new RegExp(`\\b(?:${currencyCodes.join('|')})\\b`, 'g'),
  // Scopes of keys, and the calls that a log of them shows.
  /\b(?:player|mcp):[a-z.]+/g,
]

/** Elements whose text is not for people, or is the same in every language. */
const SKIPPED = new Set(['script', 'style', 'code', 'svg'])
const TEXT_ATTRIBUTES = [
  'alt',
  'aria-label',
  'aria-roledescription',
  'placeholder',
  'title',
  'data-copy',
  'data-copied',
  'data-mark',
  'data-one',
  'data-other',
]
/** Descriptions for search engines and link previews. */
const META = /^(?:description|og:title|og:description|twitter:title)$|:alt$/

/** What a page gives a script to show, without the parts that the script fills in. */
const scriptTextsOf = (texts: string | undefined): string[] =>
  Object.values<string>(JSON.parse(texts ?? '{}')).map((text) => text.replaceAll(/\{\w+\}/g, ''))

/** Every text of a page that a person can read. */
export function textsOf(body: string): string[] {
  const texts: string[] = []
  let skipped = 0
  const parser = new Parser({
    onopentag(name, attributes) {
      if (SKIPPED.has(name)) skipped++
      for (const attribute of TEXT_ATTRIBUTES) texts.push(attributes[attribute] ?? '')
      texts.push(...scriptTextsOf(attributes['data-texts']))
      if (name === 'meta' && META.test(attributes.name ?? attributes.property ?? ''))
        texts.push(attributes.content ?? '')
    },
    onclosetag(name) {
      if (SKIPPED.has(name)) skipped--
    },
    ontext(text) {
      if (!skipped) texts.push(text)
    },
  })
  parser.end(body)
  return texts.map((text) => text.trim()).filter(Boolean)
}

/** The texts with plain words that are neither allowed nor content that a person entered. */
export function plainTexts(texts: readonly string[], content: readonly (string | RegExp)[]) {
  const strings = content.filter((part) => typeof part === 'string')
  // A longer text may contain a shorter one, and patterns match parts of texts.
  const longest_first = strings.sort((a, b) => b.length - a.length)
  const patterns = content.filter((part) => typeof part !== 'string')
  return texts.filter((text) => {
    let rest = text
    for (const part of [...longest_first, ...patterns]) rest = rest.replaceAll(part, '')
    for (const pattern of ALLOWED) rest = rest.replaceAll(pattern, '')
    return /[a-z]{2,}/i.test(rest)
  })
}
