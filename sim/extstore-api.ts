import fixtures from './extstore-fixtures.json' with { type: 'json' }
import { licenseOf, ticketCore, type World } from './extstore-world.ts'

/** The web API of the store as documented and observed. Names and shapes are those of the store. */

export type Reply = {
  status: number
  type: string
  body: string | Uint8Array
  headers?: Record<string, string>
}
export const json = (value: unknown, status = 200): Reply => ({
  status,
  type: 'application/json; charset=UTF-8',
  body: JSON.stringify(value),
})
const forbiddenPage = fixtures['any.badkey'].body as string
/** An invalid key gets an HTML page, whatever the request was. */
export const forbidden: Reply = {
  status: 403,
  type: 'text/html; charset=UTF-8',
  body: forbiddenPage,
}

const refusal = (errorcode: number, errordesc: string) =>
  json({ response: { error: { errorcode, errordesc } } })

type Query = URLSearchParams
type Answer = (world: World, query: Query, key: string) => Reply

const covers = (world: World, key: string, app_id: number) =>
  world.keys.get(key)?.includes(app_id) ?? false

const authenticate: Answer = (world, query, key) => {
  const app_id = Number(query.get('appid'))
  const ticket = (query.get('ticket') ?? '').toLowerCase()
  if (!world.keys.has(key)) return forbidden
  if (!Number.isInteger(app_id) || app_id <= 0 || !/^([0-9a-f]{2})+$/.test(ticket))
    return refusal(3, 'Invalid parameter')
  if (!covers(world, key, app_id)) return forbidden
  const record = world.tickets.get(ticketCore(ticket))
  if (!record || record.used || record.expires_at < Date.now())
    return refusal(101, 'Invalid ticket')
  if (record.app_id !== app_id) return refusal(102, 'Ticket for other app')
  if (record.identity !== (query.get('identity') ?? '')) return refusal(101, 'Invalid ticket')
  const account = world.accounts.get(record.account)
  if (!account) return refusal(101, 'Invalid ticket')
  if (account.offline) return refusal(100, 'Ticket owner is offline')
  record.used = true
  const { id, vac_banned, publisher_banned } = account
  const ownersteamid = licenseOf(world, id, app_id)?.owner ?? id
  const params = {
    result: 'OK',
    steamid: id,
    ownersteamid,
    vacbanned: vac_banned,
    publisherbanned: publisher_banned.includes(app_id),
  }
  return json({ response: { params } })
}

const ownership: Answer = (world, query, key) => {
  const app_id = Number(query.get('appid'))
  if (!covers(world, key, app_id)) return forbidden
  const account = query.get('steamid') ?? ''
  const license = licenseOf(world, account, app_id)
  const appownership = {
    ownsapp: license !== undefined,
    permanent: license?.permanent ?? false,
    timestamp: license?.since ?? '1970-01-01T00:00:00Z',
    timeexpires: 'never',
    ownersteamid: license?.owner ?? '0',
    sitelicense: false,
    usercanceled: false,
    timedtrial: false,
    result: 'OK',
  }
  return json({ appownership })
}

const apps: Answer = (world, _query, key) => {
  const covered = world.keys.get(key)
  if (!covered) return forbidden
  const app = covered.flatMap((id) => {
    const known = world.apps.get(id)
    return known ? [{ appid: id, app_type: known.type, app_name: known.name }] : []
  })
  // The store omits an empty list.
  return json({ applist: { apps: app.length ? { app } : {} } })
}

/** More screenshots than a public listing requires. */
const SCREENSHOTS = 5
const screenshots = (world: World, app_id: number) =>
  Array.from({ length: SCREENSHOTS }, (_, id) => ({
    id,
    path_thumbnail: `${world.origin}/images/${app_id}/ss_${id}.600x338.jpg`,
    path_full: `${world.origin}/images/${app_id}/ss_${id}.1920x1080.jpg`,
  }))

const page: Answer = (world, query) => {
  const id = query.get('appids') ?? ''
  const app = world.apps.get(Number(id))
  const changed = world.pages.get(Number(id))
  if (!app || changed === null) return json({ [id]: { success: false } })
  const [example] = Object.values(fixtures.appdetails.body)
  const data = {
    ...example!.data,
    name: app.name,
    type: app.type,
    steam_appid: app.app_id,
    screenshots: screenshots(world, app.app_id),
  }
  return json({ [id]: { success: true, data: { ...data, ...changed } } })
}

const exampleItem = fixtures['GetItems.v1'].body.response.store_items[0]!
const exampleTags = exampleItem.tags.map(({ tagid, weight }) => ({ tagid, weight }))

const items: Answer = (world, query) => {
  const [item] = JSON.parse(query.get('input_json') ?? '{}').ids ?? []
  const app_id = Number(item?.appid)
  const tags =
    world.tags.get(app_id)?.map(({ tagid, weight }) => ({ tagid, weight })) ?? exampleTags
  const known = world.apps.has(app_id) ? [{ ...exampleItem, id: app_id, appid: app_id, tags }] : []
  return json({ response: { store_items: known } })
}

const tagNames: Answer = (world) => {
  const { response } = fixtures['GetTagList.v1'].body
  const more = [...world.tags.values()].flat().map(({ tagid, name }) => ({ tagid, name }))
  return json({ response: { ...response, tags: [...response.tags, ...more] } })
}

/**
 * The endpoints by path: their name in faults and in the call list, and whether they need a key.
 */
export const calls: Record<string, { call: string; answer: Answer }> = {
  '/ISteamUserAuth/AuthenticateUserTicket/v1': { call: 'authenticate', answer: authenticate },
  '/ISteamUser/CheckAppOwnership/v4': { call: 'ownership', answer: ownership },
  '/ISteamApps/GetPartnerAppListForWebAPIKey/v2': { call: 'apps', answer: apps },
  '/api/appdetails': { call: 'page', answer: page },
  '/IStoreBrowseService/GetItems/v1': { call: 'items', answer: items },
  '/IStoreService/GetTagList/v1': { call: 'tags', answer: tagNames },
}
