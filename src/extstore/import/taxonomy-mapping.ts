import {
  type ContentWarning,
  contentWarnings,
  type Genre,
  type Input,
  inputs,
  type Net,
  type SessionBucket,
  type Tone,
} from '../../listings/fields/fields.ts'
import { listingFields } from '../../listings/fields/table.ts'
import { normalizeTag } from '../../listings/fields/taxonomy.ts'
import type { StorePage, StoreTag } from '../client/store-page.ts'
import {
  categoryMeanings,
  categoryMeaningsByName,
  descriptorMeanings,
  genreMeanings,
  genreTags,
  inputTags,
  MASSIVE,
  type Meaning,
  ratingWords,
  toneTags,
  warningTags,
} from './mapping-tables.ts'

/** Maps a store page and its tags to the taxonomy of listings. */

/** For massively multiplayer games: the maximum a listing can state. */
const MAX_PLAYERS = listingFields.players_max.max
/** The number of players of a game that only says "multi-player". */
export const ASSUMED_PLAYERS = 4

/**
 * Turns `Beat 'em up` into `beat-em-up`; the result may be empty. The length of a tag is not
 * checked here, because some long tags map to a genre.
 */
function tagSlug(name: string): string {
  const folded = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\p{M}'’]/gu, '')
  return folded.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '')
}

const bySlug = <T extends string>(table: Partial<Record<T, string[]>>): Map<string, T[]> => {
  const words = new Map<string, T[]>()
  for (const [word, slugs] of Object.entries(table) as [T, string[]][])
    for (const slug of slugs) words.set(slug, [...(words.get(slug) ?? []), word])
  return words
}
const slugGenres = bySlug(genreTags)
const slugTones = bySlug(toneTags)
const slugInputs = bySlug(inputTags)
const slugWarnings = bySlug(warningTags)
/** Tags that only repeat a genre of the store. More specific tags take precedence. */
const broadTags = new Set([
  'action',
  'adventure',
  'casual',
  'racing',
  'rpg',
  'simulation',
  'sports',
  'strategy',
  'indie',
])

const unique = <T>(values: readonly T[]): T[] => [...new Set(values)]
const mapSlugs = <T>(slugs: readonly string[], table: Map<string, T[]>): T[] =>
  unique(slugs.flatMap((slug) => table.get(slug) ?? []))

export const slugsOf = (tags: readonly StoreTag[]): string[] =>
  unique(tags.flatMap(({ name }) => tagSlug(name) || []))

const own = <T>(table: Record<string | number, T>, key: string | number): T | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined
const genreOf = ({ id }: { id: string }): Meaning => own(genreMeanings, id) ?? {}
const categoryOf = ({ id, name }: { id: number; name: string }): Meaning =>
  own(categoryMeanings, id) ?? own(categoryMeaningsByName, name) ?? {}
const meanings = ({ genres, categories }: StorePage): Meaning[] => [
  ...genres.map(genreOf),
  ...categories.map(categoryOf),
]

export function genresOf(page: StorePage, slugs: readonly string[]): Genre[] {
  const specific = slugs.filter((slug) => !broadTags.has(slug))
  const broad = slugs.filter((slug) => broadTags.has(slug))
  const store_genres = page.genres.flatMap((genre) => genreOf(genre).genres ?? [])
  const by_precedence = [
    ...mapSlugs(specific, slugGenres),
    ...mapSlugs(broad, slugGenres),
    ...store_genres,
  ]
  return unique(by_precedence).slice(0, listingFields.genres.max)
}

