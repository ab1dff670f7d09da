import { createHmac, randomUUID } from 'node:crypto'
import { MIB } from '../../../../src/core/runtime/units.ts'
import { signCrashLink } from '../../../../src/telemetry/crashes/file-links.ts'
import { must } from '../../../support/builders.ts'
import { picture } from '../../../support/images.ts'
import { fieldsOf, form } from '../../../uploads/forms.ts'
import { GAMES, type Producer, type Request, type World } from './private-world.ts'

const message = (headers: Record<string, string> = {}): Request =>
  form(fieldsOf({ message: 'It stopped' }), { headers })

const KEY = { 'idempotency-key': 'used' }
const other = () => form(fieldsOf({ message: 'Something else' }), { headers: KEY })

const badScreenshot = (): Request =>
  form([
    ...fieldsOf({ message: 'It stopped' }),
    { name: 'screenshot', filename: 'a.png', bytes: Buffer.from('text') },
  ])

/** A report with an image, which may have more bytes after its end. */
const screenshot = async (more = 0): Promise<Request> => {
  const bytes = Buffer.concat([await picture(64, 64), Buffer.alloc(more)])
  const file = { name: 'screenshot', filename: 'a.png', bytes }
  return form([...fieldsOf({ message: 'It stopped' }), file])
}

/** A player token for a game whose reporter is on. */
async function reporting(world: World) {
  const made = await world.played()
  const path = `${GAMES}/${made.listing.uid}`
  must(await world.put(`${path}/bug-reporter`, { enabled: true }, made.seller))
  const { token } = must(await world.post(`${path}/player-token`, undefined, made))
  return { token: token as string, values: made.values, seller: made.seller }
}

const fullStorage = ({ core }: World) => {
  const full = Object.assign(new Error('no space'), { code: 'ENOSPC' })
  Object.assign(core.storage, { put: () => Promise.reject(full) })
}

const ticketAnswers: Record<string, Producer> = {
  'post_games_game_uid_bugs 201': async (world) => ({ ...message(), ...(await reporting(world)) }),
  'post_games_game_uid_bugs 401': () => ({ ...message(), token: 'ended' }),
  'post_games_game_uid_bugs 403': async (world) => ({
    ...message(),
    ...(await reporting(world)),
    token: world.keys.money,
  }),
  'post_games_game_uid_bugs 404': async (world) => {
    const { seller, ...request } = await reporting(world)
    must(await world.del(`${GAMES}/${request.values.uid}`, seller))
    return { ...message(), ...request }
  },
  'post_games_game_uid_bugs 409': async (world) => {
    const { seller: _, ...request } = await reporting(world)
    const path = `/api/v1/games/${request.values.uid}/bugs`
    must(await world.call('POST', path, { ...other(), token: request.token }))
    return { ...message(KEY), ...request }
  },
  'post_games_game_uid_bugs 413': async (world) => ({
    ...(await reporting(world)),
    ...(await screenshot(34 * MIB)),
  }),
  'post_games_game_uid_bugs 415': async (world) => ({
    ...(await reporting(world)),
    ...message({ 'content-encoding': 'br' }),
  }),
  'post_games_game_uid_bugs 422': async (world) => ({
    ...badScreenshot(),
    ...(await reporting(world)),
  }),
  'post_games_game_uid_bugs 503': async (world) => {
    const request = { ...(await screenshot()), ...(await reporting(world)) }
    fullStorage(world)
    return request
  },
  'get_games_game_uid_bugs_notices 401': () => ({ token: 'ended' }),
  'get_games_game_uid_bugs_notices 403': ({ keys }) => ({ token: keys.money }),
  'post_games_game_uid_bugs_notices_ack 200': (world) => reporting(world),
  'post_games_game_uid_bugs_notices_ack 401': () => ({ token: 'ended' }),
  'post_games_game_uid_bugs_notices_ack 403': ({ keys }) => ({ token: keys.money }),
  'post_private_games_uid_bug_reports 201': async (world) => ({
    ...message(),
    ...(await world.played()),
  }),
  'post_private_games_uid_bug_reports 409': async (world) => {
    const made = await world.played()
    const path = `${GAMES}/${made.listing.uid}/bug-reports`
    must(await world.call('POST', path, { ...other(), token: made.token }))
    return { ...message(KEY), ...made }
  },
  'post_private_games_uid_bug_reports 413': async (world) => ({
    ...(await world.played()),
    ...(await screenshot(34 * MIB)),
  }),
  'post_private_games_uid_bug_reports 415': async (world) => ({
    ...(await world.played()),
    ...message({ 'content-encoding': 'br' }),
  }),
  'post_private_games_uid_bug_reports 422': async (world) => ({
    ...badScreenshot(),
    ...(await world.played()),
  }),
  'post_private_games_uid_bug_reports 503': async (world) => {
    const request = { ...(await screenshot()), ...(await world.played()) }
    fullStorage(world)
    return request
  },
  'get_private_games_uid_bugs_bug_uid 200': ticket(),
  'patch_private_games_uid_bugs_bug_uid 200': ticket({ body: { status: 'fixed' } }),
  'get_private_games_uid_bugs_bug_uid_screenshot 200': ticket(),
  'get_media_bugs_game_uid_bug_uid_name 200': async (world) => {
    const { pathname, search } = await screenshotLink(world)
    return { path: `${pathname}${search}` }
  },
  'get_media_bugs_game_uid_bug_uid_name 403': async (world) => {
    const link = await screenshotLink(world)
    const past = new Date(Date.now() - 60_000)
    const expires = String(Math.floor(past.getTime() / 1000))
    const key = must(
      await world.get(`${GAMES}/${link.game_uid}/bug-reporter`, { token: link.token }),
    ).signing_key as string
    const signed = createHmac('sha1', key)
      .update(`GET\n\n\n${expires}\n${link.pathname}`)
      .digest('base64')
    return {
      path: `${link.pathname}?${new URLSearchParams({ Expires: expires, Signature: signed })}`,
    }
  },
  'put_private_games_uid_bug_reporter 200': async (world) => ({
    ...(await world.fresh()),
    body: { enabled: true },
  }),
  'get_private_games_uid_bug_reporter_signing_key 200': async (world) => {
    const made = await world.fresh()
    const path = `${GAMES}/${made.listing.uid}/bug-reporter`
    must(await world.put(path, { enabled: true }, { token: made.token }))
    return made
  },
  'get_private_games_uid_signed_events 200': (world) => world.fresh(),
  'put_private_games_uid_signed_events 200': async (world) => ({
    ...(await world.fresh()),
    body: { required: true },
  }),
  'get_private_games_uid_shared_secrets 200': (world) => world.fresh(),
  'post_private_games_uid_shared_secrets_replace 200': (world) => world.fresh(),
  'delete_private_games_uid_shared_secrets 200': (world) => world.fresh(),
  'post_private_games_uid_bug_reporter_signing_key 200': (world) => world.fresh(),
  'post_private_games_uid_bug_reporter_deliveries_delivery_uid_replay 202': async (world) => {
    const { token, values, delivery_uid } = await world.ticket()
    return { token, values: { ...values, delivery_uid } }
  },
}

