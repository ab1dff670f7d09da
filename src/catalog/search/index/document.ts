import { architectures } from '../../../builds/builds/fields.ts'
import { packageCategories } from '../../../listings/fields/editor.ts'
import {
  aiUses,
  assetTypes,
  authorships,
  contentWarnings,
  genres,
  inputs,
  licenseKinds,
  listingFields,
  nets,
  sessionBuckets,
  statuses,
  tones,
} from '../../../listings/fields/fields.ts'
import { launchBands } from '../../../listings/fields/launch-bands.ts'
import { operatingSystems } from '../../../listings/fields/versions.ts'
import { wordsOf } from '../query/words.ts'

export type Range = {
  engine: string
  min_version: string | null
  max_version: string | null
  renderer: string | null
}

/** What the index knows of a public listing. Moments are microseconds, as exact as the database's. */
export type Document = {
  uid: string
  owner_uid: string
  published_us: number
  updated_us: number
  name: string
  tagline: string
  description: string
  asset_type: string
  status: string
  adult: boolean
  health: string
  genres: string[]
  /** The developer's and the shown ones of the community. */
  tags: string[]
  tone: string[]
  inputs: string[]
  content_warnings: string[]
  ai_uses: string[]
  session_bucket: string | null
  net: string | null
  authorship: string | null
  license_kind: string | null
  players_min: number | null
  players_max: number | null
  price_cents: number
  engines: string[]
  ranges: Range[]
  /** os/arch of the clean files that players are shown. */
  platforms: string[]
  /** What it is to editors, where they can install it. */
  package?: DocumentPackage | null
}
export type DocumentPackage = {
  category: string
  /** The first minor of each major of an editor it works with. */
  editors: string[]
  /** When it was last edited or released. */
  released_us: number
  /** Hundredths. */
  rating: number
}

/** Everything a listing can be filtered by that has a fixed list of values: each value is one row of bits. */
type Dimension = { values: readonly string[]; of: (doc: Document) => readonly (string | null)[] }
const playerCounts = Array.from({ length: listingFields.players_max.max }, (_, i) => String(i + 1))
const platforms = operatingSystems.flatMap((os) => architectures.map((arch) => `${os}/${arch}`))

export const dimensions = {
  asset_type: { values: assetTypes, of: (doc) => [doc.asset_type] },
  status: { values: statuses, of: (doc) => [doc.status] },
  genres: { values: genres, of: (doc) => doc.genres },
  tone: { values: tones, of: (doc) => doc.tone },
  inputs: { values: inputs, of: (doc) => doc.inputs },
  content_warnings: { values: contentWarnings, of: (doc) => doc.content_warnings },
  ai_uses: { values: aiUses, of: (doc) => doc.ai_uses },
  session_bucket: { values: sessionBuckets, of: (doc) => [doc.session_bucket] },
  net: { values: nets, of: (doc) => [doc.net] },
  authorship: { values: authorships, of: (doc) => [doc.authorship] },
  license: { values: licenseKinds, of: (doc) => [doc.license_kind] },
  health: { values: launchBands, of: (doc) => [doc.health] },
  price: { values: ['free', 'paid'], of: (doc) => [doc.price_cents > 0 ? 'paid' : 'free'] },
  os: {
    values: operatingSystems,
    of: (doc) => doc.platforms.map((platform) => platform.split('/')[0]!),
  },
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

/** The row of bits of every value, by `dimension value`. */
export const rows = new Map<string, number>()
for (const [name, { values }] of Object.entries(dimensions))
  for (const value of values) rows.set(`${name} ${value}`, rows.size)
export const ADULT = rows.get('adult adult')!
export const PROBLEMATIC = rows.get('health problematic')!
/** Licences in the order of the names editors know them by, in which what is sold is proprietary. */
const byCost = [
  'license cc-by',
  'license cc-by-sa',
  'license cc0',
  'license proprietary',
  'license paid',
  'license source-available',
  'unlicensed unlicensed',
]
export const costRows = byCost.map((name) => rows.get(name)!)

const tables = (Object.entries(dimensions) as [string, Dimension][]).map(
  ([name, { values, of }]) => ({
    of,
    row: new Map(values.map((value) => [value, rows.get(`${name} ${value}`)!])),
  }),
)

/** The rows a document stands in, some perhaps named twice. */
export function rowsOf(doc: Document): number[] {
  const found: number[] = []
  for (const { of, row } of tables)
    for (const value of of(doc)) {
      const one = value === null ? undefined : row.get(value)
      if (one !== undefined) found.push(one)
    }
  return found
}

/** A universal build is for every architecture of its system. */
function everyArch(platform: string): string[] {
  const [os, arch] = platform.split('/')
  return arch === 'universal' ? architectures.map((one) => `${os}/${one}`) : [platform]
}

/** Without both ends nobody knows how many can play. */
function playerSlice({ players_min, players_max }: Document): [number, number] {
  return players_min === null || players_max === null ? [0, 0] : [players_min - 1, players_max]
}

/** Keys of what has no fixed list of values. They begin with signs that no word begins with. */
export const keys = {
  tag: (tag: string) => `#${tag}`,
  engine: (engine: string) => `@${engine}`,
  owner: (uid: string) => `~${uid}`,
  range: ({ engine, min_version, max_version, renderer }: Range) =>
    [`>${engine}`, min_version ?? '', max_version ?? '', renderer ?? ''].join(' '),
  rangesOf: (engine: string) => `>${engine} `,
  ranges: '>',
  editor: (minor: string) => `^${minor}`,
  tags: '#',
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

export function keysOf(doc: Document): string[] {
  return [
    ...new Set([
      ...doc.tags.map(keys.tag),
      ...[...doc.engines, ...doc.ranges.map(({ engine }) => engine)].map(keys.engine),
      keys.owner(doc.owner_uid),
      ...doc.ranges.map(keys.range),
      ...(doc.package?.editors ?? []).map(keys.editor),
    ]),
  ]
}

/** How much a word of a field says about a listing. A field outweighs all the lesser ones together, and the sum fits a byte. */
export const weights = {
  name: 96,
  whole_name: 64,
  tag: 48,
  tagline: 24,
  description: 4,
  description_times: 3,
} as const
/** A word that only begins with what was typed counts half; one that is a letter off, a quarter. Of the least weight, too, something is left. */
export const shifts = { exact: 0, prefix: 1, typo: 2 } as const

/** The words of a listing, each with its weight there. */
export function impactsOf(doc: Document): Map<string, number> {
  const impacts = new Map<string, number>()
  const add = (word: string, weight: number) => impacts.set(word, (impacts.get(word) ?? 0) + weight)
  const name = wordsOf(doc.name)
  for (const word of new Set(name))
    add(word, weights.name + Math.floor(weights.whole_name / name.length))
  for (const word of new Set(doc.tags.flatMap(wordsOf))) add(word, weights.tag)
  for (const word of new Set(wordsOf(doc.tagline))) add(word, weights.tagline)
  const times = new Map<string, number>()
  for (const word of wordsOf(doc.description)) times.set(word, (times.get(word) ?? 0) + 1)
  for (const [word, count] of times)
    add(word, weights.description * Math.min(count, weights.description_times))
  return impacts
}
