import type { TestContext } from 'node:test'
import { clearIdentityCache } from '../../../../src/accounts/sessions/identity.ts'
import { once } from '../../../../src/core/runtime/once.ts'
import { startExtstoreApp } from '../../../extstore/fixtures.ts'
import type { Call } from '../../../support/app.ts'
import {
  addCopy,
  type Listing,
  makePublic,
  must,
  newAddress,
  suspendPerson,
} from '../../../support/builders.ts'
import { httpClient } from '../../../support/http-client.ts'
import { form as imageForm, picture } from '../../../support/images.ts'
import { form, upload } from '../../../uploads/forms.ts'
import { zip } from '../../../uploads/zips.ts'
import type { Described } from '../described-api.ts'

/** A request; `values` are path parameters that only this request has. */
export type Request = Call & { path?: string; values?: Record<string, string> }
export type World = Awaited<ReturnType<typeof createWorld>>
export type Producer = (world: World, described: Described) => Request | Promise<Request>

export const GAMES = '/api/v1/private/games'
export const game = zip([{ name: 'bin/game', body: 'play' }])

/** A service with people, a public listing and their credentials, and builders of fresh ones. */
export async function createWorld(t: TestContext) {
  const app = await startExtstoreApp(t, {
    REFUND_WINDOW_HOURS: '168',
    PAYMENT_INSTRUCTIONS: 'Transfer it',
  })
  const { a, sql } = app
  const owner = await a.verifiedDeveloper()
  await sql`insert into operators (user_uid) values (${owner.uid})`
  const listing = await a.listing({ owner })
  const { build_id, file_uid } = await a.cleanBuild(listing)
  const { headers } = await a.deployer(listing)
  const { cover } = await a.images(listing)
  const player_token = must(
    await app.post(`${GAMES}/${listing.uid}/player-token`, undefined, owner),
  ).token as string
  const keyOf = async (scope: string) => (await a.key('agent', owner, [scope])).key as string
  const money = await keyOf('mcp:money')
  const keys = {
    money,
    bugs: await keyOf('mcp:bugs.read'),
    builds: await keyOf('mcp:build.write'),
    '/mcp': money,
    '/player': (await a.key('player', owner, ['player:read'])).key as string,
  }
  await makePublic(sql, listing.uid)
  const suspended = await suspendedDeveloper(app)
  const values: Record<string, string> = {
    ...gameValues(listing),
    build_id,
    file_uid,
    username: owner.username,
    vanity_name: listing.vanity_name,
    channel: 'beta',
  }

  /** A request of the owner of a new listing. */
  async function fresh(fields: { asset_type?: string; is_public?: boolean } = {}) {
    const person = await a.verifiedDeveloper()
    const { asset_type, is_public } = fields
    const made = await a.listing({ owner: person, ...(asset_type && { asset_type }) })
    if (is_public) await makePublic(sql, made.uid)
    return { owner: person, listing: made, token: person.token, values: gameValues(made) }
  }

  /** The same with a build that has a clean file. */
  async function built(fields: { is_public?: boolean; channel?: string } = {}) {
    const { is_public, ...build } = fields
    const made = await fresh()
    const { build_id } = await a.cleanBuild(made.listing, build)
    if (is_public) await makePublic(sql, made.listing.uid)
    return { ...made, build_id, values: { ...made.values, build_id } }
  }

  /** A build that is not changed by the answers that share it. */
  const released = once(() => built())

  /** A request of a player with a copy of a new public listing, who played for two hours. */
  async function played(seconds = 7200) {
    const { listing: made, owner: seller, values } = await fresh({ is_public: true })
    const person = await a.verified()
    await addCopy(sql, made.uid, person.uid, 'free')
    await sql`
      insert into play_time (user_uid, game_uid, seconds, last_beat_at)
      values (${person.uid}, ${made.uid}, ${seconds}, now())`
    return { token: person.token, person, seller, listing: made, values }
  }

  const deployed = async (made: { listing: Listing }) => ({
    headers: (await a.deployer(made.listing)).headers,
  })

  const image = async (kind: string, width = 1280, height = 720) =>
    imageForm({ kind }, [{ bytes: await picture(width, height) }])

  /** Adds images to the gallery and returns their uids. */
  async function gallery(made: { listing: Listing; token: string }, count: number) {
    const bytes = await Promise.all(Array.from({ length: count }, () => picture(1280, 720)))
    const sent = await imageForm(
      { kind: 'gallery' },
      bytes.map((file) => ({ bytes: file })),
    )
    const path = `${GAMES}/${made.listing.uid}/media`
    const media = must(await app.post(path, undefined, { token: made.token, ...sent }))
    return media.gallery.map(({ uid }: { uid: string }) => uid) as string[]
  }

  const crash = async () => {
    const game_ids = { 'x-app-id': listing.uid, 'x-build-id': build_id }
    const body = { has_log: true, user_message: 'It stopped' }
    const { id, uploads } = must(
      await app.post('/api/v1/public/crashes', body, { headers: { ...game_ids, ...newAddress() } }),
    )
    const raw = 'a line'
    const type = { 'content-type': 'application/octet-stream' }
    const sent = { raw, headers: { ...type, ...newAddress() } }
    must(await app.call('PUT', new URL(uploads.log.url).pathname, sent))
    return id as string
  }

  /** A ticket of the store with a screenshot, and a webhook that it is delivered to. */
  async function ticket() {
    const made = await played()
    const { seller, listing: reported } = made
    const settings = { enabled: true, webhook_urls: ['http://127.0.0.1:9/hook'] }
    must(await app.put(`${GAMES}/${reported.uid}/bug-reporter`, settings, seller))
    const message = { name: 'message', value: 'It stopped' }
    const bytes = await picture(64, 64)
    const screenshot = { name: 'screenshot', filename: 'a.png', bytes }
    const call = { ...form([message, screenshot], { headers: newAddress() }), token: made.token }
    const path = `${GAMES}/${reported.uid}/bug-reports`
    const { bug_uid } = must(await app.call('POST', path, call))
    const { deliveries } = must(await app.get(`${GAMES}/${reported.uid}/bug-reporter`, seller))
    const delivery_uid = deliveries[0].uid as string
    const [delivery] = await sql`select body from bug_deliveries where uid = ${delivery_uid}`
    return { ...made, token: seller.token, bug_uid, delivery_uid, delivery }
  }

  const uploaded = (made: { build_id: string }, call: Call = {}, fields = {}) =>
    upload(game, { build_id: made.build_id, ...fields }, call)

  const registered = async (made: { listing: Listing; token: string }) => {
    const body = { version: '1.0', os: 'linux', arch: 'x86_64' }
    const path = `${GAMES}/${made.listing.uid}/builds`
    return must(await app.post(path, body, made)).build_id as string
  }

  return {
    storage: { ...app.core.storage },
    ...{
      ...app,
      call: httpClient(app.url),
      owner,
      listing,
      deploy: headers,
      player_token,
      keys,
      values,
      cover,
      suspended,
    },
    ...{
      fresh,
      built,
      released,
      played,
      deployed,
      image,
      gallery,
      crash,
      ticket,
      uploaded,
      registered,
    },
  }
}

/** A developer who is suspended from everything, with the headers of a deploy key. */
async function suspendedDeveloper({ a, sql }: Awaited<ReturnType<typeof startExtstoreApp>>) {
  const person = await a.verifiedDeveloper()
  const { headers } = await a.deployer(await a.listing({ owner: person }))
  await suspendPerson(sql, person.uid)
  clearIdentityCache()
  return { ...person, headers }
}

const gameValues = ({ uid }: Listing) => ({ uid, game_id: uid, game_uid: uid })