function ticket(more: Request = {}): Producer {
  return async (world) => {
    const { token, values, bug_uid } = await world.ticket()
    return { token, values: { ...values, bug_uid }, ...more }
  }
}

async function screenshotLink(world: World) {
  const { delivery, token, listing } = await world.ticket()
  const { pathname, search } = new URL(JSON.parse(delivery!.body).screenshot_url)
  return { pathname, search, token, game_uid: listing.uid }
}

const crashAnswers: Record<string, Producer> = {
  'get_private_games_uid_crashes_id 200': async (world) => ({
    token: world.owner.token,
    values: { id: await world.crash() },
  }),
  'get_private_games_uid_crashes_id_download 200': async (world) => ({
    token: world.owner.token,
    path: `${GAMES}/${world.listing.uid}/crashes/${await world.crash()}/download?kind=log`,
  }),
  'get_private_games_uid_crashes_id_download 409': async (world) => ({
    token: world.owner.token,
    path: `${GAMES}/${world.listing.uid}/crashes/${await world.crash()}/download?kind=dump`,
  }),
  'get_crash_files_id_filename 200': async (world) => {
    const { pathname, search } = await crashLink(world)
    return { path: `${pathname}${search}` }
  },
  'get_crash_files_id_filename 403': async (world) => {
    const { pathname, search } = new URL(
      signCrashLink(world.core, await world.crash(), 'log', new Date(0)).url,
    )
    return { path: `${pathname}${search}` }
  },
  'patch_private_games_uid_crash_groups_group_uid 200': async (world) => {
    await world.crash()
    const path = `${GAMES}/${world.listing.uid}/crash-groups`
    const { groups } = must(await world.get(path, world.owner))
    return {
      token: world.owner.token,
      values: { group_uid: groups[0].uid },
      body: { status: 'resolved' },
    }
  },
}

async function crashLink(world: World) {
  const path = `${GAMES}/${world.listing.uid}/crashes/${await world.crash()}/download?kind=log`
  return new URL(must(await world.get(path, world.owner)).url)
}

/** A request of the owner of a listing whose sign-in is on. */
const signedIn =
  (body?: (world: World, game: Awaited<ReturnType<World['game']>>) => unknown): Producer =>
  async (world) => {
    const game = await world.game()
    const values = { game_id: game.uid }
    return { token: game.listing.owner.token, values, ...(body && { body: body(world, game) }) }
  }

let apps = 7_000_000

/** An app of the store with a page, and the key of its publisher. */
function storeApp({ store: { control } }: World, type = 'game') {
  const app_id = ++apps
  control.app({ app_id, name: `App ${app_id}`, type })
  control.page({ app_id, data: {} })
  const { key: web_api_key } = control.key({ apps: [app_id] })
  return { app_id, web_api_key, groups: ['text'] }
}

