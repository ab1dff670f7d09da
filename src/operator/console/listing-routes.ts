import { Type } from 'typebox'
import { operator } from '../../accounts/people/operator-access.ts'
import { pageData, pageQuery, paging } from '../../core/http/paging.ts'
import { Nullable, OneOf, route, TextOf, Timestamp, Uid } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { perAccount } from '../../core/security/limits.ts'
import { assetTypes, visibilities } from '../../listings/fields/fields.ts'
import { checkListing } from '../../listings/listing/check.ts'
import { readManyFacts } from '../../listings/listing/facts-queries.ts'
import { historyKinds, readListingHistory } from './history-queries.ts'
import { findListingNames, findListings, listingStates } from './queries.ts'

const LISTINGS = '/api/v1/private/operations/listings'

const Check = Type.Object({
  ready: Type.Boolean(),
  errors: Type.Array(
    Type.Object({ id: Type.String(), field: Type.String(), message: Type.String() }),
  ),
})

export const listListingsRoute = route({
  method: 'GET',
  url: LISTINGS,
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
        asset_type: TextOf(assetTypes),
        visibility: TextOf(visibilities),
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

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

export const readHistoryRoute = route({
  method: 'GET',
  url: `${LISTINGS}/:uid/history`,
  summary: 'For operators: what happened to a listing, newest first',
  description:
    'From the history of its channels, the review of its first release, decisions of moderators ' +
    'and the audit log. Changes of price and visibility are known from this version on.',
  auth: operator,
  limits: [perAccount(120, { bucket: 'operations listings' })],
  params: Type.Object({ uid: Uid }),
  query: Type.Object(pageQuery),
  data: Type.Object({
    uid: Uid,
    name: Type.String(),
    vanity_name: Type.String(),
    username: Type.String({ description: 'The owner' }),
    items: Type.Array(
      Type.Object({
        at: Timestamp,
        kind: OneOf(historyKinds, {
          description:
            'release: a channel moved; review: of the first release; decision: of moderators; ' +
            'action: an entry of the audit log',
        }),
        event: Type.String({ description: 'What happened, such as promote or take_down' }),
        username: Nullable(Type.String({ description: 'Who did it; null if nobody is known' })),
        detail: Type.Record(Type.String(), Type.String(), {
          description: 'More about it, such as channel and version',
        }),
      }),
    ),
    ...pageData,
  }),
  errors: ['NOT_FOUND'],
  async handle({ sql, params: { uid }, query }) {
    const listing = (await findListingNames(sql, uid)) ?? refuse('NOT_FOUND')
    const { page, page_size, ...window } = paging(query)
    const { rows, total } = await readListingHistory(sql, listing.uid, window)
    const items = rows.map(({ at, detail, ...row }) => ({
      ...row,
      at: at.toISOString(),
      detail: Object.fromEntries(
        Object.entries(detail)
          .filter(([, value]) => value !== null && value !== '')
          .map(([name, value]) => [name, textOf(value)]),
      ),
    }))
    return { ...listing, items, total, page, page_size }
  },
})

export const operatorListingRoutes = [listListingsRoute, readHistoryRoute]
