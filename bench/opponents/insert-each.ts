import type { AddressInfo } from 'node:net'
import { addresses, readConfig } from '../../src/core/config.ts'
import { createCore } from '../../src/core/core.ts'
import { createLog } from '../../src/core/log.ts'
import { type Input, route } from '../../src/core/route.ts'
import { createServer } from '../../src/core/server.ts'
import { jobs } from '../../src/jobs.ts'
import { postEvents } from '../../src/telemetry/event-routes.ts'
import type { Game } from '../../src/telemetry/schemes.ts'

/** The same route with the same checks, and one insert for each request. */
const config = readConfig({ ...process.env, PORT: '0', METRICS_PORT: 'off', LOG_LEVEL: 'fatal', PROXY_HOPS: '1' })
const core = await createCore(config, config.database_url!, jobs, createLog(config))
const same = postEvents
const each = route({
  ...(same as object),
  async handle({ sql, body, who }: Input<Game, unknown, unknown, { events: unknown[] }>) {
    const { events } = body
    const rows = events.map((one) => ({ day: new Date(), build_uid: who.build_uid, events: JSON.stringify([one]) }))
    for (const row of rows)
      await sql.begin(async (tx) => {
        await tx`set local synchronous_commit = on`
        await tx`insert into event_packs (day, build_uid, events) values (${row.day}, ${row.build_uid}, ${row.events}::text::json)`
      })
    return { accepted: events.length }
  },
} as never)
const app = await createServer(core, [each])
await app.listen({ host: '127.0.0.1', port: 0 })
const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
Object.assign(core.addresses, addresses(config, url))
process.stdout.write(`ready ${url}\n`)
process.on(
  'SIGTERM',
  () =>
    void app
      .close()
      .then(() => core.close())
      .then(() => process.exit(0)),
)
