import { Type } from 'typebox'
import { issuePlayerToken } from '../accounts/sessions/player-tokens.ts'
import { player } from '../accounts/sessions/schemes.ts'
import { route, Timestamp } from '../core/http/route.ts'
import { perAccount } from '../core/security/limits.ts'
import { openPage } from '../listings/page/page.ts'
import { findCopy } from './copy-queries.ts'

/** For people who may open the page, and for owners of a copy even after the page was hidden. */
export const playerTokenRoute = route({
  method: 'POST',
  url: '/api/v1/private/games/:uid/player-token',
  summary: 'Issue a player token, which proves to this game for one hour who plays it',
  auth: player('player:write'),
  limits: [perAccount(120)],
  params: Type.Object({ uid: Type.String() }),
  data: Type.Object({ token: Type.String(), expires_at: Timestamp }),
  errors: ['NOT_FOUND'],
  async handle({ core, sql, who, params }) {
    const { uid } =
      (await findCopy(sql, who.user_uid, params.uid)) ?? (await openPage(core, who, params.uid))
    const { token, expires_at } = issuePlayerToken(core, who.user_uid, uid, new Date())
    return { token, expires_at: expires_at.toISOString() }
  },
})
