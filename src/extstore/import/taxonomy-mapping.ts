import {
  type ContentWarning,
  contentWarnings,
  type Genre,
  type Input,
  inputs,
  listingFields,
  type Net,
  type SessionBucket,
  type Tone,
} from '../../listings/fields/fields.ts'
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

/** What a store page and its tags say in our words. Pure tables and order; nothing is guessed but what is called a guess. */

/** Thousands play in one world; here is the most a listing can say. */
const MOST_PLAYERS = listingFields.players_max.max
/** For how many a game is that only says "multi-player". */
export const ASSUMED_PLAYERS = 4

/** `Beat 'em up` is `beat-em-up`; nothing when no letter of it is left. Not yet held to the length of a tag here: some mean a genre all the same. */
export function tagSlug(name: string): string {
  const folded = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\p{M}'’]/gu, '')
  return folded.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '')
}

const bySlug = <T extends string>(table: Partial<Record<T, string[]>>): Map<string, T[]> => {
  const found = new Map<string, T[]>()
  for (const [word, slugs] of Object.entries(table) as [T, string[]][])
    for (const slug of slugs) found.set(slug, [...(found.get(slug) ?? []), word])
  return found
}
const slugGenres = bySlug(genreTags)
const slugTones = bySlug(toneTags)
const slugInputs = bySlug(inputTags)
const slugWarnings = bySlug(warningTags)
/** Tags that only repeat one of the store's own genres: true of half its games, so the others go first. */
const broad = new Set([
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
const meant = <T>(slugs: readonly string[], table: Map<string, T[]>): T[] =>
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
  const specific = slugs.filter((slug) => !broad.has(slug))
  const wide = slugs.filter((slug) => broad.has(slug))
  const store = page.genres.flatMap((genre) => genreOf(genre).genres ?? [])
  return unique([...meant(specific, slugGenres), ...meant(wide, slugGenres), ...store]).slice(
    0,
    listingFields.genres.max,
  )
}

/** Players' own tags; where those are too few, the words of the store's genres and categories fill up. */
export function tagsOf(page: StorePage, slugs: readonly string[]): string[] {
  const usable = (tags: readonly string[]) => tags.filter((tag) => normalizeTag(tag) === tag)
  const own_tags = usable(slugs)
  if (own_tags.length >= listingFields.tags.min) return own_tags.slice(0, listingFields.tags.max)
  const named = page.genres.flatMap((genre) => genreOf(genre).tags ?? tagSlug(genre.name))
  const categories = page.categories.flatMap((category) => {
    const { tags, single, multi } = categoryOf(category)
    return tags ?? (single || multi ? tagSlug(category.name) : [])
  })
  return unique([...own_tags, ...usable([...named, ...categories])]).slice(
    0,
    listingFields.tags.max,
  )
}

export const tonesOf = (slugs: readonly string[]): Tone[] =>
  meant(slugs, slugTones).slice(0, listingFields.tone.max)

export function inputsOf(page: StorePage, slugs: readonly string[]): Input[] {
  const found = meanings(page)
  const named = new Set([
    ...found.flatMap((meaning) => meaning.inputs ?? []),
    ...meant(slugs, slugInputs),
  ])
  if (page.has_gamepad) named.add('gamepad')
  // Everything there is played with it, unless the page says that it cannot be.
  if (!found.some(({ no_keyboard }) => no_keyboard)) named.add('keyboard_mouse')
  return inputs.filter((input) => named.has(input))
}

/** Undefined when the page says neither that one plays alone nor that several do. */
export function playersOf(
  page: StorePage,
): { min: number; max: number; is_assumed: boolean } | undefined {
  const found = meanings(page)
  const single = found.some((meaning) => meaning.single)
  const multi = found.some((meaning) => meaning.multi || meaning.net)
  if (!single && !multi) return undefined
  const massive =
    page.genres.some(({ id }) => id === MASSIVE.genre) ||
    page.categories.some(({ id }) => id === MASSIVE.category)
  if (!multi) return { min: 1, max: 1, is_assumed: false }
  return {
    min: single ? 1 : 2,
    max: massive ? MOST_PLAYERS : ASSUMED_PLAYERS,
    is_assumed: !massive,
  }
}

export function netOf(page: StorePage): Net | undefined {
  const found = meanings(page)
  const nets = new Set(found.flatMap(({ net }) => net ?? []))
  if (nets.has('local') && nets.has('online')) return 'local_online'
  if (nets.size) return [...nets][0]
  if (found.some(({ multi }) => multi)) return 'online'
  return found.some(({ single }) => single) ? 'offline' : undefined
}

/** The store does not say it; this is what games of a kind usually are, for the developer to correct. */
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
  return guesses.find(([, of]) => of.includes(genres[0]!))?.[0] ?? '1h'
}

export function warningsOf(page: StorePage, slugs: readonly string[]): ContentWarning[] {
  const found = new Set<ContentWarning>([
    ...page.descriptors.flatMap((id) => own(descriptorMeanings, id)?.content_warnings ?? []),
    ...meanings(page).flatMap((meaning) => meaning.content_warnings ?? []),
    ...meant(slugs, slugWarnings),
    ...contentWarnings.filter((warning) =>
      page.rating_texts.some((text) => ratingWords[warning].test(text)),
    ),
  ])
  return contentWarnings.filter((warning) => found.has(warning))
}

export const isAdult = (page: StorePage): boolean =>
  page.descriptors.some((id) => own(descriptorMeanings, id)?.adult)
