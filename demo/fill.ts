import { setTimeout as pause } from 'node:timers/promises'
import { clearIdentityCache } from '../src/accounts/sessions/identity.ts'
import type { Service } from '../src/service.ts'
import { catalog, type Entry } from './catalog.ts'
import { uploadBuilds } from './fill-builds.ts'
import { addImages, type DemoListing, describe, publish, relate } from './fill-pages.ts'
import { inviteFriend, playAndReview, reportBugs } from './fill-players.ts'
import { sendCrashes, sendLaunches } from './fill-telemetry.ts'
import { type Api, api, type Person } from './http.ts'
import { developers, mailOf, PASSWORD, players } from './people.ts'
import {
  backdateListing,
  countPendingHealth,
  countPendingScans,
  spreadActivity,
  spreadReports,
  verifyEveryone,
} from './queries.ts'
import { type Renderer, startRenderer } from './render.ts'

export type DemoContext = {
  http: Api
  core: Service['core']
  people: Map<string, Person>
  listings: Map<string, DemoListing>
  render: Renderer['render']
}
/** An app of the external store, and a key that covers it. */
export type StoreApp = { app_id: number; web_api_key: string }
type Options = { print?: (line: string) => void; entries?: Entry[]; app?: StoreApp }

/** Fills the catalog through the API, as people, build machines and games would. */
export async function fill(
  { url, core }: Pick<Service, 'url' | 'core'>,
  { print = () => {}, entries = catalog, app }: Options = {},
) {
  const { render, stop } = startRenderer()
  const people = new Map<string, Person>()
  const context: DemoContext = { http: api(url), core, people, listings: new Map(), render }
  try {
    await fillAll(context, entries, print)
    // One listing is imported from the external store, and its players sign in.
    if (app)
      await context.http.post(
        '/api/v1/private/steam/import',
        { ...app, enable_auth: true },
        people.get(developers[0]),
      )
    return context
  } finally {
    stop()
  }
}

async function fillAll(context: DemoContext, entries: Entry[], print: (line: string) => void) {
  const { core, listings } = context
  print('people')
  await register(context)
  for (const entry of entries) {
    print(entry.name)
    listings.set(entry.slug, await createListing(context, entry))
  }
  print('waiting for the scanner')
  await waitUntil(async () => (await countPendingScans(core.sql)) === 0)
  for (const listing of listings.values()) await publish(context, listing)
  for (const listing of listings.values()) await relate(context, listing)
  print('players')
  for (const listing of listings.values()) await playAndReview(context, listing)
  await reportBugs(context)
  await inviteFriend(context)
  for (const { uid, entry } of listings.values())
    if (!entry.visibility) await backdateListing(core.sql, uid, entry.days_ago)
  await spreadActivity(core.sql)
  await spreadReports(core.sql)
  await core.jobs.send(core.sql, 'telemetry.health')
  await waitUntil(async () => (await countPendingHealth(core.sql)) === 0)
}

async function register({ http, core, people }: DemoContext) {
  await Promise.all(
    [...developers, ...players].map(async (username) => {
      const { user, session } = await http.post('/api/v1/private/account/register', {
        username,
        email: mailOf(username),
        password: PASSWORD,
      })
      people.set(username, { uid: user.uid, username, token: session.token })
    }),
  )
  await verifyEveryone(core.sql)
  clearIdentityCache()
  for (const username of developers)
    await http.post(
      '/api/v1/private/account/developer',
      { enabled: true, accept_terms: true },
      people.get(username),
    )
}

async function createListing(context: DemoContext, entry: Entry): Promise<DemoListing> {
  const owner = context.people.get(entry.by)!
  const { game_uid: uid } = await context.http.post(
    '/api/v1/private/games',
    {
      name: entry.name,
      vanity_name: entry.slug,
      asset_type: entry.asset_type ?? 'game',
      tagline: entry.tagline,
    },
    owner,
  )
  const listing: DemoListing = { entry, uid, owner, builds: [] }
  await describe(context, listing)
  await addImages(context, listing)
  await uploadBuilds(context, listing)
  await sendLaunches(context, listing)
  await sendCrashes(context, listing)
  return listing
}

async function waitUntil(isDone: () => Promise<boolean>, seconds = 120) {
  const deadline = Date.now() + seconds * 1000
  while (!(await isDone())) {
    if (Date.now() > deadline) throw new Error(`not done after ${seconds} seconds`)
    await pause(200)
  }
}
