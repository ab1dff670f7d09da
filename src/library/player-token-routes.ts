import { Type } from 'typebox'
import { issuePlayerToken } from '../accounts/sessions/player-tokens.ts'
import { player } from '../accounts/sessions/schemes.ts'
import { route, Timestamp } from '../core/http/route.ts'
import { perAccount } from '../core/security/limits.ts'
import { openPage } from '../listings/page/page.ts'
import { findLicence } from './queries.ts'

/** For whoever can play the game: those who may open its page, and those who hold a copy, which outlives the page. */
export const playerTokenRoute = route({
  method: 'POST',
  url: '/api/v1/private/games/:uid/player-token',
  summary: 'A token that tells this game, for an hour, who is playing it',
  auth: player('player:write'),
  limits: [perAccount(120)],
  params: Type.Object({ uid: Type.String() }),
  data: Type.Object({ token: Type.String(), expires_at: Timestamp }),
  errors: ['NOT_FOUND'],
  async handle({ core, sql, who, params }) {
    const { uid } =
      (await findLicence(sql, who.user_uid, params.uid)) ?? (await openPage(core, who, params.uid))
    const { token, expires_at } = issuePlayerToken(core, who.user_uid, uid, new Date())
    return { token, expires_at: expires_at.toISOString() }
  },
})
