import { Type } from 'typebox'
import { developer, player } from '../accounts/sessions/schemes.ts'
import type { Sql } from '../core/database/sql.ts'
import { pageData, pageQuery, paging } from '../core/http/paging.ts'
import { Body, nameSchemas, OneOf, route, Timestamp, Uid } from '../core/http/route.ts'
import { refuse } from '../core/runtime/errors.ts'
import { explain } from '../core/runtime/reasons.ts'
import { ArchName, OsName } from '../listings/fields/file-schema.ts'
import { findForEditor } from '../listings/listing/edit.ts'
import { imageUrl } from '../listings/media/url.ts'
import { openPage } from '../listings/page/page.ts'
import { findUser } from '../listings/people/queries.ts'
import { readWithdrawnDownloads } from '../listings/withdrawn/queries.ts'
import { WithdrawalData } from '../listings/withdrawn/schema.ts'
import {
  checkClaim,
  copySources,
  libraryParts,
  librarySorts,
  limitGifts,
  requireHolding,
} from './copies.ts'
import {
  type CopyEdition,
  deleteCopy,
  findCopy,
  findEdition,
  type Giver,
  grantCopy,
  insertFreeCopy,
  readLibrary,
  setCopyHidden,
  withLockedListing,
} from './copy-queries.ts'

const params = Type.Object({ uid: Type.String() })
const CopyData = Type.Object({
  game_uid: Uid,
  source: OneOf(copySources),
  created_at: Timestamp,
  edition: Type.Optional(Type.Object({ uid: Uid, kind: Type.String() })),
  given_by: Type.Optional(
    Type.Object(
      { uid: Uid, username: Type.String() },
      { description: 'Who gave it to you, if it is a gift' },
    ),
  ),
})
nameSchemas({ Copy: CopyData })
const WithdrawnDownload = Type.Object({
  build_id: Uid,
  app: Type.String(),
  version: Type.String(),
  os: OsName,
  arch: ArchName,
  ...WithdrawalData.properties,
})
nameSchemas({ WithdrawnDownload })
const Hidden = Type.Boolean({ description: 'Whether you hid it in your library' })

type CopyDetails = CopyEdition & { given_by: Giver | null }

/** Left out of the answer when the copy is of no edition, or no gift. */
const copyDetails = ({ edition_uid: uid, edition_kind: kind, given_by }: CopyDetails) => ({
  ...(uid && kind && { edition: { uid, kind } }),
  ...(given_by && { given_by }),
})

const GrantedData = Type.Object({ ...CopyData.properties, user_uid: Uid }, { title: 'GrantedCopy' })

export const claimRoute = route({
  method: 'POST',
  url: '/api/v1/private/games/:uid/library',
  summary: 'Add a free listing to your library; 201 the first time, then 200',
  auth: player('player:write'),
  params,
  data: CopyData,
  described: { answers: { 201: { description: 'The copy is new', data: CopyData } } },
  errors: ['NOT_FOUND', 'EMAIL_NOT_VERIFIED', 'CONFLICT', 'DOWNLOAD_REQUIRES_PURCHASE'],
  async handle({ core, sql, who, params, reply }) {
    const listing = await openPage(core, who, params.uid)
    // The insert decides, so that no concurrent change can interfere. If it added nothing, the
    // reason is found afterwards.
    const added = who.email_verified && (await insertFreeCopy(sql, who.user_uid, listing.uid))
    const { source, created_at, is_paid, ...details } = await requireHolding(sql, who, listing)
    if (source) {
      if (added) reply.code(201)
      return {
        game_uid: listing.uid,
        source,
        created_at: created_at!.toISOString(),
        ...copyDetails(details),
      }
    }
    if (!who.email_verified) refuse('EMAIL_NOT_VERIFIED')
    checkClaim({ visibility: listing.visibility, is_paid })
    return refuse(
      'CONFLICT',
      undefined,
      explain('listing_changed', 'The listing changed at this moment; try again'),
    )
  },
})

export const grantRoute = route({
  method: 'POST',
  url: '/api/v1/private/games/:uid/licences',
  summary: 'Give a person a copy of your listing or of an edition; 201 if that is new, else 200',
  auth: developer('mcp:keys.manage'),
  params,
  body: Body({
    username: Type.String({ maxLength: 64 }),
    edition: Type.Optional(
      Type.String({ maxLength: 64, description: 'The uid or slug of an edition' }),
    ),
  }),
  data: GrantedData,
  described: { answers: { 201: { description: 'The copy is new', data: GrantedData } } },
  errors: ['NOT_FOUND', 'OWNER_ONLY', 'TOO_MANY_REQUESTS'],
  async handle({ core, sql, who, params, body, reply }) {
    const listing = await findForEditor(sql, who, params.uid)
    if (!listing.is_owner) refuse('OWNER_ONLY')
    const { uid: user_uid } =
      (await findUser(sql, body.username)) ??
      refuse(
        'NOT_FOUND',
        { field: 'username' },
        explain('no_user', 'username: there is no such user'),
      )
    const edition =
      body.edition === undefined ? undefined : await findEdition(sql, listing.uid, body.edition)
    if (body.edition !== undefined && !edition)
      refuse(
        'NOT_FOUND',
        { field: 'edition' },
        explain('no_edition', 'edition: this listing has no such edition'),
      )
    const is_new = await withLockedListing(sql, listing.uid, async (tx) => {
      const gift = { user_uid, game_uid: listing.uid, given_by: who.user_uid, edition }
      const { is_new, gifts } = await grantCopy(tx, gift)
      const { gifts_per_day } = core.settings.current
      await limitGifts(tx, { user_uid: who.user_uid, gifts }, gifts_per_day)
      return is_new
    })
    if (is_new) reply.code(201)
    const { source, created_at, ...details } = await requireHolding(sql, { user_uid }, listing)
    return {
      game_uid: listing.uid,
      source: source!,
      created_at: created_at!.toISOString(),
      user_uid,
      ...copyDetails(details),
    }
  },
})

