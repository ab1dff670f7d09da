import { Type } from 'typebox'
import { isUuid } from '../../../core/security/crypto.ts'
import { t } from '../../../core/text/text.ts'
import type { TargetType } from '../../../moderation/decisions.ts'
import { readTargetRoute } from '../../../moderation/targets/routes.ts'
import { callApi } from '../../call.ts'
import { redirectTo } from '../../flash-message.ts'
import { getPage } from '../../page-routes.ts'
import { consoleModerator } from '../../visitor.ts'
import { FIND, MODERATION, targetPath } from './paths.ts'

type Candidate = { target_type: TargetType; target_id: string }

const uidTypes = ['file', 'build', 'review', 'image', 'listing', 'person', 'bug_message'] as const

/** The path of an address of the store, or the text itself. */
const pathOf = (text: string): string =>
  URL.canParse(text) ? new URL(text).pathname : text.replace(/[?#].*$/, '')

/** What an address, a uid or a name can mean, the most specific first. */
export function candidatesOf(text: string): Candidate[] {
  const parts = pathOf(text.trim()).split('/').filter(Boolean)
  const uids = parts.filter(isUuid).reverse()
  if (uids.length)
    return uids.flatMap((target_id) => uidTypes.map((target_type) => ({ target_type, target_id })))
  const [first, second] = parts
  return [
    ...(second ? [{ target_type: 'listing' as const, target_id: second }] : []),
    ...(first
      ? [
          { target_type: 'listing' as const, target_id: first },
          { target_type: 'person' as const, target_id: first },
        ]
      : []),
  ]
}

/** Leads from a name, a uid or the address of a page to its target. */
export const findPage = getPage(FIND, 'Find what to decide on, for moderators', {
  auth: consoleModerator,
  query: Type.Object({ q: Type.String({ default: '', maxLength: 500 }) }),
  async handle({ request, reply, query }) {
    for (const params of candidatesOf(query.q)) {
      const answer = await callApi(request, readTargetRoute, { params })
      if (answer.ok)
        return reply.redirect(targetPath(answer.data.target_type, answer.data.target_id), 303)
    }
    return redirectTo(reply, MODERATION, t('moderation-find-none'))
  },
})
