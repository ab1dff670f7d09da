import { randomUUID } from 'node:crypto'
import { makeRenditionsJob } from '../../../../src/listings/renditions/jobs.ts'
import { ENCODER, renditionPath } from '../../../../src/listings/renditions/rendition-rules.ts'
import { VTT, WEBM } from '../../../listings/trailers/fixtures.ts'
import { runJob } from '../../../support/app.ts'
import { addAdmin, complete, makePublic, must } from '../../../support/builders.ts'
import { picture } from '../../../support/images.ts'
import { form } from '../../../uploads/forms.ts'
import { GAMES, type Producer, type Request, type World } from './private-world.ts'

type Fields = Parameters<World['fresh']>[0]

/** A request of the owner of a new listing. */
const own =
  (body?: unknown, fields?: Fields): Producer =>
  async (world) => ({ ...(await world.fresh(fields)), ...(body !== undefined && { body }) })

/** A request of the owner of a new listing that names it, or another one of this type. */
const about =
  (body: (made: { uid: string; other: string }) => unknown, asset_type = 'game'): Producer =>
  async (world) => {
    const made = await world.fresh()
    const other = await world.fresh({ is_public: true, asset_type })
    return { ...made, body: body({ uid: made.listing.uid, other: other.listing.uid }) }
  }

const edition = { slug: 'deluxe', name: 'Deluxe', price_cents: 500 }

async function withEdition(world: World, fields: object = {}) {
  const made = await world.fresh()
  const body = { ...edition, ...fields }
  const { uid } = must(await world.post(`${GAMES}/${made.listing.uid}/editions`, body, made))
  return { ...made, values: { ...made.values, edition_uid: uid as string } }
}

const anonymous = async (world: World) => {
  const made = await world.fresh()
  const body = { enabled: true, confirm_no_license: true }
  must(await world.put(`${GAMES}/${made.listing.uid}/anonymous-downloads`, body, made))
  return made
}

const withImages = async (world: World, count: number, is_public = false) => {
  const made = await world.fresh()
  for (let left = count; left > 0; left -= 10) await world.gallery(made, Math.min(left, 10))
  const { gallery } = must(await world.get(`${GAMES}/${made.listing.uid}/media`, made))
  const uids = gallery.map(({ uid }: { uid: string }) => uid) as string[]
  if (is_public) await makePublic(world.sql, made.listing.uid)
  return { ...made, uids }
}

/** The same request with the deploy key of the listing. */
const byDeployKey = async (world: World, made: Awaited<ReturnType<World['fresh']>>) => ({
  values: made.values,
  ...(await world.deployed(made)),
})

const notAnImage: Request = form([
  { name: 'kind', value: 'cover' },
  { name: 'file', filename: 'a.png', bytes: Buffer.from('text') },
])

const merge = (first: Request, second: Request): Request => ({
  ...first,
  ...second,
  headers: { ...first.headers, ...second.headers },
})

