import type { Method, Scheme } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import type { Identity } from '../sessions/identity.ts'
import { website, wholeAccount } from '../sessions/schemes.ts'
import { isOperator } from './operator-queries.ts'

/** Sessions of the website, and keys with the scope of operators for reading or for changing. */
export const operatorKey = (method: Method): Scheme<Identity> =>
  wholeAccount({ agent: [method === 'GET' ? 'operator:read' : 'operator:write'] })

/** Checked on every request: a removed operator loses access at once. */
const operatorsOnly = (scheme: Scheme<Identity>): Scheme<Identity> => ({
  ...scheme,
  name: `operator, ${scheme.name}`,
  async identify(core, request) {
    const who = await scheme.identify(core, request)
    if (await isOperator(core.sql, who.user_uid)) return who
    return refuse('FORBIDDEN', undefined, 'Only operators of the service may do this')
  },
})

/** Operators on the website, and their keys. */
export const operator = (method: Method): Scheme<Identity> => operatorsOnly(operatorKey(method))

/** Operators on the website only, for secrets that programs must not read. */
export const operatorInPerson: Scheme<Identity> = operatorsOnly({
  ...website,
  errors: [...website.errors, 'FORBIDDEN'],
})
