import { randomUUID } from 'node:crypto'
import type { LaunchBand } from '../src/listings/fields/launch-bands.ts'
import { crashedGame, SYMBOLS } from '../test/telemetry/dumps.ts'
import type { DemoContext } from './fill.ts'
import type { DemoBuild, DemoListing } from './fill-pages.ts'
import { formOf, sha256 } from './http.ts'
import { type Random, random } from './random.ts'

/** Devices, share of successful starts, share of crashes. */
type Fleet = { devices: number; started: number; crashed: number }
const fleets: Record<LaunchBand, Fleet> = {
  excellent: { devices: 140, started: 0.993, crashed: 0.005 },
  healthy: { devices: 90, started: 0.955, crashed: 0.02 },
  mixed: { devices: 70, started: 0.86, crashed: 0.08 },
  problematic: { devices: 60, started: 0.62, crashed: 0.3 },
  unrated: { devices: 9, started: 1, crashed: 0 },
}
const DAYS = 28
const PER_REQUEST = 100
const idsOf = (uid: string, build_id: string) => ({ 'x-app-id': uid, 'x-build-id': build_id })

export async function sendLaunches({ http }: DemoContext, { entry, uid, builds }: DemoListing) {
  for (const build of builds) {
    const fleet = build.health && fleets[build.health]
    if (!fleet) continue
    const events: object[] = launches(random(`${entry.slug} ${build.build_id}`), fleet)
    for (let at = 0; at < events.length; at += PER_REQUEST)
      await http.post(
        '/api/v1/public/events',
        { events: events.slice(at, at + PER_REQUEST) },
        { headers: idsOf(uid, build.build_id) },
      )
  }
}

const DAY = 86_400_000

/** The first launch of each device, and for successful ones later sessions, fewer each day. */
function launches(dice: Random, { devices, started, crashed }: Fleet) {
  return Array.from({ length: devices }, (_, i) => {
    const device_uid = randomUUID()
    const first = Date.now() - dice() ** 1.4 * DAYS * DAY - 7200_000
    const fieldsOf = (run: number, start: number) => (seconds: number) => ({
      device_uid,
      session_id: `${device_uid}-${run}`,
      timestamp: new Date(start + seconds * 1000).toISOString(),
    })
    if (i < devices * crashed) return [{ event: 'crash', ...fieldsOf(1, first)(2) }]
    if (i >= devices * (started + crashed))
      return [{ event: 'session_start', ...fieldsOf(1, first)(0) }]
    const starts = [first]
    for (
      let next = first + dice.integer(1, 4) * DAY;
      next < Date.now() - 7200_000 && dice() < 0.7;
      next += dice.integer(1, 5) * DAY
    )
      starts.push(next)
    return starts.flatMap((start, run) => sessionEvents(dice, fieldsOf(run + 1, start)))
  }).flat()
}

const sessionEvents = (dice: Random, fieldsAt: (seconds: number) => object) => [
  { event: 'session_start', ...fieldsAt(0) },
  { event: 'boot_ok', ms: dice.integer(600, 4200), ...fieldsAt(3) },
  { event: 'session_end', seconds: dice.integer(240, 4800), ...fieldsAt(4800) },
]

const userMessages = [
  'It closed when I opened the map.',
  'Black screen after the logo.',
  'Second time today, always at the lighthouse.',
  '',
]
const adapters = ['Radiant 580', 'Integrated 620', 'Lumen RX', 'Softpipe']

/**
 * Crash reports with dumps and symbols for unhealthy games, and a few text reports for the others.
 */
export async function sendCrashes(context: DemoContext, listing: DemoListing) {
  for (const build of listing.builds) {
    if (build.health !== 'problematic' && build.health !== 'mixed') continue
    await sendSymbols(context, listing, build)
    for (let i = 0; i < (build.health === 'problematic' ? 7 : 3); i++)
      await sendDump(context, listing, build, i)
  }
  const first = listing.builds[0]
  if (first?.health === 'healthy')
    for (const user_message of [
      'The save was empty after an update.',
      'Crash when the controller goes to sleep.',
    ])
      await context.http.post('/api/v1/public/crashes', reportOf(listing, first, user_message, 0), {
        headers: idsOf(listing.uid, first.build_id),
      })
}

const reportOf = (
  { entry }: DemoListing,
  { version, os }: DemoBuild,
  user_message: string,
  number: number,
) => ({
  app_name: entry.name,
  app_version: version,
  os,
  arch: 'x86_64',
  user_message,
  device_uid: randomUUID(),
  metadata: {
    video_adapter: adapters[number % adapters.length],
    locale: ['en', 'de', 'sv', 'ja'][number % 4],
  },
})

async function sendDump(
  { http }: DemoContext,
  listing: DemoListing,
  build: DemoBuild,
  number: number,
) {
  const metadata = JSON.stringify(
    reportOf(listing, build, userMessages[number % userMessages.length]!, number),
  )
  const log = Buffer.from(
    `[0.0] ${listing.entry.name} ${build.version}\n` +
      `[2.1] loading coast\n[2.4] error: texture 0x${number} not found\n`,
  )
  const form = formOf({ metadata }, [
    { name: 'dump', filename: 'crash.dmp', bytes: crashedGame() },
    { name: 'log', filename: 'game.log', bytes: log },
  ])
  await http.post('/api/v1/public/crashes', undefined, {
    headers: idsOf(listing.uid, build.build_id),
    form,
  })
}

async function sendSymbols(
  { http }: DemoContext,
  { uid, owner }: DemoListing,
  { build_id }: DemoBuild,
) {
  const { access_token, secret_key } = await http.post(
    `/api/v1/private/games/${uid}/deploy-keys`,
    undefined,
    owner,
  )
  const bytes = Buffer.from(SYMBOLS)
  const form = formOf({ build_id, checksum: sha256(bytes) }, [
    { name: 'file', filename: 'game.sym', bytes },
  ])
  await http.post('/api/v1/tool/upload/symbols', undefined, {
    headers: { 'x-access-token': access_token, 'x-secret-key': secret_key },
    form,
  })
}