const mediaAnswers: Record<string, Producer> = {
  'post_private_games_uid_media 200': async (world) =>
    merge(await world.fresh(), await world.image('gallery')),
  'post_private_games_uid_media 404': async (world) =>
    merge({ ...(await world.fresh()), values: { uid: randomUUID() } }, await world.image('cover')),
  'post_private_games_uid_media 409': async (world) =>
    merge(await withImages(world, 20), await world.image('gallery')),
  'post_private_games_uid_media 422': async (world) => merge(await world.fresh(), notAnImage),
  'put_private_games_uid_media_order 200': async (world) => {
    const { uids, ...made } = await withImages(world, 2)
    return { ...made, body: { order: uids.toReversed() } }
  },
  'put_private_games_uid_media_order 422': own({ order: [randomUUID()] }),
  'patch_private_games_uid_media_image 200': async (world) => {
    const { uids, ...made } = await withImages(world, 1)
    return { ...made, values: { ...made.values, image: uids[0]! }, body: { alt: 'A harbor' } }
  },
  'delete_private_games_uid_media_image 200': async (world) => {
    const { uids, ...made } = await withImages(world, 1)
    return { ...made, values: { ...made.values, image: uids[0]! } }
  },
  'delete_private_games_uid_media_image 409': async (world) => publicCover(world),
  'delete_private_games_uid_media_image 422': async (world) => {
    const { uids, ...made } = await withImages(world, 4, true)
    return { ...made, values: { ...made.values, image: uids[0]! } }
  },
  'post_tool_media 200': async (world) =>
    merge(await byDeployKey(world, await world.fresh()), await world.image('gallery')),
  'post_tool_media 409': async (world) =>
    merge(await byDeployKey(world, await withImages(world, 20)), await world.image('gallery')),
  'post_tool_media 422': async (world) =>
    merge(await byDeployKey(world, await world.fresh()), notAnImage),
  'put_tool_media_order 200': async (world) => {
    const { uids, ...made } = await withImages(world, 2)
    return { ...(await byDeployKey(world, made)), body: { order: uids.toReversed() } }
  },
  'put_tool_media_order 422': async (world) => ({
    ...(await byDeployKey(world, await world.fresh())),
    body: { order: [randomUUID()] },
  }),
  'delete_tool_media_image 200': async (world) => {
    const { uids, ...made } = await withImages(world, 1)
    return { ...(await byDeployKey(world, made)), values: { image: uids[0]! } }
  },
  'delete_tool_media_image 409': async (world) => {
    const { values, ...made } = await publicCover(world)
    return { ...(await byDeployKey(world, { ...made, values })), values }
  },
  'delete_tool_media_image 422': async (world) => {
    const { uids, ...made } = await withImages(world, 4, true)
    return { ...(await byDeployKey(world, made)), values: { image: uids[0]! } }
  },
  'get_media_images_name 200': ({ cover }) => ({ path: new URL(cover).pathname }),
  'get_media_editor_name 200': ({ cover }) => ({ path: `/media/editor/${hashOf(cover)}-icon.png` }),
  'get_media_renditions_name 200': async (world) => {
    const sha256 = hashOf(world.cover)
    const size = { width: 320, format: 'webp' } as const
    await runJob(world, makeRenditionsJob, { sha256s: [sha256], sizes: [size] })
    return { path: renditionPath({ sha256, ...size }) }
  },
  'get_media_renditions_name 302': async (world) => {
    const { sql, fresh, image, call } = world
    const made = await fresh()
    const path = `${GAMES}/${made.listing.uid}/media`
    const { cover } = must(await call('POST', path, merge(made, await image('cover', 1024, 576))))
    await sql`
      insert into image_previews (sha256, encoder, decodable, placeholder)
      values (${hashOf(cover)}, ${ENCODER}, false, '')
      on conflict (sha256) do update set decodable = false`
    return { path: renditionPath({ sha256: hashOf(cover), width: 160, format: 'webp' }) }
  },
}

const hashOf = (url: string) => url.match(/[0-9a-f]{64}/)![0]

async function publicCover(world: World) {
  const made = await world.fresh({ is_public: true })
  const path = `${GAMES}/${made.listing.uid}/media`
  must(await world.call('POST', path, merge(made, await world.image('cover', 1024, 576))))
  return { ...made, values: { ...made.values, image: 'cover' } }
}

