import type { Scheme } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import type { Identity } from '../sessions/identity.ts'
import { website } from '../sessions/schemes.ts'
import { moderationRole } from './moderator-queries.ts'

/** Moderators and operators on the website. Checked on every request, as for operators. */
export const moderator: Scheme<Identity> = {
  ...website,
  name: 'moderator',
  errors: [...website.errors, 'FORBIDDEN'],
  async identify(core, request) {
    const who = await website.identify(core, request)
    if (await moderationRole(core.sql, who.user_uid)) return who
    return refuse('FORBIDDEN', undefined, 'Only the moderation team may do this')
  },
}
