import assert from 'node:assert/strict'
import { test } from 'node:test'
import { browserHeaders } from '../../moderation/fixtures.ts'
import { eventually, startApp } from '../../support/app.ts'
import { makePublic } from '../../support/builders.ts'

test('an address whose page is not a number shows the first page', async (t) => {
  const app = await startApp(t)
  const { uid, owner } = await app.a.listing({ owner: await app.a.verifiedDeveloper() })
  await makePublic(app.sql, uid)
  const [row] = await app.sql`select vanity_name from listings where uid = ${uid}`
  const profile = `/${owner.username}`
  const listing = `${profile}/${row!.vanity_name}`
  const headers = browserHeaders(app, owner)
  await eventually('the listing', async () => (await app.get(profile, { headers })).status === 200)
  for (const path of [
    '/account/keys',
    '/library',
    profile,
    `${listing}/reviews`,
    `${listing}/mods`,
  ])
    for (const page of ['1', 'abc', '1.5', '-1', '', '99999999999'])
      assert.equal(
        (await app.get(`${path}?page=${page}`, { headers })).status,
        200,
        `${path} ${page}`,
      )
})
