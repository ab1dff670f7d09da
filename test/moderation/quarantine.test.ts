import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { startApp } from '../support/app.ts'
import { makePublic, must, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { sha256 } from '../uploads/zips.ts'
import { ACTIONS, decision, moderationTeam } from './fixtures.ts'
import { startSweeps } from './sweep-fixtures.ts'

const STATEMENTS = '/api/v1/public/statements'
const APPEALS = '/api/v1/private/moderation/appeals'

const startShared = sharedInFile((t) => startApp(t))

/** A public listing with a build of one file, which everyone may download. */
async function startBuild(t: TestContext) {
  const app = await startShared(t)
  const team = await moderationTeam(app)
  const owner = await app.a.verifiedDeveloper()
  const listing = await app.a.listing({ owner })
  const { build_id, file_uid } = await app.a.cleanBuild(listing)
  await makePublic(app.sql, listing.uid)
  await app.sql`update listings set anonymous_downloads = true where uid = ${listing.uid}`
  const download = async () => (await app.get(`/api/v1/public/downloads/${file_uid}`)).status
  return { ...app, ...team, owner, build_id, file_uid, download }
}

test('a file that was quarantined before its build stays when the build is restored', async (t) => {
  const { decide, build_id, file_uid, download } = await startBuild(t)
  await decide('file', file_uid, 'quarantine')
  await decide('build', build_id, 'quarantine')
  await decide('build', build_id, 'restore')
  assert.equal(await download(), 404)
  await decide('file', file_uid, 'restore')
  assert.equal(await download(), 200)
})

test('a file of a quarantined build is decided on by itself, in any order', async (t) => {
  const { decide, post, moderator, build_id, file_uid, download } = await startBuild(t)
  await decide('build', build_id, 'quarantine')
  await decide('file', file_uid, 'quarantine')
  const again = await post(ACTIONS, decision('file', file_uid, 'quarantine'), moderator)
  assert.deepEqual(refused(again), [409, 4090])
  await decide('file', file_uid, 'restore')
  assert.equal(await download(), 404, 'its build is in quarantine')
  const twice = await post(ACTIONS, decision('file', file_uid, 'restore'), moderator)
  assert.deepEqual(refused(twice), [409, 4090])
  await decide('build', build_id, 'restore')
  assert.equal(await download(), 200)
})

test('a reversal of the quarantine of a build leaves that of its file', async (t) => {
  const { decide, post, owner, operator, build_id, file_uid, download } = await startBuild(t)
  const appealed = async (statement_uid: string) => {
    const appeal = await post(`${STATEMENTS}/${statement_uid}/appeal`, { text: 'No' }, owner)
    const body = { outcome: 'reversed', reasons: 'It is harmless' }
    must(await post(`${APPEALS}/${must(appeal).appeal_uid}/decision`, body, operator))
  }
  const of_file = await decide('file', file_uid, 'quarantine')
  const of_build = await decide('build', build_id, 'quarantine')
  await appealed(of_build.statement_uid)
  assert.equal(await download(), 404)
  await appealed(of_file.statement_uid)
  assert.equal(await download(), 200)
})

test('a sweep quarantines files of a quarantined build by themselves', async (t) => {
  const { stored, start, quarantine, decide, get, sql } = await startSweeps(t, startShared)
  const body = randomBytes(64)
  const { listing, build_id, file_uid } = await stored({ body })
  await decide('build', build_id, 'quarantine')
  const sweep = await start([sha256(body)])
  assert.equal(must(await quarantine(sweep)).quarantined, 1)
  const [statement] = must(await get('/api/v1/private/moderation/statements', listing.owner)).items
  assert.deepEqual([statement.target_id, statement.origin], [file_uid, 'sweep'])
  await decide('build', build_id, 'restore')
  const [file] = await sql`select scan from files where uid = ${file_uid}`
  assert.equal(file!.scan, 'quarantined')
})
