import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import type { Environment } from '../../src/core/runtime/config.ts'
import { type Call, eventually, startApp } from '../support/app.ts'
import { type Listing, must, newAddress } from '../support/builders.ts'

export const EVENTS = '/api/v1/public/events'
export const CRASHES = '/api/v1/public/crashes'
export type BuildOf = { game_uid: string; build_id: string }

export const idsOf = ({ game_uid, build_id }: BuildOf) => ({
  'x-app-id': game_uid,
  'x-build-id': build_id,
})
/** An object with this number of keys. */
export const keys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${i}`, i]))
export const device = () => randomUUID()

/** Starts a service that trusts client addresses, with helpers that send what games send. */
export async function startTelemetryApp(t: TestContext, env: Environment = {}) {
  const app = await startApp(t, { PROXY_HOPS: '1', ...env })
  const { post, get, sql, core } = app
  const ci = new Map<string, Call>()
  async function build(listing: Listing, fields: object = {}): Promise<BuildOf> {
    if (!ci.has(listing.uid)) ci.set(listing.uid, await app.a.deployer(listing))
    const made = must(
      await post(
        '/api/v1/tool/upload/build',
        { version: '1.0', os: 'linux', arch: 'x86_64', ...fields },
        ci.get(listing.uid),
      ),
    )
    return { game_uid: listing.uid, build_id: made.build_id }
  }
  const send = (to: BuildOf, events: unknown, headers: Record<string, string> = {}) =>
    post(EVENTS, { events }, { headers: { ...idsOf(to), ...newAddress(), ...headers } })
  /** Runs the health job without waiting for its schedule. */
  async function healthOf(listing: Listing, { build_id }: BuildOf) {
    await core.jobs.send(sql, 'telemetry.health')
    await eventually(
      'the health job to finish',
      async () => (await sql`select from health_news`).length === 0,
    )
    return must(
      await get(`/api/v1/private/games/${listing.uid}/builds/${build_id}/health`, listing.owner),
    )
  }
  /** The stored events of these builds, or of all. */
  const stored = (...builds: BuildOf[]) => sql`
    select day, build_uid, received_at, event, at, device, session, value, metadata
    from events
    where ${builds.length ? sql`build_uid in ${sql(builds.map(({ build_id }) => build_id))}` : true}
    order by at, event`
  return { ...app, build, send, healthOf, stored }
}
