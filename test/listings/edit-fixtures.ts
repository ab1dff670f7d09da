import type { Answer, startApp } from '../support/app.ts'
import type { Person } from '../support/builders.ts'

export const refused = ({ status, body }: Answer) => [status, body.error?.code]
export const MINE = '/api/v1/private/games'
export const PAGE = '/api/v1/public/games'
export type App = Awaited<ReturnType<typeof startApp>>

export const publish = ({ sql }: App, uid: string) =>
  sql`update listings set visibility = 'public', published_at = now(), public_since = now() where uid = ${uid}`
export async function publicListing(
  app: App,
  asked: { owner?: Person; asset_type?: string; name?: string } = {},
) {
  const listing = await app.a.listing(asked)
  await publish(app, listing.uid)
  return listing
}
