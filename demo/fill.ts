import { setTimeout as pause } from 'node:timers/promises'
import { clearIdentityCache } from '../src/accounts/sessions/identity.ts'
import type { Service } from '../src/service.ts'
import { catalog, type Entry } from './catalog.ts'
import { uploadBuilds } from './fill-builds.ts'
import { addPictures, describe, type Made, publish, relate } from './fill-pages.ts'
import { inviteFriend, playAndReview, reportBugs } from './fill-players.ts'
import { sendCrashes, sendLaunches } from './fill-telemetry.ts'
import { type Api, api, type Person } from './http.ts'
import { developers, mailOf, PASSWORD, players } from './people.ts'
import {
  healthNews,
  leftToScan,
  publishedAgo,
  spreadOut,
  spreadReports,
  verifyEveryone,
} from './queries.ts'
import { type Renderer, startRenderer } from './render.ts'

export type Stage = {
  http: Api
  core: Service['core']
  people: Map<string, Person>
  made: Map<string, Made>
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
  const stage: Stage = { http: api(url), core, people: new Map(), made: new Map(), render }
  try {
    await fillAll(stage, entries, print)
    // One listing is imported from the external store, and its players sign in.
    if (app)
      await stage.http.post(
        '/api/v1/private/steam/import',
        { ...app, enable_auth: true },
        stage.people.get(developers[0]),
      )
    return stage
  } finally {
    stop()
  }
}

async function fillAll(stage: Stage, entries: Entry[], print: (line: string) => void) {
  const { core } = stage
  print('people')
  await register(stage)
  for (const entry of entries) {
    print(entry.name)
    stage.made.set(entry.slug, await makeOne(stage, entry))
  }
  print('waiting for the scanner')
  await until(async () => (await leftToScan(core.sql)) === 0)
  for (const made of stage.made.values()) await publish(stage, made)
  for (const made of stage.made.values()) await relate(stage, made)
  print('players')
  for (const made of stage.made.values()) await playAndReview(stage, made)
  await reportBugs(stage)
  await inviteFriend(stage)
  for (const { uid, entry } of stage.made.values())
    if (!entry.visibility) await publishedAgo(core.sql, uid, entry.days_ago)
  await spreadOut(core.sql)
  await spreadReports(core.sql)
  await core.jobs.send(core.sql, 'telemetry.health')
  await until(async () => (await healthNews(core.sql)) === 0)
}

async function register({ http, core, people }: Stage) {
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

async function makeOne(stage: Stage, entry: Entry): Promise<Made> {
  const owner = stage.people.get(entry.by)!
  const { game_uid: uid } = await stage.http.post(
    '/api/v1/private/games',
    {
      name: entry.name,
      vanity_name: entry.slug,
      asset_type: entry.asset_type ?? 'game',
      tagline: entry.tagline,
    },
    owner,
  )
  const made: Made = { entry, uid, owner, builds: [] }
  await describe(stage, made)
  await addPictures(stage, made)
  await uploadBuilds(stage, made)
  await sendLaunches(stage, made)
  await sendCrashes(stage, made)
  return made
}

async function until(done: () => Promise<boolean>, seconds = 120) {
  for (const deadline = Date.now() + seconds * 1000; !(await done()); await pause(200))
    if (Date.now() > deadline) throw new Error(`waited ${seconds} seconds in vain`)
}
