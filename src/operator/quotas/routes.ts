import { Type } from 'typebox'
import { operator } from '../../accounts/people/operator-access.ts'
import { pageData, pageQuery, paging } from '../../core/http/paging.ts'
import { Body, nameSchemas, OneOf, route, Timestamp, Uid } from '../../core/http/route.ts'
import { perAccount } from '../../core/security/limits.ts'
import type { StoreSettings } from '../../core/settings/table.ts'
import { readServiceUse } from '../../listings/storage/queries.ts'
import { defaultQuotas } from '../../listings/storage/quota-rules.ts'
import { findTarget, removeException, setException } from './exceptions.ts'
import {
  listExceptions,
  type QuotaException,
  type QuotaTarget,
  quotaTargets,
  readLargestListings,
  readLargestOwners,
  type StoredAmount,
} from './queries.ts'

const QUOTAS = '/api/v1/private/operations/quotas'
const LARGEST = 10
export const MAX_QUOTA_BYTES = 2 ** 50
export const MAX_QUOTA_NOTE = 500
const limits = [perAccount(60, { bucket: 'operations quotas' })]

const Quota = Type.Union([Type.Number(), Type.Null()], {
  description: 'Bytes; null is without a limit',
})

const ExceptionData = Type.Object({
  type: OneOf(quotaTargets),
  uid: Uid,
  name: Type.String({ description: 'The username or the name of the listing' }),
  quota_bytes: Quota,
  used_bytes: Type.Number({ description: 'Bytes in storage' }),
  note: Type.String(),
  set_by: Type.Union([Type.String(), Type.Null()], { description: 'Null for the command line' }),
  set_at: Timestamp,
})
const AmountData = Type.Object({
  uid: Uid,
  name: Type.String(),
  username: Type.String({ description: 'The owner' }),
  used_bytes: Type.Number({ description: 'Bytes in storage' }),
  quota_bytes: Quota,
  is_exception: Type.Boolean({ description: 'Whether the quota differs from the default' }),
})
nameSchemas({ QuotaException: ExceptionData, StoredAmount: AmountData })

const showException = ({ bytes, used, set_at, ...exception }: QuotaException) => ({
  ...exception,
  quota_bytes: bytes,
  used_bytes: used,
  set_at: set_at.toISOString(),
})

const showAmount =
  (fallback: number | null) =>
  ({ bytes, quota, is_exception, ...amount }: StoredAmount) => ({
    ...amount,
    is_exception,
    used_bytes: bytes,
    quota_bytes: is_exception ? quota : fallback,
  })

const showDefaults = (settings: StoreSettings) => {
  const { listing, account, service } = defaultQuotas(settings)
  return {
    listing_bytes: listing,
    account_bytes: account,
    service_bytes: service,
    player_files_percent: settings.player_files_percent,
  }
}

export const readQuotasRoute = route({
  method: 'GET',
  url: QUOTAS,
  summary: 'For operators: the quotas of storage, who stores the most, and exceptions',
  auth: operator,
  limits,
  query: Type.Object(pageQuery),
  data: Type.Object({
    defaults: Type.Object({
      listing_bytes: Quota,
      account_bytes: Quota,
      service_bytes: Quota,
      player_files_percent: Type.Integer({ description: 'The share for files of players' }),
    }),
    used: Type.Object(
      {
        developers: Type.Number({ description: 'Bytes of builds, symbols, images and videos' }),
        players: Type.Number({ description: 'Bytes of crash reports and bug reports' }),
      },
      { description: 'What all listings store' },
    ),
    people: Type.Array(AmountData, { description: 'The owners whose listings store the most' }),
    listings: Type.Array(AmountData, { description: 'The listings that store the most' }),
    exceptions: Type.Object({ items: Type.Array(ExceptionData), ...pageData }),
  }),
  async handle({ core, sql, query }) {
    const { page, page_size, ...window } = paging(query)
    const { listing, account } = defaultQuotas(core.settings.current)
    const [used, people, listings, { rows, total }] = await Promise.all([
      readServiceUse(sql),
      readLargestOwners(sql, LARGEST),
      readLargestListings(sql, LARGEST),
      listExceptions(sql, window),
    ])
    return {
      defaults: showDefaults(core.settings.current),
      used,
      people: people.map(showAmount(account)),
      listings: listings.map(showAmount(listing)),
      exceptions: { items: rows.map(showException), total, page, page_size },
    }
  },
})

const params = Type.Object({
  type: OneOf(quotaTargets, { description: 'Whose quota it is' }),
  target: Type.String({
    description: 'A person by uid, username or address, or a listing by uid or vanity name',
  }),
})

export const setQuotaRoute = route({
  method: 'PUT',
  url: `${QUOTAS}/:type/:target`,
  summary: 'For operators: give a person or a listing a quota of its own',
  description:
    'The target is a person by uid, username or email address, or a listing by uid or the name ' +
    'in its address. The quota of a person is for all their listings together.',
  auth: operator,
  limits,
  params,
  body: Body({
    bytes: Type.Union([Type.Integer({ minimum: 0, maximum: MAX_QUOTA_BYTES }), Type.Null()], {
      description: 'Null for no limit',
    }),
    note: Type.String({ maxLength: MAX_QUOTA_NOTE, default: '', description: 'For operators' }),
  }),
  data: ExceptionData,
  errors: ['NOT_FOUND'],
  async handle({ core, sql, who, params, body }) {
    const target = await findTarget(sql, params.type as QuotaTarget, params.target)
    const note = body.note.trim()
    return showException(await setException(core, who.user_uid, target, { ...body, note }))
  },
})

export const removeQuotaRoute = route({
  method: 'DELETE',
  url: `${QUOTAS}/:type/:target`,
  summary: 'For operators: remove the quota of a person or listing, so that the default applies',
  auth: operator,
  limits,
  params,
  data: Type.Object({ removed: Type.Boolean() }),
  errors: ['NOT_FOUND'],
  async handle({ core, sql, who, params }) {
    const target = await findTarget(sql, params.type as QuotaTarget, params.target)
    await removeException(core, who.user_uid, target)
    return { removed: true }
  },
})

export const quotaRoutes = [readQuotasRoute, setQuotaRoute, removeQuotaRoute]
