import { Refusal } from '../../core/runtime/errors.ts'
import {
  type Explanation,
  explain,
  type ReasonId,
  withMessage,
} from '../../core/runtime/reasons.ts'
import { checkPrice, type PriceRules } from '../../listings/editions/prices.ts'
import { storeLink } from '../../listings/fields/store-links.ts'
import { listingFields } from '../../listings/fields/table.ts'
import {
  httpsUrl,
  MAX_NAME,
  MAX_TAGLINE,
  plainText,
  requiredText,
  type Field as TextField,
  VISIBLE,
} from '../../listings/fields/text.ts'
import { galleryLimits } from '../../listings/media/image-rules.ts'
import type { StoredImage } from '../../listings/media/store.ts'
import { type PressCredit, pressLimits } from '../../press/kit-rules.ts'
import type { StorePage, StoreTag } from '../client/store-page.ts'
import type { Field } from './fields.ts'
import { toOneLine } from './markdown-writer.ts'
import {
  ASSUMED_PLAYERS,
  genresOf,
  guessSession,
  inputsOf,
  isAdult,
  netOf,
  playersOf,
  slugsOf,
  tagsOf,
  tonesOf,
  warningsOf,
} from './taxonomy-mapping.ts'

/** Everything that was read from the store for an import. */
export type StoreData = {
  app: { app_id: number; app_name: string; url: string }
  page: StorePage
  /** Undefined if they could not be read: the import continues without them. */
  tags: StoreTag[] | undefined
  tagline: string
  description: { text: string; cut: boolean }
  /** Undefined if images were not selected. */
  images: ImportedImages | undefined
}
/** The usable screenshots, in order. Cover and thumbnail are made from the first. */
export type ImportedImages = {
  gallery: { url: string; image: StoredImage }[]
  cover?: StoredImage
  thumbnail?: StoredImage
}

/** What the mapping needs to know of the listing it is for. */
export type TargetState = {
  is_public: boolean
  has_editions: boolean
  anonymous_downloads: boolean
  session_bucket: string | null
  players_max: number | null
  adult: boolean
  credits: PressCredit[]
  /** The credits that the last import wrote. */
  imported_credits: PressCredit[]
}

/** The new value of a field, or why it is skipped. */
export type Candidate =
  | {
      value: unknown
      note?: Explanation
      /** What is compared instead of the value, such as the hash of an image. */
      compared?: unknown
    }
  | { skip: Explanation }
export type Candidates = Record<Field, Candidate>

const skip = <Id extends ReasonId>(...reason: Parameters<typeof explain<Id>>): Candidate => ({
  skip: explain<Id>(...reason),
})
const orSkip = (value: unknown, reason: Explanation): Candidate => {
  const is_empty = value === undefined || value === '' || (Array.isArray(value) && !value.length)
  return is_empty ? { skip: reason } : { value }
}
const anyField: TextField = { refusal: 'MALFORMED', field: 'it' }

/** Applies the rules for values that developers enter; a refusal becomes the reason to skip. */
function checked(read: () => unknown): Candidate {
  try {
    return { value: read() }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const not_usable = withMessage(
      error,
      (message) => `Not usable here: ${message.replace(/^[\w.]+: /, '')}`,
    )
    return { skip: not_usable }
  }
}

export function candidates(data: StoreData, target: TargetState, rules: PriceRules): Candidates {
  return {
    ...textFields(data),
    ...taxonomyFields(data, target),
    status: statusField(data.page),
    ...imageFields(data.images, target),
    ...pressFields(data.page, target),
    price_cents: priceField(data.page, target, rules),
    ...ageFields(data, target),
    store_link: checked(() => storeLink('store_01', data.app.url).url),
  }
}

/** Never empty, because a listing needs a name. */
function nameOf({ app, page }: Pick<StoreData, 'app' | 'page'>): string {
  const names = [page.name, app.app_name].map((name) => toOneLine(name).trim())
  return names.find((name) => VISIBLE.test(name)) ?? `App ${app.app_id}`
}

function textFields({
  app,
  page,
  tagline,
  description,
}: StoreData): Pick<Candidates, 'name' | 'tagline' | 'description'> {
  const note = description.cut ? { note: SHORTENED } : {}
  return {
    name: shorten(nameOf({ app, page }), MAX_NAME, (text) =>
      requiredText(anyField, text, MAX_NAME),
    ),
    tagline: tagline
      ? shorten(tagline, MAX_TAGLINE, (text) => plainText(anyField, text, MAX_TAGLINE))
      : skip('import_no_tagline', 'The store page has no short description'),
    description: description.text
      ? { value: description.text, ...note }
      : skip('import_no_description', 'The store page has no long description'),
  }
}