const fieldAnswers: Record<string, Producer> = {
  'post_private_games 201': async ({ a }) => ({
    token: (await a.developer()).token,
    body: { name: 'Another game' },
  }),
  'post_private_games 409': ({ listing }) => ({
    token: listing.owner.token,
    body: { name: 'Another game', vanity_name: listing.vanity_name },
  }),
  'post_private_games 422': ({ owner }) => ({
    token: owner.token,
    body: { name: 'A mod', asset_type: 'mod', parent: { game: randomUUID() } },
  }),
  'patch_private_games_uid 200': own({ tagline: 'Short' }),
  'patch_private_games_uid 409': async (world) => ({
    ...(await withEdition(world)),
    body: { price_cents: 100 },
  }),
  'patch_private_games_uid 422': own({ price_cents: 1 }),
  'put_private_games_uid_price 200': own({ price_cents: 500 }),
  'put_private_games_uid_price 409': async (world) => ({
    ...(await withEdition(world)),
    body: { price_cents: 100 },
  }),
  'put_private_games_uid_price 422': own({ price_cents: 1 }),
  'delete_private_games_uid 200': own(),
  'post_private_deleted_games_uid_restore 200': async (world) => {
    const { listing, seller } = await world.played()
    must(await world.del(`${GAMES}/${listing.uid}`, seller))
    return { token: seller.token, values: { uid: listing.uid } }
  },
  'put_private_games_uid_taxonomy 200': own(complete),
  'put_private_games_uid_taxonomy 422': own({ genres: ['western'] }),
  'put_private_games_uid_mod_settings 200': own({ loader: 'loader' }, { asset_type: 'mod' }),
  'put_private_games_uid_mod_settings 422': own({ install_path: '../up' }, { asset_type: 'mod' }),
  'put_private_games_uid_similar 200': about(({ other }) => ({ games: [other] })),
  'put_private_games_uid_similar 422': about(({ uid }) => ({ games: [uid] })),
  'put_private_games_uid_dependencies 200': about(
    ({ other }) => ({ dependencies: [{ game: other, kind: 'uses' }] }),
    'game_asset',
  ),
  'put_private_games_uid_dependencies 422': about(({ uid }) => ({
    dependencies: [{ game: uid, kind: 'uses' }],
  })),
  'patch_private_games_uid_dependencies 200': about(
    ({ other }) => ({ game: other, kind: 'uses' }),
    'game_asset',
  ),
  'patch_private_games_uid_dependencies 422': about(({ uid }) => ({ game: uid, kind: 'uses' })),
  'put_private_games_uid_engine_compat 200': own({ ranges: [] }),
  'put_private_games_uid_engine_compat 422': own({ ranges: [{ engine: 'Not a slug!' }] }),
  'put_private_games_uid_page 200': own({ text: { tagline: 'Short' } }),
  'put_private_games_uid_page 422': own({ taxonomy: { genres: ['western'] } }),
  'put_private_games_uid_store_links 200': own({ store_links: [] }),
  'put_private_games_uid_store_links 422': own({
    store_links: [{ platform: 'store_01', url: 'http://example.com' }],
  }),
  'put_private_games_uid_press 200': own({ history: 'Long ago' }),
  'put_private_games_uid_press 422': own({ website_url: 'http://example.com' }),
  'put_private_games_uid_play_settings 200': own({
    connect_origins: ['https://example.com'],
    embeddable: true,
  }),
  'put_private_games_uid_anonymous_downloads 200': own({ enabled: false }),
  'put_private_games_uid_anonymous_downloads 409': async (world) => ({
    ...(await withEdition(world)),
    body: { enabled: true, confirm_no_license: true },
  }),
  'post_private_games_uid_editions 201': own(edition),
  'post_private_games_uid_editions 409': async (world) => ({
    ...(await anonymous(world)),
    body: edition,
  }),
  'post_private_games_uid_editions 422': own({ ...edition, slug: 'Not a slug!' }),
  'patch_private_games_uid_editions_edition_uid 200': async (world) => ({
    ...(await withEdition(world)),
    body: { name: 'Gold' },
  }),
  'patch_private_games_uid_editions_edition_uid 409': async (world) => {
    const made = await withEdition(world, { active: false })
    await world.sql`
      update listings set anonymous_downloads = true where uid = ${made.listing.uid}`
    return { ...made, body: { active: true } }
  },
  'patch_private_games_uid_editions_edition_uid 422': async (world) => ({
    ...(await withEdition(world)),
    body: { slug: 'Not a slug!' },
  }),
  'delete_private_games_uid_editions_edition_uid 200': (world) => withEdition(world),
  'post_private_games_uid_admins 201': async (world) => ({
    ...(await world.fresh()),
    body: { username: world.owner.username },
  }),
  'post_private_games_uid_admins 409': async (world) => {
    const made = await world.fresh()
    return { ...made, body: { username: made.owner.username } }
  },
  'delete_private_games_uid_admins_user_uid 200': async (world) => {
    const made = await world.fresh()
    await addAdmin(world.sql, made.listing.uid, world.owner.uid)
    return { ...made, values: { ...made.values, user_uid: world.owner.uid } }
  },
  'put_private_games_uid_agent_access 200': own({ admins: false }),
  'get_username_vanity_name_llms_txt 200': () => ({}),
  'get_sitemaps_file 200': () => ({ path: '/sitemaps/pages.xml' }),
}

const trailerForm = (bytes: Uint8Array): Request =>
  form([{ name: 'video', filename: 'a.webm', bytes }])
const notAPoster: Request = form([
  { name: 'poster', filename: 'a.png', bytes: Buffer.from('text') },
])

