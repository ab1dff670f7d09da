import { Type } from 'typebox'
import { developer, viewer } from '../accounts/schemes.ts'
import { refuse } from '../core/errors.ts'
import { Body, OneOf, route, Timestamp, Uid } from '../core/route.ts'
import { addListing } from './create.ts'
import { type ListingFor, readListing } from './queries.ts'
import { assetTypes, visibilities } from './taxonomy.ts'
import { canEdit, canOpenPage } from './visibility.ts'

const ListingData = Type.Object({
  uid: Uid,
  vanity_name: Type.String(),
  name: Type.String(),
  tagline: Type.String(),
  description: Type.String(),
  asset_type: OneOf(assetTypes),
  status: Type.String(),
  visibility: OneOf(visibilities),
  adult: Type.Boolean(),
  indexable: Type.Boolean(),
  developer: Type.Object({ uid: Uid, username: Type.String() }),
  updated_at: Timestamp,
})

const shown = ({ owner_uid, owner_username, updated_at, ...row }: ListingFor) => ({
  ...row,
  developer: { uid: owner_uid, username: owner_username },
  updated_at: updated_at.toISOString(),
})

export const createListing = route({
  method: 'POST',
  url: '/api/v1/private/games',
  summary: 'Make a listing; it starts as a draft',
  auth: developer('mcp:catalog.write'),
  body: Body({
    name: Type.String(),
    asset_type: Type.Optional(OneOf(assetTypes)),
    vanity_name: Type.Optional(Type.String()),
    tagline: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
  }),
  status: 201,
  data: Type.Object({ game_uid: Uid, vanity_name: Type.String(), visibility: OneOf(visibilities) }),
  errors: ['DEVELOPER_MODE_NEEDED', 'FORBIDDEN', 'CONFLICT'],
  async handle({ sql, who, body }) {
    const { uid, vanity_name } = await addListing(sql, who, body)
    return { game_uid: uid, vanity_name, visibility: 'draft' as const }
  },
})

export const readMyListing = route({
  method: 'GET',
  url: '/api/v1/private/games/:uid',
  summary: 'One of your listings, whole',
  auth: developer('mcp:read'),
  params: Type.Object({ uid: Type.String() }),
  data: ListingData,
  errors: ['NOT_FOUND'],
  async handle({ sql, who, params }) {
    const listing = await readListing(sql, params.uid, who.user_uid)
    if (!listing || !canEdit(listing) || (who.game_uid && who.game_uid !== listing.uid)) refuse('NOT_FOUND')
    return shown(listing)
  },
})

export const readPublicListing = route({
  method: 'GET',
  url: '/api/v1/public/games/:game_id',
  summary: 'One listing',
  auth: viewer,
  params: Type.Object({ game_id: Type.String() }),
  data: ListingData,
  errors: ['NOT_FOUND'],
  async handle({ sql, who, params }) {
    const listing = await readListing(sql, params.game_id, who?.user_uid ?? null)
    if (!listing || !canOpenPage(listing)) refuse('NOT_FOUND')
    return shown(listing)
  },
})
