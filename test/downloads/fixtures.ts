import type { TestContext } from 'node:test'
import type { PendingQuery, Row } from 'postgres'
import { startApp } from '../support/app.ts'
import { zip } from '../uploads/zips.ts'

export const bytes = zip([{ name: 'game', body: 'play'.repeat(500), method: 0 }])

/** A service that has a public game with one clean file, with anonymous downloads by default. */
export const startDownloadApp = async (t: TestContext, { anonymous = true, env = {} } = {}) =>
  addDownload(await startApp(t, env), { anonymous })

/** Adds such a game to a service. */
export async function addDownload(
  app: Awaited<ReturnType<typeof startApp>>,
  { anonymous = true } = {},
) {
  const game = await app.a.listing({ owner: await app.a.verifiedDeveloper() })
  const { file_uid, ci, build_id } = await app.a.cleanBuild(game, { bytes })
  await app.sql`
    update listings set visibility = 'public', anonymous_downloads = ${anonymous}
    where uid = ${game.uid}`
  const attempts = async () =>
    (
      await app.sql`
        select outcome, access, source, client, user_uid, licence_granted, referrer_host
        from download_attempts
        where game_uid = ${game.uid}
        order by seq`
    ).map((row) => ({ ...row }))
  const changeListing = (change: PendingQuery<Row[]>) =>
    app.sql`update listings set ${change} where uid = ${game.uid}`
  const setScan = (scan: string) => app.sql`update files set scan = ${scan} where uid = ${file_uid}`
  /** The copies of the game. */
  const copies = () => app.sql`select from licences where game_uid = ${game.uid}`
  const fetchFile = (url: string, headers = {}, method = 'GET') => fetch(url, { method, headers })
  return {
    ...app,
    game,
    file_uid,
    ci,
    build_id,
    attempts,
    changeListing,
    setScan,
    copies,
    fetchFile,
    signed_out: `/api/v1/public/downloads/${file_uid}`,
    signed_in: `/api/v1/private/downloads/${file_uid}`,
  }
}
