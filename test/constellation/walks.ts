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
import { form } from '../uploads/forms.ts'
import { EICAR, sha256, zip } from '../uploads/zips.ts'
import { bytesAt, Disturbance, patiently, visitor } from './visitor.ts'

/** The environment of a journey. */
export type Ground = {
  url: string
  /** The folder that contains the outbox of mails. */
  data_dir: string
  store: Extstore
  receiver: { url: string; received: Hook[] }
  random: Random
  /** Called after each step, with the number of disturbances. */
  onStep: (name: string, disturbed: number) => void
}
type Walker = Ground & {
  http: Client
  address: string
  a: ReturnType<typeof builders>
  step: <T>(name: string, deed: () => Promise<T>) => Promise<T>
}
type CI = { headers: Record<string, string> }

const GAMES = '/api/v1/private/games'
const SCAN_SECONDS = 120
let walkers = 0
let made = Date.now() % 100_000_000

/**
 * Performs everything that a developer and their players do, through one URL. Every step is
 * idempotent.
 */
export async function walkAll(ground: Ground): Promise<void> {
  const w = startWalker(ground)
  const owner = await w.step('account', () =>
    w.a.verifiedDeveloper({ username: `walker-${++made}` }),
  )
  const game = await page(w, owner, 'game', complete)
  const first = await shipped(
    w,
    game,
    '1.0',
    zip([
      { name: 'game/play', body: randomBytes(w.random.integer(200_000, 3_000_000)), method: 0 },
    ]),
  )
  await published(w, game)
  await found(w, game)
  await downloaded(w, first)
  await movedOn(w, game, first)
  await infected(w, game)
  await played(w, game, first)
  await reported(w, game)
  await pressed(w, game)
  await signedIn(w, owner)
  await installed(w, owner)
}

function startWalker(ground: Ground): Walker {
  walkers++
  const address = `127.1.${(walkers >> 8) & 255}.${walkers & 255}`
  const http = visitor(ground.url, address)
  const step = async <T>(name: string, deed: () => Promise<T>) => {
    let disturbed = 0
    const done = await patiently(name, deed, () => void disturbed++)
    ground.onStep(name, disturbed)
    return done
  }
  return { ...ground, http, address, a: builders(http, ground.data_dir), step }
}

/** Polls until there is a result, for as long as a component may need to come back. */
async function until<T>(what: string, ask: () => Promise<T | undefined | false>): Promise<T> {
  for (const deadline = Date.now() + SCAN_SECONDS * 1000; Date.now() < deadline; await pause(200)) {
    const answer = await ask().catch((error) => {
      if (error instanceof Disturbance) return undefined
      throw error
    })
    if (answer !== undefined && answer !== false) return answer
  }
  throw new Error(`waited ${SCAN_SECONDS} seconds in vain for ${what}`)
}

async function page(
  { step, http, a }: Walker,
  owner: Person,
  asset_type: string,
  taxonomy: object,
): Promise<Listing & { name: string }> {
  const name = `Walk ${++made}`
  const listing = await step('listing', () => a.listing({ owner, name, asset_type }))
  await step('texts', async () =>
    must(
      await http.patch(
        `${GAMES}/${listing.uid}`,
        { tagline: 'Walked', description: 'All of it' },
        owner,
      ),
    ),
  )
  await step('taxonomy', async () =>
    must(await http.put(`${GAMES}/${listing.uid}/taxonomy`, taxonomy, owner)),
  )
  await step('images', async () => {
    const there = must(await http.get(`${GAMES}/${listing.uid}/media`, owner))
    if (there.gallery.length < 4) await a.images(listing)
  })
  return { ...listing, name }
}

export type Shipped = {
  game: Listing
  ci: CI
  build_id: string
  file_uid: string
  checksum: string
}

/** Registers a build, uploads its file in chunks and waits for its scan. */
async function shipped(
  w: Walker,
  game: Listing,
  version: string,
  bytes: Buffer,
  more: object = {},
): Promise<Shipped> {
  const { step, http, a } = w
  const ci = await step('deploy key', () => a.deployer(game))
  const { build_id } = await step('build', async () => {
    const registered = await http.post(
      '/api/v1/tool/upload/build',
      { version, os: 'linux', arch: 'x86_64', ...more },
      ci,
    )
    if (registered.status < 300) return must(registered)
    // The first attempt succeeded, but its response was lost.
    const { builds } = must(await http.get('/api/v1/tool/builds?page_size=100', ci))
    return builds.find((one: any) => one.version === version) ?? must(registered)
  })
  const file_uid = await step('upload in chunks', () =>
    inChunks(http, ci, build_id, bytes, w.random),
  )
  await step('scan', () =>
    until('the scan', async () => (await scanOf(http, ci, file_uid)) === 'clean'),
  )
  return { game, ci, build_id, file_uid, checksum: sha256(bytes) }
}

async function scanOf(http: Client, ci: CI, file_uid: string): Promise<string> {
  const { builds } = must(await http.get('/api/v1/tool/builds?page_size=100', ci))
  return builds.flatMap((build: any) => build.files).find((one: any) => one.file_uid === file_uid)
    ?.scan
}

