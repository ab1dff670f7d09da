import type { TestContext } from 'node:test'
import { type Extstore, startExtstore } from '../../sim/extstore.ts'
import { startApp } from '../support/app.ts'
import { type Listing, must, newAddress, type Person } from '../support/builders.ts'
import { cleanup } from '../support/cleanup.ts'
import { sharedInFile } from '../support/shared.ts'

export const ISSUER = 'https://issuer.example'
/** A well-formed key that the store does not know. */
export const WEB_API_KEY = '0123456789ABCDEF0123456789ABCDEF'
export type App = Awaited<ReturnType<typeof startApp>>
export type Game = {
  uid: string
  app_id: number
  listing: Listing
  auth_key: string
  ticket_key: string
  web_api_key: string
}

let apps = 1_000_000

export const settingsPath = (uid: string, more = '') => `/api/v1/private/games/${uid}/steam${more}`

export async function startStore(t: TestContext): Promise<Extstore> {
  const store = await startExtstore()
  cleanup(t, () => store.stop())
  return store
}

export const settings = (store: Extstore) => ({
  EXTSTORE_API_URL: store.url,
  EXTSTORE_OPENID_URL: `${store.url}/openid`,
  EXTSTORE_STORE_URL: store.url,
  EXTSTORE_PUBLIC_API_URL: store.url,
  EXTSTORE_IMAGE_HOSTS: new URL(store.url).host,
  PROXY_HOPS: '1',
  ISSUER,
})

/** Starts the service with a simulated store, and returns helpers for both. */
export async function startExtstoreApp(t: TestContext, env: Record<string, string> = {}) {
  const store = await startStore(t)
  const app = await startApp(t, { ...settings(store), ...env })
  return { ...app, store, ...extstoreFixtures(app, store) }
}

/**
 * One service for all tests of a file, which stay independent because each creates its own games.
 */
export const sharedExtstoreApp = (env: Record<string, string> = {}) =>
  sharedInFile((t) => startExtstoreApp(t, env))

export function extstoreFixtures(app: App, store: Extstore) {
  const { control } = store
  const { a, sql } = app

  /** Each owner gets at most ten listings, because rate limits apply per user. */
  let owner: Person | undefined
  let owned = 0
  async function someOwner(): Promise<Person> {
    if (!owner || ++owned % 10 === 0) owner = await a.developer()
    return owner
  }

  /** Creates a listing that is linked to an app of the store, as after an import. */
  async function linked(listing?: Listing) {
    const made = listing ?? (await a.listing({ owner: await someOwner() }))
    const app_id = ++apps
    control.app({ app_id, name: `App ${app_id}` })
    await sql`
      insert into extstore_links (game_uid, app_id, app_name, last_synced_at)
      values (${made.uid}, ${app_id}, ${`App ${app_id}`}, now())`
    return { listing: made, app_id }
  }

  /** Creates a linked listing with sign-in turned on. */
  async function game(made?: Listing): Promise<Game> {
    const { listing, app_id } = await linked(made)
    const web_api_key = control.key({ apps: [app_id] }).key
    const path = `/api/v1/private/games/${listing.uid}/steam`
    const { auth } = must(await app.post(`${path}/auth`, { web_api_key }, listing.owner))
    const { auth_key } = must(await app.get(`${path}/auth-key`, listing.owner))
    return { uid: listing.uid, app_id, listing, auth_key, ticket_key: auth.ticket_key, web_api_key }
  }

  /** Creates an account at the store that owns the game. */
  function player({ app_id }: Game, name = 'Player'): string {
    const { id } = control.account({ name })
    control.own({ account: id, app_id })
    return id
  }

  const ticket = (
    { app_id, ticket_key }: Game,
    account: string,
    more: Partial<Parameters<typeof control.ticket>[0]> = {},
  ) => control.ticket({ app_id, account, identity: ticket_key, bytes: 64, ...more }).ticket

  const auth = ({ uid }: { uid: string }, sent: string, headers = newAddress()) =>
    app.post(`/api/v1/extstore/${uid}/auth`, { ticket: sent }, { headers })

  const signIn = async (game: Game, account = player(game)) =>
    must(await auth(game, ticket(game, account)))

  const refresh = ({ uid }: { uid: string }, token: string, headers = newAddress()) =>
    app.post(`/api/v1/extstore/${uid}/refresh`, { token }, { headers })

  const verify = ({ uid, auth_key }: Pick<Game, 'uid' | 'auth_key'>, token: string, more = {}) =>
    app.post(
      `/api/v1/extstore/${uid}/server/verify`,
      { token, ...more },
      { token: auth_key, headers: newAddress() },
    )

  const revoke = ({ uid, auth_key }: Pick<Game, 'uid' | 'auth_key'>, body: object) =>
    app.post(`/api/v1/extstore/${uid}/server/revoke`, body, {
      token: auth_key,
      headers: newAddress(),
    })

  return { linked, game, player, ticket, auth, signIn, refresh, verify, revoke }
}

/** The claims of a token, without verifying it. */
export const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString())
export const headerOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString())
