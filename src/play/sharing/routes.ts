import { Type } from 'typebox'
import type { Identity } from '../../accounts/sessions/identity.ts'
import { issuePlayerToken } from '../../accounts/sessions/player-tokens.ts'
import { player } from '../../accounts/sessions/schemes.ts'
import { Body, nameSchemas, route, Timestamp, Uid } from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { MINUTE } from '../../core/runtime/units.ts'
import { perAccount } from '../../core/security/limits.ts'
import { findCopy } from '../../library/copy-queries.ts'
import { openPage } from '../../listings/page/page.ts'
import { isShared, share, unshare } from './queries.ts'

/** Short, because a token stays valid after the player withdrew; the page renews it. */
const TOKEN_SECONDS = 10 * MINUTE
const params = Type.Object({ uid: Type.String() })

const PlayTokenData = Type.Object({
  player: Type.Object({ uid: Uid, username: Type.String() }),
  token: Type.String({ description: 'A player token of this game' }),
  expires_at: Timestamp,
})
nameSchemas({ PlayToken: PlayTokenData })

/** The game, for people who may open its page, and for owners of a copy after it was hidden. */
const openGame = async (core: Core, who: Identity, game: string): Promise<string> =>
  ((await findCopy(core.sql, who.user_uid, game)) ?? (await openPage(core, who, game))).uid

export const changeSharingRoute = route({
  method: 'PUT',
  url: '/api/v1/private/games/:uid/play-sharing',
  summary: 'Let a game that you play in the browser know who you are, or no longer',
  auth: player('player:write'),
  params,
  body: Body({ shared: Type.Boolean({ description: 'Whether the game learns your username' }) }),
  data: Type.Object({ shared: Type.Boolean() }),
  errors: ['NOT_FOUND'],
  async handle({ core, sql, who, params, body: { shared } }) {
    if (shared) await share(sql, who.user_uid, await openGame(core, who, params.uid))
    else await unshare(sql, who.user_uid, params.uid)
    return { shared }
  },
})

export const playTokenRoute = route({
  method: 'POST',
  url: '/api/v1/private/games/:uid/play-token',
  summary: 'Issue what a game in the browser learns about its player, for ten minutes',
  auth: player('player:write'),
  limits: [perAccount(60)],
  params,
  data: PlayTokenData,
  errors: ['NOT_FOUND', 'PLAYER_NOT_SHARED'],
  async handle({ core, sql, who, params }) {
    const game_uid = await openGame(core, who, params.uid)
    const { user_uid, username } = who
    if (!(await isShared(sql, user_uid, game_uid))) refuse('PLAYER_NOT_SHARED')
    const now = new Date()
    const { token, expires_at } = issuePlayerToken(core, user_uid, game_uid, now, TOKEN_SECONDS)
    return { player: { uid: user_uid, username }, token, expires_at: expires_at.toISOString() }
  },
})

export const sharingRoutes = [changeSharingRoute, playTokenRoute]