/**
 * Continues at the offset that the service reports, and opens a new session if the old one is lost.
 */
export async function inChunks(
  http: Client,
  ci: CI,
  build_id: string,
  bytes: Buffer,
  random: Random,
  onChunk = () => {},
): Promise<string> {
  const checksum = sha256(bytes)
  const raw = String(
    new URLSearchParams({
      filename: 'game.zip',
      total_size: String(bytes.length),
      checksum,
      build_id,
    }),
  )
  const opening = {
    raw,
    headers: { ...ci.headers, 'content-type': 'application/x-www-form-urlencoded' },
  }
  const { session_id } = must(await http.call('POST', '/api/v1/tool/upload/sessions', opening))
  // Use chunks of about the part size of an object store for a large file, so that it has several
  // parts.
  const chunk_bytes: [number, number] =
    bytes.length > 10_000_000 ? [3_000_000, 9_000_000] : [100_000, 1_500_000]
  let [at, acknowledged] = [0, 0]
  for (;;) {
    const end = Math.min(bytes.length, at + random.integer(...chunk_bytes))
    const headers = {
      ...ci.headers,
      'x-upload-session-id': session_id,
      'content-range': `bytes ${at}-${end - 1}/${bytes.length}`,
    }
    const chunk = form([{ name: 'file', filename: 'x', bytes: bytes.subarray(at, end) }], {
      headers,
    })
    const answer = await patiently('a chunk', () =>
      http.call('POST', '/api/v1/tool/upload/files', chunk),
    )
    if (answer.status < 300) onChunk()
    if (answer.status === 201 || answer.body.data?.file_uid) return answer.body.data.file_uid
    const { code } = answer.body.error ?? {}
    if (code === 4047) await pause(200)
    else if (answer.status === 202)
      [at, acknowledged] = [answer.body.data.current_size, answer.body.data.current_size]
    else {
      assert.deepEqual([answer.status, code], [409, 4044], JSON.stringify(answer.body))
      at = answer.body.data.current_size
      assert.ok(at >= acknowledged, `${acknowledged} bytes were acknowledged, and ${at} are left`)
    }
  }
}

async function published({ step, http }: Walker, { uid, owner }: Listing) {
  await step('publish', async () => {
    must(await http.patch(`${GAMES}/${uid}`, { visibility: 'public' }, owner))
    must(
      await http.put(
        `${GAMES}/${uid}/anonymous-downloads`,
        { enabled: true, confirm_no_license: true },
        owner,
      ),
    )
  })
  assert.equal(
    (await step('public page', () => http.get(`/api/v1/public/games/${uid}`))).status,
    200,
  )
}

async function found(
  { step, http }: Walker,
  { name, vanity_name, owner }: Listing & { name: string },
) {
  await step('search', () =>
    until('the search', async () =>
      must(await http.get(`/api/v1/public/search?q=${encodeURIComponent(name)}`)).items.some(
        (one: any) => one.name === name,
      ),
    ),
  )
  const shown = await step('web page', () =>
    http.get(`/${owner.username}/${vanity_name}`, { headers: { accept: 'text/html' } }),
  )
  assert.equal(shown.status, 200)
  assert.ok(shown.body.includes(name), 'the page shows the name')
}

async function downloaded({ step, http, address }: Walker, { file_uid, checksum }: Shipped) {
  await step('signed-out download', async () => {
    const { url } = must(await http.get(`/api/v1/public/downloads/${file_uid}`))
    assert.equal(sha256(await bytesAt(url, address)), checksum)
  })
}

/** A newer build moves its channel; an older one is promoted by hand and rolled back. */
async function movedOn(w: Walker, game: Listing, first: Shipped) {
  const { step, http } = w
  const second = await shipped(
    w,
    game,
    '1.1',
    zip([{ name: 'game/play', body: randomBytes(50_000), method: 0 }]),
  )
  const head = async (channel: string) => {
    const { items, channels } = must(await http.get(`${GAMES}/${game.uid}/channels`, game.owner))
    return (items ?? channels).find((one: any) => one.channel === channel)?.build_id
  }
  await step('channel move', () =>
    until('the channel', async () => (await head('stable')) === second.build_id),
  )
  await step('promote', async () =>
    must(
      await http.put(
        `${GAMES}/${game.uid}/channels/beta`,
        { build_id: first.build_id },
        game.owner,
      ),
    ),
  )
  await step('promoted', async () => assert.equal(await head('beta'), first.build_id))
}

async function infected(w: Walker, game: Listing) {
  const { step, http } = w
  const ci = await step('deploy key', () => w.a.deployer(game))
  const bytes = zip([{ name: 'game/play', body: EICAR }])
  const version = '0.1'
  const { build_id } = await step('build', async () =>
    must(
      await http.post('/api/v1/tool/upload/build', { version, os: 'windows', arch: 'x86_64' }, ci),
    ),
  )
  const file_uid = await step('upload in chunks', () =>
    inChunks(http, ci, build_id, bytes, w.random),
  )
  await step('virus found', () =>
    until('the verdict', async () => (await scanOf(http, ci, file_uid)) === 'infected'),
  )
  const refused = await step('no download of it', () =>
    http.get(`/api/v1/public/downloads/${file_uid}`),
  )
  assert.ok(refused.status === 404 || refused.status === 409, `${refused.status}`)
}

