import { Type } from 'typebox'
import { player } from '../../accounts/sessions/schemes.ts'
import { pageData, pageQuery, paging } from '../../core/http/paging.ts'
import { Nullable, nameSchemas, OneOf, route, Timestamp, Uid } from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { isUuid } from '../../core/security/crypto.ts'
import { acceptGift, declineGift, giftErrors } from './decide.ts'
import { giftPath } from './link.ts'
import { findGiftFor, type GiftRow, listWaitingGifts } from './queries.ts'
import { giftState, giftStates } from './states.ts'

const GIFTS = '/api/v1/private/gifts'
const params = Type.Object({ gift_uid: Type.String() })

const GiftData = Type.Object({
  uid: Uid,
  state: OneOf(giftStates, { description: 'waiting until you accept or decline it' }),
  game_uid: Nullable(Uid),
  title: Type.String({
    description: 'What it is; empty for adult content that you did not turn on',
  }),
  edition_name: Type.String({ description: 'Empty without an edition' }),
  adult: Type.Boolean({ description: 'Whether it has adult content' }),
  given_by: Nullable(Type.String({ description: 'The username of the buyer' })),
  url: Type.String({ description: 'The page on which a person accepts or declines it' }),
  created_at: Timestamp,
})
nameSchemas({ Gift: GiftData })

/** What a receiver learns of a gift: nothing of adult content that they did not turn on. */
export const showGift = (core: Core, gift: GiftRow, shows_adult: boolean) => {
  const is_named = shows_adult || !gift.adult
  return {
    uid: gift.uid,
    state: giftState(gift.order_state, gift.state),
    game_uid: is_named ? gift.game_uid : null,
    title: is_named ? gift.title : '',
    edition_name: is_named ? gift.edition_name : '',
    adult: gift.adult,
    given_by: gift.giver,
    url: `${core.addresses.web_url}${giftPath(core, gift.uid)}`,
    created_at: gift.created_at.toISOString(),
  }
}

type Person = { user_uid: string; show_adult: boolean }

const requireGift = async ({ sql }: Core, { user_uid }: Person, uid: string): Promise<GiftRow> =>
  (isUuid(uid) && (await findGiftFor(sql, uid, user_uid))) || refuse('NOT_FOUND')

const present = async (core: Core, who: Person, uid: string) =>
  showGift(core, await requireGift(core, who, uid), who.show_adult)

export const listGiftsRoute = route({
  method: 'GET',
  url: GIFTS,
  summary: 'List the gifts that wait for you, newest first',
  description: 'Paid gifts to your username, or to your mail address once you have verified it.',
  auth: player('player:read'),
  query: Type.Object({ ...pageQuery }),
  data: Type.Object({ items: Type.Array(GiftData), ...pageData }),
  async handle({ core, sql, who, query }) {
    const { page, page_size, ...window } = paging(query)
    const { rows, total } = await listWaitingGifts(sql, who.user_uid, window)
    return {
      items: rows.map((gift) => showGift(core, gift, who.show_adult)),
      total,
      page,
      page_size,
    }
  },
})

export const acceptGiftRoute = route({
  method: 'POST',
  url: `${GIFTS}/:gift_uid/accept`,
  summary: 'Accept a gift: the copy is then in your library',
  auth: player('player:write'),
  params,
  data: GiftData,
  errors: [...giftErrors, 'EMAIL_NOT_VERIFIED', 'CONFLICT'],
  async handle({ core, who, params }) {
    const { uid } = await requireGift(core, who, params.gift_uid)
    await acceptGift(core, who, uid)
    return present(core, who, uid)
  },
})

export const declineGiftRoute = route({
  method: 'POST',
  url: `${GIFTS}/:gift_uid/decline`,
  summary: 'Decline a gift: its buyer can then return it',
  auth: player('player:write'),
  params,
  data: GiftData,
  errors: [...giftErrors],
  async handle({ core, who, params }) {
    const { uid } = await requireGift(core, who, params.gift_uid)
    await declineGift(core, uid)
    return present(core, who, uid)
  },
})

export const giftRoutes = [listGiftsRoute, acceptGiftRoute, declineGiftRoute]
