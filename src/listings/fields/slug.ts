import { type Explanation, explain } from '../../core/runtime/reasons.ts'
import { excerptOf, type Field, invalidField, quoteValue } from './text.ts'

export const MAX_VANITY_NAME = 64
const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Words that are or may become paths of the site, so no listing may use them as its name. */
// biome-ignore format: a table of words reads better in rows
const reservedNames: ReadonlySet<string> = new Set([
  'about', 'account', 'admin', 'admins', 'api', 'assets', 'auth', 'browse', 'builds', 
  'children', 'create', 'dashboard', 'delete', 'docs', 'download', 'downloads', 'edit', 'embed',
  'favicon', 'feed', 'files', 'games', 'health', 'help', 'import', 'index', 'invites', 'legal',
  'library', 'login', 'logout', 'me', 'media', 'mods', 'new', 'null', 'openapi', 'press',
  'privacy', 'private', 'public', 'ready', 'register', 'relations', 'reviews', 'robots', 'search',
  'settings', 'shelves', 'sitemap', 'static', 'store', 'support', 'tags', 'terms',
  'tool', 'tools', 'undefined', 'upload', 'user', 'users', 'www',
])

// Letters that Unicode does not decompose into a base letter and an accent.
const foldings: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  þ: 'th',
  ı: 'i',
  ħ: 'h',
  ŧ: 't',
}

/** Validates the name that a developer chose for the URL of a page. */
export function checkVanityName(value: unknown): string {
  const at: Field = { refusal: 'MALFORMED', field: 'vanity_name' }
  if (typeof value !== 'string' || value.length > MAX_VANITY_NAME || !SLUG.test(value)) {
    invalidField(at, invalidAddress(MAX_VANITY_NAME))
  }
  // The same route accepts a uid or a vanity name, so a vanity name must not look like a uid.
  if (UUID.test(value))
    invalidField(at, explain('address_uid', 'choose a name that does not look like a uid'))
  if (reservedNames.has(value))
    invalidField(
      at,
      explain(
        'name_of_service',
        `${quoteValue(value)} is taken by the service itself; choose another name`,
        { name: excerptOf(value) },
      ),
    )
  return value
}

export const ADDRESS_TAKEN = explain('address_taken', 'This vanity_name is already taken')

/** The refusal of a part of an address. */
export const invalidAddress = (max: number): Explanation =>
  explain(
    'address',
    `use 1 to ${max} lowercase letters and digits, with single dashes between them`,
    { count: max },
  )

/** Derives a vanity name from a title. The result always passes `checkVanityName`. */
export function slugFrom(name: string, fallback = 'untitled'): string {
  const folded = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\p{M}'’]/gu, '')
  const spelled = folded.replace(/[ßæœøđðłþıħŧ]/g, (letter) => foldings[letter]!)
  const slug =
    cut(spelled.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, ''), MAX_VANITY_NAME) || fallback
  return reservedNames.has(slug) || UUID.test(slug) ? `${slug}-page` : slug
}

/** The nth name to try while the previous ones are taken: `name`, `name-2`, `name-3`. */
export function numberedSlug(slug: string, n: number): string {
  const ending = n > 1 ? `-${n}` : ''
  return cut(slug, MAX_VANITY_NAME - ending.length) + ending
}

function cut(slug: string, max: number): string {
  return slug.slice(0, max).replace(/-$/, '')
}
