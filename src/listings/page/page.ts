import type { Static } from 'typebox'
import type { Identity } from '../../accounts/sessions/identity.ts'
import { batched } from '../../core/database/batch.ts'
import { createCache } from '../../core/runtime/cache.ts'
import type { Addresses } from '../../core/runtime/config.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { perCore } from '../../core/runtime/per-core.ts'
import { singleFlight } from '../../core/runtime/single-flight.ts'
import { MIB } from '../../core/runtime/units.ts'
import { keptStoreLink } from '../fields/store-links.ts'
import { playablePlaces } from '../fields/web-build.ts'
import { canOpenPage, isIndexable, standingOf } from '../listing/visibility.ts'
import { imageUrl } from '../media/url.ts'
import { listingSale, offersOf } from '../prices/offers.ts'
import { modCompat } from '../relations/mod-compat.ts'
import { modTypes } from '../relations/mod-settings.ts'
import { showTrailers } from '../trailers/edit.ts'
import { clearPeriodically } from './invalidation.ts'
import { dependsOnViewer, parentAndChildren, type SeenAdult } from './parent-and-children.ts'
import {
  editsListingOrParent,
  type PageRow,
  type PageState,
  readOwnAdultChildren,
  readPage,
  readPageStates,
} from './queries.ts'
import type { PageData } from './schema.ts'

/** Converts the row of a page to the response for viewers who see these adult children of it. */
export function showPage(
  addresses: Addresses,
  row: PageRow,
  seen_adult: SeenAdult,
): Static<typeof PageData> {
  const {
    images,
    trailers,
    uses,
    used_by,
    mod_install_path: install_path,
    mod_loader: loader,
    mod_instructions: instructions,
    modded_games,
    offer_facts,
    ...page
  } = row
  const single = (slot: 'cover' | 'thumbnail') =>
    images.filter((image) => image.slot === slot).map((image) => imageUrl(addresses, image))[0] ??
    ''
  return {
    ...page,
    ...parentAndChildren(row, seen_adult),
    currency: 'USD',
    sale: listingSale(offer_facts),
    offers: offersOf(offer_facts),
    cover: single('cover'),
    thumbnail: single('thumbnail'),
    gallery: images
      .filter(({ slot }) => slot === 'gallery')
      .map((image) => ({
        uid: image.uid,
        url: imageUrl(addresses, image),
        position: image.position,
        alt: image.alt,
      })),
    trailers: showTrailers(addresses, trailers),
    relations: { uses, used_by },
    playable: playablePlaces(
      addresses,
      page.files.some(({ playable }) => playable),
    ),
    store_links: page.store_links.map(keptStoreLink),
    ...(modTypes.includes(page.asset_type)
      ? {
          mod_compat: modCompat(page.engine_compat, modded_games),
          mod_settings: { install_path, loader, instructions },
        }
      : {}),
    published_at: page.published_at?.toISOString() ?? null,
    created_at: page.created_at.toISOString(),
    updated_at: page.updated_at.toISOString(),
  }
}

/** The response of an adult listing for callers who did not turn on adult content. */
const withoutImages = (page: Static<typeof PageData>): Static<typeof PageData> => ({
  ...page,
  cover: '',
  thumbnail: '',
  gallery: [],
  trailers: page.trailers.map((trailer) => ({ ...trailer, poster: '' })),
})

/** The state of a page. A page that the viewer may not open gives the error of a missing page. */
export async function openPage(
  core: Core,
  viewer: Identity | null,
  uid_or_name: string,
): Promise<PageState> {
  const state = await stateOf(core, uid_or_name)
  if (!state || !canOpenPage({ visibility: state.visibility, ...standingOf(viewer, state) }))
    refuse('NOT_FOUND')
  return state
}

const stateOf = batched(async (core: Core, refs: string[]) => {
  const states = await readPageStates(core.sql, [...new Set(refs)])
  const byName = new Map(
    states.flatMap((state) => [[state.uid, state] as const, [state.vanity_name, state] as const]),
  )
  return refs.map((ref) => byName.get(ref) ?? byName.get(ref.toLowerCase()))
})

