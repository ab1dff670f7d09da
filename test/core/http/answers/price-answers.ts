import { createKey, spellKey } from '../../../../src/library/keys/redeem-key.ts'
import { must } from '../../../support/builders.ts'
import { GAMES, type Producer, type World } from './private-world.ts'

const ends_at = () => new Date(Date.now() + 3_600_000).toISOString()

/** A request of the owner of a new listing with a price. */
async function priced(world: World) {
  const made = await world.fresh()
  must(await world.patch(`${GAMES}/${made.listing.uid}`, { price_cents: 2000 }, made))
  return made
}

const own =
  (body: () => object): Producer =>
  async (world) => ({ ...(await priced(world)), body: body() })

/** A request about something that a POST of the owner made. */
const about =
  (path: string, body: () => object, value: (data: any) => Record<string, string>): Producer =>
  async (world) => {
    const made = await priced(world)
    const data = must(await world.post(`${GAMES}/${made.listing.uid}/${path}`, body(), made))
    return { ...made, values: { ...made.values, ...value(data) } }
  }

const sale = () => ({ percent: 10, ends_at: ends_at() })
const coupon = () => ({ code: 'SAMPLE', percent: 10 })
const batch = () => ({ label: 'Reviewers', size: 1 })

const event = () => ({ name: 'Autumn', starts_at: new Date().toISOString(), ends_at: ends_at() })

/** A request of a verified person with a key of a new listing. */
const withKey = async (world: World) => {
  const made = await priced(world)
  const { keys } = must(await world.post(`${GAMES}/${made.listing.uid}/key-batches`, batch(), made))
  return { made, key: keys[0] as string, person: await world.a.verified() }
}

const review = { kind: 'press', outlet: 'A paper', url: 'https://paper.example/' }

/** A public listing whose owner takes requests for keys, and a person who may ask. */
async function withReviewer(world: World, open = true) {
  const made = await world.fresh({ is_public: true })
  must(await world.put(`${GAMES}/${made.listing.uid}/key-requests`, { open }, made))
  return { made, person: await world.a.verified() }
}

const asReviewer =
  (body: () => object, open?: boolean): Producer =>
  async (world) => {
    const { made, person } = await withReviewer(world, open)
    return { token: person.token, values: made.values, body: body() }
  }

/** Answers about prices, sales, coupons and redeem keys. */
export const priceAnswers: Record<string, Producer> = {
  'put_private_games_uid_offers 200': own(() => ({ pay_what_you_want: true })),
  'put_private_games_uid_offers 422': own(() => ({ suggested_cents: 1, pay_what_you_want: true })),
  'post_private_games_uid_sales 201': own(sale),
  'post_private_games_uid_sales 422': own(() => ({ ...sale(), percent: 96 })),
  'delete_private_games_uid_sales_sale_uid 200': about('sales', sale, ({ sales }) => ({
    sale_uid: sales[0].uid,
  })),
  'post_private_operations_sale_events 201': ({ owner }) => ({
    token: owner.token,
    body: event(),
  }),
  'post_private_operations_sale_events 422': ({ owner }) => ({
    token: owner.token,
    body: { ...event(), name: ' ' },
  }),
  'delete_private_operations_sale_events_uid 200': async (world) => {
    const { token } = world.owner
    const path = '/api/v1/private/operations/sale-events'
    const { uid } = must(await world.post(path, event(), { token }))
    return { token, values: { uid } }
  },
  'post_private_games_uid_coupons 201': own(coupon),
  'post_private_games_uid_coupons 422': own(() => ({ ...coupon(), percent: 101 })),
  'delete_private_games_uid_coupons_coupon_uid 200': about('coupons', coupon, ({ coupons }) => ({
    coupon_uid: coupons[0].uid,
  })),
  'post_private_games_uid_key_batches 201': own(batch),
  'post_private_games_uid_key_batches 422': own(() => ({ ...batch(), size: 0 })),
  'delete_private_games_uid_key_batches_batch_uid 200': about(
    'key-batches',
    batch,
    ({ batch: made }) => ({ batch_uid: made.uid }),
  ),
  'post_private_redeem 200': async (world) => {
    const { key, person } = await withKey(world)
    return { token: person.token, body: { key } }
  },
  'post_private_redeem 409': async ({ a }) => ({
    token: (await a.verified()).token,
    body: { key: spellKey(createKey()) },
  }),
  'put_private_games_uid_key_requests 200': own(() => ({ open: true })),
  'post_private_games_uid_key_requests 201': asReviewer(() => review),
  'post_private_games_uid_key_requests 409': asReviewer(() => review, false),
  'post_private_games_uid_key_requests 422': asReviewer(() => ({ ...review, url: 'x' })),
  'post_private_games_uid_key_requests_request_uid 200': async (world) => {
    const { made, person } = await withReviewer(world)
    const path = `${GAMES}/${made.listing.uid}/key-requests`
    const { uid } = must(await world.post(path, review, person))
    const values = { ...made.values, request_uid: uid as string }
    return { ...made, values, body: { decision: 'decline' } }
  },
}
