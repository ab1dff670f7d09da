import { Type } from 'typebox'
import { transact } from '../../core/database/transaction.ts'
import { Body, Nullable, OneOf, route, Timestamp } from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { HOUR } from '../../core/runtime/units.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import { perAccount } from '../../core/security/limits.ts'
import { website } from '../sessions/schemes.ts'
import { approvalStates, readPublisherAccess, refusePublisher } from './publishing.ts'
import { listOperatorUids, requestApproval } from './queries.ts'

const PUBLISHING = '/api/v1/private/account/publishing'
export const MAX_REQUEST = 2000

const PublishingData = Type.Object({
  mode: OneOf(['open', 'approval', 'invited'], { description: 'Who may publish in this store' }),
  may_publish: Type.Boolean(),
  state: OneOf(['none', ...approvalStates], {
    description: 'What operators decided about this account, or have to decide',
  }),
  request: Type.String({ description: 'What the person wrote' }),
  requested_at: Nullable(Timestamp),
  reason: Type.String({ description: 'What the operators answered' }),
  decided_at: Nullable(Timestamp),
})

async function showAccess({ sql, settings }: Core, user_uid: string) {
  const { publishing } = settings.current
  const { approval, ...access } = await readPublisherAccess(sql, user_uid, publishing)
  return {
    ...access,
    state: approval?.state ?? ('none' as const),
    request: approval?.request ?? '',
    requested_at: approval?.requested_at?.toISOString() ?? null,
    reason: approval?.reason ?? '',
    decided_at: approval?.decided_at?.toISOString() ?? null,
  }
}

export const readPublishing = route({
  method: 'GET',
  url: PUBLISHING,
  summary: 'Read whether you may make listings public',
  auth: website,
  data: PublishingData,
  handle: ({ core, who }) => showAccess(core, who.user_uid),
})

export const requestPublishing = route({
  method: 'POST',
  url: PUBLISHING,
  summary: 'Ask the operators for the right to make listings public',
  auth: website,
  limits: [perAccount(10, { seconds: HOUR })],
  body: Body({ text: Type.String({ minLength: 1, maxLength: MAX_REQUEST }) }),
  status: 201,
  data: PublishingData,
  errors: ['CONFLICT', 'EMAIL_NOT_VERIFIED', 'PUBLISHING_NOT_ALLOWED'],
  async handle({ core, who, body }) {
    const { publishing } = core.settings.current
    if (!who.email_verified) refuse('EMAIL_NOT_VERIFIED')
    const { may_publish, approval } = await readPublisherAccess(core.sql, who.user_uid, publishing)
    if (may_publish) refuse('CONFLICT', undefined, MAY_PUBLISH)
    if (publishing === 'invited') refusePublisher(publishing, approval?.state ?? null)
    await transact(core.sql, async (tx) => {
      if (!(await requestApproval(tx, who.user_uid, body.text.trim())))
        refuse('CONFLICT', undefined, ALREADY_REQUESTED)
      for (const operator_uid of await listOperatorUids(tx))
        await core.jobs.send(tx, 'accounts.mail-publishing-request', {
          user_uid: who.user_uid,
          operator_uid,
          id: uuidv7(),
        })
    })
    return showAccess(core, who.user_uid)
  },
})

const MAY_PUBLISH = explain('publishing_allowed', 'You may publish already')
const ALREADY_REQUESTED = explain(
  'publishing_requested',
  'Your request waits for an answer; you will get a mail',
)

export const publishingRoutes = [readPublishing, requestPublishing]
