import type { TestContext } from 'node:test'
import { moderationTeam } from '../moderation/fixtures.ts'
import { startApp } from '../support/app.ts'
import { type Listing, makePublic, must, newAddress } from '../support/builders.ts'

export const GAMES = '/api/v1/private/games'
export const REASON = 'It deletes saved games'

export type WithdrawalApp = Awaited<ReturnType<typeof startWithdrawals>>

export async function startWithdrawals(t: TestContext) {
  const app = await startApp(t, { PROXY_HOPS: '1' })
  const { a, sql, get, put, del } = app
  const team = await moderationTeam(app)
  /** A public listing whose files everyone may download. */
  const publicListing = async () => {
    const listing = await a.listing({ owner: await a.verifiedDeveloper() })
    await makePublic(sql, listing.uid)
    await sql`update listings set anonymous_downloads = true where uid = ${listing.uid}`
    return listing
  }
  const address = ({ uid }: Listing, build_id: string) => `${GAMES}/${uid}/builds/${build_id}`
  const withdraw = (listing: Listing, build_id: string, body: object = { reason: REASON }) =>
    put(`${address(listing, build_id)}/withdrawal`, body, listing.owner)
  const restore = (listing: Listing, build_id: string) =>
    del(`${address(listing, build_id)}/withdrawal`, listing.owner)
  const readBuild = async (listing: Listing, build_id: string) =>
    must(await get(address(listing, build_id), listing.owner))
  /** What the channels deliver, such as `stable linux 1.0`. */
  const heads = async ({ uid, owner }: Listing) =>
    must(await get(`${GAMES}/${uid}/channels`, owner)).channels.flatMap(({ channel, heads }: any) =>
      heads.map(({ os, version }: any) => `${channel} ${os} ${version}`),
    )
  /** The versions that visitors see files of. */
  const files = async ({ uid, owner }: Listing) =>
    must(
      await get(`/api/v1/public/user/${owner.uid}/games/${uid}/files`, { headers: newAddress() }),
    ).files.map(({ version }: any) => version)
  const download = (file_uid: string) =>
    get(`/api/v1/public/downloads/${file_uid}`, { headers: newAddress() })
  return {
    ...app,
    ...team,
    publicListing,
    address,
    withdraw,
    restore,
    readBuild,
    heads,
    files,
    download,
  }
}
