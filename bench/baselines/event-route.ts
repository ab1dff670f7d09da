import { writeFileSync } from 'node:fs'
import { createServer } from '../../src/core/http/server.ts'
import { readConfig } from '../../src/core/runtime/config.ts'
import { startService } from '../../src/service.ts'
import { eventsRoute } from '../../src/telemetry/events/routes.ts'
import { client } from '../../test/support/app.ts'
import { builders, must } from '../../test/support/builders.ts'

/**
 * The events route, on the fast path (BENCH_FAST_PATH=on) or through Fastify. It writes the wrk
 * script with the ids of its build to BENCH_SCRIPT before it is ready.
 */
const config = readConfig({
  ...process.env,
  PORT: '0',
  METRICS_PORT: 'off',
  PROXY_HOPS: '1',
})
const service = await startService(config)
const http = client(service.url)
const make = builders(http, config.data_dir)
const listing = await make.listing({ owner: await make.verifiedDeveloper() })
const { build_id } = must(
  await http.post(
    '/api/v1/tool/upload/build',
    { version: '1', os: 'linux', arch: 'x86_64' },
    await make.deployer(listing),
  ),
)

/** Every request has an address and an event id of its own: the limit counts by address. */
const script = `
local seed = ${Math.floor(Math.random() * 1e9)}
local n = 0
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.headers["X-App-Id"] = "${listing.uid}"
wrk.headers["X-Build-Id"] = "${build_id}"
function request()
  n = n + 1
  local high, low = math.floor(n / 256), n % 256
  wrk.headers["X-Forwarded-For"] = "10." .. math.floor(high / 256) .. "." .. high % 256 .. "." .. low
  local id = seed .. "-" .. n
  return wrk.format(nil, nil, nil, '{"events":[{"event":"level_up","event_id":"' .. id .. '"}]}')
end
`
writeFileSync(process.env.BENCH_SCRIPT!, script)

const route = eventsRoute('/events', 'Events')
const app = await createServer(service.core, [
  { ...route, fast_path: process.env.BENCH_FAST_PATH === 'on' },
])
const url = await app.listen({ host: '127.0.0.1', port: 0 })
process.stdout.write(`ready ${url}/events\n`)
process.on('SIGTERM', async () => {
  await app.close()
  await service.stop()
  process.exit(0)
})
