import { Type } from 'typebox'
import { operator } from '../../accounts/people/operator-access.ts'
import { pageData, pageQuery, paging } from '../../core/http/paging.ts'
import { OneOf, route, Timestamp, Uid } from '../../core/http/route.ts'
import { retention } from '../../core/runtime/retention.ts'
import { perAccount } from '../../core/security/limits.ts'
import { mailStates, readOutbox } from './queries.ts'
import { resendMail } from './resend.ts'

const OUTBOX = '/api/v1/private/operations/mail'
/** An address that refused as many mails is marked. */
export const MAX_BOUNCES = 3

const count = (description: string) => Type.Integer({ description })

export const listMailRoute = route({
  method: 'GET',
  url: OUTBOX,
  summary: `For operators: the mails of the last ${retention.mail_days} days, newest first`,
  description:
    'Without text and subject, which may contain codes and links. A bounce is a mail that the ' +
    'mail server refused for good.',
  auth: operator,
  limits: [perAccount(120, { bucket: 'operations mail' })],
  query: Type.Object({
    state: Type.Optional(
      OneOf(mailStates, {
        description:
          'queued: waits for its first or next attempt; sent: the mail server has it; failed: ' +
          'all attempts are used up; bounced: the mail server refused it for good',
      }),
    ),
    ...pageQuery,
  }),
  data: Type.Object({
    items: Type.Array(
      Type.Object({
        uid: Uid,
        kind: Type.String({ description: 'The job that sends it' }),
        state: OneOf(mailStates),
        recipient: Type.Union([Type.String(), Type.Null()], {
          description: 'The address, shortened; null before the first attempt',
        }),
        recipient_bounces: count('How many mails to this address bounced'),
        error: Type.String({ description: 'What the mail server answered; empty if it was sent' }),
        attempts: count('How often it was tried'),
        created_at: Timestamp,
        changed_at: Timestamp,
      }),
    ),
    counts: Type.Object({
      queued: Type.Integer(),
      sent: Type.Integer(),
      failed: Type.Integer(),
      bounced: Type.Integer(),
    }),
    ...pageData,
  }),
  async handle({ sql, query }) {
    const { limit, offset, page, page_size } = paging(query)
    const { rows, total, counts } = await readOutbox(sql, query.state, { limit, offset })
    const items = rows.map((row) => ({
      ...row,
      created_at: row.created_at.toISOString(),
      changed_at: row.changed_at.toISOString(),
    }))
    return { items, counts, total, page, page_size }
  },
})

export const resendMailRoute = route({
  method: 'POST',
  url: `${OUTBOX}/:uid/resend`,
  summary: 'For operators: send a mail again',
  description:
    'A mail that failed is retried. A mail that was sent is sent again if it contains no code ' +
    'and no link that works once; the person can request those again.',
  auth: operator,
  limits: [perAccount(60)],
  params: Type.Object({ uid: Uid }),
  status: 202,
  data: Type.Object({ queued: Type.Boolean() }),
  errors: ['NOT_FOUND', 'CONFLICT'],
  async handle({ core, who, params: { uid } }) {
    await resendMail(core, who.user_uid, uid)
    return { queued: true }
  },
})

export const outboxRoutes = [listMailRoute, resendMailRoute]