async function played({ step, http }: Walker, game: Listing, { build_id }: Shipped) {
  const headers = { 'x-app-id': game.uid, 'x-build-id': build_id }
  const device_uid = randomUUID()
  const events = ['session_start', 'boot_ok', 'session_end'].map((event) => ({
    event,
    device_uid,
    event_id: randomUUID(),
    ms: 5,
    seconds: 60,
  }))
  await step('events', async () =>
    assert.deepEqual(
      (await http.post('/api/v1/public/events', { events }, { headers })).body.data,
      { accepted: 3 },
    ),
  )
  const { id } = await step('crash', async () =>
    must(
      await http.post(
        '/api/v1/public/crashes',
        { app_name: 'Walk', app_version: '1.0', os: 'linux', user_message: 'it fell' },
        { headers },
      ),
    ),
  )
  const crash = await step('crash read', async () =>
    must(await http.get(`${GAMES}/${game.uid}/crashes/${id}`, game.owner)),
  )
  assert.equal(crash.user_message, 'it fell')
}

async function reported({ step, http, a, receiver }: Walker, { uid, owner }: Listing) {
  const hook = `${receiver.url}/${uid}`
  const { signing_key } = await step('bug reporter', async () =>
    must(
      await http.put(
        `${GAMES}/${uid}/bug-reporter`,
        { enabled: true, webhook_urls: [hook] },
        owner,
      ),
    ),
  )
  const player = await step('player', () => a.verified({ username: `player-${++made}` }))
  const token = await step(
    'player token',
    async () => must(await http.post(`${GAMES}/${uid}/player-token`, undefined, player)).token,
  )
  const { bug_uid } = await step('bug report', async () => {
    const sent = await http.call('POST', `/api/v1/games/${uid}/bugs`, {
      ...report({ message: 'The door sticks' }, { log: 'creak' }),
      token,
    })
    return must(sent)
  })
  const delivered = await step('webhook', () =>
    until('the webhook', async () =>
      receiver.received.find(({ json }) => json?.bug_uid === bug_uid),
    ),
  )
  const { text, signature } = unsigned(delivered.body)
  assert.equal(signature, createHmac('sha1', signing_key).update(text).digest('hex'))
}

async function pressed({ step, http, url, address }: Walker, { uid, owner }: Listing) {
  await step('press kit', async () =>
    must(await http.put(`${GAMES}/${uid}/press`, { history: 'Walked here' }, owner)),
  )
  await step('press zip', async () => {
    const bytes = await bytesAt(`${url}/api/v1/public/games/${uid}/press.zip`, address)
    assert.equal(bytes.readUInt32LE(0), 0x04034b50)
    assert.ok(
      bytes.subarray(-22).readUInt32LE(0) === 0x06054b50 && bytes.length > 10_000,
      'whole to its end',
    )
  })
}

/**
 * Imports an app of the external store, signs its player in with a ticket, and verifies the token
 * from the server of the developer.
 */
async function signedIn(w: Walker, owner: Person) {
  const { step, http, store } = w
  const app_id = 7_000_000 + ++made
  store.control.app({ app_id, name: `App ${app_id}`, type: 'game' })
  store.control.page({ app_id, data: {} })
  const { key: web_api_key } = store.control.key({ apps: [app_id] })
  const { game_uid } = await step('import', async () =>
    must(
      await http.post(
        '/api/v1/private/steam/import',
        { app_id, web_api_key, enable_auth: true },
        owner,
      ),
    ),
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
  const told = await step('verify', async () =>
    must(
      await http.post(`/api/v1/extstore/${game_uid}/server/verify`, { token }, { token: auth_key }),
    ),
  )
  assert.equal(told.valid, true)
}

/** Finds and installs a package as editors do. */
async function installed(w: Walker, owner: Person) {
  const { step, http, address } = w
  const kit = await page(w, owner, 'dev_asset', { tags: complete.tags, engines: ['godot'] })
  const bytes = addon(`kit_${made}`)
  await shipped(w, kit, '1.0', bytes, { engine_version: '3.2' })
  await published(w, kit)
  const editor = { headers: { 'user-agent': 'GodotEngine/3.2.3 (X11)' } }
  const LIBRARY = '/api/v1/public/asset-library/asset'
  const { asset_id } = await step('asset library', () =>
    until('the package', async () =>
      (
        await http.get(
          `${LIBRARY}?godot_version=3.2&filter=${encodeURIComponent(kit.name)}`,
          editor,
        )
      ).body.result?.find((one: any) => one.title === kit.name),
    ),
  )
  await step('asset install', async () => {
    const { status, headers } = await http.get(`${LIBRARY}/${asset_id}/download`, editor)
    assert.equal(status, 302)
    assert.ok((await bytesAt(headers.location!, address)).equals(bytes))
  })
}
