import { Type } from 'typebox'
import { operator } from '../../accounts/people/operator-access.ts'
import { OneOf, route } from '../../core/http/route.ts'
import { perAccount } from '../../core/security/limits.ts'
import { ownerRefusals } from '../../core/storage/owner.ts'
import { confirmStorage } from './confirm.ts'

export const confirmStorageRoute = route({
  method: 'POST',
  url: '/api/v1/private/operations/storage/confirm',
  summary: 'For operators: confirm that the stored objects belong to this database',
  auth: operator,
  limits: [perAccount(10)],
  data: Type.Object({
    refusal: Type.Union([OneOf([...ownerRefusals]), Type.Null()], {
      description: 'Why nothing was removed before',
    }),
    sweeps: Type.Array(Type.String(), {
      description: 'Clean-ups that may remove any number of objects in their next run',
    }),
  }),
  handle: ({ core, who }) => confirmStorage(core, who.user_uid),
})
