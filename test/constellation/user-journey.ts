import assert from 'node:assert/strict'
import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Random } from '../../demo/random.ts'
import type { Extstore } from '../../sim/extstore.ts'
import { addon } from '../assets/fixtures.ts'
import { report } from '../bugs/fixtures.ts'
import { unsigned } from '../bugs/hooks.ts'
import type { Hook } from '../bugs/receivers.ts'
import type { Client } from '../support/app.ts'
import { builders, complete, type Listing, must, type Person } from '../support/builders.ts'
import { EICAR, sha256, zip } from '../uploads/zips.ts'
import { type DeployKey, uploadInChunks } from './chunked-upload.ts'
import { clientAt, download, retryWhileDown, Unavailable } from './client.ts'

export type JourneyOptions = {
  url: string
  /** The folder that contains the outbox of mails. */
  data_dir: string
  store: Extstore
  /** Receives the webhooks of bug reports. */
  receiver: { url: string; received: Hook[] }
  random: Random
  /** Called after each step, with the number of retries because a component was down. */
  onStep: (name: string, retries: number) => void
}
type JourneyContext = JourneyOptions & {
  http: Client
  address: string
  a: ReturnType<typeof builders>
  /** Performs an idempotent action, with retries while a component is down. */
  step: <T>(name: string, action: () => Promise<T>) => Promise<T>
}

const GAMES = '/api/v1/private/games'
const POLL_SECONDS = 120
let journeys = 0
/** Makes names unique, also across runs against the same database. */
let sequence = Date.now() % 100_000_000

/**
 * Performs everything that a developer and their players do, through one URL. Every step is
 * idempotent.
 */
export async function runJourney(options: JourneyOptions): Promise<void> {
  const context = journeyContext(options)
  const { step, a, random } = context
  const owner = await step('account', () =>
    a.verifiedDeveloper({ username: `journey-${++sequence}` }),
  )
  const game = await createListing(context, owner, 'game', complete)
  const build = await uploadBuild(context, game, {
    version: '1.0',
    bytes: gameZip(random.integer(200_000, 3_000_000)),
  })
  await publishListing(context, game)
  await findListing(context, game)
  await downloadSignedOut(context, build)
  await moveChannels(context, game, build)
  await uploadInfectedFile(context, game)
  await sendTelemetry(context, game, build)
  await reportBug(context, game)
  await downloadPressKit(context, game)
  await signInStorePlayer(context, owner)
  await installAsset(context, owner)
}

function journeyContext(options: JourneyOptions): JourneyContext {
  journeys++
  const address = `127.1.${(journeys >> 8) & 255}.${journeys & 255}`
  const http = clientAt(address, options.url)
  const step = async <T>(name: string, action: () => Promise<T>) => {
    let retries = 0
    const result = await retryWhileDown(name, action, () => void retries++)
    options.onStep(name, retries)
    return result
  }
  return { ...options, http, address, a: builders(http, options.data_dir), step }
}

/** Polls until there is a result, for as long as a component may need to come back. */
async function waitFor<T>(name: string, poll: () => Promise<T | undefined | false>): Promise<T> {
  for (
    const deadline = performance.now() + POLL_SECONDS * 1000;
    performance.now() < deadline;
    await pause(200)
  ) {
    const result = await poll().catch((error) => {
      if (error instanceof Unavailable) return undefined
      throw error
    })
    if (result !== undefined && result !== false) return result
  }
  throw new Error(`waited ${POLL_SECONDS} seconds for ${name}`)
}

const gameZip = (size: number) => zip([{ name: 'game/play', body: randomBytes(size), method: 0 }])

/** Creates a listing that is complete enough to be published. */
async function createListing(
  { step, http, a }: JourneyContext,
  owner: Person,
  asset_type: string,
  taxonomy: object,
): Promise<Listing & { name: string }> {
  const name = `Journey ${++sequence}`
  const listing = await step('listing', () => a.listing({ owner, name, asset_type }))
  const url = `${GAMES}/${listing.uid}`
  const texts = { tagline: 'A tagline', description: 'A description' }
  await step('texts', async () => must(await http.patch(url, texts, owner)))
  await step('taxonomy', async () => must(await http.put(`${url}/taxonomy`, taxonomy, owner)))
  await step('images', async () => {
    const media = must(await http.get(`${url}/media`, owner))
    if (media.gallery.length < 4) await a.images(listing)
  })
  return { ...listing, name }
}

type NewBuild = { version: string; bytes: Buffer; engine_version?: string }
type UploadedBuild = { build_id: string; file_uid: string; checksum: string }

