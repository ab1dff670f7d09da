import { Type } from 'typebox'
import { developer, player } from '../accounts/sessions/schemes.ts'
import { pageData, pageQuery, paging } from '../core/http/paging.ts'
import { Body, OneOf, route, Timestamp, Uid } from '../core/http/route.ts'
import { refuse } from '../core/runtime/errors.ts'
import { perAccount } from '../core/security/limits.ts'
import { findForEditor } from '../listings/listing/edit.ts'
import { imageUrl } from '../listings/media/url.ts'
import { openPage } from '../listings/page/page.ts'
import { findUser } from '../listings/people/queries.ts'
import { holdingOf } from './copy.ts'
import { checkClaim, creditSeconds, licenceSources } from './library-rules.ts'
import {
  addPlayTime,
  findEdition,
  grantLicence,
  type HeldEdition,
  insertFreeLicence,
  onPage,
  readLibrary,
} from './queries.ts'

const params = Type.Object({ uid: Type.String() })
const LicenceData = Type.Object({
  game_uid: Uid,
  source: OneOf(licenceSources),
  created_at: Timestamp,
  edition: Type.Optional(Type.Object({ uid: Uid, kind: Type.String() })),
})

/** As the answers show it: left out where the copy is of no edition. */
const editionOf = ({ edition_uid: uid, edition_kind: kind }: HeldEdition) =>
  uid && kind ? { edition: { uid, kind } } : {}

export const claimRoute = route({
  method: 'POST',
  url: '/api/v1/private/games/:uid/library',
  summary: 'Take a free listing into your library; 201 the first time, 200 after',
  auth: player('player:write'),
  params,
  data: LicenceData,
  errors: ['NOT_FOUND', 'EMAIL_NOT_VERIFIED', 'CONFLICT', 'DOWNLOAD_REQUIRES_PURCHASE'],
  async handle({ core, sql, who, params, reply }) {
    const listing = await openPage(core, who, params.uid)
    // The insert decides, whatever changes meanwhile; what it left undone is explained after.
    const made = who.email_verified && (await insertFreeLicence(sql, who.user_uid, listing.uid))
    const { source, created_at, is_paid, ...held } = await holdingOf(sql, who, listing)
    if (source) {
      if (made) reply.code(201)
      return {
        game_uid: listing.uid,
        source,
        created_at: created_at!.toISOString(),
        ...editionOf(held),
      }
    }
    if (!who.email_verified) refuse('EMAIL_NOT_VERIFIED')
    checkClaim({ visibility: listing.visibility, is_paid })
    return refuse('CONFLICT', undefined, 'The page changed just now; try again')
  },
})

export const grantRoute = route({
  method: 'POST',
  url: '/api/v1/private/games/:uid/licences',
  summary:
    'Give someone a copy of your listing, or of one of its editions; 201 where that changed something, else 200',
  auth: developer('mcp:keys.manage'),
  params,
  body: Body({
    username: Type.String({ maxLength: 64 }),
    edition: Type.Optional(
      Type.String({ maxLength: 64, description: 'The uid or slug of an edition' }),
    ),
  }),
  data: Type.Object({ ...LicenceData.properties, user_uid: Uid }),
  errors: ['NOT_FOUND', 'OWNER_ONLY'],
  async handle({ sql, who, params, body, reply }) {
    const listing = await findForEditor(sql, who, params.uid)
    if (!listing.is_owner) refuse('OWNER_ONLY')
    const { uid: user_uid } =
      (await findUser(sql, body.username)) ??
      refuse('NOT_FOUND', { field: 'username' }, 'username: nobody has this name')
    const edition =
      body.edition === undefined ? undefined : await findEdition(sql, listing.uid, body.edition)
    if (body.edition !== undefined && !edition)
      refuse('NOT_FOUND', { field: 'edition' }, 'edition: this listing has none of that name')
    if (await onPage(sql, listing.uid, (tx) => grantLicence(tx, user_uid, listing.uid, edition)))
      reply.code(201)
    const { source, created_at, ...held } = await holdingOf(sql, { user_uid }, listing)
    return {
      game_uid: listing.uid,
      source: source!,
      created_at: created_at!.toISOString(),
      user_uid,
      ...editionOf(held),
    }
  },
})

export const libraryRoute = route({
  method: 'GET',
  url: '/api/v1/private/library',
  summary: 'The copies you hold, newest first',
  auth: player('player:read'),
  query: Type.Object(pageQuery),
  data: Type.Object({
    items: Type.Array(
      Type.Object({
        ...LicenceData.properties,
        vanity_name: Type.String(),
        name: Type.String(),
        developer: Type.Object({ uid: Uid, username: Type.String() }),
        play_seconds: Type.Integer(),
        thumbnail: Type.String({ description: 'Its address; empty while there is no image' }),
      }),
    ),
    ...pageData,
  }),
  async handle({ core, sql, who, query }) {
    const { page, page_size, ...window } = paging(query)
    const { items, total } = await readLibrary(sql, who.user_uid, window)
    const rows = items.map(({ thumbnail, created_at, edition_uid, edition_kind, ...row }) => ({
      ...row,
      ...editionOf({ edition_uid, edition_kind }),
      created_at: created_at.toISOString(),
      thumbnail: thumbnail ? imageUrl(core.addresses, thumbnail) : '',
    }))
    return { items: rows, total, page, page_size }
  },
})

export const playTimeRoute = route({
  method: 'POST',
  url: '/api/v1/private/games/:uid/play-time',
  summary: 'Heartbeat of a running game: the seconds played since the last one',
  description:
    'Credits at most the time that really went by since the last heartbeat, and ten minutes for the first.',
  auth: player('player:write'),
  limits: [perAccount(300)],
  params,
  body: Body({ seconds: Type.Number({ minimum: 0 }) }),
  data: Type.Object({ play_seconds: Type.Integer() }),
  errors: ['NOT_FOUND', 'COPY_REQUIRED'],
  async handle({ core, sql, who, params, body: { seconds } }) {
    const credit = { claimed: seconds, first: creditSeconds(seconds, null) }
    const play_seconds = await addPlayTime(sql, who.user_uid, params.uid, credit)
    if (play_seconds !== undefined) return { play_seconds }
    // A copy outlives the page; without one, only those who may open the page are told that it exists.
    await openPage(core, who, params.uid)
    return refuse('COPY_REQUIRED')
  },
})
