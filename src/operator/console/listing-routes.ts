import { Type } from 'typebox'
import { operator } from '../../accounts/people/operator-access.ts'
import { pageData, pageQuery, paging } from '../../core/http/paging.ts'
import { Nullable, OneOf, route, Timestamp, Uid } from '../../core/http/route.ts'
import { perAccount } from '../../core/security/limits.ts'
import { checkListing } from '../../listings/listing/check.ts'
import { readManyFacts } from '../../listings/listing/facts-queries.ts'
import { findListings, listingStates } from './queries.ts'

const Check = Type.Object({
  ready: Type.Boolean(),
  errors: Type.Array(
    Type.Object({ id: Type.String(), field: Type.String(), message: Type.String() }),
  ),
})

export const listListingsRoute = route({
  method: 'GET',
  url: '/api/v1/private/operations/listings',
  summary: 'For operators: listings of any state with the result of their check, newest first',
  auth: operator,
  limits: [perAccount(120, { bucket: 'operations listings' })],
  query: Type.Object({
    q: Type.String({
      default: '',
      maxLength: 200,
      description: 'How the name of the listing or of its owner begins',
    }),
    state: Type.Optional(
      OneOf(listingStates, {
        description: 'Its visibility, what moderators did, or deleted and not yet purged',
      }),
    ),
    owner_uid: Type.Optional(
      Type.String({ format: 'uuid', description: 'Only listings of this person' }),
    ),
    ...pageQuery,
  }),
  data: Type.Object({
    items: Type.Array(
      Type.Object({
        uid: Uid,
        name: Type.String(),
        vanity_name: Type.String(),
        username: Type.String({ description: 'The owner' }),
        asset_type: Type.String(),
        visibility: Type.String(),
        created_at: Timestamp,
        published_at: Nullable(Timestamp),
        deleted_at: Nullable(Timestamp),
        taken_down: Type.Boolean({ description: 'By moderators' }),
        hidden: Type.Boolean({ description: 'From discovery, by moderators' }),
        check: Type.Union([Check, Type.Null()], {
          description: 'The result of the listing check; null for deleted listings',
        }),
      }),
    ),
    ...pageData,
  }),
  async handle({ sql, query }) {
    const { limit, offset, page, page_size } = paging(query)
    const { q, state, owner_uid } = query
    const filter = { q: q.trim(), state, limit, offset, ...(owner_uid && { owner_uid }) }
    const { rows, total } = await findListings(sql, filter)
    const facts = await readManyFacts(
      sql,
      rows.filter(({ deleted_at }) => !deleted_at).map(({ uid }) => uid),
    )
    const items = rows.map((row) => {
      const known = facts.get(row.uid)
      const report = known && checkListing(known)
      return {
        ...row,
        created_at: row.created_at.toISOString(),
        published_at: row.published_at?.toISOString() ?? null,
        deleted_at: row.deleted_at?.toISOString() ?? null,
        check: report ? { ready: report.ready, errors: report.errors } : null,
      }
    })
    return { items, total, page, page_size }
  },
})
