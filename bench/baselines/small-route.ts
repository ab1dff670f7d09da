import { Type } from 'typebox'
import { insertSession } from '../../src/accounts/sessions/queries.ts'
import { viewer } from '../../src/accounts/sessions/schemes.ts'
import { route } from '../../src/core/http/route.ts'
import { createServer } from '../../src/core/http/server.ts'
import { sha256, uuidv7 } from '../../src/core/security/crypto.ts'
import { overall, perIp } from '../../src/core/security/limits.ts'
import { announce } from '../support/baseline.ts'
import { insertOwner, startBenchService } from '../support/listing-service.ts'

/**
 * A small route with all features: envelope, schemas, a signed-in player, two limits, request log
 * and metrics.
 */
const small = route({
  method: 'GET',
  url: '/small',
  summary: 'A small answer',
  auth: viewer,
  limits: [perIp(1e9), overall(1e9)],
  data: Type.Object({
    currency: Type.String(),
    min_price_cents: Type.Integer(),
    max_price_cents: Type.Integer(),
    free_allowed: Type.Boolean(),
  }),
  handle: () => ({
    currency: 'USD',
    min_price_cents: 99,
    max_price_cents: 50_000,
    free_allowed: true,
  }),
})

const service = await startBenchService()
const user_uid = await insertOwner(service.core.sql)
const token_hash = sha256(process.env.BENCH_TOKEN ?? '')
await insertSession(
  service.core.sql,
  { uid: uuidv7(), user_uid, token_hash, expires_at: new Date(Date.now() + 3_600_000) },
  'none',
)
const app = await createServer(service.core, [small])
const url = await app.listen({ host: '127.0.0.1', port: 0 })
announce(`${url}/small`, async () => {
  await app.close()
  await service.stop()
})
