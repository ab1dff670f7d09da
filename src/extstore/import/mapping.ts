import { Refusal } from '../../core/runtime/errors.ts'
import { checkPrice, type PriceRules } from '../../listings/editions/prices.ts'
import { listingFields } from '../../listings/fields/fields.ts'
import { storeLink } from '../../listings/fields/store-links.ts'
import {
  httpsUrl,
  MAX_NAME,
  MAX_TAGLINE,
  type Field as Named,
  plainText,
  requiredText,
  VISIBLE,
} from '../../listings/fields/text.ts'
import { galleryLimits } from '../../listings/media/image-rules.ts'
import { type PressCredit, pressLimits } from '../../press/kit-rules.ts'
import type { StorePage, StoreTag } from '../client/store-page.ts'
import type { Field } from './fields.ts'
import type { Fitted } from './image-fit.ts'
import { oneLine } from './markdown-writer.ts'
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

/** Everything the store was asked for one import. */
export type Facts = {
  app: { app_id: number; app_name: string; url: string }
  page: StorePage
  /** Undefined when they could not be read: an import goes on without them. */
  tags: StoreTag[] | undefined
  tagline: string
  description: { text: string; cut: boolean }
  /** Undefined when nobody asked for images. */
  pictures: Pictures | undefined
}
/** The screenshots that can be used, in order, with the two made from the first. */
export type Pictures = {
  used: { url: string; gallery: Fitted }[]
  cover?: Fitted
  thumbnail?: Fitted
}

/** What the mapping must know of the listing it is for. */
export type Present = {
  is_public: boolean
  has_editions: boolean
  anonymous_downloads: boolean
  session_bucket: string | null
  players_max: number | null
  adult: boolean
  credits: PressCredit[]
  /** Those of them that the last import brought. */
  imported_credits: PressCredit[]
}

/** What a field would become, or why it would not. `same` is what values are compared by where that is not the value itself. */
export type Candidate = { value: unknown; note?: string; same?: unknown } | { skip: string }
export type Candidates = Record<Field, Candidate>

const skip = (reason: string): Candidate => ({ skip: reason })
const orSkip = (value: unknown, reason: string): Candidate => {
  const is_empty = value === undefined || value === '' || (Array.isArray(value) && !value.length)
  return is_empty ? skip(reason) : { value }
}
const at: Named = { refusal: 'MALFORMED', field: 'it' }

/** The same rules as for what people type; what they refuse is the reason. */
function allowed(read: () => unknown): Candidate {
  try {
    return { value: read() }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return skip(`Not usable here: ${error.message.replace(/^[\w.]+: /, '')}`)
  }
}

export function candidates(facts: Facts, present: Present, rules: PriceRules): Candidates {
  return {
    ...textFields(facts),
    ...taxonomyFields(facts, present),
    status: statusField(facts.page),
    ...imageFields(facts.pictures, present),
    ...pressFields(facts.page, present),
    price_cents: priceField(facts.page, present, rules),
    ...ageFields(facts, present),
    store_link: allowed(() => storeLink('store_01', facts.app.url).url),
  }
}

/** A name is never missing: without one there would be no listing. */
export function nameOf({ app, page }: Pick<Facts, 'app' | 'page'>): string {
  const names = [page.name, app.app_name].map((name) => oneLine(name).trim())
  return names.find((name) => VISIBLE.test(name)) ?? `App ${app.app_id}`
}

function textFields({
  app,
  page,
  tagline,
  description,
}: Facts): Pick<Candidates, 'name' | 'tagline' | 'description'> {
  const cut = description.cut
    ? { note: 'The end of the text is left out: a description has an upper length here' }
    : {}
  return {
    name: shortened(nameOf({ app, page }), MAX_NAME, (text) => requiredText(at, text, MAX_NAME)),
    tagline: tagline
      ? shortened(tagline, MAX_TAGLINE, (text) => plainText(at, text, MAX_TAGLINE))
      : skip('The store page has no short description'),
    description: description.text
      ? { value: description.text, ...cut }
      : skip('The store page has no long description'),
  }
}

/** Cut after a word. */
function shortened(text: string, max: number, read: (text: string) => string): Candidate {
  const characters = [...text]
  if (characters.length <= max) return allowed(() => read(text))
  const start = characters.slice(0, max - 1).join('')
  const words = start.replace(/\s+\S*$/, '')
  const made = allowed(() => read(`${words || start}…`))
  return 'skip' in made ? made : { ...made, note: `Shortened to ${max} characters` }
}

type Taxonomy =
  | 'genres'
  | 'tags'
  | 'tone'
  | 'inputs'
  | 'net'
  | 'players_min'
  | 'players_max'
  | 'session_bucket'

function taxonomyFields({ page, tags }: Facts, present: Present): Pick<Candidates, Taxonomy> {
  const slugs = slugsOf(tags ?? [])
  const genres = genresOf(page, slugs)
  const players = playersOf(page)
  const untold = 'The store page does not say whether one plays alone or with others'
  return {
    genres: orSkip(genres, 'The store page names no genre that there is here'),
    tags: tagField(page, tags, slugs),
    tone: orSkip(tonesOf(slugs), tags ? 'None of the tags says what mood the game is in' : NO_TAGS),
    inputs: orSkip(inputsOf(page, slugs), 'The store page names no input'),
    net: orSkip(netOf(page), untold),
    players_min: players ? { value: players.min } : skip(untold),
    players_max: players ? mostPlayers(players, present) : skip(untold),
    session_bucket: sessionField(genres, present),
  }
}

const NO_TAGS = 'The store did not tell its tags just now; sync again later'

