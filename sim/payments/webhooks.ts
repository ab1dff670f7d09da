import { createHmac, randomInt } from 'node:crypto'
import { type Event, type Json, newId, seconds, type World } from './world.ts'

/** Events, and their signed deliveries to the service. */

/** The header of a delivery: the time, and the MAC of the time and the body. */
export function signature(secret: string, body: string, at = seconds()): string {
  const mac = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')
  return `t=${at},v1=${mac}`
}

const copyOf = (object: Json): Json => JSON.parse(JSON.stringify(object))

/** Records an event about an object of a connected account, and delivers it as planned. */
export function emit(world: World, type: string, object: Json): Event {
  const { account, ...data } = copyOf(object)
  const event: Event = {
    id: newId('evt'),
    object: 'event',
    api_version: '2026-10-28.dahlia',
    ...(account && { account }),
    created: seconds(),
    data: { object: data },
    livemode: false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type,
  }
  world.events.push(event)
  plan(world, event)
  return event
}

function plan(world: World, event: Event) {
  switch (world.webhook_plan()) {
    case 'deliver':
      return void deliver(world, event)
    case 'doubled':
      deliver(world, event)
      return void deliver(world, event)
    case 'late':
      return void world.held.push(event)
    case 'reordered':
      // In front of another that waits, so that it arrives before what happened before it.
      return void world.held.splice(randomInt(world.held.length + 1), 0, event)
    case 'lost':
      return
  }
}

/** Delivers what was held back, in the order in which it waits. */
export async function deliverLate(world: World): Promise<number> {
  const events = world.held.splice(0)
  for (const event of events) await deliver(world, event)
  return events.length
}

/** Sends an event with a valid signature, whether it was sent before or not. */
export function deliver(world: World, event: Event): Promise<number | undefined> {
  const body = JSON.stringify(event)
  return send(world, event.id, body, signature(world.webhook_secret, body))
}

/** Sends any body with any signature. Undefined if the service did not answer. */
export function send(
  world: World,
  event: string,
  body: string,
  header: string | undefined,
): Promise<number | undefined> {
  if (!world.webhook_url) return Promise.resolve(undefined)
  const delivery = fetch(world.webhook_url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json; charset=utf-8',
      ...(header !== undefined && { 'stripe-signature': header }),
    },
    body,
  }).then(
    async (answer) => {
      await answer.arrayBuffer()
      world.delivered.push({ event, status: answer.status })
      return answer.status
    },
    // The service is down: a webhook that never arrives, until the event is sent again.
    () => undefined,
  )
  world.deliveries.add(delivery)
  return delivery.finally(() => world.deliveries.delete(delivery))
}
