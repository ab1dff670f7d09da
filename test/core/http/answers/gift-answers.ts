import { must } from '../../../support/builders.ts'
import { forSale } from './payment-answers.ts'
import type { Producer, World } from './private-world.ts'

/** A paid gift, and its receiver. */
async function given(world: World) {
  const { body, token: buyer } = await forSale(world)
  const receiver = await world.a.verified()
  const gift = { ...body, gift_to: receiver.username }
  const { order } = must(await world.post('/api/v1/private/orders', gift, { token: buyer }))
  const path = `/api/v1/private/operations/orders/${order.uid}/settle`
  must(await world.post(path, { reference: 'TX' }, { token: world.owner.token }))
  const { items } = must(await world.get('/api/v1/private/gifts', { token: receiver.token }))
  const gift_uid = items[0].uid as string
  return { receiver, token: receiver.token, values: { gift_uid } }
}

const asReceiver: Producer = async (world) => {
  const { token, values } = await given(world)
  return { token, values }
}

/** The gift was declined before. */
const tooLate: Producer = async (world) => {
  const { token, values } = await given(world)
  must(await world.post(`/api/v1/private/gifts/${values.gift_uid}/decline`, undefined, { token }))
  return { token, values }
}

export const giftAnswers: Record<string, Producer> = {
  'post_private_gifts_gift_uid_accept 200': asReceiver,
  'post_private_gifts_gift_uid_accept 409': tooLate,
  'post_private_gifts_gift_uid_accept 403': async (world) => {
    const { receiver, token, values } = await given(world)
    const { uid } = receiver
    await world.sql`update users set email_verified_at = null where uid = ${uid}`
    await world.put('/api/v1/private/settings/adult', { show: false }, { token })
    return { token, values }
  },
  'post_private_gifts_gift_uid_decline 200': asReceiver,
  'post_private_gifts_gift_uid_decline 409': tooLate,
}
