import { approvalLevels, reachedLevels } from '../../../library/approval.ts'
import { packageCategories } from '../../../listings/fields/editor.ts'
import {
  type CodedField,
  codedFields,
  type FacetOf,
  type FieldValues,
  type IndexedField,
  indexedFields,
  valuesOf,
} from '../../../listings/fields/fields.ts'
import { launchBands } from '../../../listings/fields/launch-bands.ts'
import { architectures, operatingSystems } from '../../../listings/fields/platforms.ts'
import { listingFields } from '../../../listings/fields/table.ts'
import type { Translations } from '../../../listings/fields/translations.ts'
import { playables } from '../../../listings/fields/web-build.ts'

export type Range = {
  engine: string
  min_version: string | null
  max_version: string | null
  renderer: string | null
}

/** Values as they are stored: the index ignores those that it does not know. */
type IndexedValues = {
  [Name in IndexedField]: FieldValues[Name] extends readonly string[]
    ? string[]
    : null extends FieldValues[Name]
      ? string | null
      : string
}

/**
 * What the index knows about a public listing. Times are in microseconds, as exact as in the
 * database.
 */
export type Document = IndexedValues & { [Name in CodedField]: { code: string }[] } & {
  uid: string
  owner_uid: string
  published_us: number
  updated_us: number
  name: string
  tagline: string
  description: string
  translations: Translations
  adult: boolean
  health: string
  /** The developer's tags and the visible community tags. */
  tags: string[]
  players_min: number | null
  players_max: number | null
  price_cents: number
  /** What it costs in the sale that runs; null without one. */
  sale_price_cents?: number | null
  /** Reviews that count, and those of players who enjoyed it. */
  reviews: number
  enjoyed: number
  /** See downloads/popularity-queries.ts. */
  popularity: number
  engines: string[]
  ranges: Range[]
  /** `os/arch` of the clean files that players can download. */
  platforms: string[]
  /** A clean build can be played in the browser. */
  plays_in_browser?: boolean
  /** The package that editors can install, if the listing is one. */
  package?: DocumentPackage | null
}
export type DocumentPackage = {
  category: string
  /** The first minor version of each major version of an editor that it works with. */
  editors: string[]
  released_us: number
  /** Percent. */
  rating: number
}

/** A field with a fixed list of values that listings are filtered by. Each value is one bitmap. */
type Dimension = { values: readonly string[]; of: (doc: Document) => readonly (string | null)[] }
const playerCounts = Array.from({ length: listingFields.players_max.max }, (_, i) => String(i + 1))
const platforms = operatingSystems.flatMap((os) => architectures.map((arch) => `${os}/${arch}`))

const fieldDimensions = Object.fromEntries(
  indexedFields.map((name): [string, Dimension] => {
    const { kind, facet } = listingFields[name]
    const of =
      kind === 'choices'
        ? (doc: Document) => doc[name] as string[]
        : (doc: Document) => [doc[name] as string | null]
    return [facet, { values: valuesOf(name), of }]
  }),
) as Record<FacetOf<IndexedField>, Dimension>

export const dimensions = {
  ...fieldDimensions,
  health: { values: launchBands, of: (doc) => [doc.health] },
  price: { values: ['free', 'paid'], of: (doc) => [doc.price_cents > 0 ? 'paid' : 'free'] },
  on_sale: {
    values: ['true'],
    of: (doc) => (typeof doc.sale_price_cents === 'number' ? ['true'] : []),
  },
  rating: {
    values: approvalLevels,
    of: ({ enjoyed, reviews }) => reachedLevels(enjoyed, reviews),
  },
  os: {
    values: operatingSystems,
    of: (doc) => doc.platforms.map((platform) => platform.split('/')[0]!),
  },
  playable: { values: playables, of: (doc) => (doc.plays_in_browser ? ['browser'] : []) },
  platform: { values: platforms, of: (doc) => doc.platforms.flatMap(everyArch) },
  players: { values: playerCounts, of: (doc) => playerCounts.slice(...playerSlice(doc)) },
  package: { values: packageCategories, of: (doc) => [doc.package?.category ?? null] },
  unlicensed: {
    values: ['unlicensed'],
    of: (doc) => (doc.license_kind === null ? ['unlicensed'] : []),
  },
  adult: { values: ['adult'], of: (doc) => (doc.adult ? ['adult'] : []) },
} as const satisfies Record<string, Dimension>
export type DimensionName = keyof typeof dimensions

