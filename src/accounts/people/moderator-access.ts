import type { Method, Scheme } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import type { Identity } from '../sessions/identity.ts'
import { moderationRole } from './moderator-queries.ts'
import { operatorKey } from './operator-access.ts'
import { isOperator } from './operator-queries.ts'

/**
 * Moderators and operators on the website, and keys of operators. Checked on every request, as for
 * operators.
 */
export function moderator(method: Method): Scheme<Identity> {
  const scheme = operatorKey(method)
  return {
    ...scheme,
    name: `moderator, ${scheme.name}`,
    async identify(core, request) {
      const who = await scheme.identify(core, request)
      const hasRole = who.kind === 'session' ? moderationRole : isOperator
      if (await hasRole(core.sql, who.user_uid)) return who
      return refuse('FORBIDDEN', undefined, 'Only the moderation team may do this')
    },
  }
}