const SHORTENED = explain(
  'import_shortened_description',
  'Shortened to the maximum length of a description',
)

/** Shortens a text at the end of a word. */
function shorten(text: string, max: number, read: (text: string) => string): Candidate {
  const characters = [...text]
  if (characters.length <= max) return checked(() => read(text))
  const start = characters.slice(0, max - 1).join('')
  const words = start.replace(/\s+\S*$/, '')
  const candidate = checked(() => read(`${words || start}…`))
  if ('skip' in candidate) return candidate
  const note = explain('import_shortened', `Shortened to ${max} characters`, { max })
  return { ...candidate, note }
}

type TaxonomyField =
  | 'genres'
  | 'tags'
  | 'tone'
  | 'inputs'
  | 'net'
  | 'players_min'
  | 'players_max'
  | 'session_bucket'

function taxonomyFields(
  { page, tags }: StoreData,
  target: TargetState,
): Pick<Candidates, TaxonomyField> {
  const slugs = slugsOf(tags ?? [])
  const genres = genresOf(page, slugs)
  const players = playersOf(page)
  const unknown = explain(
    'import_no_players',
    'The store page does not list single-player or multiplayer',
  )
  return {
    genres: orSkip(
      genres,
      explain('import_no_genre', 'The store page has no genre that exists here'),
    ),
    tags: tagField(page, tags, slugs),
    tone: orSkip(
      tonesOf(slugs),
      tags ? explain('import_no_tone', 'None of the tags describes the mood of the game') : NO_TAGS,
    ),
    inputs: orSkip(
      inputsOf(page, slugs),
      explain('import_no_input', 'The store page lists no input device'),
    ),
    net: orSkip(netOf(page), unknown),
    players_min: players ? { value: players.min } : { skip: unknown },
    players_max: players ? maxPlayersField(players, target) : { skip: unknown },
    session_bucket: sessionField(genres, target),
  }
}

const NO_TAGS = explain(
  'import_no_tags',
  'The tags of the store are not available right now. Sync again later.',
)

function tagField(page: StorePage, tags: StoreTag[] | undefined, slugs: string[]): Candidate {
  if (!tags) return { skip: NO_TAGS }
  const usable = tagsOf(page, slugs)
  const { min } = listingFields.tags
  return usable.length >= min
    ? { value: usable }
    : skip('import_few_tags', `The store has fewer than ${min} usable tags`, { min })
}

function maxPlayersField(
  { max, is_assumed }: { max: number; is_assumed: boolean },
  { players_max }: TargetState,
): Candidate {
  if (!is_assumed) return { value: max }
  if (players_max !== null && players_max > 1)
    return {
      value: players_max,
      note: explain(
        'import_kept_players',
        'The store has no maximum number of players. Your value is kept.',
      ),
    }
  return {
    value: max,
    note: explain(
      'import_assumed_players',
      'The store has no maximum number of players. ' +
        `${ASSUMED_PLAYERS} is assumed; please check it.`,
      { count: ASSUMED_PLAYERS },
    ),
  }
}

function sessionField(
  genres: ReturnType<typeof genresOf>,
  { session_bucket }: TargetState,
): Candidate {
  if (session_bucket !== null)
    return skip('import_kept_session', 'The store has no session length. Your value is kept.')
  return {
    value: guessSession(genres),
    note: explain(
      'import_guessed_session',
      'The store has no session length. This is a guess from the genre; please check it.',
    ),
  }
}

function statusField({ coming_soon }: StorePage): Candidate {
  if (coming_soon === undefined)
    return skip('import_no_status', 'The store page does not say whether the game is released')
  return { value: coming_soon ? 'development' : 'released' }
}

