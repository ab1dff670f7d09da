import type { Scheme } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import type { Identity } from '../sessions/identity.ts'
import { website } from '../sessions/schemes.ts'
import { isOperator } from './operator-queries.ts'

/** Operators on the website. Checked on every request: a removed operator loses access at once. */
export const operator: Scheme<Identity> = {
  ...website,
  name: 'operator',
  errors: [...website.errors, 'FORBIDDEN'],
  async identify(core, request) {
    const who = await website.identify(core, request)
    if (await isOperator(core.sql, who.user_uid)) return who
    return refuse('FORBIDDEN', undefined, 'Only operators of the service may do this')
  },
}
