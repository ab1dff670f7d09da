import { createServer } from '../../src/core/http/server.ts'
import { addresses, readConfig } from '../../src/core/runtime/config.ts'
import { createCore } from '../../src/core/runtime/core.ts'
import { createLog } from '../../src/core/runtime/log.ts'
import { jobs } from '../../src/jobs.ts'
import { aggregate, keysByDay } from '../../src/telemetry/events/aggregate.ts'
import type { storeEvents } from '../../src/telemetry/events/event-buffer.ts'
import { writeEvents } from '../../src/telemetry/events/queries.ts'
import { eventsRoute } from '../../src/telemetry/events/routes.ts'
import { dayOf, MAX_AGE_US } from '../../src/telemetry/timestamps.ts'
import { announce } from '../support/baseline.ts'

/**
 * The same route with the same checks, but one write per request: with the counters of the service,
 * or as a plain row without counters.
 */
const config = readConfig({
  ...process.env,
  PORT: '0',
  METRICS_PORT: 'off',
  LOG_LEVEL: 'fatal',
  PROXY_HOPS: '1',
})
const core = await createCore(config, config.database_url!, jobs, createLog(config))

const counted: typeof storeEvents = async ({ sql }, events) => {
  const oldest = dayOf(Date.now() * 1000 - MAX_AGE_US)
  await writeEvents(sql, keysByDay(events, oldest), aggregate(events, new Map()))
}

const bare: typeof storeEvents = async ({ sql }, events) => {
  for (const { build_uid, ...event } of events)
    await sql`insert into event_packs (day, build_uid, events)
      values (now(), ${build_uid}, ${JSON.stringify([{ ...event, key: undefined }])}::text::json)`
}

const app = await createServer(core, [
  eventsRoute('/counted', '', counted),
  eventsRoute('/bare', '', bare),
])
const url = await app.listen({ host: '127.0.0.1', port: 0 })
Object.assign(core.addresses, addresses(config, url))
announce(url, async () => {
  await app.close()
  await core.close()
})
