import { Type } from 'typebox'
import { developer, optionalToken } from '../accounts/sessions/schemes.ts'
import { Body, nameSchemas, OneOf, route, Uid } from '../core/http/route.ts'
import { refuse } from '../core/runtime/errors.ts'
import { perIp } from '../core/security/limits.ts'
import { editListing, findForEditor } from '../listings/listing/edit.ts'
import { readListing } from '../listings/listing/queries.ts'
import { offerPlay } from './choose-build.ts'
import { orientations, readPlaySettings, savePlaySettings } from './queries.ts'

const MAX_ORIGINS = 10
const LABEL = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?'
/** 1 to 65535. */
const PORT =
  '([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])'
const Origin = Type.String({
  pattern: `^(https|wss)://${LABEL}(\\.${LABEL})*(:${PORT})?$`,
  maxLength: 255,
  description: 'Such as https://api.example or wss://rooms.example:8443, without a path',
})
const SettingsData = Type.Object({
  connect_origins: Type.Array(Origin, {
    maxItems: MAX_ORIGINS,
    uniqueItems: true,
    description:
      'Servers that the game may talk to besides its own files and the API; shown to players',
  }),
  embeddable: Type.Boolean({ description: 'Other websites may show the game in a frame' }),
  orientation: OneOf(orientations, {
    description: 'How the game is held: the shape of its frame, and of a phone in full screen',
  }),
})
const PlayData = Type.Object({
  file_uid: Uid,
  build_id: Uid,
  version: Type.String(),
  channel: Type.String(),
  size: Type.Integer({ description: 'Of the zip, in bytes' }),
  url: Type.String({
    description: 'Where the game runs; of a game that not everyone may play, valid for 5 minutes',
  }),
  isolated: Type.Boolean({ description: 'Cross-origin isolated, so that threads work' }),
  ...SettingsData.properties,
})
nameSchemas({ PlaySettings: SettingsData, PlayOffer: PlayData })

export const readPlayRoute = route({
  method: 'GET',
  url: '/api/v1/public/games/:game_id/play',
  summary: 'Get the address at which a game is played in the browser',
  auth: optionalToken,
  limits: [perIp(60, { bucket: 'play' })],
  params: Type.Object({ game_id: Type.String() }),
  data: PlayData,
  cors: true,
  cache: 'no-store',
  errors: ['NOT_FOUND', 'DOWNLOAD_REQUIRES_SIGN_IN', 'DOWNLOAD_REQUIRES_PURCHASE'],
  async handle({ core, sql, who, params }) {
    const listing = await readListing(sql, params.game_id, who?.user_uid ?? null)
    const offer = await offerPlay(core, who, listing?.uid ?? refuse('NOT_FOUND'))
    if (offer === 'sign_in') refuse('DOWNLOAD_REQUIRES_SIGN_IN')
    if (offer === 'purchase') refuse('DOWNLOAD_REQUIRES_PURCHASE')
    if (offer === 'no_build' || offer === 'not_set_up') refuse('NOT_FOUND')
    const { file, build, url } = offer
    return {
      file_uid: file.uid,
      build_id: file.build_id,
      version: file.version,
      channel: file.channel,
      size: file.size,
      url,
      isolated: build.isolated,
      connect_origins: build.connect_origins,
      embeddable: build.embeddable,
      orientation: build.orientation,
    }
  },
})

const settings = {
  url: '/api/v1/private/games/:uid/play-settings',
  params: Type.Object({ uid: Type.String() }),
  data: SettingsData,
} as const

export const readPlaySettingsRoute = route({
  ...settings,
  method: 'GET',
  summary: 'Read what a listing says about playing it in the browser',
  auth: developer('mcp:read', 'mcp:catalog.write'),
  errors: ['NOT_FOUND'],
  handle: async ({ sql, who, params }) =>
    readPlaySettings(sql, (await findForEditor(sql, who, params.uid)).uid),
})

export const changePlaySettingsRoute = route({
  ...settings,
  method: 'PUT',
  summary: 'Replace what a listing says about playing it in the browser',
  auth: developer('mcp:catalog.write'),
  body: Body({
    ...SettingsData.properties,
    orientation: Type.Optional(SettingsData.properties.orientation),
  }),
  errors: ['NOT_FOUND'],
  handle: ({ core, who, params, body }) =>
    editListing(core, who, params.uid, async (tx, { uid }) => {
      const settings = { ...body, orientation: body.orientation ?? ('any' as const) }
      await savePlaySettings(tx, uid, settings)
      return settings
    }),
})

export const playRoutes = [readPlayRoute, readPlaySettingsRoute, changePlaySettingsRoute]
