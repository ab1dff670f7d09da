/**
 * A store page as we read it. The page is somebody else's and changes without notice: what is missing, of another type or out of all
 * bounds is as good as not there, and never an error.
 */
export type StorePage = {
  type: string
  name: string
  /** Both as HTML. */
  short_text: string
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
  /** For each film its addresses, those that most people can open first. */
  films: string[][]
  coming_soon: boolean | undefined
  release_date: string
  descriptors: number[]
  rating_texts: string[]
}

/** A tag as players gave it, most given first. */
export type StoreTag = { name: string; weight: number }

type Fields = Record<string, unknown>

const MOST_ENTRIES = 200
const MOST_LINE = 2000
const MOST_TEXT = 500_000

const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const record = (value: unknown): Fields => (isRecord(value) ? value : {})
const list = (value: unknown): unknown[] =>
  Array.isArray(value) ? value.slice(0, MOST_ENTRIES) : []
const records = (value: unknown): Fields[] => list(value).filter(isRecord)
const text = (value: unknown, most = MOST_LINE): string =>
  typeof value === 'string' ? value.slice(0, most).toWellFormed() : ''
const texts = (value: unknown): string[] =>
  list(value)
    .map((entry) => text(entry))
    .filter(Boolean)
const flag = (value: unknown): boolean | undefined =>
  typeof value === 'boolean' ? value : undefined
/** Ids come as numbers here and as text there. */
const whole = (value: unknown): number | undefined => {
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
    short_text: text(data.short_description, MOST_TEXT),
    long_text: text(data.detailed_description, MOST_TEXT) || text(data.about_the_game, MOST_TEXT),
    website: text(data.website),
    developers: texts(data.developers),
    publishers: texts(data.publishers),
    is_free: data.is_free === true,
    price: readPrice(data.price_overview),
    genres: named(data.genres).map(({ id, name }) => ({ id: String(id), name })),
    categories: named(data.categories),
    has_gamepad: ['full', 'partial'].includes(text(data.controller_support)),
    screenshots: records(data.screenshots).flatMap(({ path_full }) => text(path_full) || []),
    films: films(data.movies),
    coming_soon: flag(release.coming_soon),
    release_date: text(release.date),
    descriptors: list(record(data.content_descriptors).ids).flatMap((id) => whole(id) ?? []),
    rating_texts: Object.values(record(data.ratings))
      .slice(0, MOST_ENTRIES)
      .flatMap((rating) => text(record(rating).descriptors) || []),
  }
}

function readPrice(value: unknown): StorePage['price'] {
  const { currency, initial } = record(value)
  const cents = typeof initial === 'number' ? whole(initial) : undefined
  return typeof currency === 'string' && cents !== undefined ? { currency, cents } : undefined
}

const named = (value: unknown) =>
  records(value).flatMap(({ id, description }) => {
    const number = whole(id)
    return number === undefined ? [] : [{ id: number, name: text(description) }]
  })

/** The film that the page itself puts first, first. Newer ones come only as lists for players of streams. */
function films(value: unknown): string[][] {
  const all = records(value).toSorted(
    (a, b) => Number(b.highlight === true) - Number(a.highlight === true),
  )
  return all.map(({ mp4, webm, hls_h264, dash_h264, dash_av1 }) =>
    [record(mp4).max, record(webm).max, hls_h264, dash_h264, dash_av1]
      .map((url) => text(url))
      .filter(Boolean),
  )
}

/** The tags of one app. Undefined when the answer has no such list at all, which is not the same as none. */
export function readTagWeights(answer: Fields, app_id: number): Map<number, number> | undefined {
  const item = records(record(answer.response).store_items).find(
    ({ appid }) => whole(appid) === app_id,
  )
  if (!item || !Array.isArray(item.tags)) return undefined
  return new Map(
    records(item.tags).flatMap(({ tagid, weight }) => {
      const id = whole(tagid)
      return id === undefined
        ? []
        : [[id, typeof weight === 'number' && Number.isFinite(weight) ? weight : 0] as const]
    }),
  )
}

const MOST_TAG_NAMES = 5000

export function readTagNames(answer: Fields): Map<number, string> | undefined {
  const { tags } = record(answer.response)
  if (!Array.isArray(tags)) return undefined
  const entries = tags.slice(0, MOST_TAG_NAMES).filter(isRecord)
  return new Map(
    entries.flatMap(({ tagid, name }) => {
      const id = whole(tagid)
      return id === undefined || typeof name !== 'string' ? [] : [[id, text(name)] as const]
    }),
  )
}

export function nameTags(weights: Map<number, number>, names: Map<number, string>): StoreTag[] {
  return [...weights]
    .flatMap(([id, weight]) => (names.has(id) ? [{ name: names.get(id)!, weight }] : []))
    .toSorted((a, b) => b.weight - a.weight)
}
