import { randomUUID } from 'node:crypto'
import type { Core } from '../../../../src/core/runtime/core.ts'
import { signedQuery } from '../../../../src/core/security/signed-links.ts'
import { patchKey } from '../../../../src/updates/patches/key.ts'
import type { Call, startApp } from '../../../support/app.ts'
import type { Producer } from './private-world.ts'

type App = Pick<Awaited<ReturnType<typeof startApp>>, 'a' | 'sql' | 'core'>
type Request = Call & { path?: string }

/** The address of a patch of another listing. */
async function patchPath({ a, sql }: App, price_cents = 0): Promise<string> {
  const listing = await a.listing({ owner: await a.verifiedDeveloper() })
  const { file_uid } = await a.cleanBuild(listing)
  const uid = randomUUID()
  await sql`
    insert into file_patches (uid, game_uid, from_file, to_file, format, size, sha256)
    values (${uid}, ${listing.uid}, ${file_uid}, ${file_uid}, 'slipway-zstd-1', 10, 'x')`
  await sql`
    update listings
    set visibility = 'public', anonymous_downloads = ${price_cents === 0},
      price_cents = ${price_cents}
    where uid = ${listing.uid}`
  return `/api/v1/public/games/${listing.uid}/patches/${uid}`
}

/** The storage cannot sign links. */
const breakLinks = ({ storage }: Core) =>
  Object.assign(storage, { link: () => Promise.reject(new Error('no signature')) })

const name = 'get_games_game_id_patches_patch_uid'

/** Requests for the answers of the route of patches in the public description. */
export const patchAnswers: Record<string, (app: App) => Promise<Request>> = {
  [`${name} 200`]: async (app) => ({ path: await patchPath(app) }),
  [`${name} 401`]: async (app) => ({ path: await patchPath(app, 500) }),
  [`${name} 402`]: async (app) => ({
    path: await patchPath(app, 500),
    token: (await app.a.verified()).token,
  }),
  [`${name} 403`]: async (app) => ({
    path: await patchPath(app),
    token: (await app.a.user()).token,
  }),
  [`${name} 503`]: async (app) => {
    const path = await patchPath(app)
    breakLinks(app.core)
    return { path }
  },
}

const HOUR_SECONDS = 3600

/** The address of a stored patch, with a signed link. */
async function storedPatch({ sql, core, values }: Parameters<Producer>[0], ends_in = HOUR_SECONDS) {
  const uid = randomUUID()
  const { file_uid } = values
  const [file] = await sql`
    insert into file_patches (uid, game_uid, from_file, to_file, format, size, sha256)
    select ${uid}, game_uid, uid, uid, 'slipway-zstd-1', 4, 'x'
    from files
    where uid = ${file_uid!}
    on conflict (to_file, from_file) do update set uid = excluded.uid
    returning game_uid`
  await core.storage.put(patchKey({ uid, game_uid: file!.game_uid }), Buffer.from('four'))
  const ends = Math.floor(Date.now() / 1000) + ends_in
  const query = signedQuery(core, { purpose: 'patch', parts: [uid] }, ends)
  return { path: `/files/${file_uid}/patches/${uid}?${query}` }
}

const file_name = 'get_files_file_uid_patches_patch_uid'

/** The same for the route that sends patches. */
export const patchFileAnswers: Record<string, Producer> = {
  [`${file_name} 200`]: (world) => storedPatch(world),
  [`${file_name} 403`]: (world) => storedPatch(world, -HOUR_SECONDS),
  [`${file_name} 416`]: async (world) => ({
    ...(await storedPatch(world)),
    headers: { range: 'bytes=9999999-' },
  }),
}
