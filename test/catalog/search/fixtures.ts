import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import { type Call, eventually, startApp } from '../../support/app.ts'
import { must, newAddress, type Person } from '../../support/builders.ts'
import { sharedInFile } from '../../support/shared.ts'
import { insertBuild } from '../fixtures.ts'

export const SEARCH = '/api/v1/public/search'

/** The real server, with listings inserted directly instead of through the API. */
export async function startSearch(t: TestContext, env: Record<string, string> = {}) {
  const app = await startApp(t, env)
  const { sql, a } = app
  /** From a new address, because of the rate limit, if the service trusts a proxy. */
  const get = (path: string, options: Call = {}) =>
    app.get(path, { ...options, headers: { ...newAddress(), ...options.headers } })
  let owner: Person | undefined
  let made = 0

  /** A public listing with these columns. */
  async function createListing(columns: Record<string, unknown> = {}): Promise<string> {
    owner ??= await a.developer()
    const uid = (columns.uid as string) ?? randomUUID()
    const row = {
      uid,
      owner_uid: owner.uid,
      vanity_name: `listing-${++made}-${uid.slice(0, 8)}`,
      name: `Listing ${made}`,
      visibility: 'public',
      published_at: new Date(Date.UTC(2026, 0, 1) + made * 60_000),
      ...columns,
    }
    await sql`insert into listings ${sql(row)}`
    return uid
  }

  /** A build with one file, clean and at the head of its channel unless given otherwise. */
  async function build(
    game_uid: string,
    os: string,
    arch: string,
    fields: { scan?: string; channel?: string; head?: boolean } = {},
  ): Promise<string> {
    return (await insertBuild(sql, game_uid, { os, arch, ...fields })).build_uid
  }

  const search = async (query: string, who?: { token: string }) =>
    must(await get(`${SEARCH}?${query}`, who))
  /** The names of the results in order. */
  const names = async (query: string, who?: { token: string }): Promise<string[]> =>
    (await search(query, who)).items.map(({ name }: { name: string }) => name)

  /** Waits until the index has caught up with earlier writes. */
  async function waitForIndex(): Promise<void> {
    const mark = `mark-${randomUUID().slice(0, 8)}`
    const uid = await createListing({ name: mark, tags: [mark], published_at: new Date(0) })
    await eventually(
      'the index to see a new listing',
      async () => (await search(`tags=${mark}`)).total === 1,
    )
    await sql`delete from listings where uid = ${uid}`
    // An empty page has no rows to correct the total by, so this is the total of the index.
    await eventually(
      'the index to see its removal',
      async () => (await search(`tags=${mark}&page=2`)).total === 0,
    )
  }

  return { ...app, get, createListing, build, search, names, waitForIndex }
}

const sharedSearch = sharedInFile((t) => startSearch(t, { PROXY_HOPS: '1' }))

/**
 * The service that the tests of a file share, without the listings of earlier tests. `waitForIndex`
 * waits until the index has removed them, too.
 */
export async function emptySearch(t: TestContext) {
  const app = await sharedSearch(t)
  await app.sql`delete from all_listings`
  return app
}