function imageFields(
  images: ImportedImages | undefined,
  { is_public }: TargetState,
): Pick<Candidates, 'cover' | 'thumbnail' | 'gallery'> {
  const none = skip(
    'import_no_screenshot',
    'No screenshot of the store page can be used. See screenshots for the reasons.',
  )
  if (!images?.gallery.length) return { cover: none, thumbnail: none, gallery: none }
  const { gallery, cover, thumbnail } = images
  const derived = (image: StoredImage | undefined): Candidate =>
    image ? { value: gallery[0]!.url, compared: image.sha256 } : none
  return {
    cover: derived(cover),
    thumbnail: derived(thumbnail),
    gallery:
      is_public && gallery.length < galleryLimits.min
        ? skip(
            'import_few_screenshots',
            'A value the listing check would refuse: a public listing needs at least ' +
              `${galleryLimits.min} gallery images, and the store has ${gallery.length}`,
            { min: galleryLimits.min, count: gallery.length },
          )
        : {
            value: gallery.map(({ url }) => url),
            compared: gallery.map(({ image }) => image.sha256),
          },
  }
}

type PressField = 'release_date' | 'website_url' | 'trailer_url' | 'credits'

function pressFields(page: StorePage, target: TargetState): Pick<Candidates, PressField> {
  const date = toOneLine(page.release_date).trim()
  return {
    release_date: date
      ? checked(() => plainText(anyField, date, pressLimits.release_date))
      : skip('import_no_release_date', 'The store page has no release date'),
    website_url: page.website.trim()
      ? checked(() => httpsUrl(anyField, page.website))
      : skip('import_no_website', 'The store page has no website'),
    trailer_url: trailerField(page),
    credits: creditsField(page, target),
  }
}

function trailerField({ trailers }: StorePage): Candidate {
  const urls = trailers.flat()
  if (!urls.length) return skip('import_no_trailer', 'The store page has no trailer')
  const links = urls.map((url) => checked(() => httpsUrl(anyField, url)))
  return (
    links.find((link) => 'value' in link) ??
    skip('import_no_https_trailer', 'The trailer has no https link')
  )
}

const roles = {
  developer: 'Developer',
  publisher: 'Publisher',
  both: 'Developer and publisher',
} as const
const isImportedRole = (role: string) => (Object.values(roles) as readonly string[]).includes(role)

/** The developers and publishers that the store page names. */
export function storeCredits({ developers, publishers }: StorePage): PressCredit[] {
  const names = (list: string[]) =>
    list
      .map((name) => toOneLine(name).trim())
      .filter((name) => VISIBLE.test(name) && [...name].length <= pressLimits.credit_name)
  const developer_names = names(developers)
  const publisher_names = names(publishers)
  const roleOf = (name: string) => {
    if (!publisher_names.includes(name)) return roles.developer
    return developer_names.includes(name) ? roles.both : roles.publisher
  }
  return [...new Set([...developer_names, ...publisher_names])].map((name) => ({
    name,
    role: roleOf(name),
  }))
}

/** The credits of the store first, then those of the listing that were not imported. */
function creditsField(page: StorePage, { credits, imported_credits }: TargetState): Candidate {
  const store_credits = storeCredits(page)
  if (!store_credits.length)
    return skip('import_no_credits', 'The store page names neither developer nor publisher')
  const names = new Set([...store_credits, ...imported_credits].map(({ name }) => name))
  const others = credits.filter(({ name, role }) => !(isImportedRole(role) && names.has(name)))
  return { value: [...store_credits, ...others].slice(0, pressLimits.credits) }
}

function priceField(
  { is_free, price }: StorePage,
  target: TargetState,
  rules: PriceRules,
): Candidate {
  if (target.has_editions)
    return skip('import_editions_price', 'The price is set by the editions of the listing')
  if (is_free) return { value: 0 }
  if (!price) return skip('import_no_price', 'The store page has no price')
  if (price.currency !== 'USD')
    return skip('import_no_dollar_price', 'The store page has no price in US dollars')
  if (price.cents > 0 && target.anonymous_downloads)
    return skip(
      'import_must_be_free',
      'The listing allows downloads without an account, so it must be free',
    )
  if (price.cents > 0 && !rules.paid_listings)
    return skip('import_paid_off', 'This store has only free listings')
  return checked(() => checkPrice(price.cents, rules))
}

function ageFields(
  { page, tags }: StoreData,
  target: TargetState,
): Pick<Candidates, 'content_warnings' | 'adult'> {
  const adult = isAdult(page)
  return {
    content_warnings: orSkip(
      warningsOf(page, slugsOf(tags ?? [])),
      explain('import_no_warnings', 'The store page has no content warnings'),
    ),
    // An import never removes the adult mark, which protects minors.
    adult:
      !adult && target.adult
        ? skip(
            'import_stays_adult',
            'The listing is marked as adult. An import never removes that mark.',
          )
        : { value: adult },
  }
}
