import { Type } from 'typebox'
import { route, TextOf, Uid } from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { isUuid } from '../../core/security/crypto.ts'
import { assetTypes, visibilities } from '../../listings/fields/fields.ts'
import { ArchName, OsName } from '../../listings/fields/file-schema.ts'
import { webLimits } from '../../listings/fields/web-build.ts'
import { checkListing } from '../../listings/listing/check.ts'
import { readFacts } from '../../listings/listing/facts-queries.ts'
import { readMedia } from '../../listings/media/edit.ts'
import { MediaData } from '../../listings/media/schema.ts'
import { pageUrl } from '../../listings/page/url.ts'
import { readStorage } from '../../listings/storage/report.ts'
import { StorageData } from '../../listings/storage/schema.ts'
import { readChannels } from '../channels/channel-state-queries.ts'
import { deployKey } from '../keys/schemes.ts'
import { uploadLimits } from '../upload-limits.ts'
import { readBuildQuery } from './build-query.ts'
import { readRegistration } from './fields.ts'
import { listBuilds, readGameInfo, registerBuild } from './queries.ts'
import {
  BuildData,
  buildQuery,
  describedBuildQuery,
  ListedBuild,
  RegistrationBody,
  ScannedFile,
  toBuildData,
  toListedBuild,
  toScannedBuild,
} from './schema.ts'

const Text = Type.String()

const registerBuildRoute = route({
  method: 'POST',
  url: '/api/v1/tool/upload/build',
  summary: 'Register a build, or update the one with this version, type, platform and channel',
  auth: deployKey,
  body: Type.Unsafe<Record<string, unknown>>({ type: 'object', described: RegistrationBody }),
  data: BuildData,
  errors: ['INVALID_REGISTRATION', 'INVALID_UPLOAD'],
  async handle({ sql, who, body }) {
    return toBuildData(await registerBuild(sql, who.game_uid, readRegistration(body), body))
  },
})

const toolBuilds = route({
  method: 'GET',
  url: '/api/v1/tool/builds',
  summary: 'List the builds of the game, newest first',
  auth: deployKey,
  query: buildQuery,
  described: describedBuildQuery,
  data: Type.Object({
    builds: Type.Array(ListedBuild),
    page: Type.Integer(),
    page_size: Type.Integer(),
    total: Type.Integer(),
  }),
  errors: ['INVALID_BUILD_FILTER'],
  async handle({ sql, who, query }) {
    const { filter, page, page_size } = readBuildQuery(query)
    const { builds, total } = await listBuilds(sql, who.game_uid, filter, {
      limit: page_size,
      offset: (page - 1) * page_size,
    })
    return { builds: builds.map(toListedBuild), page, page_size, total }
  },
})

export const toolBuild = route({
  method: 'GET',
  url: '/api/v1/tool/builds/:build_id',
  summary: 'Read one build of the game with the scan results of its files',
  auth: deployKey,
  params: Type.Object({ build_id: Text }),
  data: Type.Object({ ...ListedBuild.properties, files: Type.Array(ScannedFile) }),
  errors: ['BUILD_NOT_REGISTERED'],
  async handle({ sql, who, params }) {
    if (!isUuid(params.build_id)) refuse('BUILD_NOT_REGISTERED')
    const filter = { uid: params.build_id }
    const { builds } = await listBuilds(sql, who.game_uid, filter, { limit: 1, offset: 0 })
    return toScannedBuild(builds[0] ?? refuse('BUILD_NOT_REGISTERED'))
  },
})

/** The limits of a zip, set by the operator, that an uploader can check before it packs. */
function zipLimits(config: Core['config']) {
  const { max_files, max_bytes, max_file_bytes } = webLimits(config)
  return {
    max_zip_entries: config.zip_max_entries,
    max_unpacked_bytes: config.zip_max_unpacked_gb * 1000 ** 3,
    max_played_files: max_files,
    max_played_bytes: max_bytes,
    max_played_file_bytes: max_file_bytes,
  }
}

const BuildRef = { build_id: Uid, version: Text }
const StagedRef = Type.Object({
  ...BuildRef,
  percent: Type.Integer({ description: 'Of the devices, from 1 to 99' }),
})
const ChannelData = Type.Object({
  channel: Text,
  app: Text,
  ...BuildRef,
  expired: Type.Boolean({ description: 'Whether its time is over, so that players do not see it' }),
  heads: Type.Array(
    Type.Object({
      os: OsName,
      arch: ArchName,
      ...BuildRef,
      staged: Type.Union([StagedRef, Type.Null()], {
        description: 'What a part of the devices gets instead; null if nothing',
      }),
    }),
    { description: 'The build that players of each platform get' },
  ),
})
const CheckItems = Type.Array(
  Type.Object({
    id: Text,
    field: Text,
    message: Text,
    details: Type.Optional(Type.Array(Text)),
  }),
)

const toolInfo = route({
  method: 'GET',
  url: '/api/v1/tool/info',
  summary: 'Read the game that the deploy key belongs to',
  auth: deployKey,
  data: Type.Object({
    store_name: Type.String({ description: 'The name of the store' }),
    name: Text,
    game_uid: Uid,
    vanity_name: Text,
    asset_type: TextOf(assetTypes),
    url: Text,
    visibility: TextOf(visibilities),
    status: Text,
    price_cents: Type.Integer(),
    builds: Type.Integer(),
    channels: Type.Array(ChannelData),
    lint: Type.Object({ ready: Type.Boolean(), errors: CheckItems, warnings: CheckItems }),
    media: MediaData,
    storage: StorageData,
    limits: Type.Record(Type.String(), Type.Integer()),
  }),
  async handle({ core, sql, who: { game_uid } }) {
    const [info, facts, channels, media, storage] = await Promise.all([
      readGameInfo(sql, game_uid),
      readFacts(sql, game_uid),
      readChannels(sql, game_uid),
      readMedia(core, sql, game_uid),
      readStorage(core, sql, game_uid),
    ])
    const url = pageUrl(core.addresses, info)
    return {
      ...info,
      store_name: core.settings.current.store_name,
      game_uid,
      url,
      channels,
      lint: checkListing(facts),
      media,
      storage,
      limits: { ...uploadLimits, ...zipLimits(core.config) },
    }
  },
})

export const deployBuildRoutes = [registerBuildRoute, toolInfo, toolBuilds, toolBuild]