/** Registers a build, uploads its file in chunks and waits for its scan. */
async function uploadBuild(
  { step, http, a, random }: JourneyContext,
  listing: Listing,
  { bytes, ...fields }: NewBuild,
): Promise<UploadedBuild> {
  const deploy_key = await step('deploy key', () => a.deployer(listing))
  const { build_id } = await step('build', async () => {
    const registered = await http.post(
      '/api/v1/tool/upload/build',
      { os: 'linux', arch: 'x86_64', ...fields },
      deploy_key,
    )
    if (registered.status < 300) return must(registered)
    // The first attempt succeeded, but its response was lost.
    const builds = await listBuilds(http, deploy_key)
    return builds.find((build) => build.version === fields.version) ?? must(registered)
  })
  const file_uid = await step('upload in chunks', () =>
    uploadInChunks({ http, deploy_key, build_id, bytes, random }),
  )
  await step('scan', () =>
    waitFor('a clean scan', async () => (await scanState(http, deploy_key, file_uid)) === 'clean'),
  )
  return { build_id, file_uid, checksum: sha256(bytes) }
}

async function listBuilds(http: Client, deploy_key: DeployKey): Promise<any[]> {
  return must(await http.get('/api/v1/tool/builds?page_size=100', deploy_key)).builds
}

async function scanState(http: Client, deploy_key: DeployKey, file_uid: string): Promise<string> {
  const builds = await listBuilds(http, deploy_key)
  const files = builds.flatMap((build) => build.files)
  return files.find((file) => file.file_uid === file_uid)?.scan
}

async function publishListing({ step, http }: JourneyContext, { uid, owner }: Listing) {
  await step('publish', async () => {
    must(await http.patch(`${GAMES}/${uid}`, { visibility: 'public' }, owner))
    const consent = { enabled: true, confirm_no_license: true }
    must(await http.put(`${GAMES}/${uid}/anonymous-downloads`, consent, owner))
  })
  const page = await step('public page', () => http.get(`/api/v1/public/games/${uid}`))
  assert.equal(page.status, 200)
}

async function findListing(
  { step, http }: JourneyContext,
  { name, vanity_name, owner }: Listing & { name: string },
) {
  const search = `/api/v1/public/search?q=${encodeURIComponent(name)}`
  await step('search', () =>
    waitFor('the search result', async () =>
      must(await http.get(search)).items.some((item: any) => item.name === name),
    ),
  )
  const page = await step('web page', () =>
    http.get(`/${owner.username}/${vanity_name}`, { headers: { accept: 'text/html' } }),
  )
  assert.equal(page.status, 200)
  assert.ok(page.body.includes(name), 'the page does not show the name')
}

async function downloadSignedOut(
  { step, http, address }: JourneyContext,
  { file_uid, checksum }: UploadedBuild,
) {
  await step('signed-out download', async () => {
    const { url } = must(await http.get(`/api/v1/public/downloads/${file_uid}`))
    assert.equal(sha256(await download(url, address)), checksum)
  })
}

/** A newer build moves its channel; an older build is promoted to another channel. */
async function moveChannels(context: JourneyContext, game: Listing, older: UploadedBuild) {
  const { step, http } = context
  const newer = await uploadBuild(context, game, { version: '1.1', bytes: gameZip(50_000) })
  const url = `${GAMES}/${game.uid}/channels`
  const head = async (name: string) => {
    const { items, channels } = must(await http.get(url, game.owner))
    return (items ?? channels).find(({ channel }: any) => channel === name)?.build_id
  }
  await step('channel move', () =>
    waitFor('the channel move', async () => (await head('stable')) === newer.build_id),
  )
  await step('promote', async () =>
    must(await http.put(`${url}/beta`, { build_id: older.build_id }, game.owner)),
  )
  await step('promoted', async () => assert.equal(await head('beta'), older.build_id))
}

async function uploadInfectedFile({ step, http, a, random }: JourneyContext, game: Listing) {
  const deploy_key = await step('deploy key', () => a.deployer(game))
  const bytes = zip([{ name: 'game/play', body: EICAR }])
  const build = { version: '0.1', os: 'windows', arch: 'x86_64' }
  const { build_id } = await step('build', async () =>
    must(await http.post('/api/v1/tool/upload/build', build, deploy_key)),
  )
  const file_uid = await step('upload in chunks', () =>
    uploadInChunks({ http, deploy_key, build_id, bytes, random }),
  )
  await step('virus found', () =>
    waitFor('the virus', async () => (await scanState(http, deploy_key, file_uid)) === 'infected'),
  )
  const { status } = await step('refused download', () =>
    http.get(`/api/v1/public/downloads/${file_uid}`),
  )
  assert.ok(status === 404 || status === 409, `an infected file is offered: ${status}`)
}

async function sendTelemetry(
  { step, http }: JourneyContext,
  game: Listing,
  { build_id }: UploadedBuild,
) {
  const headers = { 'x-app-id': game.uid, 'x-build-id': build_id }
  const device_uid = randomUUID()
  const events = ['session_start', 'boot_ok', 'session_end'].map((event) => ({
    event,
    device_uid,
    event_id: randomUUID(),
    ms: 5,
    seconds: 60,
  }))
  await step('events', async () => {
    const { body } = await http.post('/api/v1/public/events', { events }, { headers })
    assert.deepEqual(body.data, { accepted: 3 })
  })
  const user_message = 'The game closed'
  const crash = { app_name: 'Journey', app_version: '1.0', os: 'linux', user_message }
  const { id } = await step('crash', async () =>
    must(await http.post('/api/v1/public/crashes', crash, { headers })),
  )
  const stored = await step('crash read', async () =>
    must(await http.get(`${GAMES}/${game.uid}/crashes/${id}`, game.owner)),
  )
  assert.equal(stored.user_message, user_message)
}