function tagField(page: StorePage, tags: StoreTag[] | undefined, slugs: string[]): Candidate {
  if (!tags) return skip(NO_TAGS)
  const found = tagsOf(page, slugs)
  return found.length >= listingFields.tags.min
    ? { value: found }
    : skip(`The store has fewer than ${listingFields.tags.min} tags for it`)
}

function mostPlayers(
  { max, is_assumed }: { max: number; is_assumed: boolean },
  { players_max }: Present,
): Candidate {
  if (!is_assumed) return { value: max }
  if (players_max !== null && players_max > 1)
    return {
      value: players_max,
      note: 'The store does not say how many play together; your number stays',
    }
  return {
    value: max,
    note: `The store does not say how many play together; ${ASSUMED_PLAYERS} is assumed, so correct it if need be`,
  }
}

function sessionField(genres: ReturnType<typeof genresOf>, { session_bucket }: Present): Candidate {
  if (session_bucket !== null)
    return skip('The store does not say how long a session takes; what you chose stays')
  return {
    value: guessSession(genres),
    note: 'The store does not say how long a session takes; this is a guess from the genre, so correct it if need be',
  }
}

function statusField({ coming_soon }: StorePage): Candidate {
  if (coming_soon === undefined) return skip('The store page does not say whether it is released')
  return { value: coming_soon ? 'development' : 'released' }
}

export const CHECK_WOULD_REFUSE = 'A value the listing check would refuse'

function imageFields(
  pictures: Pictures | undefined,
  { is_public }: Present,
): Pick<Candidates, 'cover' | 'thumbnail' | 'gallery'> {
  const none = skip('No screenshot of the store page can be used; see screenshots for each')
  if (!pictures?.used.length) return { cover: none, thumbnail: none, gallery: none }
  const { used, cover, thumbnail } = pictures
  const single = (made: Fitted | undefined): Candidate =>
    made ? { value: used[0]!.url, same: made.sha256 } : none
  const too_few = is_public && used.length < galleryLimits.min
  return {
    cover: single(cover),
    thumbnail: single(thumbnail),
    gallery: too_few
      ? skip(
          `${CHECK_WOULD_REFUSE}: a public page needs at least ${galleryLimits.min} gallery images, and the store has ${used.length} that can be used`,
        )
      : { value: used.map(({ url }) => url), same: used.map(({ gallery }) => gallery.sha256) },
  }
}

type Press = 'release_date' | 'website_url' | 'trailer_url' | 'credits'

function pressFields(page: StorePage, present: Present): Pick<Candidates, Press> {
  const date = oneLine(page.release_date).trim()
  return {
    release_date: date
      ? allowed(() => plainText(at, date, pressLimits.release_date))
      : skip('The store page has no release date'),
    website_url: page.website.trim()
      ? allowed(() => httpsUrl(at, page.website))
      : skip('The store page names no website'),
    trailer_url: trailerField(page),
    credits: creditsField(page, present),
  }
}

function trailerField({ films }: StorePage): Candidate {
  if (!films.flat().length) return skip('The store page has no trailer')
  const links = films.flat().map((url) => allowed(() => httpsUrl(at, url)))
  return links.find((link) => 'value' in link) ?? skip('The trailer has no https link')
}

const roles = {
  developer: 'Developer',
  publisher: 'Publisher',
  both: 'Developer and publisher',
} as const
const isOurRole = (role: string) => Object.values(roles).some((one) => one === role)

/** Whom the store names. */
export function storeCredits({ developers, publishers }: StorePage): PressCredit[] {
  const names = (list: string[]) =>
    list
      .map((name) => oneLine(name).trim())
      .filter((name) => VISIBLE.test(name) && [...name].length <= pressLimits.credit_name)
  const [makers, sellers] = [names(developers), names(publishers)]
  const role = (name: string) =>
    !sellers.includes(name) ? roles.developer : makers.includes(name) ? roles.both : roles.publisher
  return [...new Set([...makers, ...sellers])].map((name) => ({ name, role: role(name) }))
}

/** Developers and publishers first, then whoever else is credited here already; a developer whom somebody wrote down by hand stays, too. */
function creditsField(page: StorePage, { credits, imported_credits }: Present): Candidate {
  const found = storeCredits(page)
  if (!found.length) return skip('The store page names neither developer nor publisher')
  const names = new Set([...found, ...imported_credits].map(({ name }) => name))
  const others = credits.filter(({ name, role }) => !(isOurRole(role) && names.has(name)))
  return { value: [...found, ...others].slice(0, pressLimits.credits) }
}

function priceField({ is_free, price }: StorePage, present: Present, rules: PriceRules): Candidate {
  if (present.has_editions) return skip('The price here comes from the editions')
  if (is_free) return { value: 0 }
  if (!price) return skip('The store page has no price')
  if (price.currency !== 'USD') return skip('The store page has no price in US dollars')
  if (price.cents > 0 && present.anonymous_downloads)
    return skip('Downloads without an account are on, so the project stays free')
  return allowed(() => checkPrice(price.cents, rules))
}

function ageFields(
  { page, tags }: Facts,
  present: Present,
): Pick<Candidates, 'content_warnings' | 'adult'> {
  const adult = isAdult(page)
  return {
    content_warnings: orSkip(
      warningsOf(page, slugsOf(tags ?? [])),
      'The store page has no content warnings',
    ),
    // A mark that keeps children out is never taken away by somebody else's page.
    adult:
      !adult && present.adult
        ? skip('Marked as adult here, and an import never takes that away')
        : { value: adult },
  }
}
