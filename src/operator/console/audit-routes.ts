import { Type } from 'typebox'
import { operator } from '../../accounts/people/operator-access.ts'
import { pageData, pageQuery, paging } from '../../core/http/paging.ts'
import { Nullable, route, Timestamp, Uid } from '../../core/http/route.ts'
import { perAccount } from '../../core/security/limits.ts'
import { findAuditEntries } from './audit-queries.ts'

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

export const listAuditRoute = route({
  method: 'GET',
  url: '/api/v1/private/operations/audit',
  summary: 'For operators: actions that concern security, newest first',
  auth: operator,
  limits: [perAccount(120, { bucket: 'operations audit' })],
  query: Type.Object({
    action: Type.String({
      default: '',
      maxLength: 100,
      description: 'How the name of the action begins, such as operator or accounts.delete',
    }),
    user_uid: Type.Optional(
      Type.String({ format: 'uuid', description: 'Only actions of this person' }),
    ),
    ...pageQuery,
  }),
  data: Type.Object({
    items: Type.Array(
      Type.Object({
        uid: Uid,
        at: Timestamp,
        username: Nullable(Type.String()),
        game_uid: Nullable(Uid),
        action: Type.String({ description: 'The module and what was done' }),
        detail: Type.Record(Type.String(), Type.String(), {
          description: 'What it was done to; never a secret',
        }),
      }),
    ),
    ...pageData,
  }),
  async handle({ sql, query }) {
    const { limit, offset, page, page_size } = paging(query)
    const { action, user_uid } = query
    const { rows, total } = await findAuditEntries(sql, { action, user_uid }, { limit, offset })
    const items = rows.map(({ at, detail, ...row }) => ({
      ...row,
      at: at.toISOString(),
      detail: Object.fromEntries(
        Object.entries(detail).map(([name, value]) => [name, textOf(value)]),
      ),
    }))
    return { items, total, page, page_size }
  },
})
