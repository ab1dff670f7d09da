import { type Static, Type } from 'typebox'
import { recordAudit } from '../../accounts/people/audit-queries.ts'
import type { Identity } from '../../accounts/sessions/identity.ts'
import { developer, website } from '../../accounts/sessions/schemes.ts'
import type { Sql, Tx } from '../../core/database/sql.ts'
import { transact } from '../../core/database/transaction.ts'
import {
  Body,
  Checked,
  Nullable,
  nameSchemas,
  route,
  Timestamp,
  Uid,
} from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { isUuid, uuidv7 } from '../../core/security/crypto.ts'
import { findForEditor, lockForEditor } from '../../listings/listing/edit.ts'
import type { ListingFor } from '../../listings/listing/queries.ts'
import { findListings } from '../../listings/relations/link-queries.ts'
import {
  checkCoupon,
  checkCouponCount,
  checkCouponGames,
  codeTaken,
  notOwnListing,
} from './coupon-input.ts'
import { couponLimits } from './coupon-rules.ts'
import { type CouponRow, endCoupon, insertCoupon, readCoupons } from './queries.ts'

const ListingParams = Type.Object({ uid: Type.String() })
const url = `/api/v1/private/games/:uid/coupons`
/** A coupon can make a game free for everybody, so people make them and keys only read them. */
const auth = website

const CouponData = Type.Object({
  uid: Uid,
  code: Type.String({ description: 'In upper case; buyers may type it in any case' }),
  game_uids: Type.Array(Uid, { description: 'The listings that it is for' }),
  percent: Nullable(Type.Integer()),
  amount_cents: Nullable(Type.Integer({ description: 'What it takes off, in US cents' })),
  max_uses: Nullable(Type.Integer({ description: 'How often it can be used; null: any number' })),
  max_per_person: Type.Integer(),
  uses: Type.Integer({ description: 'How often it was used' }),
  starts_at: Timestamp,
  ends_at: Nullable(Timestamp),
  created_at: Timestamp,
})
nameSchemas({ Coupon: CouponData })
const CouponsData = Type.Object({ coupons: Type.Array(CouponData) })

const showCoupon = (row: CouponRow): Static<typeof CouponData> => ({
  ...row,
  starts_at: row.starts_at.toISOString(),
  ends_at: row.ends_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
})

const listOf = async (sql: Sql, uid: string) => ({
  coupons: (await readCoupons(sql, uid)).map(showCoupon),
})

export const listCouponsRoute = route({
  method: 'GET',
  url,
  summary: 'List the coupons of a project, with how often they were used',
  auth: developer('mcp:money'),
  params: ListingParams,
  data: CouponsData,
  errors: ['NOT_FOUND'],
  async handle({ sql, who, params }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    return listOf(sql, uid)
  },
})

/** The uids of the listings of a coupon, that of the project first. */
async function couponListings(
  tx: Tx,
  { who, listing, games }: { who: Identity; listing: ListingFor; games: unknown },
): Promise<string[]> {
  const refs = checkCouponGames(games)
  const others = await findListings(tx, refs, who.user_uid)
  const uids = others.map((other, index) => {
    const may_add = other?.is_editor && (!who.game_uid || who.game_uid === other.uid)
    return may_add && other.owner_uid === listing.owner_uid ? other.uid : notOwnListing(index)
  })
  return [...new Set([listing.uid, ...uids])]
}

export const addCouponRoute = route({
  method: 'POST',
  url,
  summary: 'Make a coupon for a listing, and for others of the same developer',
  auth,
  step_up: true,
  params: ListingParams,
  body: Body({
    code: Checked(Type.String({ maxLength: couponLimits.code })),
    percent: Type.Optional(Checked(Nullable(Type.Integer({ minimum: 1, maximum: 100 })))),
    amount_cents: Type.Optional(Checked(Nullable(Type.Integer({ minimum: 1 })))),
    max_uses: Type.Optional(
      Checked(Nullable(Type.Integer({ minimum: 1, maximum: couponLimits.uses }))),
    ),
    max_per_person: Type.Optional(
      Checked(Type.Integer({ minimum: 1, maximum: couponLimits.per_person, default: 1 })),
    ),
    games: Type.Optional(
      Checked(
        Type.Array(Type.String(), {
          maxItems: couponLimits.listings,
          description: 'Further listings: uids or vanity names',
        }),
      ),
    ),
    starts_at: Type.Optional(Nullable(Timestamp)),
    ends_at: Type.Optional(Nullable(Timestamp)),
  }),
  status: 201,
  data: CouponsData,
  errors: ['NOT_FOUND', 'INVALID_COUPON'],
  async handle({ core, sql, who, params, body }) {
    const { max_price_cents } = core.settings.current
    const uid = await transact(sql, async (tx) => {
      const listing = await lockForEditor(tx, who, params.uid)
      const coupon = checkCoupon(body, { max_price_cents, now: new Date() })
      const game_uids = await couponListings(tx, { who, listing, games: body.games })
      const coupons = await readCoupons(tx, listing.uid)
      if (coupons.some(({ code }) => code === coupon.code)) codeTaken(coupon.code)
      checkCouponCount(coupons.length)
      await insertCoupon(tx, { uid: uuidv7(), game_uid: listing.uid, game_uids, ...coupon })
      await recordAudit(tx, {
        user_uid: who.user_uid,
        game_uid: listing.uid,
        action: 'payments.add-coupon',
        detail: { code: coupon.code },
      })
      return listing.uid
    })
    return listOf(sql, uid)
  },
})

export const endCouponRoute = route({
  method: 'DELETE',
  url: `${url}/:coupon_uid`,
  summary: 'End a coupon; orders that were made with it stay as they are',
  auth,
  step_up: true,
  params: Type.Object({ uid: Type.String(), coupon_uid: Type.String() }),
  data: CouponsData,
  errors: ['NOT_FOUND'],
  async handle({ sql, who, params }) {
    const uid = await transact(sql, async (tx) => {
      const listing = await lockForEditor(tx, who, params.uid)
      const { coupon_uid } = params
      if (!isUuid(coupon_uid) || !(await endCoupon(tx, listing.uid, coupon_uid)))
        refuse('NOT_FOUND')
      await recordAudit(tx, {
        user_uid: who.user_uid,
        game_uid: listing.uid,
        action: 'payments.end-coupon',
        detail: { coupon: coupon_uid },
      })
      return listing.uid
    })
    return listOf(sql, uid)
  },
})

export const couponRoutes = [listCouponsRoute, addCouponRoute, endCouponRoute]