/** The tags of players; if there are too few, also the genres and categories of the store. */
export function tagsOf(page: StorePage, slugs: readonly string[]): string[] {
  const usable = (tags: readonly string[]) => tags.filter((tag) => normalizeTag(tag) === tag)
  const player_tags = usable(slugs)
  if (player_tags.length >= listingFields.tags.min)
    return player_tags.slice(0, listingFields.tags.max)
  const genres = page.genres.flatMap((genre) => genreOf(genre).tags ?? tagSlug(genre.name))
  const categories = page.categories.flatMap((category) => {
    const { tags, single, multi } = categoryOf(category)
    return tags ?? (single || multi ? tagSlug(category.name) : [])
  })
  const all_tags = unique([...player_tags, ...usable([...genres, ...categories])])
  return all_tags.slice(0, listingFields.tags.max)
}

export const tonesOf = (slugs: readonly string[]): Tone[] =>
  mapSlugs(slugs, slugTones).slice(0, listingFields.tone.max)

export function inputsOf(page: StorePage, slugs: readonly string[]): Input[] {
  const page_meanings = meanings(page)
  const supported = new Set([
    ...page_meanings.flatMap((meaning) => meaning.inputs ?? []),
    ...mapSlugs(slugs, slugInputs),
  ])
  if (page.has_gamepad) supported.add('gamepad')
  // Games of the store support keyboard and mouse unless their page states otherwise.
  if (!page_meanings.some(({ no_keyboard }) => no_keyboard)) supported.add('keyboard_mouse')
  return inputs.filter((input) => supported.has(input))
}

/** Undefined if the page lists neither single-player nor multiplayer. */
export function playersOf(
  page: StorePage,
): { min: number; max: number; is_assumed: boolean } | undefined {
  const page_meanings = meanings(page)
  const single = page_meanings.some((meaning) => meaning.single)
  const multi = page_meanings.some((meaning) => meaning.multi || meaning.net)
  if (!single && !multi) return undefined
  const massive =
    page.genres.some(({ id }) => id === MASSIVE.genre) ||
    page.categories.some(({ id }) => id === MASSIVE.category)
  if (!multi) return { min: 1, max: 1, is_assumed: false }
  return {
    min: single ? 1 : 2,
    max: massive ? MAX_PLAYERS : ASSUMED_PLAYERS,
    is_assumed: !massive,
  }
}

export function netOf(page: StorePage): Net | undefined {
  const page_meanings = meanings(page)
  const nets = new Set(page_meanings.flatMap(({ net }) => net ?? []))
  if (nets.has('local') && nets.has('online')) return 'local_online'
  if (nets.size) return [...nets][0]
  if (page_meanings.some(({ multi }) => multi)) return 'online'
  return page_meanings.some(({ single }) => single) ? 'offline' : undefined
}

/** A guess from the genre, because the store has no session length. The developer checks it. */
export function guessSession(genres: readonly Genre[]): SessionBucket {
  const guesses: [SessionBucket, readonly Genre[]][] = [
    ['endless', ['sandbox', 'idle', 'survival', 'management', 'simulation']],
    ['3h', ['rpg', 'strategy', 'visual-novel']],
    [
      '15m',
      [
        'arcade',
        'casual',
        'card',
        'puzzle',
        'racing',
        'rhythm',
        'fighting',
        'sports',
        'roguelike',
        'tower-defense',
      ],
    ],
  ]
  return guesses.find(([, typical]) => typical.includes(genres[0]!))?.[0] ?? '1h'
}

export function warningsOf(page: StorePage, slugs: readonly string[]): ContentWarning[] {
  const warnings = new Set<ContentWarning>([
    ...page.descriptors.flatMap((id) => own(descriptorMeanings, id)?.content_warnings ?? []),
    ...meanings(page).flatMap((meaning) => meaning.content_warnings ?? []),
    ...mapSlugs(slugs, slugWarnings),
    ...contentWarnings.filter((warning) =>
      page.rating_texts.some((text) => ratingWords[warning].test(text)),
    ),
  ])
  return contentWarnings.filter((warning) => warnings.has(warning))
}

export const isAdult = (page: StorePage): boolean =>
  page.descriptors.some((id) => own(descriptorMeanings, id)?.adult)
