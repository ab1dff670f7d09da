import type { startApp } from '../support/app.ts'
import { makePublic, type Person } from '../support/builders.ts'

export const GAMES = '/api/v1/private/games'
export const PAGES = '/api/v1/public/games'
export type App = Awaited<ReturnType<typeof startApp>>

export async function publicListing(
  app: App,
  fields: { owner?: Person; asset_type?: string; name?: string } = {},
) {
  const listing = await app.a.listing(fields)
  await makePublic(app.sql, listing.uid)
  return listing
}
