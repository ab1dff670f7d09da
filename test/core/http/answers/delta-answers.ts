import { randomUUID } from 'node:crypto'
import { HOUR, MIB } from '../../../../src/core/runtime/units.ts'
import { hourlyLimits } from '../../../../src/uploads/rate-limits.ts'
import type { Producer, Request, World } from './private-world.ts'

const OPERATION = 'post_tool_upload_deltas'
const entries = [{ path: 'game', size: 1, mode: 420, sha256: '0'.repeat(64) }]

async function request(world: World, fields: object = {}, uses_limit = false): Promise<Request> {
  const made = await world.fresh()
  const build_id = await world.registered(made)
  const { headers } = await world.deployed(made)
  const limit = { points: hourlyLimits.deltas, seconds: HOUR }
  if (uses_limit)
    for (let count = 0; count < limit.points; count++)
      void world.core.limiter.take('game deltas', made.listing.uid, limit)
  return {
    raw: JSON.stringify({ build_id, filename: 'game.zip', entries, ...fields }),
    headers: { ...headers, 'content-type': 'application/json' },
  }
}

export const deltaAnswers: Record<string, Producer> = {
  [`${OPERATION} 200`]: (world) => request(world),
  [`${OPERATION} 400`]: (world) => request(world, { entries: 'all' }),
  [`${OPERATION} 404`]: (world) => request(world, { build_id: randomUUID() }),
  [`${OPERATION} 409`]: (world) => request(world, { base_file_uid: randomUUID() }),
  [`${OPERATION} 413`]: async (world) => ({
    ...(await request(world)),
    raw: Buffer.alloc(65 * MIB, 'a'),
  }),
  [`${OPERATION} 415`]: async (world) => {
    const { headers, ...sent } = await request(world)
    return { ...sent, headers: { ...headers, 'content-encoding': 'br' } }
  },
  [`${OPERATION} 429`]: (world) => request(world, {}, true),
}
