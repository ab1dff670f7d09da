import { type Static, Type } from 'typebox'
import { route, Timestamp, Uid } from '../core/route.ts'
import { checkListing } from '../listings/check.ts'
import { galleryLimits } from '../listings/media.ts'
import { imageUrl } from '../listings/media-url.ts'
import { readFacts } from '../listings/queries.ts'
import { readChannels } from './channel-queries.ts'
import { readRegistration } from './fields.ts'
import { readBuildQuery } from './filter.ts'
import { uploadLimits } from './limits.ts'
import { type Build, type BuildWithFiles, type GameImage, listBuilds, readGameInfo, registerBuild } from './queries.ts'
import { deployKey } from './schemes.ts'

const Text = Type.String()

const BuildData = Type.Object({
  build_id: Uid,
  app_id: Uid,
  app: Text,
  version: Text,
  build_type: Text,
  os: Text,
  arch: Text,
  channel: Text,
  title: Text,
  engine_version: Type.Optional(Text),
  created_at: Timestamp,
})
const FileData = Type.Object({
  file_uid: Uid,
  filename: Text,
  checksum: Text,
  size: Type.Integer(),
  scan: Text,
  os: Text,
  arch: Text,
  channel: Text,
  uploaded_at: Text,
})
const ListedBuild = Type.Object({ ...BuildData.properties, symbols: Type.Integer(), files: Type.Array(FileData) })

/** `app_id` is the game's uid: what a game sends as X-App-Id. */
const shown = ({ uid: build_id, game_uid: app_id, engine_version, created_at, ...build }: Build): Static<typeof BuildData> => ({
  ...build,
  ...{ build_id, app_id, created_at: created_at.toISOString() },
  ...(engine_version ? { engine_version } : {}),
})

const listed = ({ files, symbols, ...build }: BuildWithFiles): Static<typeof ListedBuild> => ({
  ...shown(build),
  symbols,
  files: files.map(({ uid: file_uid, ...file }) => ({ file_uid, ...file })),
})

export const registerBuildRoute = route({
  method: 'POST',
  url: '/api/v1/tool/upload/build',
  summary: 'Register a build; again with the same version, type, platform and channel updates it',
  auth: deployKey,
  body: Type.Record(Type.String(), Type.Unknown()),
  data: BuildData,
  errors: ['INVALID_REGISTRATION', 'INVALID_UPLOAD'],
  async handle({ sql, who, body }) {
    const sent = Object.keys(body).filter((name) => body[name] !== undefined && body[name] !== null)
    return shown(await registerBuild(sql, who.game_uid, readRegistration(body), sent))
  },
})

const query = Type.Object(
  Object.fromEntries(['os', 'arch', 'channel', 'version', 'app', 'page', 'page_size'].map((name) => [name, Type.Optional(Type.String())])),
)

export const toolBuilds = route({
  method: 'GET',
  url: '/api/v1/tool/builds',
  summary: 'The builds of the game, newest first',
  auth: deployKey,
  query,
  data: Type.Object({ builds: Type.Array(ListedBuild), page: Type.Integer(), page_size: Type.Integer(), total: Type.Integer() }),
  errors: ['INVALID_BUILD_FILTER'],
  async handle({ sql, who, query }) {
    const { filter, page, page_size } = readBuildQuery(query)
    const { builds, total } = await listBuilds(sql, who.game_uid, filter, { limit: page_size, offset: (page - 1) * page_size })
    return { builds: builds.map(listed), page, page_size, total }
  },
})

const CheckItems = Type.Array(Type.Object({ id: Text, field: Text, message: Text }))

export const toolInfo = route({
  method: 'GET',
  url: '/api/v1/tool/info',
  summary: 'The game a deploy key belongs to',
  auth: deployKey,
  data: Type.Object({
    name: Text,
    game_uid: Uid,
    vanity_name: Text,
    url: Text,
    visibility: Text,
    status: Text,
    builds: Type.Integer(),
    channels: Type.Array(Type.Object({ channel: Text, app: Text, build_id: Uid, version: Text })),
    lint: Type.Object({ ready: Type.Boolean(), errors: CheckItems, warnings: CheckItems }),
    media: Type.Object({
      game_uid: Uid,
      cover: Text,
      thumbnail: Text,
      gallery: Type.Array(Type.Object({ uid: Uid, url: Text, position: Type.Integer() })),
      gallery_max: Type.Integer(),
    }),
    limits: Type.Record(Type.String(), Type.Integer()),
  }),
  async handle({ core, sql, who: { game_uid } }) {
    const [info, facts, channels] = await Promise.all([readGameInfo(sql, game_uid), readFacts(sql, game_uid), readChannels(sql, game_uid)])
    const { images, owner_username, ...game } = info
    const url = `${core.addresses.web_url}/${owner_username}/${game.vanity_name}`
    const media = { game_uid, ...shownImages(images, (image) => imageUrl(core.addresses, image)), gallery_max: galleryLimits.max }
    return { ...game, game_uid, url, channels: [...channels], lint: checkListing(facts), media, limits: uploadLimits }
  },
})

function shownImages(images: GameImage[], address: (image: GameImage) => string) {
  const single = (slot: string) => images.filter((image) => image.slot === slot).map(address)[0] ?? ''
  const gallery = images
    .filter(({ slot }) => slot === 'gallery')
    .map((image) => ({ uid: image.uid, url: address(image), position: image.position }))
  return { cover: single('cover'), thumbnail: single('thumbnail'), gallery }
}
