import type { LaunchBand } from '../src/listings/fields/launch-bands.ts'
import { stores } from '../src/listings/fields/store-links.ts'
import { coverSvg, shotSvg, sizes } from './art.ts'
import type { Entry } from './catalog.ts'
import type { DemoContext } from './fill.ts'
import { formOf, type Person } from './http.ts'

export type DemoBuild = {
  build_id: string
  version: string
  os: string
  channel: string
  health: LaunchBand | undefined
  file_uid: string
}
export type DemoListing = { entry: Entry; uid: string; owner: Person; builds: DemoBuild[] }

const games = (uid: string, part: string) => `/api/v1/private/games/${uid}${part}`
const SHOTS = 5

export async function describe({ http }: DemoContext, { entry, uid, owner }: DemoListing) {
  const { story, points = [], status, adult = false, license_kind, price_cents } = entry
  const description = [
    story,
    ...(points.length ? ['## What you do', points.map((point) => `- ${point}`).join('\n')] : []),
  ].join('\n\n')
  await http.patch(
    games(uid, ''),
    {
      description,
      adult,
      ...(status ? { status } : {}),
      ...(license_kind ? { license_kind } : {}),
      ...(price_cents ? { price_cents } : {}),
    },
    owner,
  )
  await http.put(games(uid, '/taxonomy'), entry.taxonomy, owner)
  if (entry.mod) await http.put(games(uid, '/mod-settings'), entry.mod, owner)
  if (entry.ranges) await http.put(games(uid, '/engine-compat'), { ranges: entry.ranges }, owner)
  for (const [sort_order, edition] of (entry.editions ?? []).entries())
    await http.post(games(uid, '/editions'), { ...edition, active: true, sort_order }, owner)
  if (entry.press) await http.put(games(uid, '/press'), pressKit(entry), owner)
  if (entry.stores)
    await http.put(
      games(uid, '/store-links'),
      { store_links: entry.stores.map((platform) => storeLink(platform, entry.slug)) },
      owner,
    )
}

function storeLink(platform: string, slug: string) {
  const [host] = stores.find((store) => store.platform === platform)!.hosts
  return { platform, url: `https://${host}/games/${slug}` }
}

const pressKit = ({ name, by, points = [], days_ago }: Entry) => ({
  release_date: days_ago > 100 ? 'Spring 2026' : 'Autumn 2026',
  website_url: `https://${by}.example/`,
  press_email: `press@${by}.example`,
  history:
    `${name} began as a weekend sketch on a ferry.\n\n` +
    'Two winters later it had a crew, a shed and a smell of coffee.',
  features: points,
  awards: ['Shown at the Small Harbour Games Fair', 'Best sound, Lowtide Awards'],
  links: [`Newsletter | https://${by}.example/letters`, `Community | https://${by}.example/talk`],
  quotes: [
    'It smells of salt in here. | The Quiet Controller | https://controller.example/reviews',
    'I missed my stop twice. | Commuter Monthly',
  ],
  credits: [
    'Ines Holm | Design and writing',
    'Per Olander | Code',
    'Mio Tanaka | Pictures',
    'The Low Tide Quartet | Music',
  ],
})

export async function addImages({ http, render }: DemoContext, { entry, uid, owner }: DemoListing) {
  const look = { ...entry.look, name: entry.name }
  const send = async (kind: string, svgs: string[]) => {
    const images = await Promise.all(svgs.map(render))
    const files = images.map((bytes, i) => ({
      name: 'file',
      filename: `${kind}-${i}.png`,
      bytes,
    }))
    await http.post(games(uid, '/media'), undefined, { ...owner, form: formOf({ kind }, files) })
  }
  await send('cover', [coverSvg(look, sizes.cover)])
  if (entry.visibility === 'draft') return
  await send('thumbnail', [coverSvg(look, sizes.thumbnail)])
  await send(
    'gallery',
    Array.from({ length: SHOTS }, (_, i) => shotSvg(look, i, sizes.gallery)),
  )
}

/**
 * Publishes the listings in the order of the catalog, so that a parent is public before its
 * children.
 */
export async function publish({ http, listings }: DemoContext, { entry, uid, owner }: DemoListing) {
  const { visibility = 'public' } = entry
  const parent =
    typeof entry.parent === 'string' ? { game: listings.get(entry.parent)!.uid } : entry.parent
  await http.patch(games(uid, ''), { visibility, ...(parent ? { parent } : {}) }, owner)
  if (entry.anonymous)
    await http.put(
      games(uid, '/anonymous-downloads'),
      { enabled: true, confirm_no_license: true },
      owner,
    )
}

/** The related listings: those that share the most tags, and the dependencies. */
export async function relate({ http, listings }: DemoContext, { entry, uid, owner }: DemoListing) {
  if (entry.visibility) return
  const tagsOf = (entry: Entry) => [
    ...(entry.taxonomy.tags ?? []),
    ...(entry.taxonomy.genres ?? []),
    ...(entry.taxonomy.tone ?? []),
  ]
  const tags = new Set(tagsOf(entry))
  const similar = [...listings.values()]
    .filter(
      (other) =>
        other.uid !== uid &&
        !other.entry.visibility &&
        (other.entry.asset_type ?? 'game') === 'game' &&
        !other.entry.adult,
    )
    .map((other) => ({
      uid: other.uid,
      shared: tagsOf(other.entry).filter((tag) => tags.has(tag)).length,
    }))
    .filter(({ shared }) => shared > 0)
    .sort((a, b) => b.shared - a.shared)
    .slice(0, 4)
  if (similar.length)
    await http.put(games(uid, '/similar'), { games: similar.map(({ uid }) => uid) }, owner)
  const dependencies = (entry.uses ?? []).flatMap(([slug, kind]) =>
    listings.has(slug) ? [{ game: listings.get(slug)!.uid, kind }] : [],
  )
  if (dependencies.length) await http.put(games(uid, '/dependencies'), { dependencies }, owner)
}
