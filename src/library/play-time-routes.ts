import { Type } from 'typebox'
import { player } from '../accounts/sessions/schemes.ts'
import { Body, route } from '../core/http/route.ts'
import { refuse } from '../core/runtime/errors.ts'
import { perAccount } from '../core/security/limits.ts'
import { openPage } from '../listings/page/page.ts'
import { creditSeconds } from './play-time.ts'
import { addPlayTime } from './play-time-queries.ts'

export const playTimeRoute = route({
  method: 'POST',
  url: '/api/v1/private/games/:uid/play-time',
  summary: 'Heartbeat of a running game: report the seconds played since the last one',
  description:
    'Credits at most the time since the last heartbeat, and at most ten minutes for the first.',
  auth: player('player:write'),
  limits: [perAccount(300)],
  params: Type.Object({ uid: Type.String() }),
  body: Body({ seconds: Type.Number({ minimum: 0 }) }),
  data: Type.Object({ play_seconds: Type.Integer() }),
  errors: ['NOT_FOUND', 'COPY_REQUIRED'],
  async handle({ core, sql, who, params, body: { seconds } }) {
    const credit = { claimed: seconds, first: creditSeconds(seconds, null) }
    const play_seconds = await addPlayTime(sql, who.user_uid, params.uid, credit)
    if (play_seconds !== undefined) return { play_seconds }
    // Without a copy, only people who may open the page learn that the listing exists.
    await openPage(core, who, params.uid)
    return refuse('COPY_REQUIRED')
  },
})