/** The number of the bitmap of every value, by `dimension value`. */
export const bitmapRows = new Map<string, number>()
for (const [name, { values }] of Object.entries(dimensions))
  for (const value of values) bitmapRows.set(`${name} ${value}`, bitmapRows.size)
export const ADULT = bitmapRows.get('adult adult')!
export const PLAYABLE = bitmapRows.get('playable browser')!
export const PROBLEMATIC = bitmapRows.get('health problematic')!
/**
 * Licenses in the order of the names that editors show. A listing that is sold counts as
 * proprietary.
 */
const licensesByCost = [
  'license cc-by',
  'license cc-by-sa',
  'license cc0',
  'license proprietary',
  'license paid',
  'license source-available',
  'unlicensed unlicensed',
]
export const costRows = licensesByCost.map((name) => bitmapRows.get(name)!)

const rowTables = (Object.entries(dimensions) as [string, Dimension][]).map(
  ([name, { values, of }]) => ({
    valuesOf: of,
    rowByValue: new Map(values.map((value) => [value, bitmapRows.get(`${name} ${value}`)!])),
  }),
)

/** The bitmaps that contain a document. A number may occur twice. */
export function bitmapRowsOf(doc: Document): number[] {
  const numbers: number[] = []
  for (const { valuesOf, rowByValue } of rowTables)
    for (const value of valuesOf(doc)) {
      const row = value === null ? undefined : rowByValue.get(value)
      if (row !== undefined) numbers.push(row)
    }
  return numbers
}

/** A universal build runs on every architecture of its system. */
function everyArch(platform: string): string[] {
  const [os, arch] = platform.split('/')
  return arch === 'universal' ? architectures.map((name) => `${os}/${name}`) : [platform]
}

/** The number of players is unknown unless both ends are given. */
function playerSlice({ players_min, players_max }: Document): [number, number] {
  return players_min === null || players_max === null ? [0, 0] : [players_min - 1, players_max]
}

/** Dictionary terms that are not words begin with one of these signs, which no word begins with. */
const signs = { tag: '#', engine: '@', owner: '~', range: '>', editor: '^', code: '=', price: '$' }
const signBytes = new Set(Object.values(signs).map((sign) => sign.charCodeAt(0)))
export const isSign = (byte: number) => signBytes.has(byte)

/** Dictionary terms of fields without a fixed list of values. */
export const keys = {
  tag: (tag: string) => `${signs.tag}${tag}`,
  tags: signs.tag,
  engine: (engine: string) => `${signs.engine}${engine}`,
  owner: (uid: string) => `${signs.owner}${uid}`,
  range: ({ engine, min_version, max_version, renderer }: Range) =>
    [`${signs.range}${engine}`, min_version ?? '', max_version ?? '', renderer ?? ''].join(' '),
  rangesOf: (engine: string) => `${signs.range}${engine} `,
  ranges: signs.range,
  editor: (minor: string) => `${signs.editor}${minor}`,
  code: (facet: string, code: string) => `${signs.code}${facet} ${code}`,
  /** In the order of prices, so that those up to a price are a range of terms. */
  price: (cents: number) => `${signs.price}${String(cents).padStart(10, '0')}`,
  prices: signs.price,
  codesOf: (facet: string) => `${signs.code}${facet} `,
}

export function readRangeKey(key: string): Range {
  const [engine, min_version, max_version, renderer] = key.slice(1).split(' ')
  return {
    engine: engine!,
    min_version: min_version || null,
    max_version: max_version || null,
    renderer: renderer || null,
  }
}

/** A listing is found by its codes and by broader ones: `pt-BR` also by `pt`. */
function codeKeys(name: CodedField, entries: readonly { code: string }[]): string[] {
  const { codes, facet } = listingFields[name]
  return entries
    .flatMap(({ code }) => codes.withBroader(code))
    .map((code) => keys.code(facet, code))
}

export function keysOf(doc: Document): string[] {
  return [
    ...new Set([
      ...doc.tags.map(keys.tag),
      ...[...doc.engines, ...doc.ranges.map(({ engine }) => engine)].map(keys.engine),
      keys.owner(doc.owner_uid),
      keys.price(doc.sale_price_cents ?? doc.price_cents),
      ...doc.ranges.map(keys.range),
      ...(doc.package?.editors ?? []).map(keys.editor),
      ...codedFields.flatMap((name) => codeKeys(name, doc[name])),
    ]),
  ]
}