export const libraryRoute = route({
  method: 'GET',
  url: '/api/v1/private/library',
  summary: 'List and search the copies in your library',
  auth: player('player:read'),
  query: Type.Object({
    ...pageQuery,
    q: Type.String({
      default: '',
      maxLength: 200,
      description: 'Part of the name of a listing or of its developer',
    }),
    sort: OneOf(librarySorts, {
      default: 'added',
      description: 'Newest copy first, by name, or newest stable file first',
    }),
    show: OneOf(libraryParts, {
      default: 'visible',
      description: 'The copies that you have not hidden, those that you have, or both',
    }),
  }),
  data: Type.Object({
    items: Type.Array(
      Type.Object({
        ...CopyData.properties,
        vanity_name: Type.String(),
        name: Type.String(),
        developer: Type.Object({ uid: Uid, username: Type.String() }),
        play_seconds: Type.Integer(),
        hidden: Hidden,
        updated_at: Type.Union([Timestamp, Type.Null()], {
          description: 'When its newest stable file was uploaded; null without one',
        }),
        thumbnail: Type.String({ description: 'The URL of the image; empty without one' }),
        withdrawn_downloads: Type.Array(WithdrawnDownload, {
          description: 'What you last downloaded, where the publisher has withdrawn that build',
        }),
      }),
    ),
    hidden_total: Type.Integer({ description: 'How many copies you have hidden' }),
    adult_gifts_total: Type.Integer({
      description: 'How many gifts with adult content are left out, until you opt in',
    }),
    ...pageData,
  }),
  async handle({ core, sql, who, query }) {
    const { page, page_size, ...window } = paging(query)
    const filters = { ...query, q: query.q.trim() }
    const { items, ...totals } = await readLibrary(sql, who, filters, window)
    const game_uids = items.map(({ game_uid }) => game_uid)
    const withdrawn = Map.groupBy(
      await readWithdrawnDownloads(sql, who.user_uid, game_uids),
      ({ game_uid }) => game_uid,
    )
    const rows = items.map(({ thumbnail, edition_uid, edition_kind, given_by, ...row }) => ({
      ...row,
      ...copyDetails({ edition_uid, edition_kind, given_by }),
      created_at: row.created_at.toISOString(),
      updated_at: row.updated_at?.toISOString() ?? null,
      thumbnail: thumbnail ? imageUrl(core.addresses, thumbnail) : '',
      withdrawn_downloads: withdrawn.get(row.game_uid) ?? [],
    }))
    return { items: rows, ...totals, page, page_size }
  },
})

/** Also finds a copy whose page its holder may no longer see. */
const requireCopy = async (sql: Sql, { user_uid }: { user_uid: string }, uid_or_name: string) =>
  (await findCopy(sql, user_uid, uid_or_name)) ?? refuse('NOT_FOUND')

export const hideCopyRoute = route({
  method: 'PUT',
  url: '/api/v1/private/games/:uid/library/hidden',
  summary: 'Hide a copy in your library, or show it again',
  auth: player('player:write'),
  params,
  body: Body({ hidden: Hidden }),
  data: Type.Object({ game_uid: Uid, hidden: Hidden }),
  errors: ['NOT_FOUND'],
  async handle({ sql, who, params, body: { hidden } }) {
    const { uid } = await requireCopy(sql, who, params.uid)
    if (!(await setCopyHidden(sql, who.user_uid, uid, hidden))) refuse('NOT_FOUND')
    return { game_uid: uid, hidden }
  },
})

export const removeCopyRoute = route({
  method: 'DELETE',
  url: '/api/v1/private/games/:uid/library',
  summary: 'Remove a copy from your library, with your review and your tags of it',
  description: 'A copy that you bought is lost without a refund.',
  auth: player('player:write'),
  params,
  data: Type.Object({ game_uid: Uid }),
  errors: ['NOT_FOUND'],
  async handle({ sql, who, params }) {
    const { uid } = await requireCopy(sql, who, params.uid)
    const removed = await withLockedListing(sql, uid, (tx) => deleteCopy(tx, who.user_uid, uid))
    if (!removed) refuse('NOT_FOUND')
    return { game_uid: uid }
  },
})

export const copyRoutes = [claimRoute, libraryRoute, hideCopyRoute, removeCopyRoute, grantRoute]
