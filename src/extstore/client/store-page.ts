/**
 * A page of the store. Its format may change without notice, so a value that is missing, of another
 * type or out of bounds is treated as missing, and never as an error.
 */
export type StorePage = {
  type: string
  name: string
  /** HTML. */
  short_text: string
  /** HTML. */
  long_text: string
  website: string
  developers: string[]
  publishers: string[]
  is_free: boolean
  /** Before any discount. */
  price: { currency: string; cents: number } | undefined
  genres: { id: string; name: string }[]
  categories: { id: number; name: string }[]
  has_gamepad: boolean
  screenshots: string[]
  /** The URLs of each trailer, the most widely supported format first. */
  trailers: string[][]
  coming_soon: boolean | undefined
  release_date: string
  descriptors: number[]
  rating_texts: string[]
}

/** A tag given by players; lists of tags have the most frequent first. */
export type StoreTag = { name: string; weight: number }

export type Fields = Record<string, unknown>

const MAX_ENTRIES = 200
const MAX_LINE = 2000
const MAX_TEXT = 500_000

export const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const record = (value: unknown): Fields => (isRecord(value) ? value : {})
const list = (value: unknown): unknown[] =>
  Array.isArray(value) ? value.slice(0, MAX_ENTRIES) : []
const records = (value: unknown): Fields[] => list(value).filter(isRecord)
const text = (value: unknown, max_length = MAX_LINE): string =>
  typeof value === 'string' ? value.slice(0, max_length).toWellFormed() : ''
const texts = (value: unknown): string[] =>
  list(value)
    .map((entry) => text(entry))
    .filter(Boolean)
const flag = (value: unknown): boolean | undefined =>
  typeof value === 'boolean' ? value : undefined
/** The store gives some ids as numbers and some as text. */
const wholeNumber = (value: unknown): number | undefined => {
  const number = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0
    ? number
    : undefined
}

export function readStorePage(data: Fields): StorePage {
  const release = record(data.release_date)
  return {
    type: text(data.type),
    name: text(data.name),
    short_text: text(data.short_description, MAX_TEXT),
    long_text: text(data.detailed_description, MAX_TEXT) || text(data.about_the_game, MAX_TEXT),
    website: text(data.website),
    developers: texts(data.developers),
    publishers: texts(data.publishers),
    is_free: data.is_free === true,
    price: readPrice(data.price_overview),
    genres: namedEntries(data.genres).map(({ id, name }) => ({ id: String(id), name })),
    categories: namedEntries(data.categories),
    has_gamepad: ['full', 'partial'].includes(text(data.controller_support)),
    screenshots: records(data.screenshots).flatMap(({ path_full }) => text(path_full) || []),
    trailers: readTrailers(data.movies),
    coming_soon: flag(release.coming_soon),
    release_date: text(release.date),
    descriptors: list(record(data.content_descriptors).ids).flatMap((id) => wholeNumber(id) ?? []),
    rating_texts: Object.values(record(data.ratings))
      .slice(0, MAX_ENTRIES)
      .flatMap((rating) => text(record(rating).descriptors) || []),
  }
}

function readPrice(value: unknown): StorePage['price'] {
  const { currency, initial } = record(value)
  const cents = typeof initial === 'number' ? wholeNumber(initial) : undefined
  return typeof currency === 'string' && cents !== undefined ? { currency, cents } : undefined
}

const namedEntries = (value: unknown) =>
  records(value).flatMap(({ id, description }) => {
    const number = wholeNumber(id)
    return number === undefined ? [] : [{ id: number, name: text(description) }]
  })

/** The highlighted trailer comes first. Newer trailers exist only as streaming playlists. */
function readTrailers(value: unknown): string[][] {
  const movies = records(value).toSorted(
    (a, b) => Number(b.highlight === true) - Number(a.highlight === true),
  )
  return movies.map(({ mp4, webm, hls_h264, dash_h264, dash_av1 }) =>
    [record(mp4).max, record(webm).max, hls_h264, dash_h264, dash_av1]
      .map((url) => text(url))
      .filter(Boolean),
  )
}

/** The tag weights of an app; undefined if the response has no list of tags. */
export function readTagWeights(response: Fields, app_id: number): Map<number, number> | undefined {
  const item = records(record(response.response).store_items).find(
    ({ appid }) => wholeNumber(appid) === app_id,
  )
  if (!item || !Array.isArray(item.tags)) return undefined
  return new Map(
    records(item.tags).flatMap(({ tagid, weight }) => {
      const id = wholeNumber(tagid)
      return id === undefined
        ? []
        : [[id, typeof weight === 'number' && Number.isFinite(weight) ? weight : 0] as const]
    }),
  )
}

const MAX_TAG_NAMES = 5000

export function readTagNames(response: Fields): Map<number, string> | undefined {
  const { tags } = record(response.response)
  if (!Array.isArray(tags)) return undefined
  const entries = tags.slice(0, MAX_TAG_NAMES).filter(isRecord)
  return new Map(
    entries.flatMap(({ tagid, name }) => {
      const id = wholeNumber(tagid)
      return id === undefined || typeof name !== 'string' ? [] : [[id, text(name)] as const]
    }),
  )
}

export function nameTags(weights: Map<number, number>, names: Map<number, string>): StoreTag[] {
  return [...weights]
    .flatMap(([id, weight]) => (names.has(id) ? [{ name: names.get(id)!, weight }] : []))
    .toSorted((a, b) => b.weight - a.weight)
}
