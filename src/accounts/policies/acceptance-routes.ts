import { Type } from 'typebox'
import { Body, route, Timestamp } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { perAccount } from '../../core/security/limits.ts'
import { clearIdentityCache } from '../sessions/identity.ts'
import { website } from '../sessions/schemes.ts'
import { checkAcceptance } from './acceptance.ts'
import { acceptTerms } from './acceptance-queries.ts'

export const acceptTermsRoute = route({
  method: 'POST',
  url: '/api/v1/private/account/store-terms',
  summary: 'Accept the newest terms of the store',
  auth: website,
  limits: [perAccount(60)],
  body: Body({
    store_terms_version: Type.Integer({
      minimum: 0,
      description: 'The version that the person read and accepts',
    }),
  }),
  data: Type.Object({ version: Type.Integer(), accepted_at: Timestamp }),
  errors: ['STORE_TERMS_NOT_ACCEPTED', 'NOT_FOUND'],
  async handle({ core, sql, who, body }) {
    const version = checkAcceptance(core.settings.policies, body.store_terms_version)
    if (version === undefined) refuse('NOT_FOUND', undefined, 'This store has no terms')
    const accepted_at = await acceptTerms(sql, who.user_uid, version)
    clearIdentityCache()
    return { version, accepted_at: accepted_at.toISOString() }
  },
})
