import { Type } from 'typebox'
import { player, website } from '../../accounts/sessions/schemes.ts'
import { Nullable, nameSchemas, route, Timestamp, Uid } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { isUuid } from '../../core/security/crypto.ts'
import { deleteSaves, hasGame, listPlayedGames, readOwnSave } from './queries.ts'
import { sendSave } from './routes.ts'
import { removeBytes } from './store.ts'

const PlayedGameData = Type.Object({
  game_uid: Uid,
  name: Type.String(),
  shared_at: Nullable(Timestamp),
  saves: Type.Array(
    Type.Object({
      uid: Uid,
      slot: Type.String(),
      size: Type.Integer({ description: 'In bytes' }),
      versions: Type.Integer({ description: 'How many versions are kept' }),
      saved_at: Timestamp,
    }),
    { description: 'The current version of each slot' },
  ),
})
nameSchemas({ PlayedGame: PlayedGameData })

export const playedGamesRoute = route({
  method: 'GET',
  url: '/api/v1/private/account/played-games',
  summary: 'List the games in the browser that know who you are, or keep your saves',
  auth: website,
  data: Type.Object({ items: Type.Array(PlayedGameData) }),
  async handle({ sql, who }) {
    const games = await listPlayedGames(sql, who.user_uid)
    return {
      items: games.map((game) => ({ ...game, shared_at: game.shared_at?.toISOString() ?? null })),
    }
  },
})

export const downloadOwnSaveRoute = route({
  browser_errors: true,
  method: 'GET',
  url: '/api/v1/private/account/saves/:save_uid',
  summary: 'Download one of your saves',
  auth: website,
  params: Type.Object({ save_uid: Type.String() }),
  envelope: false,
  produces: 'application/octet-stream',
  cache: 'private, no-cache',
  errors: ['NOT_FOUND', 'RANGE_NOT_SATISFIABLE'],
  async handle({ core, sql, who, params, request, reply }) {
    const { save_uid } = params
    const save = isUuid(save_uid) ? await readOwnSave(sql, who.user_uid, save_uid) : undefined
    return sendSave(core, request, reply, save ?? refuse('NOT_FOUND'))
  },
})

export const deleteOwnSavesRoute = route({
  method: 'DELETE',
  url: '/api/v1/private/games/:uid/saves',
  summary: 'Delete all your saves of a game',
  auth: player('player:write'),
  params: Type.Object({ uid: Type.String() }),
  data: Type.Object({ deleted: Type.Integer({ description: 'How many versions there were' }) }),
  errors: ['NOT_FOUND'],
  async handle({ core, sql, who, params }) {
    const game_uid = await core.gameUid(params.uid)
    if (!isUuid(game_uid) || !(await hasGame(sql, game_uid))) refuse('NOT_FOUND')
    const removed = await deleteSaves(sql, { user_uid: who.user_uid, game_uid })
    if (!removed.length) refuse('NOT_FOUND')
    await removeBytes(core, { game_uid }, removed)
    return { deleted: removed.length }
  },
})

export const accountSaveRoutes = [playedGamesRoute, downloadOwnSaveRoute, deleteOwnSavesRoute]