/** The owner of a new listing with this many videos of another host. */
async function withTrailers(world: World, count: number) {
  const made = await world.fresh()
  const url = `${GAMES}/${made.listing.uid}/media/trailers`
  const outside = { url: 'https://youtu.be/abcDEF_-123', title: 'Teaser' }
  for (let i = 0; i < count; i++) must(await world.post(`${url}/outside`, outside, made))
  const { trailers } = must(await world.get(url, made))
  const uids = trailers.map(({ uid }: { uid: string }) => uid) as string[]
  return { ...made, uids, values: { ...made.values, trailer: uids[0] ?? randomUUID() } }
}

/** The owner of a new listing with a video that has a poster and German captions. */
async function withVideo(world: World) {
  const made = await world.fresh()
  const sent = form([
    { name: 'video', filename: 'a.webm', bytes: WEBM },
    { name: 'poster', filename: 'a.png', bytes: await picture(1280, 720) },
    { name: 'captions', filename: 'de.vtt', bytes: Buffer.from(VTT) },
    { name: 'language', value: 'de' },
  ])
  const url = `${GAMES}/${made.listing.uid}/media/trailers`
  const { trailers } = must(await world.call('POST', url, { ...sent, token: made.token }))
  return { ...made, values: { ...made.values, trailer: trailers[0].uid, language: 'de' } }
}

const TRAILERS = 'private_games_uid_media_trailers'
/** A listing of the world that may store nothing more. */
async function withoutRoom<T extends { listing: { uid: string } }>({ sql }: World, made: T) {
  await sql`
    insert into storage_quotas (uid, game_uid, bytes)
    values (${randomUUID()}, ${made.listing.uid}, 0)`
  return made
}
const quotaAnswers: Record<string, Producer> = {
  'post_private_games_uid_media 413': async (world) =>
    merge(await withoutRoom(world, await world.fresh()), await world.image('cover')),
  'post_tool_media 413': async (world) => {
    const made = await withoutRoom(world, await world.fresh())
    return merge(await byDeployKey(world, made), await world.image('gallery'))
  },
  [`post_${TRAILERS} 413`]: async (world) =>
    merge(await withoutRoom(world, await world.fresh()), trailerForm(WEBM)),
  [`post_${TRAILERS}_trailer 413`]: async (world) => {
    const poster = await picture(1280, 720)
    const made = await withoutRoom(world, await withTrailers(world, 1))
    return merge(made, form([{ name: 'poster', filename: 'a.png', bytes: poster }]))
  },
}
const trailerAnswers: Record<string, Producer> = {
  [`post_${TRAILERS} 200`]: async (world) => merge(await world.fresh(), trailerForm(WEBM)),
  [`post_${TRAILERS} 404`]: async (world) =>
    merge({ ...(await world.fresh()), values: { uid: randomUUID() } }, trailerForm(WEBM)),
  [`post_${TRAILERS} 409`]: async (world) => merge(await withTrailers(world, 4), trailerForm(WEBM)),
  [`post_${TRAILERS} 422`]: async (world) => merge(await world.fresh(), notAPoster),
  [`post_${TRAILERS}_trailer 200`]: async (world) =>
    merge(await withTrailers(world, 1), form([{ name: 'title', value: 'Launch' }])),
  [`post_${TRAILERS}_trailer 404`]: async (world) =>
    merge(await withTrailers(world, 0), form([{ name: 'title', value: 'Launch' }])),
  [`post_${TRAILERS}_trailer 422`]: async (world) =>
    merge(await withTrailers(world, 1), notAPoster),
  [`post_${TRAILERS}_outside 200`]: own({ url: 'https://vimeo.com/123456789' }),
  [`post_${TRAILERS}_outside 409`]: async (world) => ({
    ...(await withTrailers(world, 4)),
    body: { url: 'https://vimeo.com/123456789' },
  }),
  [`put_${TRAILERS}_order 200`]: async (world) => {
    const { uids, ...made } = await withTrailers(world, 2)
    return { ...made, body: { order: uids.toReversed() } }
  },
  [`put_${TRAILERS}_order 422`]: own({ order: [randomUUID()] }),
  [`delete_${TRAILERS}_trailer 200`]: (world) => withTrailers(world, 1),
  [`delete_${TRAILERS}_trailer_poster 200`]: (world) => withVideo(world),
  [`delete_${TRAILERS}_trailer_captions_language 200`]: (world) => withVideo(world),
}

export const listingAnswers = {
  ...fieldAnswers,
  ...mediaAnswers,
  ...trailerAnswers,
  ...quotaAnswers,
}