const MAX_TRIES = 10
const MAX_BYTES = 64 * MIB
type PageTexts = {
  text: string
  /** The responses for viewers who see adult children, of all kinds or one, if those differ. */
  adult_texts: { all: string; mods: string; tools: string } | undefined
}
/** A serialized response, valid for one freshness of its page. */
type CachedPage = PageTexts & {
  freshness: string
  web_url: string
  /** Whether the listing has a parent on this store that the response does not name. */
  hides_parent: boolean
  /** The responses without images, if the listing is adult. */
  without_images: PageTexts | undefined
}
/** By the uid of the listing. */
const cache = createCache<CachedPage>({
  max_bytes: MAX_BYTES,
  bytesOf: ({ text, adult_texts, without_images }) =>
    text.length * (adult_texts ? 4 : 1) * (without_images ? 2 : 1),
})
const clearIfDue = clearPeriodically(() => cache.clear())

/**
 * The serialized response of a page. It comes from the cache unless something that the page shows
 * has changed.
 */
export async function pageText(
  core: Core,
  viewer: Identity | null,
  uid_or_name: string,
  serialize: Serialize,
): Promise<string> {
  clearIfDue()
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const state = await openPage(core, viewer, uid_or_name)
    const cached = cache.get(state.uid)
    const is_fresh =
      cached?.freshness === state.freshness && cached.web_url === core.addresses.web_url
    const page = is_fresh ? cached : await sharedPage(core, state, serialize)
    const own = page?.hides_parent && (await makeOwnPage(core, viewer, state, serialize))
    const made = own || page
    // If the page changed between the two queries, this viewer may no longer open it: try again.
    if (made?.freshness === state.freshness) return textFor(core, viewer, state, made)
  }
  return refuse('UNAVAILABLE')
}

/** The page for a viewer who edits it or its hidden parent; they are few, so it is not cached. */
async function makeOwnPage(
  core: Core,
  viewer: Identity | null,
  { uid }: PageState,
  serialize: Serialize,
): Promise<CachedPage | undefined> {
  if (!viewer || !(await editsListingOrParent(core.sql, uid, viewer.user_uid))) return undefined
  const row = await readPage(core.sql, uid, null, viewer.user_uid)
  return row && serializePage(core, row, serialize)
}

async function textFor(
  { sql }: Core,
  viewer: Identity | null,
  state: PageState,
  page: CachedPage,
): Promise<string> {
  const { uid } = state
  const sees_images = !page.without_images || seesAdultImages(viewer, state)
  const { text, adult_texts } = sees_images ? page : page.without_images!
  if (!viewer || !adult_texts) return text
  if (viewer.show_adult) return adult_texts.all
  const own = (await readOwnAdultChildren(sql, viewer.user_uid, [uid])).get(uid)
  if (!own) return text
  return own.mods && own.tools ? adult_texts.all : adult_texts[own.mods ? 'mods' : 'tools']
}

/** Those who turned on adult content, and those who run the listing. */
function seesAdultImages(viewer: Identity | null, state: PageState): boolean {
  if (!viewer) return false
  const is_editor =
    viewer.user_uid === state.owner_uid || state.accepted_admin_uids.includes(viewer.user_uid)
  return viewer.show_adult || is_editor
}

type Serialize = (page: Static<typeof PageData>) => string

const pagesInFlight = perCore(() => singleFlight<CachedPage | undefined>())

/** After a change, all who read the page at that moment share one query. */
const sharedPage = (core: Core, state: PageState, serialize: Serialize) =>
  pagesInFlight(core)(`${state.uid} ${state.freshness}`, () => makePage(core, state, serialize))

async function makePage(
  core: Core,
  { uid }: PageState,
  serialize: Serialize,
): Promise<CachedPage | undefined> {
  const row = await readPage(core.sql, uid, null)
  if (!row) return undefined
  const made = serializePage(core, row, serialize)
  cache.set(uid, made)
  return made
}

function serializePage({ addresses }: Core, row: PageRow, serialize: Serialize): CachedPage {
  const textsOf = (show: (seen_adult: SeenAdult) => Static<typeof PageData>): PageTexts => {
    const textOf = (seen_adult: SeenAdult) =>
      serialize({ ...show(seen_adult), indexable: isIndexable(row) })
    const adult_texts = () => ({
      all: textOf(true),
      mods: textOf({ mods: true, tools: false }),
      tools: textOf({ mods: false, tools: true }),
    })
    return {
      text: textOf(false),
      adult_texts: dependsOnViewer(row) ? adult_texts() : undefined,
    }
  }
  const show = (seen_adult: SeenAdult) => showPage(addresses, row, seen_adult)
  return {
    freshness: row.freshness,
    web_url: addresses.web_url,
    ...textsOf(show),
    without_images: row.adult
      ? textsOf((seen_adult) => withoutImages(show(seen_adult)))
      : undefined,
    hides_parent: row.parent_uid !== null && !row.parent_game,
  }
}
