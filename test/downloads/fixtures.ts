import type { TestContext } from 'node:test'
import { startApp } from '../support/app.ts'
import { zip } from '../uploads/zips.ts'

export const bytes = zip([{ name: 'game', body: 'play'.repeat(500), method: 0 }])

/** A public game with one clean file, with anonymous downloads by default. */
export async function startDownloadApp(t: TestContext, { anonymous = true, env = {} } = {}) {
  const app = await startApp(t, env)
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
        order by seq`
    ).map((row) => ({ ...row }))
  const fetchFile = (url: string, headers = {}, method = 'GET') => fetch(url, { method, headers })
  return {
    ...app,
    game,
    file_uid,
    ci,
    build_id,
    attempts,
    fetchFile,
    signed_out: `/api/v1/public/downloads/${file_uid}`,
    signed_in: `/api/v1/private/downloads/${file_uid}`,
  }
}