async function reportBug({ step, http, a, receiver }: JourneyContext, { uid, owner }: Listing) {
  const settings = { enabled: true, webhook_urls: [`${receiver.url}/${uid}`] }
  const { signing_key } = await step('bug reporter', async () =>
    must(await http.put(`${GAMES}/${uid}/bug-reporter`, settings, owner)),
  )
  const player = await step('player', () => a.verified({ username: `player-${++sequence}` }))
  const { token } = await step('player token', async () =>
    must(await http.post(`${GAMES}/${uid}/player-token`, undefined, player)),
  )
  const { bug_uid } = await step('bug report', async () => {
    const fields = report({ message: 'A door does not open' }, { log: 'creak' })
    return must(await http.call('POST', `/api/v1/games/${uid}/bugs`, { ...fields, token }))
  })
  const delivery = await step('webhook', () =>
    waitFor('the webhook', async () =>
      receiver.received.find(({ json }) => json?.bug_uid === bug_uid),
    ),
  )
  const { text, signature } = unsigned(delivery.body)
  assert.equal(signature, createHmac('sha1', signing_key).update(text).digest('hex'))
}

/** A cover, a thumbnail and four gallery images. */
const PAGE_IMAGES = 6

async function downloadPressKit(
  { step, http, url, address }: JourneyContext,
  { uid, owner }: Listing,
) {
  await step('press kit', async () =>
    must(await http.put(`${GAMES}/${uid}/press`, { history: 'A history' }, owner)),
  )
  await step('press zip', async () => {
    const bytes = await download(`${url}/api/v1/public/games/${uid}/press.zip`, address)
    assert.equal(bytes.readUInt32LE(0), 0x04034b50)
    const end = bytes.subarray(-22)
    assert.equal(end.readUInt32LE(0), 0x06054b50, 'the press zip is cut short')
    assert.ok(end.readUInt16LE(10) > PAGE_IMAGES, 'the press zip is incomplete')
  })
}

/**
 * Imports an app of the external store, signs its player in with a ticket, and verifies the token
 * from the server of the developer.
 */
async function signInStorePlayer({ step, http, store }: JourneyContext, owner: Person) {
  const app_id = 7_000_000 + ++sequence
  store.control.app({ app_id, name: `App ${app_id}`, type: 'game' })
  store.control.page({ app_id, data: {} })
  const { key: web_api_key } = store.control.key({ apps: [app_id] })
  const app = { app_id, web_api_key, enable_auth: true }
  const { game_uid } = await step('import', async () =>
    must(await http.post('/api/v1/private/steam/import', app, owner)),
  )
  const path = `${GAMES}/${game_uid}/steam`
  const { auth } = await step('sign-in settings', async () => must(await http.get(path, owner)))
  const { auth_key } = await step('sign-in key', async () =>
    must(await http.get(`${path}/auth-key`, owner)),
  )
  const { id: account } = store.control.account({ name: 'Player' })
  store.control.own({ account, app_id })
  const { token } = await step('sign-in', async () => {
    const identity = auth.ticket_key
    const { ticket } = store.control.ticket({ app_id, account, identity, bytes: 64 })
    return must(await http.post(`/api/v1/extstore/${game_uid}/auth`, { ticket }))
  })
  const verify = `/api/v1/extstore/${game_uid}/server/verify`
  const verified = await step('verify', async () =>
    must(await http.post(verify, { token }, { token: auth_key })),
  )
  assert.equal(verified.valid, true)
}

/** Finds and installs a package as editors do. */
async function installAsset(context: JourneyContext, owner: Person) {
  const { step, http, address } = context
  const taxonomy = { tags: complete.tags, engines: ['godot'] }
  const listing = await createListing(context, owner, 'dev_asset', taxonomy)
  const bytes = addon(`kit_${sequence}`)
  await uploadBuild(context, listing, { version: '1.0', bytes, engine_version: '3.2' })
  await publishListing(context, listing)
  const editor = { headers: { 'user-agent': 'GodotEngine/3.2.3 (X11)' } }
  const library = '/api/v1/public/asset-library/asset'
  const query = `godot_version=3.2&filter=${encodeURIComponent(listing.name)}`
  const { asset_id } = await step('asset library', () =>
    waitFor('the package', async () => {
      const { body } = await http.get(`${library}?${query}`, editor)
      return body.result?.find((asset: any) => asset.title === listing.name)
    }),
  )
  await step('asset install', async () => {
    const { status, headers } = await http.get(`${library}/${asset_id}/download`, editor)
    assert.equal(status, 302)
    assert.ok((await download(headers.location!, address)).equals(bytes))
  })
}
