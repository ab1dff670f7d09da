import { Type } from 'typebox'
import { transact } from '../../core/database/transaction.ts'
import { anyone, Body, route } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { HOUR } from '../../core/runtime/units.ts'
import { perIp } from '../../core/security/limits.ts'
import { readLinkToken } from '../credentials/link-tokens.ts'
import { website } from '../sessions/schemes.ts'
import { stopWaitingReset } from './resets.ts'

export const stopResetByLinkRoute = route({
  method: 'POST',
  url: '/api/v1/private/account/second-factor-reset/stop',
  summary: 'Stop the reset of a second factor with the token of a mailed link',
  auth: anyone,
  limits: [perIp(60, { seconds: HOUR })],
  body: Body({ token: Type.String({ maxLength: 256 }) }),
  data: Type.Object({}),
  errors: ['RESET_STOP_EXPIRED'],
  async handle({ core, sql, request, body }) {
    const purpose = 'second factor reset'
    const nonce = readLinkToken(core, purpose, body.token) ?? refuse('RESET_STOP_EXPIRED')
    await transact(sql, async (tx) => {
      if (!(await stopWaitingReset({ core, request }, tx, { nonce }))) refuse('RESET_STOP_EXPIRED')
    })
    return {}
  },
})

export const stopOwnResetRoute = route({
  method: 'DELETE',
  url: '/api/v1/private/account/second-factor-reset',
  summary: 'Stop the reset of your second factor that an operator requested',
  auth: website,
  data: Type.Object({}),
  errors: ['NOT_FOUND'],
  async handle({ core, sql, request, who: { user_uid } }) {
    await transact(sql, async (tx) => {
      if (!(await stopWaitingReset({ core, request }, tx, { user_uid }))) refuse('NOT_FOUND')
    })
    return {}
  },
})

export const secondFactorResetRoutes = [stopResetByLinkRoute, stopOwnResetRoute]