const importing =
  (change: (world: World, request: Request & { body: object }) => unknown = () => {}): Producer =>
  async (world) => {
    const { token } = await world.a.developer()
    const request = { token, body: storeApp(world) as object }
    await change(world, request)
    return request
  }

const unknownGame = importing((_world, request) => {
  request.body = { ...request.body, game_uid: randomUUID() }
})
const takenApp = importing(async (world, request) => {
  const other = await world.a.developer()
  must(await world.post('/api/v1/private/steam/import', request.body, other))
})
const notAGame = importing((world, request) => {
  request.body = storeApp(world, 'dlc')
})
const silentStore = importing(({ store }) => {
  store.control.fault({ on: 'any', mode: 'status', status: 503 })
})

/** A request of the owner of a listing that was imported. */
const imported =
  (
    change: (world: World, made: { app_id: number; web_api_key: string }) => object = () => ({}),
  ): Producer =>
  async (world) => {
    const person = await world.a.developer()
    const app = storeApp(world)
    const { game_uid } = must(await world.post('/api/v1/private/steam/import', app, person))
    const { web_api_key, groups } = app
    const body = { web_api_key, groups, ...change(world, app) }
    return { token: person.token, values: { game_id: game_uid }, body }
  }

const fail = ({ store }: World) => {
  store.control.fault({ on: 'any', mode: 'status', status: 503 })
  return {}
}

const linkedSettings =
  (body: (world: World, app_id: number) => object): Producer =>
  async (world) => {
    const { listing, app_id } = await world.linked(await world.a.listing())
    return {
      token: listing.owner.token,
      values: { game_id: listing.uid },
      body: body(world, app_id),
    }
  }

/** A key of an app that is no game any more. */
function dlc({ store: { control } }: World, app_id: number) {
  control.app({ app_id, name: 'Extra', type: 'dlc' })
  return { web_api_key: control.key({ apps: [app_id] }).key }
}

const storeAnswers: Record<string, Producer> = {
  'get_private_games_game_id_steam 200': signedIn(),
  'get_private_games_game_id_steam_auth_key 200': signedIn(),
  'delete_private_games_game_id_steam 200': signedIn(),
  'delete_private_games_game_id_steam_auth 200': signedIn(),
  'post_private_games_game_id_steam_auth_key 200': signedIn(),
  'post_private_games_game_id_steam_ticket_key 200': signedIn(),
  'put_private_games_game_id_steam_web_api_key 200': signedIn(
    ({ store: { control } }, { app_id }) => ({ web_api_key: control.key({ apps: [app_id] }).key }),
  ),
  'put_private_games_game_id_steam_web_api_key 502': signedIn((world, { web_api_key }) => {
    fail(world)
    return { web_api_key }
  }),
  'post_private_games_game_id_steam_auth 200': linkedSettings(({ store: { control } }, app_id) => ({
    web_api_key: control.key({ apps: [app_id] }).key,
  })),
  'post_private_games_game_id_steam_auth 422': linkedSettings(dlc),
  'put_private_games_game_id_steam_web_api_key 422': signedIn((world, { app_id }) =>
    dlc(world, app_id),
  ),
  'post_private_games_game_id_steam_auth 409': signedIn((_world, { web_api_key }) => ({
    web_api_key,
  })),
  'post_private_games_game_id_steam_auth 502': linkedSettings((world, app_id) => {
    const { key } = world.store.control.key({ apps: [app_id] })
    fail(world)
    return { web_api_key: key }
  }),
  'post_private_steam_import_preview 200': importing(),
  'post_private_steam_import 200': importing(),
  'post_private_steam_import_preview 404': unknownGame,
  'post_private_steam_import 404': unknownGame,
  'post_private_steam_import_preview 409': takenApp,
  'post_private_steam_import 409': takenApp,
  'post_private_steam_import_preview 422': notAGame,
  'post_private_steam_import 422': notAGame,
  'post_private_steam_import_preview 502': silentStore,
  'post_private_steam_import 502': silentStore,
  'post_private_games_game_id_steam_resync 200': imported(),
  'post_private_games_game_id_steam_resync 422': imported(({ store: { control } }, { app_id }) => {
    control.app({ app_id, name: 'Another', type: 'dlc' })
    return {}
  }),
  'post_private_games_game_id_steam_resync 502': imported(fail),
}

const rpc = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
const accept = { accept: 'application/json, text/event-stream' }

const toolAnswers: Record<string, Producer> = {
  ...serverAnswers('post_mcp', '/mcp'),
  ...serverAnswers('post_player', '/player'),
}

function serverAnswers(name: string, path: '/mcp' | '/player'): Record<string, Producer> {
  const send =
    (body: object, headers: Record<string, string>): Producer =>
    ({ keys }) => ({ token: keys[path], body, headers })
  return {
    [`${name} 200`]: send(rpc, accept),
    [`${name} 202`]: send({ jsonrpc: '2.0', method: 'notifications/initialized' }, accept),
    [`${name} 406`]: send(rpc, { accept: 'application/json' }),
  }
}

export const gameAnswers = { ...ticketAnswers, ...crashAnswers, ...storeAnswers, ...toolAnswers }
